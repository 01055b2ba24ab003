"""The parts of a text that stand elsewhere than its file: test classes for one vendor, enumerations of vendors.

Most texts have none, which what was found in them says at once; only the others are looked at closely. The result
depends on the text and its language only: whether a file's regions count is its place's to say.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tracker.detect.classes import FoundClass, Outline, outline_of, start_of_decorators
from tracker.detect.lexing import CPP, spans_in
from tracker.detect.words import VendorSearch
from tracker.ruleset import Language, RegionKind, RegionRule
from tracker.sites import Area, Occurrence, Region, Territory

_ENUMERATION = re.compile(rb"\benum\b[^;{}()=]{0,300}\{")
_HEADING = b"class "
_NEAR = 60
"""Bytes before a vendor's name in which a marker may say that the name is its value."""
_AROUND = 4_000
"""Bytes behind a class's heading that are looked at first."""
_VENDOR = "<>"

_Standing = tuple[Territory, tuple[Area, ...]] | None
"""Where a part stands, and in files for what; None: where its file does."""
_Span = tuple[int, int, _Standing]


@dataclass(frozen=True, slots=True)
class Signs:
    """What says of a part of a text, without a closer look, whether the text may have regions."""

    headings: tuple[tuple[int, str], ...] = ()
    """Where classes begin that may be a vendor's, with their names."""
    marked: bool = False
    """Whether a marker stands before a vendor's name."""
    vendors: frozenset[str] = frozenset()


class RegionFinder:
    """The rules of regions, compiled."""

    def __init__(self, rules: Sequence[RegionRule], vendors: VendorSearch) -> None:
        self._vendors = vendors
        self._classes = [_ClassRule(rule) for rule in rules if rule.kind is RegionKind.CLASS]
        self._enumerations = [rule for rule in rules if rule.kind is RegionKind.ENUMERATION]
        self._markers = frozenset(rule.marker for rule in self._classes if rule.marker)

    def signs_of(self, text: bytes, begin: int, language: Language, occurrences: Sequence[Occurrence]) -> Signs:
        """Return the signs of regions in a part of a text, with the bytes before it.

        Args:
            begin: where the part begins; occurrences and signs are counted from there.
            occurrences: what was found in the part.
        """
        if language is Language.PYTHON and self._classes:
            return self._signs_in_python(text, begin, occurrences)
        if language is Language.CPP and self._enumerations:
            return Signs(vendors=frozenset(one.site.vendor for one in occurrences if one.site.vendor))
        return Signs()

    def find(
        self, text: bytes, language: Language, signs: Signs, occurrences: Callable[[], Sequence[Occurrence]]
    ) -> tuple[Region, ...]:
        """Return the regions of a text, in its order; none overlaps another.

        A notebook has none: its cells are examples and no tests.

        Args:
            signs: of the whole text.
            occurrences: returns what was found in the text, where that matters.
        """
        if language is Language.PYTHON and self._classes:
            return self._in_python(text, signs)
        if language is Language.CPP and len(signs.vendors) > 1 and b"enum" in text:
            return self._in_cpp(text, occurrences())
        return ()

    def _signs_in_python(self, text: bytes, begin: int, occurrences: Sequence[Occurrence]) -> Signs:
        headings: list[tuple[int, str]] = []
        marked = False
        markers = [marker for marker in self._markers if marker in text]
        for one in occurrences:
            start = begin + one.start
            if text.startswith(_HEADING, start - len(_HEADING)) and self._may_be_a_vendors(one.site.symbol):
                headings.append((one.start - len(_HEADING), one.site.symbol))
            for marker in markers:
                marked = marked or text.find(marker, max(0, start - _NEAR), start) >= 0
        return Signs(headings=tuple(headings), marked=marked)

    def _in_python(self, text: bytes, signs: Signs) -> tuple[Region, ...]:
        headings = dict(signs.headings)
        if signs.marked or (headings and any(marker in text for marker in self._markers)):
            return self._regions(outline_of(text, self._markers), 0, len(text))
        return self._regions(*_outline_around(text, headings)) if headings else ()

    def _may_be_a_vendors(self, name: str) -> bool:
        return any(rule.is_named_so(name, self._vendors) for rule in self._classes)

    def _regions(self, outline: Outline, first: int, end: int) -> tuple[Region, ...]:
        """Return the regions among some classes; the first rule that has a word to say about one decides.

        Args:
            first: where the text begins that was looked at.
            end: where it ends.
        """
        said = [rule.of_marker(outline.assigned, self._vendors) for rule in self._classes]
        spans: list[_Span] = [(first, end, standing) for standing in _first(said)]
        for one in outline.classes:
            standings = _first(rule.of_class(one, self._vendors) for rule in self._classes)
            spans += [(first + one.start, first + one.end, standing) for standing in standings]
        return _flat(spans)

    def _in_cpp(self, text: bytes, occurrences: Sequence[Occurrence]) -> tuple[Region, ...]:
        regions = []
        masked = bytearray(text)
        for start, end in spans_in(CPP, text, 0, len(text)):
            masked[start:end] = b" " * (end - start)
        end = 0
        while (found := _ENUMERATION.search(masked, end)) is not None:
            end = masked.find(b"}", found.end()) + 1 or len(text)
            named = _vendors_of(_between(occurrences, found.start(), end))
            rule = next((rule for rule in self._enumerations if named >= rule.least_vendors), None)
            if rule is not None:
                regions.append(Region(found.start(), end, rule.territory, rule.areas))
        return tuple(regions)


class _ClassRule:
    """Says whose a class is: by a marker, else by its name."""

    def __init__(self, rule: RegionRule) -> None:
        self.marker = rule.marker.encode()
        self._standing = (rule.territory, rule.areas)
        self._is_one = re.compile(rule.is_one)
        self._names = re.compile(rule.names)

    def of_class(self, one: FoundClass, vendors: VendorSearch) -> tuple[_Standing] | None:
        """Return where the class stands; None where the rule has no word to say."""
        if not any(self._is_one.fullmatch(name) for name in (one.name, *one.bases)):
            return None
        marked = self.of_marker(one.assigned, vendors)
        if marked is not None:
            return marked
        return (self._standing,) if self.is_named_so(one.name, vendors) else None

    def is_named_so(self, name: str, vendors: VendorSearch) -> bool:
        """Whether a name is one of a vendor's class."""
        named = vendors.named_in(name)
        if len({vendor for _, _, vendor in named}) != 1:
            return False
        return bool(self._names.fullmatch(_with_vendor_left_open(name, named)))

    def of_marker(self, assigned: dict[bytes, bytes], vendors: VendorSearch) -> tuple[_Standing] | None:
        """Return what the marker says, be it that no single vendor is meant; None where there is none."""
        value = assigned.get(self.marker) if self.marker else None
        if value is None:
            return None
        named = {vendor for _, _, vendor in vendors.named_in(value.decode("latin-1"))}
        return (self._standing if len(named) == 1 else None,)


def _outline_around(text: bytes, headings: Mapping[int, str]) -> tuple[Outline, int, int]:
    """Return the classes of the part of a text that holds some headings, and where that part begins and ends."""
    first = start_of_decorators(text, min(headings))
    names = set(headings.values())
    size = max(headings) - first + _AROUND
    while True:
        outline = outline_of(text[first : first + size], frozenset())
        if first + size >= len(text) or all(one.end < size for one in outline.classes if one.name in names):
            return outline, first, min(first + size, len(text))
        size *= 2


def _first(said: Iterable[tuple[_Standing] | None]) -> tuple[_Standing, ...]:
    """Return the first thing that was said, as a tuple of one; of nothing, an empty one."""
    return next((one for one in said if one is not None), ())


def _between(occurrences: Sequence[Occurrence], start: int, end: int) -> Sequence[Occurrence]:
    first = bisect_left(occurrences, start, key=lambda one: one.start)
    return occurrences[first : bisect_left(occurrences, end, key=lambda one: one.start)]


def _vendors_of(occurrences: Iterable[Occurrence]) -> int:
    """Return how many vendors are named."""
    return len({one.site.vendor for one in occurrences} - {""})


def _with_vendor_left_open(name: str, named: Sequence[tuple[int, int, str]]) -> str:
    for start, end, _ in reversed(named):
        name = f"{name[:start]}{_VENDOR}{name[end:]}"
    return name


def _flat(spans: Sequence[_Span]) -> tuple[Region, ...]:
    """Return the parts that stand elsewhere than their file: of spans that lie in each other the inner one decides."""
    ends = sorted({edge for start, end, _ in spans for edge in (start, end)})
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    opened: list[_Span] = []
    regions: list[Region] = []
    following = 0
    for start, end in pairwise(ends):
        while opened and opened[-1][1] <= start:
            opened.pop()
        while following < len(ordered) and ordered[following][0] <= start:
            opened.append(ordered[following])
            following += 1
        while opened and opened[-1][1] <= start:
            opened.pop()
        standing = opened[-1][2] if opened else None
        if standing is None:
            continue
        if regions and regions[-1].end == start and (regions[-1].territory, regions[-1].areas) == standing:
            start = regions.pop().start  # noqa: PLW2901 - the region before goes on
        regions.append(Region(start, end, *standing))
    return tuple(regions)
