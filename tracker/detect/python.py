"""Python, Cython and Starlark texts -> sites: paths in code, whole strings that are names, code inside f-strings."""

import re
from bisect import bisect_left
from collections.abc import Iterable

from tracker.detect.formatted import python_spans
from tracker.detect.lexing import Piece, pieces
from tracker.detect.reading import Reading, line_of
from tracker.detect.strings import continues_prose, is_name, is_prose, name_of
from tracker.ruleset import Context

_PREFIX = re.compile(rb"([A-Za-z]{1,2})(?![\w])")
_IMPORT_BEFORE = re.compile(rb"\s*(?:>>>\s*)?(?:c?import\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*|from\s+\.*\s*)")
_RELATIVE_IMPORT = re.compile(rb"from[ \t]+\.+[ \t]*")
_NEAR = 400
_DEFINITION = re.compile(rb"(?:^|\n)[ \t]*(?:async[ \t]+def|c?p?def|class)\b[^\n]*:\s*\Z")
_REST_OF_LINE = re.compile(rb"[ \t]*(?:#[^\n]*)?(?:\r?\n|\Z)")
_BRACE = re.compile(rb"\{\{|\}\}|\{|\}")
_BRACE_OR_STRING = re.compile(rb"[{}]|\"[^\"\\\n]*\"|'[^'\\\n]*'")


def read_python(reading: Reading, offsets: list[int], low: int, high: int) -> None:
    """Read the keywords at `offsets` between `low` and `high`."""
    read_python_pieces(reading, pieces(python_spans(reading.content, low, high), offsets, low, high), low, high, low)


def read_python_pieces(reading: Reading, found: Iterable[Piece], low: int, high: int, done: int) -> int:
    """Read keywords, and return where what was read last ends; what ends at `done` was read before."""
    content = reading.content
    for piece in found:
        if piece.span is None:
            if piece.offset >= done and content[piece.offset] != 0x3C:
                start, end = reading.path_around(piece.offset, max(piece.code_from, done), high)
                if relative := _RELATIVE_IMPORT.match(content, start, end):
                    start = relative.end()
                done = reading.path_between(start, end, high, _context(reading, start, end, piece.code_from))
        elif content[piece.span[0]] != 0x23:
            _read_string(reading, piece.span, piece.offsets, low)
    return done


def _context(reading: Reading, start: int, end: int, code_from: int) -> Context:
    content = reading.content
    if start and content[start - 1] == 0x40:  # @
        before = content[max(code_from, start - 40) : start - 1]
        if not before.rpartition(b"\n")[2].strip():
            return Context.DECORATOR
    line = content[line_of(content, start) : start].rpartition(b";")[2]
    if _IMPORT_BEFORE.fullmatch(line):
        return Context.IMPORT
    return reading.code_context(start, end, code_from)


def _read_string(reading: Reading, span: tuple[int, int], offsets: list[int], low: int) -> None:
    """Read a string as one name, or the code inside a formatted one; a message holds neither."""
    content = reading.content
    start, end = span
    quotes = 3 if content[start : start + 3] in (b'"""', b"'''") and end - start >= 6 else 1
    prefix = _PREFIX.match(content[max(low, start - 3) : start][::-1])
    letters = prefix[1].lower() if prefix else b""
    closed = end - start >= 2 * quotes and content[end - quotes : end] == content[start : start + quotes]
    inner = (start + quotes, max(start + quotes, end - quotes if closed else end))
    formatted = b"f" in letters or b"t" in letters
    holes = _holes(content, *inner) if formatted else []
    text = _without_holes(content, inner, holes)
    named = is_name(text)
    if not named and (not formatted or is_prose(text)):
        return
    if reading.detector.messages.is_message(content, start - len(letters), low) or continues_prose(content, start, end):
        return
    if low == 0 and not formatted and _is_docstring(content, start - len(letters), end):
        return
    if named:
        reading.token(start, end, Context.STRING, name_of(text))
    elif formatted:
        _read_code_parts(reading, _between(inner, holes), offsets)
    for hole in holes:
        inside = offsets[bisect_left(offsets, hole[0]) : bisect_left(offsets, hole[1])]
        if inside:
            read_python(reading, inside, *hole)


def _is_docstring(content: bytes, start: int, end: int) -> bool:
    """Say whether a string stands alone at the top of the text, or below a line that opens a definition."""
    before = content[max(0, start - _NEAR) : start]
    if before[before.rfind(b"\n") + 1 :].strip() or not _REST_OF_LINE.match(content, end):
        return False
    above = before.rstrip()
    return (not above and start <= _NEAR) or bool(_DEFINITION.search(above))


def _read_code_parts(reading: Reading, parts: list[tuple[int, int]], offsets: list[int]) -> None:
    """Read code that a formatted string writes."""
    for low, high in parts:
        done = low
        for offset in offsets[bisect_left(offsets, low) : bisect_left(offsets, high)]:
            if offset >= done and reading.content[offset] != 0x3C:
                done = reading.path(offset, done, high)


def _between(inner: tuple[int, int], holes: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts of a formatted string outside its holes."""
    starts = [inner[0], *(end + 1 for _, end in holes)]
    ends = [*(start - 1 for start, _ in holes), inner[1]]
    return list(zip(starts, ends, strict=True))


def _holes(content: bytes, low: int, high: int) -> list[tuple[int, int]]:
    """Return the bounds of the expressions in an f-string's text, outermost braces only."""
    holes: list[tuple[int, int]] = []
    depth, opened = 0, low
    position = low
    # Inside an expression braces are not doubled, and those in its strings open nothing.
    while (found := (_BRACE_OR_STRING if depth else _BRACE).search(content, position, high)) is not None:
        position = found.end()
        if found[0] == b"{":
            opened = position if depth == 0 else opened
            depth += 1
        elif found[0] == b"}" and depth:
            depth -= 1
            if depth == 0:
                holes.append((opened, found.start()))
    return holes


def _without_holes(content: bytes, inner: tuple[int, int], holes: list[tuple[int, int]]) -> bytes:
    parts, position = [], inner[0]
    for start, end in holes:
        parts += [content[position : start - 1], b"{}"]
        position = end + 1
    parts.append(content[position : inner[1]])
    return b"".join(parts)
