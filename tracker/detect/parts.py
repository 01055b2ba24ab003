"""One text, or one part of it, in a language -> what stands there, by the reader of the language.

A part is read together with what stands around it, so that it is read as it is in the whole text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from tracker.detect.cpp import read_cpp_pieces
from tracker.detect.detector import Detector, Reader
from tracker.detect.formatted import python_spans
from tracker.detect.lexing import CMAKE, CPP, JSON, Piece, pieces, spans_in
from tracker.detect.notebook import code_of_notebook
from tracker.detect.python import read_python_pieces
from tracker.detect.reading import Reading
from tracker.detect.scanned import ScannedText, Segment
from tracker.detect.script_lines import ScriptLines
from tracker.detect.scripts import read_cmake_pieces, read_json_pieces, read_words
from tracker.ruleset import Language

_Spans = Callable[[bytes, int, int], Iterator[tuple[int, int]]]
_PiecesReader = Callable[[Reading, Iterable[Piece], int, int, int], int]

_BY_SPANS: dict[Language, tuple[_Spans, _PiecesReader]] = {
    Language.PYTHON: (python_spans, read_python_pieces),
    Language.STARLARK: (python_spans, read_python_pieces),
    Language.CPP: (partial(spans_in, CPP), read_cpp_pieces),
    Language.CMAKE: (partial(spans_in, CMAKE), read_cmake_pieces),
    Language.JSON: (partial(spans_in, JSON), read_json_pieces),
}
"""Languages in which it must be known where comments and strings begin; the others are read line by line."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, with as much of what stands before and behind it as its reading may look at."""

    text: bytes
    begin: int
    """Where the part begins in `text`: with a line, and in no comment, string or block."""
    end: int
    code_from: int
    """Where the last comment or string before the part ends."""
    done: int
    """Where the last site before the part ends, if that is in it."""


def is_read_by_lines(language: Language) -> bool:
    """Whether no site of a language depends on what stands on another line, apart from blocks that people read."""
    return language not in _BY_SPANS


def scan_whole(content: bytes, offsets: list[int], reader: Reader, detector: Detector) -> ScannedText:
    """Return what a text holds whose keywords stand at `offsets`."""
    language, text = reader.language, content
    if language is Language.NOTEBOOK:
        language, text = Language.PYTHON, code_of_notebook(content)
        offsets = detector.keywords.offsets(text)
    reading = Reading(text, detector, Reader(language, reader.purpose))
    if is_read_by_lines(language):
        read_words(reading, ScriptLines(text, language, detector.messages, 0, len(text)), offsets, len(text))
    else:
        spans, read = _BY_SPANS[language]
        read(reading, pieces(spans(text, 0, len(text)), offsets, 0, len(text)), 0, len(text), 0)
    occurrences = reading.occurrences(content)
    signs = detector.regions.signs_of(content, 0, reader.language, occurrences)
    return ScannedText(occurrences, detector.regions.find(content, reader.language, signs, lambda: occurrences))


def scan_part(part: Part, offsets: Sequence[int], reader: Reader, detector: Detector) -> Segment | int:
    """Return what a part of a text holds.

    Where a comment, string or block goes on behind its end, return how far behind its beginning that ends instead, as
    far as the text shows it.

    Args:
        offsets: where keywords stand in the part.
    """
    reading = Reading(part.text, detector, reader)
    code_from, done = part.code_from, part.done
    if is_read_by_lines(reader.language):
        lines = ScriptLines(part.text, reader.language, detector.messages, part.begin, part.end)
        if lines.goes_on_to >= part.end and part.end < len(part.text):
            return lines.goes_on_to - part.begin
        read_words(reading, lines, offsets, len(part.text))
    else:
        spans_of, read = _BY_SPANS[reader.language]
        spans = _spans_that_begin_in(part, spans_of)
        if spans and spans[-1][1] > part.end:
            return spans[-1][1] - part.begin
        code_from = spans[-1][1] if spans else code_from
        found = pieces(iter(spans), list(offsets), part.code_from, len(part.text))
        done = read(reading, found, 0, len(part.text), done)
    return _segment(part, reading, code_from, done, has_keywords=bool(offsets))


def _segment(part: Part, reading: Reading, code_from: int, done: int, *, has_keywords: bool) -> Segment:
    occurrences = reading.occurrences(part.text, part.begin)
    signs = reading.detector.regions.signs_of(part.text, part.begin, reading.reader.language, occurrences)
    return Segment(
        occurrences=occurrences,
        breaks=part.text.count(b"\n", part.begin, part.end),
        behind=part.end - code_from,
        done=max(0, done - part.end),
        has_keywords=has_keywords,
        signs=signs,
    )


def _spans_that_begin_in(part: Part, spans_of: _Spans) -> list[tuple[int, int]]:
    """Return the bounds of the comments and strings that begin in a part."""
    end = part.end
    return list(takewhile(lambda span: span[0] < end, spans_of(part.text, part.begin, len(part.text))))
