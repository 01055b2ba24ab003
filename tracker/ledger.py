"""The ledger's arithmetic: multisets of sites before and after a change, and the entries between them.

Balance(parent) + entries(commit) = balance(commit), exactly, path by path. Nothing here says why a site went or came.
Lines of code are kept the same way, by where their files stand: they are what numbers of sites are set against.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tracker.sites import Area, Mechanism, Occurrence, Place, Site, Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """+n or -n sites of one identity in one path by one commit, with what became of them."""

    path: str
    place: Place
    """Of the path."""
    site: Site
    delta: int
    """Never zero."""
    mechanism: Mechanism
    lines: tuple[int, ...]
    """One line number for each site: in the parent's file for a negative delta, else in the commit's."""
    replaced_by: str | None = None
    """What visibly took the place, where something did."""
    region: Territory | None = None
    """Where a region of the file says that they stand; None: where the path does."""

    @property
    def territory(self) -> Territory:
        """Where these sites stand."""
        return self.region or self.place.territory


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEntry:
    """+n or -n lines of files in languages that are scanned, in one place of the tree, by one commit."""

    territory: Territory
    """Of the files' paths: a region within a file has no lines of its own."""
    area: Area
    subsystem: str
    delta: int
    """Never zero; what the commit adds less what it takes away."""
    baseline: bool = False
    """Whether the lines stood there already at the first commit that was read."""


class LineSums:
    """Adds up by how many lines a commit, or what stands in a tree, changes each place."""

    def __init__(self) -> None:
        self._sums: defaultdict[tuple[Territory, Area, str], int] = defaultdict(int)

    def add(self, place: Place, lines: int) -> None:
        """Count the lines, signed, of one side of a file change, or of one file of a tree."""
        self._sums[place.territory, place.area, place.subsystem] += lines

    def entries(self, *, baseline: bool = False) -> tuple[LineEntry, ...]:
        """Return one entry for each place whose number of lines changes, in the order of places."""
        return tuple(
            LineEntry(territory=territory, area=area, subsystem=subsystem, delta=delta, baseline=baseline)
            for (territory, area, subsystem), delta in sorted(self._sums.items())
            if delta
        )


def multiset(occurrences: Iterable[Occurrence]) -> Counter[Site]:
    """Count the occurrences of each site."""
    return Counter(occurrence.site for occurrence in occurrences)


def difference(before: Mapping[Site, int], after: Mapping[Site, int]) -> dict[Site, int]:
    """Return the signed change of each site whose count differs, in the order of sites."""
    changed = {site: after.get(site, 0) - before.get(site, 0) for site in {*before, *after}}
    return {site: changed[site] for site in sorted(changed) if changed[site]}


def balance(entries: Iterable[Entry]) -> dict[tuple[str, Site], int]:
    """Add up entries to the number of sites by (path, site); zeros are left out."""
    total: Counter[tuple[str, Site]] = Counter()
    for entry in entries:
        total[entry.path, entry.site] += entry.delta
    return {key: count for key, count in total.items() if count}
