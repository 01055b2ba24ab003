"""What bears on one vanished site from elsewhere in its commit: the rules, new definitions, new imports."""

from collections.abc import Iterator, Sequence
from functools import cached_property

from tracker.pairing.definitions import Definition, defined_names
from tracker.pairing.differences import Comparison
from tracker.pairing.gates import is_import
from tracker.pairing.marks import Mark
from tracker.pairing.neutral_words import names_neutral
from tracker.pairing.sides import Side
from tracker.pairing.words import identifiers
from tracker.ruleset import Ruleset


class CommitContext:
    """What bears on one site from elsewhere: the rules, and what the commit defines anew."""

    def __init__(self, comparisons: Sequence[Comparison], ruleset: Ruleset, moved: Sequence[Mark] = ()) -> None:
        self.ruleset = ruleset
        self._moved = moved
        self._comparisons = comparisons
        self._imported: dict[int, frozenset[bytes]] = {}

    @cached_property
    def new_helpers(self) -> frozenset[bytes]:
        """Names of functions and classes that this commit adds anywhere."""
        return frozenset(name for one in self._comparisons for name in _newly_defined(one))

    @cached_property
    def new_device_helpers(self) -> frozenset[bytes]:
        """Those whose bodies name a vendor or what stands for any device: they can do a vanished site's work."""
        return frozenset(
            name
            for one in self._comparisons
            for name in _newly_defined(one) & self.new_helpers
            if any(_speaks_of_devices(one.after, found) for found in one.after.definitions.called(name.decode()))
        )

    @cached_property
    def moved_definitions(self) -> frozenset[str]:
        """Own names of definitions from which a site moved to another file."""
        definitions = (mark.definition for mark in self._moved)
        return frozenset(definition.own_name for definition in definitions if definition)

    def newly_imported(self, comparison: Comparison) -> frozenset[bytes]:
        """Names on the lines that a change adds to a file's imports."""
        if comparison.number not in self._imported:
            self._imported[comparison.number] = frozenset(_newly_imported(comparison))
        return self._imported[comparison.number]


def _newly_defined(comparison: Comparison) -> set[bytes]:
    if not comparison.hunks:
        return set()
    before, after = comparison.before, comparison.after
    old = (before.at(number) for hunk in comparison.hunks for number in range(hunk.before_start, hunk.before_end))
    new = (after.at(number) for hunk in comparison.hunks for number in range(hunk.after_start, hunk.after_end))
    return set(defined_names(after.path, new)) - set(defined_names(before.path, old))


def _speaks_of_devices(side: Side, definition: Definition) -> bool:
    lines = range(definition.first, definition.end)
    return any(side.on(number) or names_neutral(side.at(number)) for number in lines)


def _newly_imported(comparison: Comparison) -> Iterator[bytes]:
    after = comparison.after
    for hunk in comparison.hunks:
        for number in range(hunk.after_start, hunk.after_end):
            if is_import(after, number):
                yield from identifiers(after.at(number))
