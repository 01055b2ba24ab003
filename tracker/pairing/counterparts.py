"""The line that took the place of a vanished line: near by in the same changed place, or in the definition that took
the place of the one it stood in."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from tracker.pairing.definitions import Definition
from tracker.pairing.differences import Comparison
from tracker.pairing.lines import Counterpart, Hunk
from tracker.pairing.marks import Mark
from tracker.pairing.words import is_comment, likeness

_CANDIDATES = 300
"""Added lines of one place that are compared with a vanished line."""
_SAME_LINE = 0.75
_VENDOR_PART = re.compile(
    r"(?i)_?(?:cuda|gpu|cudnn|rocm|hip|nccl|xpu|hpu|npu|mps|tpu|xla|mlu|musa|cpu|device|generic)(?=_|[A-Z]|\d|$)|^on_"
)


def counterpart_of(mark: Mark) -> Counterpart | None:
    """Return the likest added line for a vanished site's line; None where nothing was added."""
    known = mark.comparison.counterparts
    if mark.number not in known:
        known[mark.number] = _find_counterpart(mark)
    return known[mark.number]


def _find_counterpart(mark: Mark) -> Counterpart | None:
    comparison, place, line = mark.comparison, mark.place, mark.line
    if place is None:
        return None
    near = _likest(line, _added_lines(comparison, _candidates(mark.number, place)))
    only = _one_for_one(comparison, mark.number)
    if only is not None and (near is None or near.likeness < 0.5):
        return only
    if near is not None and near.likeness >= 0.5:
        return near
    successor = successor_of(mark)
    if successor is not None:
        within = range(successor.first, min(successor.end, successor.first + _CANDIDATES))
        far = _likest(line, _added_lines(comparison, within))
        if far is not None and (near is None or far.likeness > near.likeness):
            return far
    return near


def predecessor_of(mark: Mark) -> Counterpart | None:
    """Return the likest deleted line of a new site's place; None where nothing was deleted there."""
    comparison, place, line = mark.comparison, mark.place, mark.line
    if place is None:
        return None
    mirrored = Hunk(place.after_start, place.after_end, place.before_start, place.before_end)
    return _likest(line, _deleted_lines(comparison, _candidates(mark.number, mirrored)))


def successor_of(mark: Mark) -> Definition | None:
    """Return the definition of the text after that took the place of the one a vanished site stood in.

    Of the same name; in another class; or of the same name but for a vendor's or device's part, when this commit
    added or changed it.
    """
    definition = mark.definition
    if definition is None:
        return None
    known = mark.comparison.successors
    if definition.name not in known:
        known[definition.name] = _find_successor(mark.comparison, definition)
    return known[definition.name]


def _find_successor(comparison: Comparison, definition: Definition) -> Definition | None:
    after = comparison.after.definitions
    same = after.named(definition.name)
    if same is not None:
        return same
    elsewhere = [
        one for one in after.called(definition.own_name) if one.name not in comparison.before.definitions.names
    ]
    if elsewhere:
        return elsewhere[0]
    plain = plain_name(definition.own_name)
    old_names = comparison.before.definitions.own_names
    for twin in after.all:
        changed = twin.own_name not in old_names or _is_changed(comparison, twin)
        if changed and twin.own_name != definition.own_name and plain_name(twin.own_name) == plain:
            return twin
    return None


@lru_cache(maxsize=1 << 14)
def plain_name(name: str) -> str:
    """Return a definition's name without the parts that name a vendor or a device, in lower case."""
    return _VENDOR_PART.sub("", name).strip("_").lower() or name.lower()


def is_alive(comparison: Comparison, number: int) -> bool:
    """Whether a line of the text before stands unchanged, or a line much like it was added in its place."""
    if comparison.hunk_before(number) is None:
        return True
    place = comparison.place_before(number)
    if place is None:
        return False
    near = _likest(comparison.before.at(number), _added_lines(comparison, _candidates(number, place)))
    return near is not None and near.likeness >= _SAME_LINE


def _is_changed(comparison: Comparison, definition: Definition) -> bool:
    return any(hunk.after_start < definition.end and hunk.after_end > definition.first for hunk in comparison.hunks)


def _likest(line: bytes, candidates: Iterable[tuple[int, bytes]]) -> Counterpart | None:
    best: Counterpart | None = None
    for number, candidate in candidates:
        alike = likeness(line, candidate)
        if best is None or alike > best.likeness:
            best = Counterpart(number, candidate, alike)
    return best


def _added_lines(comparison: Comparison, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of code among some of the text after that a change added."""
    for number in numbers:
        line = comparison.after.at(number)
        if comparison.hunk_after(number) is not None and not is_comment(comparison.after.path, line):
            yield number, line


def _deleted_lines(comparison: Comparison, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines among some of the text before that a change deleted."""
    for number in numbers:
        if comparison.hunk_before(number) is not None:
            yield number, comparison.before.at(number)


def _candidates(number: int, place: Hunk) -> range:
    """The lines of a place's new side; of a large one those about as far down as the vanished line was."""
    start, end = place.after_start, place.after_end
    if end - start <= _CANDIDATES:
        return range(start, end)
    deep = (number - place.before_start) * (end - start) // max(1, place.before_end - place.before_start)
    middle = start + deep
    return range(max(start, middle - _CANDIDATES // 2), min(end, middle + _CANDIDATES // 2))


def _one_for_one(comparison: Comparison, number: int) -> Counterpart | None:
    """In a hunk that replaces as many lines as it adds, lines stand for each other by position."""
    found = comparison.hunk_before(number)
    if found is None:
        return None
    hunk = comparison.hunks[found]
    if hunk.before_end - hunk.before_start != hunk.after_end - hunk.after_start:
        return None
    other = hunk.after_start + number - hunk.before_start
    line = comparison.after.at(other)
    if is_comment(comparison.after.path, line):
        return None
    return Counterpart(other, line, likeness(comparison.before.at(number), line), by_position=True)
