"""Lines of code as words and signs: how alike two lines are, and what stands where something stood.

An identifier is split at case and underscore, so that `require_cuda` and `require_non_cpu` share a word.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import LCSseq

_WORD = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\s\w]")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_LONGEST = 2_000
"""Bytes of a line that are compared; generated lines may be megabytes long."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word or sign of a line, in lower case."""

    text: bytes
    start: int
    end: int


@lru_cache(maxsize=1 << 14)
def words_of(line: bytes) -> tuple[Word, ...]:
    """Return the words and signs of a line, in order."""
    return tuple(Word(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(line[:_LONGEST]))


@lru_cache(maxsize=1 << 14)
def _bag(line: bytes) -> Counter[bytes]:
    """Words weigh more than signs: a closing parenthesis makes no two lines alike."""
    return Counter(
        {word: count * (3 if word.isalnum() else 1) for word, count in Counter(w.text for w in words_of(line)).items()}
    )


def likeness(one: bytes, other: bytes) -> float:
    """Return how alike two lines are, from 0 (no word in common) to 1 (the same words)."""
    if one == other:
        return 1.0
    a, b = _bag(one), _bag(other)
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 0.0


def replaced_part(old: bytes, start: int, end: int, new: bytes) -> tuple[int, int] | None:
    """Return where, in `new`, stands what took the place of `old[start:end]`; None where nothing did."""
    before, after = words_of(old), words_of(new)
    steps = LCSseq.opcodes([word.text for word in before], [word.text for word in after])
    first, last = None, None
    for old_from, old_to, new_from, new_to in _replacements(
        [(step.tag, step.src_start, step.src_end, step.dest_start, step.dest_end) for step in steps]
    ):
        touched = any(word.start < end and word.end > start for word in before[old_from:old_to])
        if touched and new_to > new_from:
            first = new_from if first is None else first
            last = new_to
    if first is None or last is None:
        return None
    return after[first].start, after[last - 1].end


def identifiers(text: bytes) -> list[bytes]:
    """Return the identifiers of a text, in order."""
    return _IDENTIFIER.findall(text[:_LONGEST])


def _replacements(steps: list[tuple[str, int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Changed ranges, with those that touch on both sides joined: an insertion and the deletion behind it are one."""
    joined: list[tuple[int, int, int, int]] = []
    for tag, old_from, old_to, new_from, new_to in steps:
        if tag == "equal":
            continue
        if joined and joined[-1][1] == old_from and joined[-1][3] == new_from:
            last = joined.pop()
            joined.append((last[0], old_to, last[2], new_to))
        else:
            joined.append((old_from, old_to, new_from, new_to))
    return joined
