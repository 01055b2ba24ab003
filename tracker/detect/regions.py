"""The parts of a text that stand elsewhere than its file: test classes for one vendor, enumerations of vendors.

Most texts have none, which what was found in them says at once; only the others are looked at closely. The result
depends on the text and its language only: whether a file's regions count is its place's to say.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tracker.detect.classes import FoundClass, outline_of
from tracker.detect.lexing import CPP, spans_in
from tracker.detect.words import VendorSearch
from tracker.ruleset import Language, RegionKind, RegionRule
from tracker.sites import Area, Occurrence, Region, Territory

_ENUMERATION = re.compile(rb"\benum\b[^;{}()=]{0,300}\{")
_HEADING = b"class "
_NEAR = 100
"""Bytes before a vendor's name in which a marker may say that the name is its value."""
_VENDOR = "<>"

_Standing = tuple[Territory, tuple[Area, ...]] | None
"""Where a part stands, and in files for what; None: where its file does."""
_Span = tuple[int, int, _Standing]


class RegionFinder:
    """The rules of regions, compiled."""

    def __init__(self, rules: Sequence[RegionRule], vendors: VendorSearch) -> None:
        self._vendors = vendors
        self._classes = [_ClassRule(rule) for rule in rules if rule.kind is RegionKind.CLASS]
        self._enumerations = [rule for rule in rules if rule.kind is RegionKind.ENUMERATION]
        self._markers = frozenset(rule.marker for rule in self._classes if rule.marker)

    def find(self, text: bytes, language: Language, occurrences: Sequence[Occurrence]) -> tuple[Region, ...]:
        """Return the regions of a text, in its order; none overlaps another.

        A notebook has none: its cells are examples and no tests.

        Args:
            occurrences: what was found in the text.
        """
        if language is Language.PYTHON:
            if self._may_hold_classes(text, occurrences):
                return self._in_python(text)
        elif language is Language.CPP and self._enumerations and b"enum" in text and _vendors_of(occurrences) > 1:
            return self._in_cpp(text, occurrences)
        return ()

    def _may_hold_classes(self, text: bytes, occurrences: Sequence[Occurrence]) -> bool:
        """Whether a class has a vendor's word in its name, or a marker says whose it is."""
        starts = [one.start for one in occurrences if one.site.vendor]
        if self._classes and any(text.startswith(_HEADING, start - len(_HEADING)) for start in starts):
            return True
        for marker in self._markers:
            if marker in text and any(text.find(marker, max(0, start - _NEAR), start) >= 0 for start in starts):
                return True
        return False

    def _in_python(self, text: bytes) -> tuple[Region, ...]:
        """Return the regions of a text; the first rule that has a word to say about a class decides."""
        outline = outline_of(text, self._markers)
        said = [rule.of_marker(outline.assigned, self._vendors) for rule in self._classes]
        spans: list[_Span] = [(0, len(text), standing) for standing in _first(said)]
        for one in outline.classes:
            standings = _first(rule.of_class(one, self._vendors) for rule in self._classes)
            spans += [(one.start, one.end, standing) for standing in standings]
        return _flat(spans)

    def _in_cpp(self, text: bytes, occurrences: Sequence[Occurrence]) -> tuple[Region, ...]:
        regions = []
        masked = bytearray(text)
        for start, end in spans_in(CPP, text, 0, len(text)):
            masked[start:end] = b" " * (end - start)
        for found in _ENUMERATION.finditer(masked):
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
        named = vendors.named_in(one.name)
        if len({vendor for _, _, vendor in named}) != 1:
            return None
        return (self._standing,) if self._names.fullmatch(_with_vendor_left_open(one.name, named)) else None

    def of_marker(self, assigned: dict[bytes, bytes], vendors: VendorSearch) -> tuple[_Standing] | None:
        """Return what the marker says, be it that no single vendor is meant; None where there is none."""
        value = assigned.get(self.marker) if self.marker else None
        if value is None:
            return None
        named = {vendor for _, _, vendor in vendors.named_in(value.decode("latin-1"))}
        return (self._standing if len(named) == 1 else None,)


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
