"""A text in a dialect -> its sites: keyword scan first, then lexing of the texts that hold a keyword.

The result is a pure function of the content, the dialect and the ruleset, takes time linear in the content, and any
bytes have one: nothing here raises for what a file holds.
"""

import numpy as np

from tracker.detect.detector import Detector, Reader
from tracker.detect.dialect import Dialect, dialect_of
from tracker.detect.parts import scan_whole
from tracker.detect.scanned import ScannedText
from tracker.detect.segments import LEAST_CUT, SegmentScans
from tracker.ruleset import Language, Ruleset
from tracker.sites import Occurrence

__all__ = [
    "Detector",
    "Dialect",
    "ScannedText",
    "SegmentScans",
    "build_detector",
    "count_lines",
    "dialect_of",
    "is_binary",
    "scan",
    "scan_text",
]


def build_detector(ruleset: Ruleset) -> Detector:
    """Compile a ruleset; once per process, the result may be shared by threads that only scan."""
    return Detector(ruleset)


def is_binary(content: bytes) -> bool:
    """Say whether git would call the content binary: a zero byte among the first 8,000."""
    return b"\0" in content[:8000]


_NEWLINE = np.uint8(0x0A)


def count_lines(content: bytes) -> int:
    """Return the number of lines as `wc -l` counts them, and one more where the last does not end."""
    if not content:
        return 0
    # A fourth of the time of `bytes.count`: it is done for every blob of a history.
    ends = np.frombuffer(content, np.uint8) == _NEWLINE
    return int(np.count_nonzero(ends)) + (not ends[-1])


def scan(content: bytes, dialect: Dialect, detector: Detector) -> tuple[Occurrence, ...]:
    """Return the sites and neutral constructs of a text, in its order."""
    return scan_text(content, dialect, detector).occurrences


def scan_text(
    content: bytes, dialect: Dialect, detector: Detector, segments: SegmentScans | None = None
) -> ScannedText:
    """Return the sites and neutral constructs of a text, its regions and its number of lines.

    Args:
        segments: what is remembered of other texts; the result is the same with it and without.
    """
    language = dialect.language if dialect.language is not Language.SCRIPT else _language_of_script(content)
    if language is None:
        return ScannedText()
    found = _scan(content, Reader(language, dialect.purpose), detector, segments)
    found.lines = count_lines(content)
    return found


def _scan(content: bytes, reader: Reader, detector: Detector, segments: SegmentScans | None) -> ScannedText:
    if segments is not None and len(content) >= LEAST_CUT and reader.language is not Language.NOTEBOOK:
        return segments.scan(content, reader)
    offsets = detector.keywords.offsets(content)
    return scan_whole(content, offsets, reader, detector) if offsets else ScannedText()


def _language_of_script(content: bytes) -> Language | None:
    """Read the first line of a file without an extension."""
    first = content[:200].partition(b"\n")[0]
    if not first.startswith(b"#!"):
        return None
    if b"python" in first:
        return Language.PYTHON
    return Language.SHELL if b"sh" in first else None
