"""What a commit does to one file, scanned: the material that pairing and judgement work on."""

from dataclasses import dataclass, field

from tracker.sites import Occurrence, Place, Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """One side of a file change, scanned."""

    path: str
    place: Place
    occurrences: tuple[Occurrence, ...]
    """In the order of the text; neutral constructs included."""
    text: bytes | None = field(default=None, repr=False)
    """The content, where judging may need lines; None where no site changes or the file was not read."""
    quotable: bytes | None = field(default=None, repr=False)
    """The content, where judging needs none but lines of it are quoted: the whole file, or its first site, came or
    went."""


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
    return any(one.site.vendor for one in file.occurrences)
