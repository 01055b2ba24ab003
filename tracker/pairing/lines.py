"""Two texts -> the hunks between them, line by line, fast and bounded.

Lines are compared without their indentation and inner spacing, so that a block moved into a loop is not a change.
Unique lines common to both texts are anchors (patience); between anchors a longest common subsequence is taken, and a
gap too large for that is one hunk: time stays near linear in the number of lines. A block that was put in or taken out
between lines like its own is found where a reader would see it: from the first line of an entry to its last.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from itertools import zip_longest

from rapidfuzz.distance import LCSseq

_LARGEST_GAP = 4_000_000
"""Product of the line numbers of a gap up to which it is compared line by line."""
_SLICE = 128
_CLOSERS = (b")", b"]", b"}", b"#endif", b"end")
_EMPTY_LINES = 5
"""Up to so many lines ahead the indentation of an empty line is looked for."""
_BRIDGE = 2
"""Unchanged lines between two hunks up to which they are one place."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Half-open ranges of changed lines on both sides, counted from 0; one of them may be empty."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A line of the text after that took the place of a vanished one, and how alike they are."""

    number: int
    line: bytes
    likeness: float
    by_position: bool = False
    """Whether it stands where the other stood, in a change of as many lines as it adds."""


def split_lines(text: bytes) -> list[bytes]:
    """Return the lines without their ends; a trailing line end makes no further line."""
    lines = text.split(b"\n")
    return lines[:-1] if lines and not lines[-1] else lines


def hunks_between(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[Hunk, ...]:
    """Return the changed ranges in order, each separated from the next by an unchanged line."""
    start, before_end, after_end = _trim(before, after)
    numbers: dict[bytes, int] = {}
    old, new = _numbered(before[start:before_end], numbers), _numbered(after[start:after_end], numbers)
    found = [Hunk(start + b0, start + b1, start + a0, start + a1) for b0, b1, a0, a1 in _joined(_changes(old, new))]
    return tuple(_settled(found, before, after))


def places(hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
    """Return the hunks with those a few unchanged lines apart joined to one place."""
    joined: list[Hunk] = []
    for hunk in hunks:
        if joined and hunk.before_start - joined[-1].before_end <= _BRIDGE:
            last = joined.pop()
            hunk = Hunk(last.before_start, hunk.before_end, last.after_start, hunk.after_end)  # noqa: PLW2901 - grows
        joined.append(hunk)
    return tuple(joined)


@lru_cache(maxsize=1 << 14)
def without_spacing(line: bytes) -> bytes:
    """Return a line without its indentation, and with one blank where several stand inside."""
    return b" ".join(line.split())


def _numbered(lines: Sequence[bytes], numbers: dict[bytes, int]) -> list[int]:
    """Number lines by their content apart from spacing."""
    return [numbers.setdefault(without_spacing(line), len(numbers)) for line in lines]


def _trim(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[int, int, int]:
    """The common prefix's length and the ends of what differs before the common suffix."""
    shorter = min(len(before), len(after))
    start = 0
    # Whole slices are compared first: that takes no step of ours for each line.
    while start < shorter and before[start : start + _SLICE] == after[start : start + _SLICE]:
        start += _SLICE
    start = min(start, shorter)
    while start < shorter and before[start] == after[start]:
        start += 1
    end, most = 0, shorter - start
    while (
        end + _SLICE <= most
        and before[len(before) - end - _SLICE : len(before) - end]
        == after[len(after) - end - _SLICE : len(after) - end]
    ):
        end += _SLICE
    while end < most and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, len(before) - end, len(after) - end


Change = tuple[int, int, int, int]


def _changes(old: list[int], new: list[int]) -> Iterator[Change]:
    """Yield changed ranges in order; they may touch."""
    before = after = 0
    for anchor_old, anchor_new in [*_anchors(old, new), (len(old), len(new))]:
        yield from _gap(old, new, (before, anchor_old, after, anchor_new))
        before, after = anchor_old + 1, anchor_new + 1


def _anchors(old: list[int], new: list[int]) -> list[tuple[int, int]]:
    """Lines that stand once in each text, in the longest order both share."""
    once_old = {line for line, count in Counter(old).items() if count == 1}
    once_new = {line for line, count in Counter(new).items() if count == 1}
    where = {line: position for position, line in enumerate(new) if line in once_new}
    pairs = [(position, where[line]) for position, line in enumerate(old) if line in once_old and line in where]
    return _longest_increasing(pairs)


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for number, (_, value) in enumerate(pairs):
        place = bisect_left(tails, value)
        previous.append(ends[place - 1] if place else -1)
        tails[place : place + 1] = [value]
        ends[place : place + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = previous[number]
    return chain[::-1]


def _gap(old: list[int], new: list[int], gap: Change) -> Iterator[Change]:
    b0, b1, a0, a1 = gap
    if b0 == b1 and a0 == a1:
        return
    if b0 == b1 or a0 == a1 or (b1 - b0) * (a1 - a0) > _LARGEST_GAP:
        yield gap
        return
    for step in LCSseq.opcodes(old[b0:b1], new[a0:a1]):
        if step.tag != "equal":
            yield b0 + step.src_start, b0 + step.src_end, a0 + step.dest_start, a0 + step.dest_end


def _settled(hunks: Sequence[Hunk], before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[Hunk]:
    """Yield the hunks with those that only delete or only add moved to where their block begins and ends."""
    previous = Hunk(-1, -1, -1, -1)
    for hunk, following in zip_longest(hunks, hunks[1:]):
        only_deletes, only_adds = hunk.after_start == hunk.after_end, hunk.before_start == hunk.before_end
        moved = 0
        if only_deletes:
            limits = previous.before_end + 1, following.before_start - 1 if following else len(before)
            moved = _slide(before, hunk.before_start, hunk.before_end, limits)
        elif only_adds:
            limits = previous.after_end + 1, following.after_start - 1 if following else len(after)
            moved = _slide(after, hunk.after_start, hunk.after_end, limits)
        previous = Hunk(*(end + moved for end in astuple(hunk)))
        yield previous


def _slide(lines: Sequence[bytes], start: int, end: int, limits: tuple[int, int]) -> int:
    """Return by how many lines to move a block of one text among the places where it is the same change.

    As git's indent heuristic does: where the lines at which it parts the text are indented least, open something
    rather than close it, and follow an empty line; among equals the last.
    """
    first, last = limits
    lowest = highest = 0
    while start + lowest > first and _alike(lines[start + lowest - 1], lines[end + lowest - 1]):
        lowest -= 1
    while end + highest < last and _alike(lines[start + highest], lines[end + highest]):
        highest += 1
    if lowest == highest:
        return 0
    return min(range(highest, lowest - 1, -1), key=lambda by: _awkwardness(lines, start + by, end + by))


def _alike(one: bytes, other: bytes) -> bool:
    return one.split() == other.split()


def _awkwardness(lines: Sequence[bytes], start: int, end: int) -> tuple[int, ...]:
    """How little two places look like the borders of a block; the first number counts most."""
    return tuple(map(sum, zip(_seam(lines, start), _seam(lines, end), strict=True)))


def _seam(lines: Sequence[bytes], number: int) -> tuple[int, bool, bool]:
    """Of the place before a line: the indentation behind it, whether something closes there, whether text precedes."""
    line = next((line for line in lines[number : number + _EMPTY_LINES] if line.strip()), b"").expandtabs()
    code = line.lstrip()
    return len(line) - len(code), code.startswith(_CLOSERS), number > 0 and bool(lines[number - 1].strip())


def _joined(changes: Iterator[Change]) -> Iterator[Change]:
    """Join changes that touch on both sides."""
    last: Change | None = None
    for change in changes:
        if last and last[1] == change[0] and last[3] == change[2]:
            last = (last[0], change[1], last[2], change[3])
            continue
        if last:
            yield last
        last = change
    if last:
        yield last
