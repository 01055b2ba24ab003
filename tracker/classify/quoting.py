"""Lines of files as they are quoted beside a judgement: short enough to keep, with where the site stands in them.

A line of generated code may be megabytes long; of such a one the part around the site is quoted.
"""

from dataclasses import dataclass

LONGEST_QUOTE = 240
"""Signs of a line that are quoted."""
_BEFORE_THE_SITE = 80
"""Signs quoted before a site that stands too far behind the beginning of its line."""
_MOST_BYTES = 4
"""Of one sign in UTF-8."""

Span = tuple[int, int]
"""Where something begins and ends in a line, counted from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a file of the commit or, for what is gone, of its parent."""

    path: str
    number: int
    """From 1."""
    text: str
    """Without its end, at most `LONGEST_QUOTE` signs; empty where the text of the file could not be read."""
    span: Span | None = None
    """Where in the text the site stands, or what took its place; None where that cannot be said."""
    cut_before: bool = False
    """Whether the line begins before the text."""
    cut_after: bool = False
    """Whether the line goes on behind the text."""


def quote(path: str, number: int, line: bytes, span: Span | None) -> Line:
    """Return a line as it is quoted.

    Args:
        span: where in the bytes of the line the site stands.
    """
    if len(line) <= LONGEST_QUOTE and line.isascii():
        text = line.decode("ascii").rstrip()
        return Line(path=path, number=number, text=text, span=_within(span, len(text)))
    return _quote_a_part(path, number, line, span)


def quote_at(path: str, number: int, content: bytes, span: Span) -> Line:
    """Return the line of a file in which something begins, by its offsets in the bytes of the whole content."""
    start = content.rfind(b"\n", 0, span[0]) + 1
    end = content.find(b"\n", span[0])
    line = content[start:] if end < 0 else content[start:end]
    return quote(path, number, line, (span[0] - start, min(span[1] - start, len(line))))


def _quote_a_part(path: str, number: int, line: bytes, span: Span | None) -> Line:
    first = _first_byte(line, span)
    part = line[first : first + LONGEST_QUOTE * _MOST_BYTES]
    whole = part.decode("utf-8", "replace")
    ends = first + len(part) == len(line) and len(whole) <= LONGEST_QUOTE
    text = whole.rstrip() if ends else whole[:LONGEST_QUOTE]
    signs = None
    if span is not None:
        before = len(part[: span[0] - first].decode("utf-8", "replace"))
        signs = before, before + len(part[span[0] - first : span[1] - first].decode("utf-8", "replace"))
    return Line(
        path=path,
        number=number,
        text=text,
        span=_within(signs, len(text)),
        cut_before=first > 0,
        cut_after=not ends,
    )


def _first_byte(line: bytes, span: Span | None) -> int:
    """Where the quoted part begins: at the line's beginning unless the site would fall out of it."""
    if span is None or span[1] <= LONGEST_QUOTE:
        return 0
    first = max(0, span[0] - _BEFORE_THE_SITE)
    # Not within a sign: bytes that continue one begin with the bits 10.
    while first < len(line) and line[first] & 0xC0 == 0x80:
        first += 1
    return first


def _within(span: Span | None, length: int) -> Span | None:
    if span is None or span[0] >= length or span[0] >= span[1]:
        return None
    return span[0], min(span[1], length)
