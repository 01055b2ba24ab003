"""What moved under each key between two dates -> the biggest movers, and how much of the whole they are."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What came and went under one key: a path, a symbol, a commit."""

    key: str
    title: str = ""
    """Of a commit: the first line of its message; else empty."""
    added: int
    removed: int
    """As a positive number."""

    @property
    def net(self) -> int:
        """Added less removed."""
        return self.added - self.removed


@dataclass(frozen=True, slots=True, kw_only=True)
class Movers:
    """The biggest movers of a period; what is not among them is in the sums."""

    n: int
    """Keys under which anything came or went."""
    added: int
    """Of all keys, as are the two below."""
    removed: int
    net: int
    rises: tuple[Move, ...]
    """Largest net rise first; then by key."""
    falls: tuple[Move, ...]
    """Largest net fall first; then by key."""


def biggest_movers(moves: Iterable[Move], count: int) -> Movers:
    """Return up to `count` keys that rose most and as many that fell most; keys that stayed even are in neither."""
    moved = [move for move in moves if move.added or move.removed]
    rises = sorted((move for move in moved if move.net > 0), key=lambda move: (-move.net, move.key))
    falls = sorted((move for move in moved if move.net < 0), key=lambda move: (move.net, move.key))
    added, removed = sum(move.added for move in moved), sum(move.removed for move in moved)
    return Movers(
        n=len(moved),
        added=added,
        removed=removed,
        net=added - removed,
        rises=tuple(rises[:count]),
        falls=tuple(falls[:count]),
    )
