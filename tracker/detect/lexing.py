"""Where comments and strings stand in a text, by one linear pattern per language.

Each pattern is an alternation whose branches begin with different literals and whose bodies are unrolled, so a text
is read once whatever it holds; an unterminated comment or string ends with the text or its line.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

PYTHON = re.compile(
    rb"""
    \#[^\n]*
    | \"(?:\"\"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:\"\"\"|\\?\Z) | [^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|(?=\n)|\\?\Z))
    | '(?:''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\\?\Z) | [^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|(?=\n)|\\?\Z))
    """,
    re.VERBOSE | re.DOTALL,
)

CPP = re.compile(
    rb"""
    /(?:/[^\n\\]*(?:\\.[^\n\\]*)* | \*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z))
    | "(?:(?<=R")([^()\\\s"]{0,16})\((?:.*?\)\1"|.*\Z) | [^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|(?=\n)|\\?\Z))
    | '(?:[^'\\\n]|\\.[0-9a-fA-F]{0,8}){1,4}'
    """,
    re.VERBOSE | re.DOTALL,
)

CMAKE = re.compile(
    rb"""
    \#(?:\[(=*)\[(?:.*?\]\1\]|.*\Z) | [^\n]*)
    | "[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)
    """,
    re.VERBOSE | re.DOTALL,
)

JSON = re.compile(rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*(?:"|(?=\n)|\\?\Z)', re.DOTALL)


class Piece(NamedTuple):
    """A keyword in code, or the keywords of one comment or string. A tuple: there is one for every few words read."""

    offset: int
    code_from: int
    """Where the code before the keyword begins: the end of the last comment or string."""
    span: tuple[int, int] | None
    """The comment or string that the keywords stand in."""
    offsets: list[int]


def spans_in(pattern: re.Pattern[bytes], content: bytes, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of each comment and string between `low` and `high`."""
    return (found.span() for found in pattern.finditer(content, low, high))


def pieces(spans: Iterator[tuple[int, int]], offsets: list[int], low: int, high: int) -> Iterator[Piece]:
    """Yield the keywords at `offsets` (ascending, within low and high) with the comment or string they stand in."""
    beyond = (high + 1, high + 1)
    start, end = next(spans, beyond)
    code_from = low
    index = 0
    while index < len(offsets):
        offset = offsets[index]
        while end <= offset:
            code_from = end
            start, end = next(spans, beyond)
        first = index
        index += 1
        if offset < start:
            yield Piece(offset, code_from, None, offsets[first:index])
            continue
        while index < len(offsets) and offsets[index] < end:
            index += 1
        yield Piece(offset, code_from, (start, end), offsets[first:index])
