"""C, C++, CUDA, HIP, Objective-C and like texts -> sites: paths, includes, conditions, launches, names in strings."""

import re
from collections.abc import Iterable

from tracker.detect.lexing import Piece
from tracker.detect.reading import Reading, end_of_line, line_of
from tracker.detect.strings import continues_prose, is_name, name_of
from tracker.detect.words import LAUNCH
from tracker.ruleset import Context

_INCLUDE = re.compile(rb'[ \t]*(?:#|%:)[ \t]*(?:include|import|include_next)[ \t]*[<"]([^>"\n]*)[>"]')
_CONDITION = re.compile(rb"[ \t]*(?:#|%:)[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef|cmakedefine|cmakedefine01)\b")
_COMPLAINT = re.compile(rb"[ \t]*(?:#|%:)[ \t]*(?:error|warning)\b")
_MOST_CONTINUATIONS = 20


def read_cpp_pieces(reading: Reading, found: Iterable[Piece], low: int, high: int, done: int) -> int:
    """Read keywords, and return where what was read last ends; what ends at `done` was read before."""
    content = reading.content
    for piece in found:
        if piece.offset < done:
            continue
        if piece.span is not None:
            if content[piece.span[0]] != 0x2F:
                done = _read_string(reading, piece.span, low)
        elif content[piece.offset] == 0x3C:
            done = _read_launch(reading, piece.offset)
        else:
            done = _read_code(reading, piece.offset, max(piece.code_from, done), high)
    return done


def _read_code(reading: Reading, offset: int, code_from: int, high: int) -> int:
    content = reading.content
    line = line_of(content, offset)
    include = _INCLUDE.match(content, line)
    if include and include.start(1) <= offset < include.end(1):
        reading.token(include.start(1), include.end(1), Context.IMPORT)
        return include.end(1)
    if _COMPLAINT.match(content, line):
        return end_of_line(content, offset)
    if not _in_condition(content, line):
        return reading.path(offset, code_from, high)
    return reading.path(offset, max(code_from, line), min(high, end_of_line(content, offset)), Context.DIRECTIVE)


def _in_condition(content: bytes, line: int) -> bool:
    """Say whether a line belongs to a preprocessor condition, which may go on over lines."""
    for _ in range(_MOST_CONTINUATIONS):
        if not line or (content[line - 2 : line - 1] != b"\\" and content[line - 3 : line - 1] != b"\\\r"):
            break
        line = line_of(content, line - 1)
    return bool(_CONDITION.match(content, line))


def _read_launch(reading: Reading, offset: int) -> int:
    content = reading.content
    before = content[max(0, offset - 8) : offset]
    if content[offset + 3 : offset + 4] != b"<" and before[-1:] != b"<" and before != b"operator":
        reading.token(offset, offset + 3, Context.CODE, LAUNCH)
    return offset + 3


def _read_string(reading: Reading, span: tuple[int, int], low: int) -> int:
    content = reading.content
    start, end = span
    line = line_of(content, start)
    include = _INCLUDE.match(content, line)
    if include and include.start(1) == start + 1:
        reading.token(include.start(1), include.end(1), Context.IMPORT)
        return end
    text = content[start + 1 : max(start + 1, end - 1)].strip()
    if content[start - 1 : start] == b"R":
        text = text.partition(b"(")[2].rpartition(b")")[0].strip()
    if not is_name(text) or continues_prose(content, start, end) or _COMPLAINT.match(content, line):
        return end
    if not reading.detector.messages.is_message(content, start, low):
        reading.token(start, end, Context.STRING, name_of(text))
    return end
