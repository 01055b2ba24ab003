"""Pairs that change nothing: a symbol gone from one file and new in another, a symbol renamed within its file."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence

from tracker.pairing.marks import Mark
from tracker.pairing.words import likeness, words_of
from tracker.sites import Construct

Pair = tuple[Mark, Mark]

_CLOSELY_COMPARED = 2_500
"""Product of gone and new sites of one place up to which every pair of lines is compared."""
_LIKE_LINES = 0.5
_LIKE_NAMES = 0.5
_LIKE_NAMES_APART = 0.6


def moved_pairs(gone: Sequence[Mark], new: Sequence[Mark]) -> list[Pair]:
    """Pair the same symbol of the same vendor across different files; equal lines first."""
    by_symbol: dict[tuple[str, str], tuple[list[Mark], list[Mark]]] = defaultdict(lambda: ([], []))
    for mark in gone:
        by_symbol[mark.site.vendor, mark.site.symbol][0].append(mark)
    for mark in new:
        by_symbol[mark.site.vendor, mark.site.symbol][1].append(mark)
    pairs: list[Pair] = []
    for left, right in by_symbol.values():
        if not left or not right:
            continue
        equal = list(_across(left, right, same_line=True))
        pairs += equal
        pairs += _across(_others(left, equal), _others(right, equal), same_line=False)
    return pairs


def _across(gone: Iterable[Mark], new: Iterable[Mark], *, same_line: bool) -> Iterator[Pair]:
    """Pair in order; two marks of one file never pair."""
    waiting: dict[bytes, dict[int, deque[Mark]]] = defaultdict(dict)
    for mark in new:
        key = b" ".join(mark.line.split()) if same_line else b""
        waiting[key].setdefault(mark.comparison.number, deque()).append(mark)
    for mark in gone:
        key = b" ".join(mark.line.split()) if same_line else b""
        if same_line and not key:
            continue
        files = waiting.get(key, {})
        number = next((number for number in files if number != mark.comparison.number), None)
        if number is not None:
            yield mark, files[number].popleft()
            if not files[number]:
                del files[number]


def edited_pairs(gone: Sequence[Mark], new: Sequence[Mark]) -> list[Pair]:
    """Pair symbols of one vendor renamed or given another prefix within one file."""
    pairs: list[Pair] = []
    for left, right in _by_file_and_vendor(gone, new):
        near = list(_in_one_place(left, right))
        near += _by_device(_others(left, near), _others(right, near))
        pairs += near
        pairs += _by_name(_others(left, near), _others(right, near))
    return pairs


def _others(marks: Iterable[Mark], pairs: Iterable[Pair]) -> list[Mark]:
    taken = {id(mark) for pair in pairs for mark in pair}
    return [mark for mark in marks if id(mark) not in taken]


def _by_file_and_vendor(gone: Iterable[Mark], new: Iterable[Mark]) -> Iterator[tuple[list[Mark], list[Mark]]]:
    groups: dict[tuple[int, str], tuple[list[Mark], list[Mark]]] = defaultdict(lambda: ([], []))
    for mark in gone:
        groups[mark.comparison.number, mark.site.vendor][0].append(mark)
    for mark in new:
        groups[mark.comparison.number, mark.site.vendor][1].append(mark)
    yield from ((left, right) for left, right in groups.values() if left and right)


def _in_one_place(gone: list[Mark], new: list[Mark]) -> Iterator[Pair]:
    places: dict[int, tuple[list[Mark], list[Mark]]] = defaultdict(lambda: ([], []))
    for mark in gone:
        if mark.place:
            places[id(mark.place)][0].append(mark)
    for mark in new:
        if mark.place:
            places[id(mark.place)][1].append(mark)
    for left, right in places.values():
        if left and right and len(left) * len(right) <= _CLOSELY_COMPARED:
            yield from _best(left, right)


def _best(gone: list[Mark], new: list[Mark]) -> Iterator[Pair]:
    """The likest pairs first, as long as they are alike."""
    scored = []
    for first, old in enumerate(gone):
        for second, young in enumerate(new):
            lines, names = likeness(old.line, young.line), _like_names(old.site.symbol, young.site.symbol)
            if lines >= _LIKE_LINES or names >= _LIKE_NAMES or _in_one_spot(old, young):
                scored.append((-(lines + names), first, second))
    taken_gone, taken_new = set[int](), set[int]()
    for _, first, second in sorted(scored):
        if first not in taken_gone and second not in taken_new:
            taken_gone.add(first)
            taken_new.add(second)
            yield gone[first], new[second]


def _in_one_spot(old: Mark, young: Mark) -> bool:
    return old.comparison.stand_for_each_other(old.number, young.number)


def _by_device(gone: Iterable[Mark], new: Iterable[Mark]) -> Iterator[Pair]:
    """Strings that name the same device with and without its number, wherever in the file: "cuda:0", "cuda"."""
    waiting: dict[str, deque[Mark]] = defaultdict(deque)
    for mark in new:
        if mark.site.construct is Construct.LITERAL:
            waiting[mark.site.symbol.partition(":")[0]].append(mark)
    for mark in gone:
        there = waiting[mark.site.symbol.partition(":")[0]] if mark.site.construct is Construct.LITERAL else None
        if there:
            yield mark, there.popleft()


def _by_name(gone: list[Mark], new: list[Mark]) -> Iterator[Pair]:
    """Symbols that share their own name, or most of its words, wherever in the file."""
    if len(gone) * len(new) > _CLOSELY_COMPARED:
        return
    left = [mark for mark in gone if _has_a_name(mark)]
    right = [mark for mark in new if _has_a_name(mark)]
    for old in left:
        scored = [(_like_names(old.site.symbol, young.site.symbol), -number) for number, young in enumerate(right)]
        score, number = max(scored, default=(0.0, 0))
        if score >= _LIKE_NAMES_APART and len(words_of(_own_name(old.site.symbol))) > 1:
            yield old, right.pop(-number)


def _has_a_name(mark: Mark) -> bool:
    """A device's literal names nothing of its own; a path does."""
    return mark.site.construct is not Construct.LITERAL or "/" in mark.site.symbol


def _like_names(one: str, other: str) -> float:
    """How many words the own names of two symbols share, from 0 to 1; prefixes do not count."""
    a, b = ({word.text for word in words_of(_own_name(symbol))} for symbol in (one, other))
    return len(a & b) / len(a | b) if a | b else 0.0


def _own_name(symbol: str) -> bytes:
    """The last component of a dotted or qualified name; a path's file name."""
    path, slash, name = symbol.rpartition("/")
    if slash and path and name:
        return name.encode()
    return re.split(r"[.:]+", symbol.rstrip(".:/"))[-1].encode()
