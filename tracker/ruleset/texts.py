"""The kinds of text that rules speak of: languages, what a file is for, where in a text a name stands, examples."""

from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    """How a file's text is read; several file types share one language."""

    __hash__ = str.__hash__  # as an enumeration's own, and a text remembers it

    PYTHON = "python"
    CPP = "cpp"
    STARLARK = "starlark"
    CMAKE = "cmake"
    YAML = "yaml"
    SHELL = "shell"
    DOCKERFILE = "dockerfile"
    CONFIG = "config"
    """TOML, INI, cfg, requirement files, makefiles of pins: one entry a line, comments after a hash or semicolon."""
    BATCH = "batch"
    JSON = "json"
    NOTEBOOK = "notebook"
    SCRIPT = "script"
    """A file without an extension: its first line says whether it is Python or shell; else it holds no code."""
    PLAIN = "plain"
    """Recorded output (.expect): words without comments or strings."""


class Purpose(StrEnum):
    """What a file is for, where the same words mean different things by it."""

    __hash__ = str.__hash__  # as an enumeration's own, and a text remembers it

    CODE = "code"
    PIPELINE = "pipeline"
    """A description of continuous integration, an image or a release."""


class Context(StrEnum):
    """Where in a text a token run stands; a rule names the contexts it applies to."""

    __hash__ = str.__hash__  # as an enumeration's own, and a text remembers it

    CODE = "code"
    CALL = "call"
    """In code, directly before an opening parenthesis."""
    RECEIVER = "receiver"
    """In code, behind a dot or arrow after some expression."""
    METHOD = "method"
    """In code, behind a dot or arrow and directly before an opening parenthesis: x.cuda()."""
    DECORATOR = "decorator"
    IMPORT = "import"
    """The path of an import statement or of an include directive."""
    DIRECTIVE = "directive"
    """A preprocessor condition."""
    STRING = "string"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A text that a rule must flag or must leave alone."""

    language: Language
    text: str
