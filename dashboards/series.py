"""Arithmetic on weekly series for pages: leaving out a part, cutting a window, adding periods up. Pure.

A week that is not in a series was not read; nothing here makes a zero of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tracker.rollup import FlowSeries, StockSeries
from tracker.sites import Mechanism

Numbers = Mapping[str, tuple[int, ...]]

WEEKS_A_YEAR = 52
OTHERS = "others"
STAYING = (Mechanism.MOVED, Mechanism.EDITED)
"""Mechanisms of sites that stay in neutral code under another path or name: neither in nor out."""
OUTWARD = (Mechanism.GENERALISED, Mechanism.BROADENED, Mechanism.RELOCATED, Mechanism.DROPPED, Mechanism.RETIRED)
"""Mechanisms by which sites leave neutral code: decoupling first, then removal."""
LET_IN = "let in"
"""What came in because an exclusive place was broadened to admit others: apart from introduced sites."""
STAYED = "moved or edited"
"""What moved and edited sites changed: those that came less those that went, so signed."""
_MONTHS_UNTIL = timedelta(days=366 * 4)
_WEEKS_UNTIL = timedelta(days=366)


def stock_between(series: StockSeries, since: date | None, until: date | None) -> StockSeries:
    """Return the weeks that overlap a period; `until` is the first day after it."""
    cut = _window(series.weeks, since, until)
    return replace(
        series,
        weeks=series.weeks[cut],
        opening=_cut(series.opening, cut),
        added=_cut(series.added, cut),
        removed=_cut(series.removed, cut),
        closing=_cut(series.closing, cut),
    )


def flow_between(series: FlowSeries, since: date | None, until: date | None) -> FlowSeries:
    """Return the weeks that overlap a period; `until` is the first day after it."""
    cut = _window(series.weeks, since, until)
    return replace(series, weeks=series.weeks[cut], added=_cut(series.added, cut), removed=_cut(series.removed, cut))


def _window(weeks: Sequence[date], since: date | None, until: date | None) -> slice:
    chosen = [
        index
        for index, week in enumerate(weeks)
        if (since is None or week + timedelta(days=6) >= since) and (until is None or week < until)
    ]
    return slice(chosen[0], chosen[-1] + 1) if chosen else slice(0, 0)


def _cut(numbers: Numbers, cut: slice) -> Numbers:
    return {key: values[cut] for key, values in numbers.items()}


def largest(numbers: Numbers, count: int) -> Numbers:
    """Return the keys with the largest last values, the rest added up under `others`; keys always 0 are left out."""
    alive = [key for key, values in numbers.items() if any(values)]
    ordered = sorted(alive, key=lambda key: (-numbers[key][-1], -max(numbers[key]), key))
    if len(ordered) <= count + 1:
        return {key: numbers[key] for key in ordered}
    rest = [sum(column) for column in zip(*(numbers[key] for key in ordered[count:]), strict=True)]
    return {key: numbers[key] for key in ordered[:count]} | {OTHERS: tuple(rest)}


def total(numbers: Numbers) -> tuple[int, ...]:
    """Return the sum over all keys for each week; nothing where there is no key."""
    return tuple(sum(column) for column in zip(*numbers.values(), strict=True))


def last(values: Sequence[int]) -> int | None:
    """Return the last value; None where there is none."""
    return values[-1] if values else None


def year_before(values: Sequence[int]) -> int | None:
    """Return the value 52 weeks before the last; None where the series does not reach back that far."""
    return values[-1 - WEEKS_A_YEAR] if len(values) > WEEKS_A_YEAR else None


def in_last_year(numbers: Numbers) -> int:
    """Return the sum of the last 52 weeks over all mechanisms by which a site comes or goes."""
    return sum(sum(values[-WEEKS_A_YEAR:]) for key, values in numbers.items() if key not in STAYING)


def came_in(flow: FlowSeries) -> Numbers:
    """Return what came in week by week: introduced sites, and apart from them what broadening let in, if anything."""
    inward = {key: values for key, values in flow.added.items() if key not in STAYING}
    let_in = inward.pop(Mechanism.BROADENED, ())
    introduced = total(inward) or (0,) * len(flow.weeks)
    return {Mechanism.INTRODUCED.value: introduced} | ({LET_IN: let_in} if any(let_in) else {})


def stayed(flow: FlowSeries) -> tuple[int, ...]:
    """Return by how much moved and edited sites changed the stock week by week: those that came less those that went.

    A site that is edited can become what is counted, or cease to be it: a name that turns into an API.
    """
    nothing = (0,) * len(flow.weeks)
    came, went = (total({key: one.get(key, nothing) for key in STAYING}) for one in (flow.added, flow.removed))
    return tuple(new - gone for new, gone in zip(came, went, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Periods:
    """Weekly numbers added up to longer periods."""

    name: str
    """week, month, quarter or year."""
    starts: tuple[date, ...]
    sums: Numbers


def in_periods(weeks: Sequence[date], numbers: Numbers) -> Periods:
    """Add weeks up to months, over more than four years to quarters, within a year to nothing longer.

    A week belongs to the period in which its Monday lies.
    """
    name, start_of = _period(weeks)
    starts = tuple(dict.fromkeys(start_of(week) for week in weeks))
    place = {start: index for index, start in enumerate(starts)}
    sums: dict[str, list[int]] = {key: [0] * len(starts) for key in numbers}
    for index, week in enumerate(weeks):
        for key, values in numbers.items():
            sums[key][place[start_of(week)]] += values[index]
    return Periods(name=name, starts=starts, sums={key: tuple(values) for key, values in sums.items()})


def _period(weeks: Sequence[date]) -> tuple[str, Callable[[date], date]]:
    span = weeks[-1] - weeks[0] if weeks else timedelta()
    if span <= _WEEKS_UNTIL:
        return "week", lambda week: week
    if span <= _MONTHS_UNTIL:
        return "month", lambda week: week.replace(day=1)
    return "quarter", lambda week: week.replace(month=(week.month - 1) // 3 * 3 + 1, day=1)
