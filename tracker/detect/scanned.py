"""What was found in a text: occurrences and regions, and whether two texts hold the same sites.

A text is a row of segments. Texts that share most of them, as two versions of a file do, are compared by the others
alone; places in the whole text are worked out when they are asked for.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tracker.detect.regions import Signs
from tracker.sites import Occurrence, Region, Site


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """What stands in a part of a text; one object for as long as it is remembered, in whatever text it stands."""

    occurrences: tuple[Occurrence, ...]
    """Their places are counted from where the segment begins."""
    breaks: int
    """Line breaks in it."""
    behind: int
    """How many bytes before its end code begins: the end of the last comment or string; not counted beyond what any
    reading looks back."""
    done: int
    """How many bytes behind its end its last site goes on."""
    has_keywords: bool
    signs: Signs
    """Of regions, counted from where the segment begins."""


Standing = tuple[Segment, int, int]
"""A segment with how many line breaks and how many bytes stand before it."""


class ScannedText:
    """What one text holds."""

    __slots__ = ("_occurrences", "count", "lines", "regions", "standing")

    def __init__(self, occurrences: tuple[Occurrence, ...] = (), regions: tuple[Region, ...] = ()) -> None:
        self._occurrences: tuple[Occurrence, ...] | None = occurrences
        self.standing: tuple[Standing, ...] = ()
        """Its segments; none where it was scanned as a whole."""
        self.count = len(occurrences)
        """How many occurrences there are."""
        self.lines = 0
        """Of code, as `count_lines` has them; none where the text turns out to be in no language that is scanned."""
        self.regions = regions
        """The parts that stand elsewhere than a neutral file does; in the order of the text, none overlaps another."""

    @classmethod
    def of_segments(cls, standing: Sequence[Standing], regions: tuple[Region, ...]) -> "ScannedText":
        """Return what a row of segments holds."""
        text = cls(regions=regions)
        text._occurrences = None
        text.standing = tuple(standing)
        text.count = sum(len(segment.occurrences) for segment, _, _ in standing)
        return text

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """The occurrences, in the order of the text."""
        if self._occurrences is not None:
            return self._occurrences
        return occurrences_in(self.standing)

    @property
    def cost(self) -> int:
        """What it takes to remember it: in occurrences, or in segments where those are shared."""
        return 1 + (len(self.standing) or self.count)

    def has_sites_of(self, other: "ScannedText") -> bool:
        """Whether both texts hold each site, and each neutral construct, as often."""
        if self.count != other.count:
            return False
        if not self.standing or not other.standing:
            return Counter(_sites(self.occurrences)) == Counter(_sites(other.occurrences))
        mine = Counter([segment for segment, _, _ in self.standing])
        mine.subtract([segment for segment, _, _ in other.standing])
        sites: Counter[Site] = Counter()
        for segment, times in mine.items():
            if times:
                for site in _sites(segment.occurrences):
                    sites[site] += times
        return not any(sites.values())


def occurrences_in(standing: Iterable[Standing]) -> tuple[Occurrence, ...]:
    """Return the occurrences of a row of segments, in the places that they have in the whole text."""
    return tuple(
        Occurrence(one.line + breaks, one.start + begin, one.end + begin, one.site)
        for segment, breaks, begin in standing
        for one in segment.occurrences
    )


def _sites(occurrences: Iterable[Occurrence]) -> list[Site]:
    return [one.site for one in occurrences]
