"""One query for every series: stock, flow gross and net, adoption, shares and density, by any breakdown, with gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from dashboards.measures_query import MeasuresQuery
from dashboards.problems import BadParameter
from dashboards.reading import Reading
from db.line_cells import read_uncounted_since
from db.releases import read_releases
from db.series import (
    Dimension,
    LineOfWeeks,
    SeriesFilter,
    lines_by_key,
    read_cell_sums,
    read_line_sums,
    read_lines_of_weeks,
)
from db.week_gaps import WeekGap, read_week_gaps
from tracker.measures import (
    Amount,
    CellSum,
    Key,
    Measures,
    Period,
    measure,
    release_periods,
    weekly_periods,
)
from tracker.rollup import week_of, weeks_between

MOST_POINTS = 100_000
_AMOUNTS = ("opening", "added", "removed", "closing", "net_added", "net_removed")
MEASURED = (
    *_AMOUNTS,
    *(f"adoption_{name}" for name in _AMOUNTS),
    "neutrality",
    "constructs",
    "nvidia_share",
    "lines",
    "sites_per_1000_lines",
)
UNITS = {
    "opening, added, removed, closing": "sites of neutral code (or of the territory asked for)",
    "net_added, net_removed": "sites, of changes that stand, each counted once: what was reverted counts nothing",
    "adoption_*": "neutral constructs; a series of its own, never added to sites",
    "neutrality": "0..1, share of neutral constructs among `constructs`: neutral constructs and closing sites",
    "nvidia_share": "0..1, of the closing sites",
    "sites_per_1000_lines": "closing sites for each 1,000 of `lines` lines of code in the same places",
    "weeks, unread_weeks": "weeks of the period, and those of them that were not read or were read in part",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Weeks of one repository that are unknown, with the reason."""

    repository: str
    first: date | None
    last: date | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one query measured."""

    by: tuple[Dimension, ...]
    rows: tuple[dict[str, object], ...]
    """One for each key and period, oldest first within a key."""
    gaps: tuple[Gap, ...]
    unavailable: dict[str, str]
    """Measures that such a breakdown or filter does not have, and why."""

    @property
    def columns(self) -> list[str]:
        """Of the rows."""
        keys = [one.value for one in self.by]
        return [*keys, "period", "first_week", "last_week", "weeks", "unread_weeks", *MEASURED, "gap"]


def measures_of(reading: Reading, query: MeasuresQuery) -> Measured:
    """Return what is measured.

    Raises:
        BadParameter: it would be more points than are told at once.
    """
    return reading.remember(("measures", query), lambda: _measured(reading, query))


def _measured(reading: Reading, query: MeasuresQuery) -> Measured:
    wanted = query.wanted
    lines = read_lines_of_weeks(reading.session, wanted.repositories)
    gaps = {slug: found for slug, found in read_week_gaps(reading.session).items() if slug in lines}
    unavailable = _unavailable(wanted)
    told = tuple(
        Gap(repository=slug, first=one.first, last=one.last, reason=one.reason)
        for slug in sorted(gaps)
        for one in gaps[slug]
    )
    if not lines:
        return Measured(by=wanted.by, rows=(), gaps=told, unavailable=unavailable)
    weeks = weeks_between(min(one.first for one in lines.values()), max(one.last for one in lines.values()))
    periods = _periods(reading, query, weeks)
    sums = list(read_cell_sums(reading.session, wanted))
    keys = {one.key for one in sums}
    if len(keys) * len(periods) > MOST_POINTS:
        reason = f"makes {len(keys) * len(periods):,} points, more than {MOST_POINTS:,}; restrict it, or the period"
        raise BadParameter("by", ",".join(wanted.by), reason)
    found = _measure(reading, wanted, sums, periods, weeks, lines, gaps)
    rows = tuple(
        _row(wanted.by, key, one, unavailable, _reason(_repositories_of(wanted, key, lines), gaps, one.period))
        for key, several in found.items()
        for one in several
    )
    return Measured(by=wanted.by, rows=rows, gaps=told, unavailable=unavailable)


def _measure(  # noqa: PLR0913, PLR0917 - what was read, once each
    reading: Reading,
    wanted: SeriesFilter,
    sums: Sequence[CellSum],
    periods: Sequence[Period],
    weeks: Sequence[date],
    lines: Mapping[str, LineOfWeeks],
    gaps: dict[str, tuple[WeekGap, ...]],
) -> dict[Key, tuple[Measures, ...]]:
    keys = {one.key for one in sums}
    uncounted = read_uncounted_since(reading.session)
    of_key = {key: _repositories_of(wanted, key, lines) for key in keys}
    unread = {
        key: {
            week
            for slug in slugs
            for gap in gaps.get(slug, ())
            for week in (*gap.within(weeks[0], weeks[-1]), *_behind(lines[slug], weeks))
        }
        for key, slugs in of_key.items()
    }
    since = {
        key: min(found) for key, slugs in of_key.items() if (found := [uncounted[s] for s in slugs if s in uncounted])
    }
    by_place = read_line_sums(reading.session, wanted)
    return measure(
        sums,
        lines_by_key(wanted, keys, by_place),
        periods,
        weeks,
        unread=unread,
        uncounted_since={key: max(week, weeks[0]) for key, week in since.items()},
    )


def _behind(line: LineOfWeeks, weeks: Sequence[date]) -> tuple[date, ...]:
    """Return the weeks behind the last that was read of one repository, where others were read further."""
    return weeks_between(line.last + timedelta(weeks=1), weeks[-1])


def _repositories_of(wanted: SeriesFilter, key: Key, lines: Mapping[str, LineOfWeeks]) -> tuple[str, ...]:
    if Dimension.REPOSITORY in wanted.by:
        return (key[wanted.by.index(Dimension.REPOSITORY)],)
    return tuple(lines)


def _periods(reading: Reading, query: MeasuresQuery, weeks: Sequence[date]) -> tuple[Period, ...]:
    """Return the periods that overlap the time asked for."""
    if query.by_release:
        slug = query.wanted.repositories[0]
        releases = read_releases(reading.session, slug)
        # What came since the last release is told up to the last whole week.
        whole = weeks[:-1] or weeks
        found = release_periods(whole, [(week_of(one.at), one.name) for one in releases])
    else:
        found = weekly_periods(weeks)
    return tuple(
        period
        for period in found
        if (query.since is None or period.last + timedelta(days=6) >= query.since)
        and (query.until is None or period.first < query.until)
    )


def _unavailable(wanted: SeriesFilter) -> dict[str, str]:
    """Return what such a series does not have, and why."""
    found: dict[str, str] = {}
    stock = ("opening", "closing", "nvidia_share", "lines", "sites_per_1000_lines")
    adoption = tuple(f"adoption_{name}" for name in _AMOUNTS)
    shares = ("neutrality", "constructs")
    if wanted.uses(Dimension.ORGANISATION, Dimension.MECHANISM):
        reason = "a stock has no organisation and no mechanism: only what commits add and remove has"
        found |= dict.fromkeys((*stock, "adoption_opening", "adoption_closing", *shares), reason)
    if wanted.uses(Dimension.VENDOR, Dimension.CONSTRUCT, Dimension.MECHANISM):
        reason = "neutral constructs have no vendor, no construct of sites and no mechanism"
        found |= dict.fromkeys((*adoption, *shares), reason)
    if wanted.uses(Dimension.VENDOR):
        found["nvidia_share"] = "it is a share among vendors"
    return found


def _row(by: Sequence[Dimension], key: Key, one: Measures, unavailable: dict[str, str], gap: str) -> dict[str, object]:
    row: dict[str, object] = {dimension.value: word for dimension, word in zip(by, key, strict=True)}
    row |= {"period": one.period.name, "first_week": one.period.first, "last_week": one.period.last}
    row |= {"weeks": one.weeks, "unread_weeks": one.unread}
    values = _amounts("", one.sites) | _amounts("adoption_", one.adoption)
    values |= {name: getattr(one, name) for name in MEASURED if name not in values}
    return row | {name: None if name in unavailable else values[name] for name in MEASURED} | {"gap": gap or None}


def _amounts(prefix: str, amount: Amount) -> dict[str, object]:
    return {f"{prefix}{name}": getattr(amount, name) for name in _AMOUNTS}


def _reason(slugs: Sequence[str], gaps: dict[str, tuple[WeekGap, ...]], period: Period) -> str:
    """Return why a period is not known, or not all of it; empty where it is."""
    found = [
        one.reason if len(slugs) == 1 else f"{slug}: {one.reason}"
        for slug in slugs
        for one in gaps.get(slug, ())
        if one.within(period.first, period.last)
    ]
    return "; ".join(found)
