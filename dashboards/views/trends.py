"""What the two headline series show, what moved most, and whose commits decouple: for the overview and the twins."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from dashboards.filters import MoversQuery, SeriesQuery
from dashboards.reading import Reading
from dashboards.series import total
from dashboards.views.series import adoption_of, stock_of, unread_weeks_of
from db.cells import CellFilter
from db.decouplers import Decoupling, read_decoupling
from db.moves import MovesBy, read_moves
from tracker.rollup import StockSeries
from tracker.trend import (
    Movers,
    Part,
    PeriodShares,
    Projection,
    Trend,
    Turn,
    biggest_movers,
    project,
    shares_by_period,
    trend_of,
    turns_of,
    weekly_changes,
)

TREND_WEEKS = 104
"""How far a trend looks back where no beginning is asked for."""
_ANALYSED = 100
"""How many series' trends are kept, the least recently used dropped first."""
TREND_COLUMNS = (
    "series",
    "n",
    "left_out",
    "first",
    "last",
    "start",
    "end",
    "per_week",
    "low",
    "high",
    "confidence",
    "direction",
    "target",
    "projected_from_n",
    "is_trend",
    "reached",
    "earliest",
    "middle",
    "latest",
    "chance",
)
MOVE_COLUMNS = ("way", "key", "title", "added", "removed", "net")
SHARE_COLUMNS = ("series", "period", "n", "unknown", "organisation", "count", "low", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesTrend:
    """What one headline series shows."""

    series: str
    """coupling or adoption."""
    unit: str
    trend: Trend
    direction: int
    """-1, 1, or 0 where there is no such trend."""
    turns: tuple[Turn, ...]
    """Over all of the period asked for, not only the weeks of the trend."""
    projection: Projection | None
    """To zero, of coupling; adoption has no target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """The two headline series, which are never added up."""

    coupling: SeriesTrend
    adoption: SeriesTrend


@dataclass(frozen=True, slots=True, kw_only=True)
class DecouplingShares:
    """Whose decoupling it was, by calendar year in which the weeks begin."""

    commits: tuple[PeriodShares, ...]
    """Each change once and only where it stands."""
    sites: tuple[PeriodShares, ...]
    """Generalised, broadened and relocated by these commits."""


def trends_of(reading: Reading, query: SeriesQuery) -> Trends:
    """Return the trends at the end of the period asked for: over its weeks, or over the last 104 of them."""

    def compute() -> Trends:
        unread = unread_weeks_of(reading, query)
        return Trends(
            coupling=_trend("coupling", "sites", stock_of(reading, query), unread, query, target=0),
            adoption=_trend("adoption", "neutral constructs", adoption_of(reading, query), unread, query, target=None),
        )

    return reading.remember(("trends", query), compute)


def _trend(
    name: str, unit: str, stock: StockSeries, unread: Collection[date], query: SeriesQuery, *, target: float | None
) -> SeriesTrend:
    weeks, values = stock.weeks, whole_weeks(stock, unread)
    start = max(len(weeks) - TREND_WEEKS, 0) if query.since is None else 0
    trend, turns, projection = _analysed(weeks, values, start, target)
    return SeriesTrend(
        series=name, unit=unit, trend=trend, direction=trend.direction, turns=turns, projection=projection
    )


@lru_cache(maxsize=_ANALYSED)
def _analysed(
    weeks: tuple[date, ...], values: tuple[int | None, ...], start: int, target: float | None
) -> tuple[Trend, tuple[Turn, ...], Projection | None]:
    """Analyse a series once: most jobs that change the version of the data change none of its numbers."""
    trend = trend_of(weeks[start:], values[start:])
    changes = weekly_changes(weeks[start:], values[start:])
    projection = project(trend, changes, target) if target is not None else None
    return trend, turns_of(weeks, values), projection


def whole_weeks(stock: StockSeries, unread: Collection[date] = ()) -> tuple[int | None, ...]:
    """Return the sum of all keys at the end of each week, None for those read in part: these and the last."""
    sums: Sequence[int] = total(stock.closing) or (0,) * len(stock.weeks)
    through = stock.data_through.date() if stock.data_through is not None else None
    return tuple(
        value if through is not None and week + timedelta(days=6) < through and week not in unread else None
        for week, value in zip(stock.weeks, sums, strict=True)
    )


def trend_rows(trends: Trends) -> list[dict[str, object]]:
    """Return the same as rows for CSV."""
    return [_trend_row(one) for one in (trends.coupling, trends.adoption)]


def _trend_row(one: SeriesTrend) -> dict[str, object]:
    row: dict[str, object] = {"series": one.series, "direction": one.direction}
    for name in ("n", "left_out", "first", "last", "start", "end", "per_week", "low", "high", "confidence"):
        row[name] = getattr(one.trend, name)
    if one.projection is not None:
        row["projected_from_n"] = one.projection.n
        for name in ("target", "is_trend", "reached", "earliest", "middle", "latest", "chance"):
            row[name] = getattr(one.projection, name)
    return row


def movers_of(reading: Reading, query: MoversQuery) -> Movers:
    """Return what moved most in the period asked for."""
    series = query.series

    def read() -> Movers:
        wanted = CellFilter(
            repository=series.repository,
            territory=series.territory,
            vendor=series.vendor,
            area=series.area,
            construct=series.construct,
            names=series.names,
        )
        by = MovesBy(series.by or MovesBy.PATH)
        moves = read_moves(reading.session, wanted, by, since=series.since, until=series.until)
        return biggest_movers(moves, query.limit)

    return reading.remember(("movers", query), read)


def move_rows(movers: Movers) -> list[dict[str, object]]:
    """Return rises, then falls, as rows for CSV."""
    return [
        {"way": way}
        | {"key": move.key, "title": move.title, "added": move.added, "removed": move.removed, "net": move.net}
        for way, moves in (("rise", movers.rises), ("fall", movers.falls))
        for move in moves
    ]


def decoupling_shares_of(reading: Reading, query: SeriesQuery) -> DecouplingShares:
    """Return whose commits decoupled, by year."""

    def read() -> tuple[Decoupling, ...]:
        return read_decoupling(reading.session, repository=query.repository)

    found = [
        one
        for one in reading.remember(("decoupling", query.repository), read)
        if (query.since is None or one.week + timedelta(days=6) >= query.since)
        and (query.until is None or one.week < query.until)
    ]
    return DecouplingShares(
        commits=shares_by_period(_part(one, one.commits) for one in found),
        sites=shares_by_period(_part(one, one.sites) for one in found),
    )


def _part(one: Decoupling, count: int) -> Part:
    return Part(period=date(one.week.year, 1, 1), organisation=one.organisation, count=count)


def share_rows(shares: DecouplingShares) -> list[dict[str, object]]:
    """Return one row for each organisation and year, for CSV."""
    return [
        {"series": series, "period": year.period, "n": year.n, "unknown": year.unknown, "organisation": name}
        | {"count": share.count, "low": share.low, "high": share.high}
        for series, years in (("commits", shares.commits), ("sites", shares.sites))
        for year in years
        for name, share in year.shares.items()
    ]
