"""A path and its place -> the dialect in which the file's text is read, or none for files that hold no code.

The dialect is all that detection knows of a path: equal contents in equal dialects have equal sites, so a blob is
scanned once however many paths name it.
"""

import re
from dataclasses import dataclass

from tracker.ruleset import Language, Purpose
from tracker.sites import Place, Territory


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read a text."""

    language: Language
    purpose: Purpose


_BY_NAME = {
    "CMakeLists.txt": Language.CMAKE,
    "BUILD": Language.STARLARK,
    "BUCK": Language.STARLARK,
    "TARGETS": Language.STARLARK,
    "WORKSPACE": Language.STARLARK,
    "Makefile": Language.SHELL,
    "GNUmakefile": Language.SHELL,
    "Pipfile": Language.CONFIG,
    "Jenkinsfile": Language.CPP,
    ".gitmodules": Language.CONFIG,
    ".bazelrc": Language.CONFIG,
    ".flake8": Language.CONFIG,
    ".clang-tidy": Language.YAML,
    ".clang-format": Language.YAML,
}

_BY_EXTENSION = {
    **dict.fromkeys(("py", "pyi", "pyx", "pxd", "pxi", "pyt"), Language.PYTHON),
    **dict.fromkeys(
        (
            "c",
            "cc",
            "cpp",
            "cxx",
            "c++",
            "h",
            "hh",
            "hpp",
            "hxx",
            "h++",
            "inl",
            "inc",
            "ipp",
            "tpp",
            "tcc",
            "cu",
            "cuh",
        ),
        Language.CPP,
    ),
    **dict.fromkeys(("hip", "hiph", "m", "mm", "metal", "sycl", "cl", "glsl", "comp", "proto"), Language.CPP),
    **dict.fromkeys(
        ("java", "kt", "kts", "swift", "scala", "go", "rs", "cs", "groovy", "gradle", "td", "cppm"), Language.CPP
    ),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs"), Language.CPP),
    **dict.fromkeys(("bzl", "bazel", "build", "buck", "star"), Language.STARLARK),
    "cmake": Language.CMAKE,
    **dict.fromkeys(("yaml", "yml", "cwrap"), Language.YAML),
    **dict.fromkeys(("sh", "bash", "zsh", "ksh", "mk", "mak", "slurm", "sbatch", "env", "fish"), Language.SHELL),
    **dict.fromkeys(("toml", "ini", "cfg", "conf", "properties", "repo", "list"), Language.CONFIG),
    **dict.fromkeys(("bat", "cmd", "ps1"), Language.BATCH),
    "dockerfile": Language.DOCKERFILE,
    "json": Language.JSON,
    "ipynb": Language.NOTEBOOK,
    "expect": Language.PLAIN,
}

_WRAPPINGS = (".in", ".j2", ".jinja", ".jinja2", ".tmpl", ".template", ".tpl", ".orig", ".txt.in")
_FOR_PEOPLE = re.compile(
    r"(?:^|/)(?:ISSUE_TEMPLATE/.*"
    r"|(?:docs?|docs?-\w+|documentation|website)/.*\.(?:ya?ml|json|jsx?|tsx?|mjs|css|html?)"
    r"|(?:_toctree|_redirects|mkdocs|_quarto|_sidebar)\.ya?ml)\Z"
)
"""Forms, and what says how documentation is laid out and found: navigation, redirections, themes."""
_READ_BY_PURPOSE = frozenset(
    {Language.YAML, Language.SHELL, Language.DOCKERFILE, Language.CONFIG, Language.BATCH, Language.JSON}
)


def dialect_of(path: str, place: Place) -> Dialect | None:
    """Return how the file at `path` is read; None for prose, images, data and everything else that is never scanned."""
    language = _language_of(path.rpartition("/")[2])
    if language is None or _FOR_PEOPLE.search(path):
        return None
    in_pipeline = place.territory is Territory.INFRASTRUCTURE and language in _READ_BY_PURPOSE
    return Dialect(language, Purpose.PIPELINE if in_pipeline else Purpose.CODE)


def _language_of(name: str) -> Language | None:
    if name.endswith((".txt", ".in")) and ("requirement" in name or "constraint" in name):
        return Language.CONFIG
    while name.endswith(_WRAPPINGS):
        name = name.rpartition(".")[0]
    known = _BY_NAME.get(name)
    if known is not None:
        return known
    if name.startswith(("Dockerfile", "Containerfile")):
        return Language.DOCKERFILE
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem:
        return Language.SCRIPT if not dot else None
    return _BY_EXTENSION.get(extension.lower())
