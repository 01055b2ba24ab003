"""Python, Cython and Starlark texts -> sites: paths in code, whole strings that are names, code inside f-strings."""

import re

from tracker.detect.lexing import PYTHON, pieces
from tracker.detect.reading import Reading
from tracker.ruleset import Context

_PREFIX = re.compile(rb"([A-Za-z]{1,2})(?![\w])")
_IMPORT_BEFORE = re.compile(rb"\s+(?:tropmi|morf|tropmic)(?=[ \t]*(?:\n|;|>>>|\Z))")
_HOLE = re.compile(rb"\{\{|\}\}|\{|\}")
_FORMAT_FIELD = re.compile(rb"\{[^{}\s]*\}|%[sdri]|%\(\w+\)[sdri]")
_SPACE = re.compile(rb"\s")
_PROSE = re.compile(rb"[A-Za-z]{2,}[,.:]?\s+(?:\S+\s+)?[A-Za-z]{2,}")
_CODE_MARKS = re.compile(rb"\w\(|\s=\s|;\s*$|::|^\s*(?:import|from|with|return|if|def|#include)\s")
_LONGEST_NAME = 200


def read_python(reading: Reading, offsets: list[int], low: int, high: int) -> None:
    """Read the keywords at `offsets` between `low` and `high`."""
    content = reading.content
    done = low
    for piece in pieces(PYTHON, content, offsets, low, high):
        if piece.span is None:
            if piece.offset >= done and content[piece.offset] != 0x3C:
                start, end = reading.path_around(piece.offset, max(piece.code_from, done), high)
                done = reading.path_between(start, end, high, _context(reading, start, end, piece.code_from))
        elif content[piece.span[0]] != 0x23:
            _read_string(reading, piece.span, piece.offsets, low)


def _context(reading: Reading, start: int, end: int, code_from: int) -> Context:
    content = reading.content
    if start and content[start - 1] == 0x40:  # @
        before = content[max(code_from, start - 40) : start - 1]
        if not before.rpartition(b"\n")[2].strip():
            return Context.DECORATOR
    before = content[max(0, start - 120) : start][::-1].lstrip(b".")
    if _IMPORT_BEFORE.match(before):
        return Context.IMPORT
    return reading.code_context(start, end, code_from)


def _read_string(reading: Reading, span: tuple[int, int], offsets: list[int], low: int) -> None:
    content = reading.content
    start, end = span
    quotes = 3 if content[start : start + 3] in (b'"""', b"'''") and end - start >= 6 else 1
    prefix = _PREFIX.match(content[max(low, start - 3) : start][::-1])
    letters = prefix[1].lower() if prefix else b""
    inner = (start + quotes, max(start + quotes, end - quotes))
    holes = _holes(content, *inner) if b"f" in letters or b"t" in letters else []
    opening = start - len(letters)
    text = _without_holes(content, inner, holes)
    spaced = bool(_SPACE.search(text.strip()))
    if spaced and not holes:
        return
    if spaced and _PROSE.search(text) and not _CODE_MARKS.search(text):
        return
    if reading.detector.messages.is_message(content, opening, low) or _continues_prose(content, opening, end):
        return
    if not spaced and len(text) <= _LONGEST_NAME:
        reading.token(start, end, Context.STRING, _named(text.strip()))
    for hole_start, hole_end in holes:
        inside = [offset for offset in offsets if hole_start <= offset < hole_end]
        if inside:
            read_python(reading, inside, hole_start, hole_end)


def _named(text: bytes) -> bytes:
    """Name a string by what it says: every way to fill in a value is written {}."""
    return _FORMAT_FIELD.sub(b"{}", text)


def _continues_prose(content: bytes, start: int, end: int) -> bool:
    """Say whether the string is one of several that are joined, another of which has white space inside."""
    before = content[max(0, start - 200) : start].rstrip()
    if before[-1:] in (b'"', b"'") and before[-3:] not in (b'"""', b"'''"):
        quote = before.rfind(before[-1:], 0, -1)
        if quote >= 0 and _SPACE.search(before, quote + 1):
            return True
    after = content[end : end + 200].lstrip().lstrip(b"fFrRbBuU")
    if after[:1] in (b'"', b"'"):
        quote = after.find(after[:1], 1)
        return bool(_SPACE.search(after, 1, quote if quote > 0 else len(after)))
    return False


def _holes(content: bytes, low: int, high: int) -> list[tuple[int, int]]:
    """Return the bounds of the expressions in an f-string's text, outermost braces only."""
    holes: list[tuple[int, int]] = []
    depth, opened = 0, low
    position = low
    while (found := _HOLE.search(content, position, high)) is not None:
        position = found.end()
        brace = found[0]
        if depth == 0 and len(brace) == 2:
            continue
        if len(brace) == 2:
            position -= 1  # inside an expression braces are not doubled
        if brace[:1] == b"{":
            opened = found.start() + 1 if depth == 0 else opened
            depth += 1
        elif depth:
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
