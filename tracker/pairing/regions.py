"""Sites that come into a region of their own file, or out of it: their territory changes, their path does not.

What is only placed anew, because the class around it was marked or renamed, has moved: the stock of neutral code
follows, and the verdict says nothing of it. What was carried into a vendor's class from another one was relocated.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tracker.pairing.differences import Comparison
from tracker.pairing.marks import Fate, Mark
from tracker.pairing.sides import Side
from tracker.sites import Mechanism, Occurrence, Site

_Line = tuple[Site, bytes]


def neutral_marks(comparison: Comparison, *, gone: bool) -> Iterator[Mark]:
    """Yield the sites of neutral territory that are gone from a file, or new in it."""
    side = comparison.before if gone else comparison.after
    for one in comparison.lost if gone else comparison.gained:
        if side.is_neutral_at(one):
            yield Mark(comparison, one, gone=gone)


def fates_across_regions(comparisons: Iterable[Comparison], gone: Sequence[Mark], new: Sequence[Mark]) -> list[Fate]:
    """Return the fates of those neutral sites that stand in a region of the same file now, or stood in one."""
    if not any(one.before.has_regions or one.after.has_regions for one in comparisons):
        return []
    fates = [fate for mark in (*gone, *new) if (fate := _fate_in_place(mark)) is not None]
    placed = {id(fate.mark) for fate in fates}
    arrived: dict[int, Counter[_Line]] = {}
    for mark in gone:
        comparison = mark.comparison
        if not comparison.after.has_regions or id(mark) in placed:
            continue
        if comparison.number not in arrived:
            arrived[comparison.number] = Counter(_arrived(comparison))
        key = _line(mark.site, mark.line)
        if arrived[comparison.number][key] > 0:
            arrived[comparison.number][key] -= 1
            fates.append(Fate(mark=mark, mechanism=Mechanism.RELOCATED, reason=_CARRIED))
    return fates


_PLACED_ANEW = {
    True: "what it stands in was declared a vendor's, or is a list of vendors now",
    False: "what it stands in is no vendor's own any more",
}
_CARRIED = "its line stands in a vendor's part of the file now"
_CARRIED_OUT = "its line stood in a vendor's part of the file"


def _fate_in_place(mark: Mark) -> Fate | None:
    """The fate of a site whose line is unchanged; None where the line is not, or stands where it stood."""
    comparison = mark.comparison
    other = comparison.placed_anew[0 if mark.gone else 1].get(mark.occurrence.start)
    if other is None:
        return None
    old, new = (mark.occurrence, other) if mark.gone else (other, mark.occurrence)
    before, after = _class_around(comparison.before, old), _class_around(comparison.after, new)
    lives_on = before in comparison.after.definitions.names or after in comparison.before.definitions.names
    if before == after or not lives_on:
        return Fate(mark=mark, mechanism=Mechanism.MOVED, reason=_PLACED_ANEW[mark.gone])
    if mark.gone:
        return Fate(mark=mark, mechanism=Mechanism.RELOCATED, reason=_CARRIED)
    return Fate(mark=mark, mechanism=Mechanism.INTRODUCED, reason=_CARRIED_OUT)


def _class_around(side: Side, occurrence: Occurrence) -> str:
    """The name of the outermost definition that holds an occurrence; empty at the top of the text."""
    definition = side.around(side.number(occurrence))
    return definition.name.partition(".")[0] if definition else ""


def _arrived(comparison: Comparison) -> Iterator[_Line]:
    """Yield the sites that are new in regions, with their lines."""
    after = comparison.after
    for one in comparison.gained:
        if not after.is_neutral_at(one) and one.start not in comparison.placed_anew[1] and after.line(one).strip():
            yield _line(one.site, after.line(one))


def _line(site: Site, line: bytes) -> _Line:
    return site, b" ".join(line.split())
