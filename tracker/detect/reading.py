"""One text under scan: what the readers of all languages share."""

import re
from dataclasses import dataclass

from tracker.detect.detector import Detector, Reader
from tracker.ruleset import Context, Language
from tracker.sites import Occurrence, Site

_WINDOW = 300
"""Bytes before a keyword that may belong to its path; longer ones are cut."""


_LONGEST_LINE = 1000
"""Longer lines, which no person wrote, are read as if they began this many bytes before a keyword."""


def line_of(content: bytes, offset: int) -> int:
    """Return where the line of an offset begins."""
    low = max(0, offset - _LONGEST_LINE)
    return content.rfind(b"\n", low, offset) + 1 or low


def end_of_line(content: bytes, offset: int) -> int:
    """Return where the line of an offset ends."""
    high = min(len(content), offset + _LONGEST_LINE)
    end = content.find(b"\n", offset, high)
    return end if end >= 0 else high


@dataclass(frozen=True, slots=True)
class _Paths:
    """How a language joins names to paths; the first pattern reads backwards, on reversed text."""

    back: re.Pattern[bytes]
    forth: re.Pattern[bytes]
    forth_through_calls: re.Pattern[bytes]
    """Goes on behind an empty pair of parentheses: get_accelerator().synchronize."""


_GAP = rb"(?:\s|\\\r?\n)*"
"""White space and continued lines, which may stand inside a path."""
_GAP_REVERSED = rb"(?:\s|\n\r?\\)*"


def _paths(link: bytes, reversed_link: bytes) -> _Paths:
    return _Paths(
        back=re.compile(rb"[\w$~]*(?:%b(?:%b)[\w$]*[A-Za-z_$])*" % (_GAP_REVERSED, reversed_link)),
        forth=re.compile(rb"[\w$]*(?:(?:%b)%b[A-Za-z_~][\w$]*)*" % (link, _GAP)),
        forth_through_calls=re.compile(rb"[\w$]*(?:(?:\s*\(\s*\))?(?:%b)%b[A-Za-z_][\w$]*)*" % (link, _GAP)),
    )


_DOT, _DOT_REVERSED = rb"%b\." % _GAP, rb"\.%b" % _GAP_REVERSED
_DOTTED = _paths(_DOT, _DOT_REVERSED)
_QUALIFIED = _paths(rb"::|%b(?:\.|->)" % _GAP, rb"::|(?:\.|>-)%b" % _GAP_REVERSED)
"""Two colons directly follow what they qualify: in `return ::at::cuda::f()` the path does not begin with the return."""
_CALL = re.compile(rb"\s*\(")
_LINK_BEFORE = re.compile(rb"\s*(?:\.(?![0-9]+(?!\w))|>-)")  # not the point of a number that ends a line above


class Reading:
    """Collects the sites of one text in one language."""

    def __init__(self, content: bytes, detector: Detector, reader: Reader) -> None:
        self.content = content
        self.detector = detector
        self.reader = reader
        self._paths = _QUALIFIED if reader.language is Language.CPP else _DOTTED
        self._found: list[tuple[int, int, Site]] = []

    def path(self, offset: int, code_from: int, high: int, context: Context | None = None) -> int:
        """Read the path around a keyword in code; return where it ends, so that its other keywords are passed over."""
        start, end = self.path_around(offset, code_from, high)
        return self.path_between(start, end, high, context or self.code_context(start, end, code_from))

    def path_around(self, offset: int, code_from: int, high: int) -> tuple[int, int]:
        """Return where the dotted or qualified path around a keyword begins and ends."""
        before = self.content[max(code_from, offset - _WINDOW) : offset][::-1]
        back = self._paths.back.match(before)
        start = offset - (back.end() if back else 0)
        forth = self._paths.forth.match(self.content, offset, min(high, offset + _WINDOW))
        return start, max(forth.end() if forth else offset, offset + 1)

    def path_between(self, start: int, end: int, high: int, context: Context) -> int:
        """Read one path in a known context; return where it ends."""
        answer = self.detector.path(self.reader, context, self.content[start:end])
        if answer is not None and not answer.site.vendor:
            longer = self._paths.forth_through_calls.match(self.content, start, min(high, start + _WINDOW))
            if longer and longer.end() > end:
                more = self.detector.path(self.reader, context, self.content[start : longer.end()])
                if more is not None:
                    answer, end = more, longer.end()
        if answer is not None:
            self._found.append((start + answer.start, start + answer.end, answer.site))
        return end

    def code_context(self, start: int, end: int, code_from: int) -> Context:
        """Say whether a path in code stands behind a receiver and before a call."""
        call = _CALL.match(self.content, end)
        before = self.content[max(code_from, start - 40) : start][::-1]
        receiver = _LINK_BEFORE.match(before)
        if receiver:
            return Context.METHOD if call else Context.RECEIVER
        return Context.CALL if call else Context.CODE

    def token(self, start: int, end: int, context: Context, symbol: bytes | None = None) -> None:
        """Read one whole token, as `symbol` where it is named otherwise than it is written."""
        site = self.detector.token(self.reader, context, self.content[start:end] if symbol is None else symbol)
        if site is not None:
            self._found.append((start, end, site))

    def occurrences(self, text: bytes, begin: int = 0) -> tuple[Occurrence, ...]:
        """Return what was found, in the order of the text, with line numbers counted in `text`.

        Args:
            begin: the beginning of a line, from which lines and offsets are counted.
        """
        line, counted, occurrences = 1, begin, []
        for start, end, site in sorted(self._found):
            line += text.count(b"\n", counted, start)
            counted = start
            occurrences.append(Occurrence(line, start - begin, end - begin, site))
        return tuple(occurrences)
