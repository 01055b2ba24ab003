"""The sites behind a stock: which stand where at the end of what was read, and how many there are in all."""

from dataclasses import dataclass

from dashboards.filters import SitesQuery, sites_query
from dashboards.parameters import next_address
from dashboards.problems import BadParameter
from dashboards.reading import Reading
from db.standing_sites import (
    Head,
    SiteFilter,
    SitePage,
    StandingSite,
    read_head,
    read_standing_sites,
    read_standing_total,
)

COLUMNS = ("path", "area", "subsystem", "territory", "construct", "vendor", "symbol", "rule", "count")
"""Of the CSV twin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitesView:
    """A part of the list of sites."""

    query: SitesQuery
    head: Head | None
    """The commit at which they stand; None: nothing was read."""
    total: int | None
    """Of all that fit, as the stock counts them; None: they are restricted to some paths, and are not added up."""
    rows: tuple[StandingSite, ...]
    next_address: str | None


def list_sites(reading: Reading, path: str) -> SitesView:
    """Return the part of the list that the query string asks for.

    Args:
        path: of the list itself; the address of the next part begins with it.

    Raises:
        BadParameter: something in the query string cannot be used.
    """
    query = sites_query(reading.parameters, reading.vocabulary)
    page = reading.remember(("sites", query), lambda: _page(reading, query))
    return SitesView(
        query=query,
        head=read_head(reading.session, query.series.repository),
        total=page.total,
        rows=page.part.rows,
        next_address=next_address(path, reading.parameters, page.part.next_key),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    part: SitePage
    total: int | None


def _page(reading: Reading, query: SitesQuery) -> _Found:
    series = query.series
    wanted = SiteFilter(
        repository=series.repository,
        territory=series.territory,
        vendor=series.vendor,
        area=series.area,
        construct=series.construct,
        names=series.names,
        text=query.text,
    )
    try:
        part = read_standing_sites(reading.session, wanted, after_key=query.page.before, limit=query.page.limit)
    except ValueError as error:
        raise BadParameter("before", query.page.before or "", "follow next_url as it was given") from error
    return _Found(part, read_standing_total(reading.session, wanted) if query.text is None else None)
