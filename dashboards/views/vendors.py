"""Every vendor, area or repository with its numbers now, a year ago, and its history: the rows of comparing tables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dashboards.filters import SeriesQuery
from dashboards.headline import compares_with_constructs
from dashboards.reading import Reading
from dashboards.series import WEEKS_A_YEAR, in_last_year, last, stayed, total, year_before
from dashboards.views.series import adoption_of, flow_of, stock_of
from db.cell_flows import read_all_cell_flows
from tracker.rollup import StockSeries, neutrality
from tracker.sites import Area, Territory

VENDOR_COLUMNS = ("key", "title", "now", "year_ago", "year_change", "share", "peak")
"""Of the twins, as below."""
AREA_COLUMNS = ("area", "sites", "sites_year_ago", "year_change", "neutral_constructs", "neutrality", "by_vendor")
REPOSITORY_COLUMNS = (
    "repository",
    "demo",
    "sites",
    "sites_year_ago",
    "neutral_constructs",
    "neutrality",
    "added_in_year",
    "removed_in_year",
    "staying_in_year",
    "leading_vendor",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorRow:
    """One vendor (or area) in neutral code."""

    key: str
    title: str
    note: str
    """Whom the same names reach as well, or nothing."""
    now: int | None
    """Sites at the end of what was read; None: nothing was read."""
    year_ago: int | None
    """52 weeks before; None: not read that far back."""
    share: float | None
    """Of all vendors' sites, 0..1."""
    peak: int | None
    """The most there ever were at the end of a week."""
    history: tuple[int, ...]
    """At the end of each week."""

    @property
    def year_change(self) -> int | None:
        return self.now - self.year_ago if self.now is not None and self.year_ago is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaRow:
    """One area of neutral code: coupling, adoption and their ratio."""

    area: Area
    sites: int | None
    sites_year_ago: int | None
    neutral_constructs: int | None
    """None: nothing was read, or only sites of one vendor or construct are asked for; likewise below."""
    neutrality: float | None
    """Neutral constructs among neutral constructs and sites, both as above."""
    by_vendor: Mapping[str, int]
    """Sites by vendor, most first, without zeros."""
    history: tuple[int, ...]

    @property
    def year_change(self) -> int | None:
        return self.sites - self.sites_year_ago if self.sites is not None and self.sites_year_ago is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryRow:
    """One repository among the others."""

    repository: str
    demo: bool
    sites: int | None
    sites_year_ago: int | None
    neutral_constructs: int | None
    added_in_year: int | None
    """Let in ones included; sites - sites_year_ago is added - removed + staying."""
    removed_in_year: int | None
    staying_in_year: int | None
    """Moved and edited ones, those that came less those that went."""
    leading_vendor: str | None
    history: tuple[int, ...]

    @property
    def neutrality(self) -> float | None:
        if self.sites is None or self.neutral_constructs is None:
            return None
        return neutrality(self.neutral_constructs, self.sites)


def vendor_rows(reading: Reading, query: SeriesQuery) -> tuple[VendorRow, ...]:
    """Return every vendor of the ruleset, those with most sites first; one that is named nowhere has zero.

    Shares are of all vendors' sites, also where one vendor is asked for.
    """
    series = stock_of(reading, replace(query, by="vendor", vendor=None))
    overall = last(total(series.closing))
    titles = {vendor.name: vendor.title for vendor in reading.dashboard.ruleset.vendors}
    rows = []
    for vendor in reading.dashboard.ruleset.vendors:
        if query.vendor not in (None, vendor.name):
            continue
        history = _history(series, vendor.name)
        now = last(history)
        serves = ", ".join(titles.get(name, name) for name in vendor.also_serves)
        rows.append(
            VendorRow(
                key=vendor.name,
                title=vendor.title,
                note=f"its names also reach {serves}" if serves else "",
                now=now,
                year_ago=year_before(history),
                share=now / overall if now is not None and overall else None,
                peak=max(history) if history else None,
                history=history,
            )
        )
    return tuple(sorted(rows, key=lambda row: (-(row.now or 0), -(row.peak or 0), row.title)))


def area_rows(reading: Reading, query: SeriesQuery) -> tuple[AreaRow, ...]:
    """Return every area, or the one asked for, in the order of the enumeration."""
    stock = stock_of(reading, replace(query, by="area"))
    adoption = adoption_of(reading, replace(query, by="area", vendor=None, construct=None))
    compares = compares_with_constructs(query)
    rows = []
    for area in Area if query.area is None else (query.area,):
        history = _history(stock, area)
        sites, constructs = last(history), last(_history(adoption, area))
        vendors = stock_of(reading, replace(query, by="vendor", area=area))
        rows.append(
            AreaRow(
                area=area,
                sites=sites,
                sites_year_ago=year_before(history),
                neutral_constructs=constructs if compares else None,
                neutrality=neutrality(constructs, sites)
                if compares and sites is not None and constructs is not None
                else None,
                by_vendor={key: vendors.closing[key][-1] for key in vendors.keys if vendors.closing[key][-1]},
                history=history,
            )
        )
    return tuple(rows)


def repository_rows(reading: Reading) -> tuple[RepositoryRow, ...]:
    """Return every repository under watch, by slug; what was not read yet is unknown."""
    return reading.remember("repository rows", lambda: _repository_rows(reading))


def _repository_rows(reading: Reading) -> tuple[RepositoryRow, ...]:
    slugs = [repository.slug for repository in reading.repositories]
    read_all_cell_flows(reading.session, slugs, Territory.NEUTRAL)
    return tuple(_repository_row(reading, repository.slug, demo=repository.demo) for repository in reading.repositories)


def _repository_row(reading: Reading, slug: str, *, demo: bool) -> RepositoryRow:
    query = SeriesQuery(repository=slug)
    stock, flow = stock_of(reading, query), flow_of(reading, query)
    sites, neutral = total(stock.closing), total(adoption_of(reading, query).closing)
    if stock.weeks:
        nothing = (0,) * len(stock.weeks)
        sites, neutral = sites or nothing, neutral or nothing
    leader = next((key for key in stock.keys if stock.closing[key][-1]), None)
    return RepositoryRow(
        repository=slug,
        demo=demo,
        sites=last(sites),
        sites_year_ago=year_before(sites),
        neutral_constructs=last(neutral),
        added_in_year=in_last_year(flow.added) if year_before(sites) is not None else None,
        removed_in_year=in_last_year(flow.removed) if year_before(sites) is not None else None,
        staying_in_year=sum(stayed(flow)[-WEEKS_A_YEAR:]) if year_before(sites) is not None else None,
        leading_vendor=leader,
        history=sites,
    )


def _history(series: StockSeries, key: str) -> tuple[int, ...]:
    """A key that never occurred is zero in every week that was read."""
    return series.closing.get(key, (0,) * len(series.weeks))
