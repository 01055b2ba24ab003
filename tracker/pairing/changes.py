"""What a commit does to one file, scanned: the material that pairing and judgement work on."""

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import attrgetter

from tracker.sites import Occurrence, Place, Region, Territory

_start = attrgetter("start")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """One side of a file change, scanned."""

    path: str
    place: Place
    occurrences: tuple[Occurrence, ...]
    """In the order of the text; neutral constructs included."""
    regions: tuple[Region, ...] = ()
    """The parts that stand elsewhere than the file; in the order of the text, none overlaps another."""
    text: bytes | None = field(default=None, repr=False)
    """The content, where judging may need lines; None where no site changes or the file was not read."""
    quotable: bytes | None = field(default=None, repr=False)
    """The content, where judging needs none but lines of it are quoted: the whole file, or its first site, came or
    went."""

    def region_of(self, occurrence: Occurrence) -> Territory | None:
        """Return where a region of the file says that an occurrence stands; None where it stands with its file."""
        number = bisect_right(self.regions, occurrence.start, key=_start) - 1
        if number < 0 or occurrence.start >= self.regions[number].end:
            return None
        return self.regions[number].territory

    def territory_of(self, occurrence: Occurrence) -> Territory:
        """Return where an occurrence stands."""
        return (self.region_of(occurrence) if self.regions else None) or self.place.territory


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedChange:
    """What a commit does to one file; a rename has two sides with different paths."""

    before: ScannedFile | None
    after: ScannedFile | None

    @property
    def renamed(self) -> bool:
        return self.before is not None and self.after is not None and self.before.path != self.after.path


def needs_quotes(change: ScannedChange) -> tuple[bool, bool]:
    """Of a change that is judged without texts: whether its side before, and after, has judged sites to quote."""
    before, after = change.before, change.after
    sides = (_holds_neutral_sites(before), _holds_neutral_sites(after))
    if before is None or after is None or not any(sides):
        return sides
    territories = {before.place.territory, after.place.territory}
    if change.renamed and Territory.NEUTRAL in territories and len(territories) > 1:
        return sides
    return (False, sides[1] and not any(one.site.vendor for one in before.occurrences))


def _holds_neutral_sites(file: ScannedFile | None) -> bool:
    if file is None or file.place.territory is not Territory.NEUTRAL:
        return False
    regions = bool(file.regions)
    return any(one.site.vendor and not (regions and file.region_of(one)) for one in file.occurrences)
