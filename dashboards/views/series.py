"""The weekly series that pages, charts, twins and metrics draw on: stock, flow, adoption, neutrality.

Stock and flow count hard sites: identifiers that merely contain a vendor's word (construct `name`) only where they are
asked for. Series are read whole, remembered, and cut to the period asked for.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from dashboards.filters import SeriesQuery
from dashboards.headline import compares_with_constructs
from dashboards.reading import Reading
from dashboards.series import flow_between, stock_between
from db.cells import By, read_flow, read_neutrality, read_stock
from db.week_gaps import read_lacking_weeks
from tracker.rollup import FlowSeries, StockSeries
from tracker.sites import Construct

STOCK_BY = ("vendor", "area", "subsystem", "construct", "territory")
FLOW_BY = ("mechanism", "vendor", "area", "subsystem", "construct", "territory")
ADOPTION_BY = ("area", "subsystem", "territory")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSeries:
    """Weekly shares by key, 0..1."""

    weeks: tuple[date, ...] = ()
    shares: Mapping[str, tuple[float | None, ...]]
    """None: there was neither a site nor a neutral construct."""
    data_through: datetime | None = None


def stock_of(reading: Reading, query: SeriesQuery) -> StockSeries:
    """Return the weekly stock of sites by vendor, or by what is asked for."""
    whole = reading.remember(("stock", _whole(query, By.VENDOR)), lambda: _stock(reading, query))
    return stock_between(whole, query.since, query.until)


def flow_of(reading: Reading, query: SeriesQuery) -> FlowSeries:
    """Return what came and went weekly by mechanism, or by what is asked for."""
    whole = reading.remember(("flow", _whole(query, By.MECHANISM)), lambda: _flow(reading, query))
    return flow_between(whole, query.since, query.until)


def adoption_of(reading: Reading, query: SeriesQuery) -> StockSeries:
    """Return the weekly stock of neutral constructs by area, or by what is asked for."""
    by = By(query.by or "area")

    def read() -> StockSeries:
        return read_stock(
            reading.session,
            repository=query.repository,
            by=by,
            territory=query.territory,
            construct=Construct.NEUTRAL,
            area=query.area,
        )

    whole = reading.remember(("adoption", by, query.repository, query.territory, query.area), read)
    return stock_between(whole, query.since, query.until)


def neutrality_of(reading: Reading, query: SeriesQuery) -> ShareSeries:
    """Return the weekly share of neutral constructs among neutral constructs and sites, by area.

    The sites are those of the stock: names among them only where they are asked for. Set against the sites of one
    vendor or of one construct it would mean nothing, and there is none.
    """
    if not compares_with_constructs(query):
        return ShareSeries(shares={})

    def read() -> ShareSeries:
        shares = read_neutrality(
            reading.session, repository=query.repository, territory=query.territory, names=query.names
        )
        stock = read_stock(reading.session, repository=query.repository, by=By.AREA)
        return ShareSeries(weeks=stock.weeks, shares=shares, data_through=stock.data_through)

    whole = reading.remember(("neutrality", query.repository, query.territory, query.names), read)
    cut = stock_between(StockSeries(weeks=whole.weeks), query.since, query.until).weeks
    start = whole.weeks.index(cut[0]) if cut else 0
    shares = {
        area: values[start : start + len(cut)]
        for area, values in whole.shares.items()
        if query.area is None or area == query.area
    }
    return ShareSeries(weeks=cut, shares=shares, data_through=whole.data_through)


def unread_weeks_of(reading: Reading, query: SeriesQuery) -> frozenset[date]:
    """Return the weeks inside the line that were read in part, for the clone lacks files; the last week is not told."""
    found = reading.remember("lacking weeks", lambda: read_lacking_weeks(reading.session))
    return frozenset(found.get(query.repository, {}))


def with_gaps(
    numbers: Mapping[str, Sequence[float | None]], weeks: Sequence[date], unread: Collection[date]
) -> dict[str, tuple[float | None, ...]]:
    """Return series in which a week that was not read, or read in part, is None."""
    return {
        key: tuple(None if week in unread else value for week, value in zip(weeks, values, strict=True))
        for key, values in numbers.items()
    }


def _whole(query: SeriesQuery, by: By) -> tuple[object, ...]:
    """What is read for a query, whatever its period."""
    return (
        query.repository,
        query.by or by.value,
        query.territory,
        query.vendor,
        query.area,
        query.construct,
        query.names,
    )


def _with_names(query: SeriesQuery, by: By) -> bool:
    return query.names or by is By.CONSTRUCT


def _stock(reading: Reading, query: SeriesQuery) -> StockSeries:
    by = By(query.by or "vendor")
    return read_stock(
        reading.session,
        repository=query.repository,
        by=by,
        territory=query.territory,
        vendor=query.vendor,
        construct=query.construct,
        area=query.area,
        names=_with_names(query, by),
    )


def _flow(reading: Reading, query: SeriesQuery) -> FlowSeries:
    by = By(query.by or "mechanism")
    return read_flow(
        reading.session,
        repository=query.repository,
        by=by,
        territory=query.territory,
        vendor=query.vendor,
        construct=query.construct,
        area=query.area,
        names=_with_names(query, by),
    )
