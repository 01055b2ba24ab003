"""Which occurrences of a file's sites are gone and which are new: the multiset says how many, the hunks say which.

An occurrence on a changed line whose symbol stands on another changed line of the same file has moved or was merely
touched; what remains is as many as the multisets differ by.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter

from rapidfuzz.distance import LCSseq

from tracker.pairing.changes import ScannedChange
from tracker.pairing.definitions import Definition
from tracker.pairing.lines import Counterpart, Hunk, hunks_between, places
from tracker.pairing.sides import Side
from tracker.pairing.words import likeness
from tracker.sites import Occurrence

Identity = Callable[[Occurrence], Hashable]

_SITE: Identity = attrgetter("site")
_LARGEST_ALIGNMENT = 4_000_000
"""Product of the numbers of occurrences up to which two texts without lines are aligned."""
_CLOSELY_COMPARED = 40
"""Occurrences of one symbol in one hunk up to which the likeness of their lines decides which stayed."""


class Comparison:
    """One file change with the occurrences of sites that are gone and new."""

    def __init__(self, change: ScannedChange, number: int) -> None:
        self.change = change
        self.number = number
        """Its place among the commit's changes."""
        self.before = Side(change.before)
        self.after = Side(change.after)
        self.successors: dict[str, Definition | None] = {}
        """By the name of a definition of the text before: what took its place, as far as that was asked."""
        self.counterparts: dict[int, Counterpart | None] = {}
        """By the number of a line of the text before: the line that took its place, as far as that was asked."""
        self.heirs: dict[str, Definition] | None = None
        """By the name of a definition of the text before: what it was folded into; None until that was asked."""
        self.crosses = change.renamed and self.before.is_neutral != self.after.is_neutral
        """Whether a rename takes the file into or out of neutral territory: then all it holds goes and comes."""
        self._identities = _identities(self.before, self.after)
        old, new = self.before.sites, self.after.sites
        self.lost, self.gained = (old, new) if self.crosses else self._differing(old, new)
        """Sites of the text before that are gone, of the text after that are new; in their order."""

    @cached_property
    def neutral_constructs(self) -> tuple[list[Occurrence], list[Occurrence]]:
        """Neutral constructs that are gone, and that are new."""
        return self._differing(self.before.neutral_constructs, self.after.neutral_constructs)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The changed lines; empty where a text is missing."""
        if self.before.has_text and self.after.has_text:
            return hunks_between(self.before.lines, self.after.lines)
        return ()

    @cached_property
    def places(self) -> tuple[Hunk, ...]:
        """The hunks joined to places; empty where a text is missing."""
        return places(self.hunks)

    @cached_property
    def new_neutral_names(self) -> frozenset[str]:
        """The own names of neutral constructs that are new in the file."""
        return frozenset(re.split(r"[.:]+", one.site.symbol)[-1] for one in self.neutral_constructs[1])

    @cached_property
    def placed_anew(self) -> tuple[dict[int, Occurrence], dict[int, Occurrence]]:
        """Occurrences on unchanged lines around which a region began or ended, with the same one on the other side.

        By their starts: those of the text before, and those of the text after.
        """
        if not (self.before.has_regions or self.after.has_regions) or not self.hunks:
            return {}, {}
        there = {
            (self.after.number(one), self.after.columns(one)[0], one.site): one
            for one in self.after.sites
            if self.hunk_after(self.after.number(one)) is None
        }
        pairs = [
            (one, other)
            for one in self.before.sites
            if (number := self._unchanged(self.before.number(one))) is not None
            and (other := there.get((number, self.before.columns(one)[0], one.site))) is not None
            and self.before.region_of(one) != self.after.region_of(other)
        ]
        return {one.start: other for one, other in pairs}, {other.start: one for one, other in pairs}

    def _unchanged(self, number: int) -> int | None:
        """Return which line of the text after an unchanged line of the text before is; None for a changed one."""
        if self.hunk_before(number) is not None:
            return None
        found = bisect_right(self._starts[0], number) - 1
        return number if found < 0 else number - self.hunks[found].before_end + self.hunks[found].after_end

    def hunk_before(self, number: int) -> int | None:
        """Return which hunk deletes a line of the text before."""
        found = bisect_right(self._starts[0], number) - 1
        return found if found >= 0 and number < self.hunks[found].before_end else None

    def hunk_after(self, number: int) -> int | None:
        """Return which hunk adds a line of the text after."""
        found = bisect_right(self._starts[1], number) - 1
        return found if found >= 0 and number < self.hunks[found].after_end else None

    def stand_for_each_other(self, before: int, after: int) -> bool:
        """Whether a deleted and an added line have the same place in a hunk that replaces as many lines as it adds."""
        found = self.hunk_before(before)
        if found is None or found != self.hunk_after(after):
            return False
        hunk = self.hunks[found]
        if hunk.before_end - hunk.before_start != hunk.after_end - hunk.after_start:
            return False
        return before - hunk.before_start == after - hunk.after_start

    def place_before(self, number: int) -> Hunk | None:
        """Return the place a line of the text before stands in."""
        found = bisect_right(self._place_starts[0], number) - 1
        return self.places[found] if found >= 0 and number < self.places[found].before_end else None

    def place_after(self, number: int) -> Hunk | None:
        """Return the place a line of the text after stands in."""
        found = bisect_right(self._place_starts[1], number) - 1
        return self.places[found] if found >= 0 and number < self.places[found].after_end else None

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        return [hunk.before_start for hunk in self.hunks], [hunk.after_start for hunk in self.hunks]

    @cached_property
    def _place_starts(self) -> tuple[list[int], list[int]]:
        return [place.before_start for place in self.places], [place.after_start for place in self.places]

    def _differing(
        self, old: Sequence[Occurrence], new: Sequence[Occurrence]
    ) -> tuple[list[Occurrence], list[Occurrence]]:
        of_old, of_new = self._identities
        before, after = Counter(map(of_old, old)), Counter(map(of_new, new))
        if before == after:
            return [], []
        fewer = {key: count - after[key] for key, count in before.items() if count > after[key]}
        more = {key: count - before[key] for key, count in after.items() if count > before[key]}
        if not old or not new:
            return list(old), list(new)
        if self.before.has_text and self.after.has_text:
            stays_old, stays_new = self._staying(old, new, {*fewer, *more})
        else:
            stays_old, stays_new = _aligned([of_old(one) for one in old], [of_new(one) for one in new], old, new)
        return _pick(old, of_old, stays_old, fewer), _pick(new, of_new, stays_new, more)

    def _staying(
        self, old: Sequence[Occurrence], new: Sequence[Occurrence], differing: set[Hashable]
    ) -> tuple[set[int], set[int]]:
        """The starts of occurrences that stand on unchanged lines or have a partner on another changed line."""
        of_old, of_new = self._identities
        anew = self.placed_anew
        stays_old, changed_old = _on_changed_lines(old, of_old, differing, anew[0], self._deleted)
        stays_new, changed_new = _on_changed_lines(new, of_new, differing, anew[1], self._added)
        for key, gone in changed_old.items():
            for first, second in self._partners(gone, changed_new.get(key, [])):
                stays_old.add(first.start)
                stays_new.add(second.start)
        return stays_old, stays_new

    def _deleted(self, one: Occurrence) -> bool:
        return self.hunk_before(self.before.number(one)) is not None

    def _added(self, one: Occurrence) -> bool:
        return self.hunk_after(self.after.number(one)) is not None

    def _partners(
        self, old: Sequence[Occurrence], new: Sequence[Occurrence]
    ) -> Iterator[tuple[Occurrence, Occurrence]]:
        """Pair occurrences of one site: on equal lines, then in one hunk by likeness, then in order."""
        paired = list(self._on_equal_lines(old, new))
        paired += self._in_one_hunk(*_without(old, new, paired))
        paired += zip(*_without(old, new, paired), strict=False)
        yield from paired

    def _on_equal_lines(
        self, old: Sequence[Occurrence], new: Sequence[Occurrence]
    ) -> Iterator[tuple[Occurrence, Occurrence]]:
        waiting: dict[bytes, list[Occurrence]] = defaultdict(list)
        for one in reversed(new):
            waiting[b" ".join(self.after.line(one).split())].append(one)
        for one in old:
            there = waiting.get(b" ".join(self.before.line(one).split()))
            if there:
                yield one, there.pop()

    def _in_one_hunk(
        self, old: Sequence[Occurrence], new: Sequence[Occurrence]
    ) -> Iterator[tuple[Occurrence, Occurrence]]:
        waiting: dict[int | None, list[Occurrence]] = defaultdict(list)
        for one in new:
            waiting[self.hunk_after(self.after.number(one))].append(one)
        for one in old:
            there = waiting.get(self.hunk_before(self.before.number(one)))
            if not there:
                continue
            chosen = 0
            if len(there) <= _CLOSELY_COMPARED:
                line = self.before.line(one)
                alike = [likeness(line, self.after.line(other)) for other in there]
                chosen = alike.index(max(alike))
            yield one, there.pop(chosen)


def _without(
    old: Sequence[Occurrence], new: Sequence[Occurrence], paired: list[tuple[Occurrence, Occurrence]]
) -> tuple[list[Occurrence], list[Occurrence]]:
    """What is not yet paired on either side."""
    gone = {one.start for one, _ in paired}
    come = {one.start for _, one in paired}
    return [one for one in old if one.start not in gone], [one for one in new if one.start not in come]


def _on_changed_lines(
    occurrences: Sequence[Occurrence],
    identity: Identity,
    differing: set[Hashable],
    placed_anew: Container[int],
    is_changed: Callable[[Occurrence], bool],
) -> tuple[set[int], dict[Hashable, list[Occurrence]]]:
    """Return the starts of those that stay where they are, and of the differing sites those on changed lines."""
    stays = set[int]()
    changed: dict[Hashable, list[Occurrence]] = defaultdict(list)
    for one in occurrences:
        if is_changed(one):
            if (key := identity(one)) in differing:
                changed[key].append(one)
        elif one.start not in placed_anew:
            stays.add(one.start)
    return stays, changed


def _identities(before: Side, after: Side) -> tuple[Identity, Identity]:
    """Return what makes an occurrence the same on either side: its site, and the region it stands in."""
    if not before.has_regions and not after.has_regions:
        return _SITE, _SITE
    return (
        lambda one: (one.site, before.region_of(one)),
        lambda one: (one.site, after.region_of(one)),
    )


def _pick(
    occurrences: Sequence[Occurrence], identity: Identity, stays: set[int], wanted: dict[Hashable, int]
) -> list[Occurrence]:
    """Choose as many of each site as the multisets differ by, in the order of the text; those that stay come last."""
    left = dict(wanted)
    chosen: list[Occurrence] = []
    for staying in (False, True):
        for one in occurrences:
            if (one.start in stays) is staying and left.get(key := identity(one)):
                left[key] -= 1
                chosen.append(one)
    return sorted(chosen)


def _aligned(
    keys_old: Sequence[Hashable], keys_new: Sequence[Hashable], old: Sequence[Occurrence], new: Sequence[Occurrence]
) -> tuple[set[int], set[int]]:
    """The starts of occurrences that keep their place in the sequence of sites: what can be said without lines."""
    if not old or not new or len(old) * len(new) > _LARGEST_ALIGNMENT:
        return set(), set()
    numbers: dict[Hashable, int] = {}
    sequence_old = [numbers.setdefault(key, len(numbers)) for key in keys_old]
    sequence_new = [numbers.setdefault(key, len(numbers)) for key in keys_new]
    stays_old, stays_new = set[int](), set[int]()
    for step in LCSseq.opcodes(sequence_old, sequence_new):
        if step.tag == "equal":
            stays_old.update(one.start for one in old[step.src_start : step.src_end])
            stays_new.update(one.start for one in new[step.dest_start : step.dest_end])
    return stays_old, stays_new
