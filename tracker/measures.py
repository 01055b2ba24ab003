"""Sums of weekly cells -> the measures of a series, week by week or over longer periods: stock, flow, adoption, shares.

Coupling (sites) and adoption (neutral constructs) are measured beside each other and never added. What a week that was
not read, or was read in part, did is unknown (None), never zero; the closing of a period is the opening of the next.
Sites per 1,000 lines set sites against lines of the same places; where lines were not counted that is unknown too.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from tracker.rollup import neutrality

Key = tuple[str, ...]
"""What a series is of: one word for each thing it is broken down by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSum:
    """What one week did to the sites, or to the neutral constructs, of one key."""

    week: date
    key: Key
    is_neutral: bool
    """Of neutral constructs, not of sites."""
    is_headline: bool = True
    """Whether it is in the numbers of sites; the others count for neutrality alone (construct `name`)."""
    is_nvidia: bool = False
    found: int = 0
    """Stood there already when reading began."""
    added: int = 0
    removed: int = 0
    """Positive, as is `net_removed`."""
    net_added: int = 0
    """By changes that stand, each counted once."""
    net_removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSum:
    """By how many lines one week changed the code of one key; what stood there when reading began included."""

    week: date
    key: Key
    change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Whole weeks that are measured together."""

    name: str
    """The Monday of a week, or the release that ends it."""
    first: date
    """The first week's Monday."""
    last: date
    """The last week's Monday."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A stock over one period, and what came and went; None: unknown."""

    opening: int | None
    added: int | None
    removed: int | None
    closing: int | None
    """opening + added - removed; the next period's opening."""
    net_added: int | None
    net_removed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is measured of one key over one period; stocks and shares at its end."""

    period: Period
    weeks: int
    """How many weeks it has: the n of its flows."""
    unread: int
    """How many of them were not read, or in part; none is needed for a flow."""
    sites: Amount
    adoption: Amount
    neutrality: float | None
    """0..1, of `constructs`."""
    constructs: int | None
    """Neutral constructs and closing sites, names only where they are sites: the n of neutrality."""
    nvidia_share: float | None
    """0..1, of the closing sites."""
    lines: int | None
    sites_per_1000_lines: float | None
    """Of `lines` lines."""


def measure(
    sums: Iterable[CellSum],
    lines: Iterable[LineSum],
    periods: Sequence[Period],
    weeks: Sequence[date],
    *,
    unread: Mapping[Key, Collection[date]],
    uncounted_since: Mapping[Key, date],
) -> dict[Key, tuple[Measures, ...]]:
    """Return the measures of each key over each period, keys in their order.

    Args:
        periods: of some of the weeks, oldest first.
        weeks: Mondays without a gap; every sum lies in one of them.
        unread: weeks that are unknown by key; a key that is absent has none.
        uncounted_since: the week from which on numbers of lines are unknown, by key.
    """
    place = {week: index for index, week in enumerate(weeks)}
    columns: defaultdict[Key, _Columns] = defaultdict(lambda: _Columns(len(weeks)))
    for one in sums:
        columns[one.key].add(place[one.week], one)
    for line in lines:
        if line.key in columns:
            columns[line.key].lines[place[line.week]] += line.change
    found: dict[Key, tuple[Measures, ...]] = {}
    for key in sorted(columns):
        gaps = frozenset(place[week] for week in unread.get(key, ()) if week in place)
        counted = place.get(uncounted_since[key], 0) if key in uncounted_since else len(weeks)
        standing = columns[key].standing()
        found[key] = tuple(
            _measures(period, place[period.first], place[period.last], standing, gaps, counted) for period in periods
        )
    return found


_SITES, _ADOPTION = 0, 1


class _Columns:
    """Weekly numbers of one key."""

    def __init__(self, weeks: int) -> None:
        # Of sites and of neutral constructs: found, added, removed, net added, net removed.
        self.flows = [[[0] * weeks for _ in range(5)] for _ in (_SITES, _ADOPTION)]
        self.nvidia, self.lines = [0] * weeks, [0] * weeks

    def add(self, index: int, one: CellSum) -> None:
        if not one.is_neutral and not one.is_headline:
            return
        numbers = (one.found, one.added, one.removed, one.net_added, one.net_removed)
        for column, number in zip(self.flows[one.is_neutral], numbers, strict=True):
            column[index] += number
        if one.is_nvidia:
            self.nvidia[index] += one.found + one.added - one.removed

    def standing(self) -> "_Standing":
        closings = [
            list(accumulate(found + added - removed for found, added, removed in zip(*flows[:3], strict=True)))
            for flows in self.flows
        ]
        return _Standing(
            flows=self.flows,
            closings=closings,
            nvidia=list(accumulate(self.nvidia)),
            lines=list(accumulate(self.lines)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The same with what stands at the end of each week."""

    flows: list[list[list[int]]]
    closings: list[list[int]]
    nvidia: list[int]
    lines: list[int]


def _measures(
    period: Period, first: int, last: int, standing: _Standing, gaps: frozenset[int], counted: int
) -> Measures:
    unread = sum(index in gaps for index in range(first, last + 1))
    ends_known = last not in gaps
    sites, adoption = (_amount(standing, which, first, last, gaps) for which in (_SITES, _ADOPTION))
    closing, neutral = sites.closing, adoption.closing
    constructs = neutral + closing if neutral is not None and closing is not None else None
    lines = standing.lines[last] if ends_known and last < counted else None
    return Measures(
        period=period,
        weeks=last - first + 1,
        unread=unread,
        sites=sites,
        adoption=adoption,
        neutrality=neutrality(neutral, constructs - neutral) if neutral is not None and constructs else None,
        constructs=constructs,
        nvidia_share=standing.nvidia[last] / closing if closing else None,
        lines=lines,
        sites_per_1000_lines=1000 * closing / lines if closing is not None and lines else None,
    )


def _amount(standing: _Standing, which: int, first: int, last: int, gaps: frozenset[int]) -> Amount:
    flows = standing.flows[which][1:]
    closings = standing.closings[which]
    whole = not any(index in gaps for index in range(first, last + 1))
    added, removed, net_added, net_removed = (sum(column[first : last + 1]) if whole else None for column in flows)
    # What stood there when reading began belongs to the opening of its week.
    opening = closings[first] - flows[0][first] + flows[1][first]
    return Amount(
        opening=None if first and first - 1 in gaps else opening,
        added=added,
        removed=removed,
        closing=None if last in gaps else closings[last],
        net_added=net_added,
        net_removed=net_removed,
    )


def weekly_periods(weeks: Sequence[date]) -> tuple[Period, ...]:
    """Return a period for each week."""
    return tuple(Period(name=week.isoformat(), first=week, last=week) for week in weeks)


def release_periods(weeks: Sequence[date], releases: Iterable[tuple[date, str]]) -> tuple[Period, ...]:
    """Return a period for each release, ending with the week in which it was made, and one for what came since.

    Args:
        releases: week (its Monday) and name, oldest first. Those of one week end one period together; those before or
            behind the weeks end none.
    """
    names: dict[date, list[str]] = {}
    for week, name in releases:
        if weeks and weeks[0] <= week <= weeks[-1]:
            names.setdefault(week, []).append(name)
    periods: list[Period] = []
    begin = 0
    for index, week in enumerate(weeks):
        if week in names:
            periods.append(Period(name=", ".join(names[week]), first=weeks[begin], last=week))
            begin = index + 1
    if begin < len(weeks):
        since = f"since {periods[-1].name}" if periods else "all"
        periods.append(Period(name=since, first=weeks[begin], last=weeks[-1]))
    return tuple(periods)
