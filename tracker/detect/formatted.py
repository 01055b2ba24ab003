"""Where Python's formatted strings end: since 3.12 an expression in braces may hold any quotes, its string's own too.

A string whose braces do not work out within 1,000 bytes ends at its first own quote, as before 3.12; so any text takes
linear time.
"""

import re
from collections.abc import Iterator

from tracker.detect.lexing import PYTHON

_FORMATTED = re.compile(rb"(?i)[ft]r?[\"']")
_PREFIX_REVERSED = re.compile(rb"(?i)r?[ft]r?(?!\w)")
_STEP = re.compile(rb"\\.|\{\{|\}\}|[{}\n]|((?:(?<!\w)[A-Za-z]{1,2})?)(\"\"\"|'''|\"|')", re.DOTALL)
_PLAIN = re.compile(
    rb"\"\"\".*?\"\"\"|'''.*?'''|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'", re.DOTALL
)
_FARTHEST = 1000
_EXPRESSION = b"{"


def python_spans(content: bytes, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of each comment and string between `low` and `high`."""
    if not _FORMATTED.search(content, low, high):
        yield from (found.span() for found in PYTHON.finditer(content, low, high))
        return
    position = low
    while (found := PYTHON.search(content, position, high)) is not None:
        start, position = found.span()
        if _is_formatted(content, start, low) and content.find(_EXPRESSION, start, position) >= 0:
            position = _end_of_formatted(content, start, high) or position
        yield start, position


def _is_formatted(content: bytes, start: int, low: int) -> bool:
    return content[start] != 0x23 and bool(_PREFIX_REVERSED.match(content[max(low, start - 3) : start][::-1]))


def _end_of_formatted(content: bytes, start: int, high: int) -> int | None:
    """Return where the string at `start` ends, braces and the strings inside them paired; None where they are not."""
    high = min(high, start + _FARTHEST)
    quote = content[start : start + 3] if content[start : start + 3] in (b'"""', b"'''") else content[start : start + 1]
    opened = [quote]
    position = start + len(quote)
    while (step := _STEP.search(content, position, high)) is not None:
        position = step.end()
        sign = step[2] or step[0]
        if opened[-1] != _EXPRESSION:
            if sign == b"\n" and len(opened[-1]) == 1:
                return None
            if sign == _EXPRESSION:
                opened.append(_EXPRESSION)
            elif step[2] and sign.startswith(opened[-1]):
                position = step.start(2) + len(opened.pop())
                if not opened:
                    return position
        elif sign[:1] in (b"{", b"}"):
            position = step.start() + 1  # inside an expression braces are not doubled
            if sign[:1] == _EXPRESSION:
                opened.append(_EXPRESSION)
            else:
                opened.pop()
        elif step[2]:
            position = _behind_quote(content, step, high, opened)
    return None


def _behind_quote(content: bytes, step: re.Match[bytes], high: int, opened: list[bytes]) -> int:
    """Enter a formatted string inside an expression, pass over another; a lone quote is a sign to fill up with."""
    if _PREFIX_REVERSED.fullmatch(step[1][::-1]):
        opened.append(step[2])
        return step.end()
    plain = _PLAIN.match(content, step.start(2), high)
    return plain.end() if plain else step.end()
