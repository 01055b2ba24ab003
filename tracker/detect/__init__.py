"""A text in a dialect -> its sites: keyword scan first, then lexing of the texts that hold a keyword.

The result is a pure function of the content, the dialect and the ruleset, takes time linear in the content, and any
bytes have one: nothing here raises for what a file holds.
"""

from dataclasses import dataclass

from tracker.detect.cpp import read_cpp
from tracker.detect.detector import Detector
from tracker.detect.dialect import Dialect, dialect_of
from tracker.detect.notebook import code_of_notebook
from tracker.detect.python import read_python
from tracker.detect.reading import Reading
from tracker.detect.scripts import read_cmake, read_json, read_words
from tracker.ruleset import Language, Ruleset
from tracker.sites import Occurrence, Region

__all__ = ["Detector", "Dialect", "ScannedText", "build_detector", "dialect_of", "is_binary", "scan", "scan_text"]

_READERS = {
    Language.PYTHON: read_python,
    Language.STARLARK: read_python,
    Language.CPP: read_cpp,
    Language.CMAKE: read_cmake,
    Language.JSON: read_json,
}


def build_detector(ruleset: Ruleset) -> Detector:
    """Compile a ruleset; once per process, the result may be shared by threads that only scan."""
    return Detector(ruleset)


def is_binary(content: bytes) -> bool:
    """Say whether git would call the content binary: a zero byte among the first 8,000."""
    return b"\0" in content[:8000]


@dataclass(frozen=True, slots=True)
class ScannedText:
    """What one text holds."""

    occurrences: tuple[Occurrence, ...] = ()
    """In the order of the text."""
    regions: tuple[Region, ...] = ()
    """The parts that stand elsewhere than a neutral file does; in the order of the text, none overlaps another."""


_NOTHING = ScannedText()


def scan(content: bytes, dialect: Dialect, detector: Detector) -> tuple[Occurrence, ...]:
    """Return the sites and neutral constructs of a text, in its order."""
    return scan_text(content, dialect, detector).occurrences


def scan_text(content: bytes, dialect: Dialect, detector: Detector) -> ScannedText:
    """Return the sites and neutral constructs of a text, and its regions."""
    offsets = detector.keywords.offsets(content)
    if not offsets:
        return _NOTHING
    language = dialect.language if dialect.language is not Language.SCRIPT else _language_of_script(content)
    if language is None:
        return _NOTHING
    text, written = content, language
    if language is Language.NOTEBOOK:
        language, text = Language.PYTHON, code_of_notebook(content)
        offsets = detector.keywords.offsets(text)
    reading = Reading(text, detector, language, dialect.purpose)
    _READERS.get(language, read_words)(reading, offsets, 0, len(text))
    occurrences = reading.occurrences(content)
    return ScannedText(occurrences, detector.regions.find(content, written, occurrences))


def _language_of_script(content: bytes) -> Language | None:
    """Read the first line of a file without an extension."""
    first = content[:200].partition(b"\n")[0]
    if not first.startswith(b"#!"):
        return None
    if b"python" in first:
        return Language.PYTHON
    return Language.SHELL if b"sh" in first else None
