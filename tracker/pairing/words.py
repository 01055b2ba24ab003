"""Lines of code as words and signs: how alike two lines are, and what stands where something stood.

An identifier is split at case and underscore, so that `require_cuda` and `require_non_cpu` share a word.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz.distance import LCSseq

_WORD = re.compile(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\s\w]")
_NAME_SIGN = re.compile(rb"[\w.:]")
_COMMENT = re.compile(rb"(?:^|\s)(?:#(?!\s*(?:if|ifdef|ifndef|el|endif|include|define|pragma))|//)[^\"']*$")
"""A comment at the end of a line, as far as that can be said without lexing: no quote stands behind its sign."""
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_HASH_IS_COMMENT = (
    ".py",
    ".pyi",
    ".pyx",
    ".pxd",
    ".sh",
    ".bash",
    ".yml",
    ".yaml",
    ".toml",
    ".cfg",
    ".cmake",
    ".txt",
    ".bzl",
)
_LONGEST = 2_000
"""Bytes of a line that are compared; generated lines may be megabytes long."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word or sign of a line, in lower case."""

    text: bytes
    start: int
    end: int


@lru_cache(maxsize=1 << 12)
def words_of(line: bytes) -> tuple[Word, ...]:
    """Return the words and signs of a line without its comment, in order."""
    code = _COMMENT.sub(b"", line[:_LONGEST])
    return tuple(Word(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(code))


def alphabetic_words(code: bytes) -> list[bytes]:
    """Return the words of code, without signs and numbers."""
    return [word.text for word in words_of(code) if word.text.isalpha()]


@lru_cache(maxsize=1 << 12)
def _bag(line: bytes) -> tuple[dict[bytes, int], int]:
    """The words of a line with their weights, and all weight: signs weigh less, a closing one makes no lines alike."""
    counts = Counter(word.text for word in words_of(line))
    weights = {word: count * (3 if word.isalnum() else 1) for word, count in counts.items()}
    return weights, sum(weights.values())


def likeness(one: bytes, other: bytes) -> float:
    """Return how alike two lines are, from 0 (no word in common) to 1 (the same words)."""
    if one == other:
        return 1.0
    (a, of_a), (b, of_b) = _bag(one), _bag(other)
    if not of_a or not of_b:
        return 0.0
    if len(b) < len(a):
        a, b = b, a
    return 2 * sum([min(weight, b[word]) for word, weight in a.items() if word in b]) / (of_a + of_b)


def replaced_part(old: bytes, start: int, end: int, new: bytes) -> tuple[int, int] | None:
    """Return where, in `new`, stands what took the place of `old[start:end]`; None where nothing did.

    It is what stands between the nearest words on both sides that the two lines share, widened to whole names.
    """
    before, after = words_of(old), words_of(new)
    left, right = 0, len(after)
    for step in LCSseq.opcodes([word.text for word in before], [word.text for word in after]):
        if step.tag != "equal":
            continue
        for offset in range(step.src_end - step.src_start):
            word = before[step.src_start + offset]
            if word.end <= start:
                left = step.dest_start + offset + 1
            elif word.start >= end:
                right = min(right, step.dest_start + offset)
    if left >= right:
        return None
    return _whole_names(new, after[left].start, after[right - 1].end)


def _whole_names(line: bytes, start: int, end: int) -> tuple[int, int]:
    """Widen a range so that it cuts through no dotted or qualified name."""
    if _NAME_SIGN.match(line, start):
        while start > 0 and _NAME_SIGN.match(line, start - 1):
            start -= 1
    if _NAME_SIGN.match(line, end - 1):
        while end < len(line) and _NAME_SIGN.match(line, end):
            end += 1
    return start, end


def is_comment(path: str, line: bytes) -> bool:
    """Whether a line holds nothing but a comment, as far as that can be said without lexing."""
    stripped = line.lstrip()
    if path.endswith(_HASH_IS_COMMENT):
        return stripped.startswith(b"#")
    return stripped.startswith((b"//", b"/*", b"* "))


def identifiers(text: bytes) -> list[bytes]:
    """Return the identifiers of a text, in order."""
    return _IDENTIFIER.findall(text[:_LONGEST])
