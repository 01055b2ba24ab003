"""Weekly flows -> weekly series: a week's opening, what was added and removed in it, and its closing.

A week is the ISO week (Monday to Sunday) in UTC of a commit's committer date, and is named by its Monday. Committer
dates on a first-parent line are not monotonic: a commit counts in its own week, but never before the week of the first
commit read nor after that of the last, so that the last closing is the ledger's balance. Weeks that were not read are
absent, not zero.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import accumulate

ONE_WEEK = timedelta(weeks=1)

_Numbers = dict[str, list[int]]


def week_of(at: datetime) -> date:
    """Return the Monday of the ISO week in which an aware time lies, in UTC."""
    day = at.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def weeks_between(first: date, last: date) -> tuple[date, ...]:
    """Return the Mondays from the first to the last, both included; none when the last is before the first."""
    return tuple(first + ONE_WEEK * index for index in range((last - first).days // 7 + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """What happened in one week to the sites under one key."""

    week: date
    key: str
    found: int = 0
    """Sites that stood there already when reading began; they belong to the week's opening."""
    added: int = 0
    removed: int = 0
    """As a positive number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StockSeries:
    """Weekly numbers of sites by key; every tuple has one number for each week."""

    weeks: tuple[date, ...] = ()
    """Mondays, without a gap, from the week of the first commit read to that of the last; empty: nothing was read."""
    opening: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    added: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    removed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Positive numbers."""
    closing: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """opening + added - removed; the next week's opening."""
    data_through: datetime | None = None
    """Committer date of the last commit read; its week may be read in part. None when nothing was read."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys, largest last closing first, then by name."""
        return tuple(sorted(self.closing, key=lambda key: (-self.closing[key][-1], key)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSeries:
    """Weekly numbers of sites added and removed by key, where a balance by that key would mean nothing."""

    weeks: tuple[date, ...] = ()
    """As in `StockSeries`."""
    added: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    removed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Positive numbers."""
    data_through: datetime | None = None


def stock_series(flows: Iterable[Flow], *, first: date, last: date, data_through: datetime) -> StockSeries:
    """Add weekly flows up to series over the weeks from the first to the last commit read.

    A flow dated before the first or after the last of these weeks counts in that week.
    """
    weeks = weeks_between(min(first, last), last)
    found: _Numbers = defaultdict(lambda: [0] * len(weeks))
    added: _Numbers = defaultdict(lambda: [0] * len(weeks))
    removed: _Numbers = defaultdict(lambda: [0] * len(weeks))
    for flow in flows:
        index = min(max((flow.week - weeks[0]).days // 7, 0), len(weeks) - 1)
        found[flow.key][index] += flow.found
        added[flow.key][index] += flow.added
        removed[flow.key][index] += flow.removed
    opening: dict[str, tuple[int, ...]] = {}
    closing: dict[str, tuple[int, ...]] = {}
    for key in sorted(found):
        nets = [old + new - gone for old, new, gone in zip(found[key], added[key], removed[key], strict=True)]
        closing[key] = tuple(accumulate(nets))
        opening[key] = tuple(
            end - new + gone for end, new, gone in zip(closing[key], added[key], removed[key], strict=True)
        )
    return StockSeries(
        weeks=weeks,
        opening=opening,
        added={key: tuple(added[key]) for key in closing},
        removed={key: tuple(removed[key]) for key in closing},
        closing=closing,
        data_through=data_through,
    )


def aligned(
    numbers: Mapping[str, Sequence[int]], weeks: Sequence[date], onto: Sequence[date]
) -> dict[str, tuple[int | None, ...]]:
    """Lay series over other weeks, for comparison; a week that was not read is None, never zero."""
    place = {week: index for index, week in enumerate(weeks)}
    return {
        key: tuple(values[place[week]] if week in place else None for week in onto) for key, values in numbers.items()
    }


def neutrality(neutral: int, sites: int) -> float | None:
    """Return the share of neutral constructs among neutral constructs and sites, 0..1; None where there is neither."""
    return neutral / (neutral + sites) if neutral + sites else None
