"""Counts by organisation and period -> each one's share, and how far it may be off for what is unknown."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """So many of a period are one organisation's."""

    period: date
    """Its first day."""
    organisation: str | None
    """None: unknown."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One organisation's part of a period."""

    count: int
    low: float
    """0..1: if none of the unknown is its."""
    high: float
    """If all of the unknown is its."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodShares:
    """A period divided among organisations."""

    period: date
    n: int
    """All of it, unknown included."""
    unknown: int
    shares: Mapping[str, Share]
    """Largest first, then by name; one with nothing is absent."""

    @property
    def unknown_share(self) -> float:
        """0..1."""
        return self.unknown / self.n


def shares_by_period(parts: Iterable[Part]) -> tuple[PeriodShares, ...]:
    """Return each period that has anything, oldest first; a period without anything has no shares and is absent."""
    counts: dict[date, dict[str | None, int]] = defaultdict(lambda: defaultdict(int))
    for part in parts:
        counts[part.period][part.organisation] += part.count
    return tuple(
        _divided(period, named)
        for period, named in sorted(counts.items(), key=lambda one: one[0])
        if any(named.values())
    )


def _divided(period: date, counts: Mapping[str | None, int]) -> PeriodShares:
    n, unknown = sum(counts.values()), counts.get(None, 0)
    known = sorted(
        ((name, count) for name, count in counts.items() if name and count), key=lambda one: (-one[1], one[0])
    )
    shares = {name: Share(count=count, low=count / n, high=(count + unknown) / n) for name, count in known}
    return PeriodShares(period=period, n=n, unknown=unknown, shares=shares)
