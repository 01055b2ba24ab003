"""Texts scanned segment by segment, each distinct segment once: a new version of a long file costs what it changes.

A text is cut between paragraphs, where they are long between lines, at places that what stands there chooses, so that
versions of a file are cut alike.
What a segment holds depends on its bytes, on a bounded number of bytes around it, and on two numbers from the segment
before; all of these together are what it is remembered by. Where a comment, a string or a block goes on over a cut, the
segments are joined. The result is that of reading the whole text, whatever its bytes are.

How far readers look, at most: 600 bytes before a string for what it is an argument of, 1,000 bytes behind the beginning
of a formatted string for its end; everything else less. Nothing looks over a cut for the rest of a dotted path or for
white space, which end there: what stands before a cut ends with no white space and with no sign that joins names, and
what stands behind it begins with none. Of a script only the next line's indentation matters.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar
from zlib import crc32

from tracker.detect.detector import Detector, Reader
from tracker.detect.parts import Part, is_read_by_lines, scan_part
from tracker.detect.regions import Signs
from tracker.detect.scanned import ScannedText, Segment, Standing, occurrences_in

LEAST_CUT = 6_000
"""Bytes of the shortest text that is worth being cut."""
_BEFORE_AND_BEHIND = (640, 1_100)
"""Bytes around a segment that its reading may look at."""
_BEFORE_AND_BEHIND_OF_LINES = (16, 64)
"""The same of languages that are read line by line."""
_PARAGRAPH = re.compile(rb"\n\n+(?=[ \t]{0,40}(?!->)[^\s.:\\])")
_LINE = re.compile(rb"\n(?=[ \t]{0,40}(?!->)[^\s.:\\][^\n]{2}[aceghikmoqsuwyACEGIKMOQSUWY13579_'\"][^\n][a-n])")
"""Most lines are ruled out by two of their signs: that is faster than to look at each."""
_JOINS = b" \t\r\f\v\n.:>\\"
_TOLD_BY = 24
"""Bytes of a paragraph or line that say whether it begins a segment."""
_ONE_PARAGRAPH_IN = 6
_ONE_LINE_IN = 8
"""So many paragraphs or, where paragraphs are long, lines begin a segment, on average."""
_LONG = 12_000
REMEMBERED_BYTES = 24 << 20


class SegmentScans:
    """What segments hold, as far as it is remembered; not for several threads."""

    def __init__(self, detector: Detector, *, remembered_bytes: int = REMEMBERED_BYTES) -> None:
        self._detector = detector
        self._remembered: dict[Reader, Generations[_Key, Segment | int]] = {}
        self._bytes = remembered_bytes

    def scan(self, content: bytes, reader: Reader) -> ScannedText:
        """Return what a text holds, as reading all of it would."""
        remembered = self._remembered.setdefault(reader, Generations(self._bytes))
        text = _CutText(content, reader, self._detector, remembered)
        standing = text.standing()
        if not any(segment.has_keywords for segment, _, _ in standing):
            return ScannedText()
        regions = self._detector.regions.find(
            content, reader.language, _signs_of(standing), lambda: occurrences_in(standing)
        )
        return ScannedText.of_segments(standing, regions)


K = TypeVar("K")
V = TypeVar("V")


class Generations(Generic[K, V]):
    """What was used last, within a bound: when the young are as many as fit into half of it, the old are forgotten."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}
        self._cost = 0

    def get(self, key: K, cost: int, make: Callable[[], V]) -> V:
        """Return what is remembered for a key, or make it."""
        if key in self._young:
            return self._young[key]
        value = self._old.pop(key) if key in self._old else make()
        self._cost += cost
        if self._cost > self._half:
            self._old, self._young, self._cost = self._young, {}, cost
        self._young[key] = value
        return value


_Key = tuple[bytes, int, int, int, int]
"""What a `Part` is: the bytes of a segment and around it, and four offsets in them."""


class _CutText:
    """One text while it is scanned."""

    def __init__(
        self, content: bytes, reader: Reader, detector: Detector, remembered: "Generations[_Key, Segment | int]"
    ) -> None:
        self._content = content
        self._reader = reader
        self._detector = detector
        self._remembered = remembered
        by_lines = is_read_by_lines(reader.language)
        self._before, self._behind = _BEFORE_AND_BEHIND_OF_LINES if by_lines else _BEFORE_AND_BEHIND
        self._keywords_seen = False
        self._offsets: list[int] | None = None
        """Of keywords in all of the text, where that was asked for."""

    def standing(self) -> list[Standing]:
        """Return the segments of the text; none where it has no keywords."""
        cuts = cuts_in(self._content)
        found: list[Standing] = []
        number = breaks = begin = behind = done = 0
        while number < len(cuts):
            number, segment = self._segment_at(cuts, number, (begin, behind, done))
            found.append((segment, breaks, begin))
            if self._offsets is not None and not self._offsets:
                return []
            self._keywords_seen = self._keywords_seen or segment.has_keywords
            breaks += segment.breaks
            begin, behind, done = cuts[number - 1], segment.behind, segment.done
        return found

    def _segment_at(self, cuts: Sequence[int], number: int, state: tuple[int, int, int]) -> tuple[int, Segment]:
        """Return the segment that ends at a cut, or at the first further one that nothing goes on over."""
        last, width = number + 1, 1
        while True:
            segment = self._segment(cuts[last - 1], *state)
            if not isinstance(segment, int):
                return last, segment
            width *= 2
            last = min(max(number + width, bisect_left(cuts, state[0] + segment) + 1), len(cuts))

    def _segment(self, end: int, begin: int, behind: int, done: int) -> Segment | int:
        """Return the segment between two cuts, or how far behind its beginning something ends that goes on over it."""
        low = max(0, begin - self._before)
        text = self._content[low : end + self._behind]
        code_from = max(0, begin - low - behind)
        key = (text, begin - low, end - low, code_from, begin - low + done)
        return self._remembered.get(key, len(text), lambda: self._scanned(Part(*key), low))

    def _scanned(self, part: Part, low: int) -> Segment | int:
        return scan_part(part, self._offsets_in(part, low), self._reader, self._detector)

    def _offsets_in(self, part: Part, low: int) -> Sequence[int]:
        """Return where keywords stand in a part: of a text that is not known to have any, all of it is looked at."""
        if self._offsets is None and not self._keywords_seen:
            self._offsets = self._detector.keywords.offsets(self._content)
        if self._offsets is not None:
            first, last = (bisect_left(self._offsets, low + offset) for offset in (part.begin, part.end))
            return [offset - low for offset in self._offsets[first:last]]
        return [one for one in self._detector.keywords.offsets(part.text) if part.begin <= one < part.end]


def cuts_in(content: bytes) -> list[int]:
    """Return where the segments of a text end; the last one does with the text."""
    cuts: list[int] = []
    before = 0
    for cut in (*_cuts_at(_PARAGRAPH, content, 0, len(content), _ONE_PARAGRAPH_IN), len(content)):
        if cut - before > _LONG:
            cuts += _cuts_at(_LINE, content, before, cut - 1, _ONE_LINE_IN)
        cuts.append(cut)
        before = cut
    return cuts


def _cuts_at(pattern: re.Pattern[bytes], content: bytes, low: int, high: int, one_in: int) -> list[int]:
    """Return the ends of those matches at which a text may be cut, and whose next bytes say so."""
    return [
        end
        for found in pattern.finditer(content, low, high)
        if not crc32(content[(end := found.end()) : end + _TOLD_BY]) % one_in
        and content[(before := found.start()) - 1] not in _JOINS
        and content[before - 2 : before] != b"::"
    ]


def _signs_of(standing: Sequence[Standing]) -> Signs:
    """Add up what the segments of a text say of its regions."""
    vendors: set[str] = set()
    for segment, _, _ in standing:
        vendors |= segment.signs.vendors
    return Signs(
        headings=tuple(
            (offset + begin, name) for segment, _, begin in standing for offset, name in segment.signs.headings
        ),
        marked=any(segment.signs.marked for segment, _, _ in standing),
        vendors=frozenset(vendors),
    )
