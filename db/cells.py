"""Weekly cells, rebuilt from the ledger, and the series that the pages draw from them.

A cell holds the flow of one ISO week; what stands in none is zero. Rebuilding some weeks or all of them gives the same
rows. Series run from the week of the first commit read to that of the last (`tracker.rollup`: dates that go back).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from sqlalchemy import case, delete, func, insert, select
from sqlalchemy.orm import Session

from db.cell_flows import By, CellFilter, add_up, read_cell_flows
from db.flow_cells import rebuild_flows
from db.identities import chunks
from db.line_cells import rebuild_lines
from db.overview import read_extents
from db.remembered import is_read_only, once
from db.tables import CommitRow, LedgerEntryRow, PathRow, RepositoryRow, SiteRow, WeeklyCellRow
from tracker.rollup import ONE_WEEK, Flow, FlowSeries, StockSeries, neutrality, stock_series, week_of
from tracker.sites import Area, Construct, Territory

_KEY = (
    WeeklyCellRow.repository_id,
    WeeklyCellRow.week,
    WeeklyCellRow.territory,
    WeeklyCellRow.area,
    WeeklyCellRow.subsystem,
    WeeklyCellRow.vendor,
    WeeklyCellRow.construct,
    WeeklyCellRow.mechanism,
)

YEAR = 52 * ONE_WEEK

__all__ = ["By", "CellFilter", "Totals", "read_flow", "read_neutrality", "read_stock", "read_totals", "rebuild_weeks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How tied neutral code is at the end of what was read, and a year (52 weeks) before."""

    repository: str
    data_through: datetime | None
    """None: nothing was read, and the numbers below say nothing."""
    sites: Mapping[str, int] = field(default_factory=dict)
    """Sites in neutral code by vendor; identifiers that merely contain its word (construct `name`) are left out."""
    sites_year_ago: Mapping[str, int] | None = None
    """None: the line that was read does not reach back that far."""
    neutral_constructs: int = 0
    neutral_constructs_year_ago: int | None = None


def rebuild_weeks(session: Session, repository_id: int, weeks: Collection[date] | None) -> int:
    """Derive the cells, flows and lines of the given weeks (None: of all) anew; return how many cells there are."""
    rebuild_lines(session, repository_id, weeks)
    rebuild_flows(session, repository_id, weeks)
    if weeks is None:
        session.execute(delete(WeeklyCellRow).where(WeeklyCellRow.repository_id == repository_id))
        return _insert_cells(session, repository_id, None)
    count = 0
    for chunk in chunks(sorted(set(weeks))):
        stale = delete(WeeklyCellRow).where(WeeklyCellRow.repository_id == repository_id, WeeklyCellRow.week.in_(chunk))
        session.execute(stale)
        count += _insert_cells(session, repository_id, chunk)
    return count


def _insert_cells(session: Session, repository_id: int, weeks: Collection[date] | None) -> int:
    delta = LedgerEntryRow.delta
    key = (
        CommitRow.repository_id,
        CommitRow.week,
        LedgerEntryRow.territory,
        PathRow.area,
        PathRow.subsystem,
        SiteRow.vendor,
        SiteRow.construct,
        LedgerEntryRow.mechanism,
    )
    flows = (
        select(
            *key,
            func.sum(case((delta > 0, delta), else_=0)).label("added"),
            func.sum(case((delta < 0, -delta), else_=0)).label("removed"),
        )
        .join(LedgerEntryRow, LedgerEntryRow.commit_id == CommitRow.id)
        .join(PathRow, PathRow.id == LedgerEntryRow.path_id)
        .join(SiteRow, SiteRow.id == LedgerEntryRow.site_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .group_by(*key)
    )
    if weeks is not None:
        flows = flows.where(CommitRow.week.in_(weeks))
    columns = [column.key for column in (*_KEY, WeeklyCellRow.added, WeeklyCellRow.removed)]
    session.execute(insert(WeeklyCellRow).from_select(columns, flows))
    counted = select(func.count()).select_from(WeeklyCellRow).where(WeeklyCellRow.repository_id == repository_id)
    if weeks is not None:
        counted = counted.where(WeeklyCellRow.week.in_(weeks))
    return session.execute(counted).scalar_one()


def read_stock(  # noqa: PLR0913 - one argument for each dimension of a cell
    session: Session,
    *,
    repository: str,
    by: By | str = By.VENDOR,
    territory: Territory | None = Territory.NEUTRAL,
    vendor: str | None = None,
    construct: Construct | None = None,
    area: Area | None = None,
    subsystem: str | None = None,
    names: bool = True,
) -> StockSeries:
    """Return weekly numbers of sites by key; a repository of which nothing was read has an empty series.

    Args:
        by: the key; the mechanism is none, see `read_flow`.
        territory: None for all; broken down by territory, it is all.
        construct: None for all sites; `Construct.NEUTRAL` for neutral constructs, which are never among the sites.
        names: without them, identifiers that merely contain a vendor's word (construct `name`) are left out.
    """
    by = By(by)
    cells = CellFilter(
        repository=repository,
        territory=None if by is By.TERRITORY else territory,
        vendor=vendor,
        area=area,
        subsystem=subsystem,
        construct=construct,
        names=names,
    )
    extent = read_extent(session, repository)
    if extent is None:
        return StockSeries()
    flows = _read_flows(session, cells, by)
    return stock_series(flows, first=extent.first, last=extent.last, data_through=extent.data_through)


def read_flow(  # noqa: PLR0913 - one argument for each dimension of a cell
    session: Session,
    *,
    repository: str,
    by: By | str = By.MECHANISM,
    territory: Territory | None = Territory.NEUTRAL,
    vendor: str | None = None,
    construct: Construct | None = None,
    area: Area | None = None,
    subsystem: str | None = None,
    names: bool = True,
) -> FlowSeries:
    """Return weekly numbers of sites added and removed by key; what stood there when reading began is no flow.

    The arguments are those of `read_stock`.
    """
    by = By(by)
    cells = CellFilter(
        repository=repository,
        territory=None if by is By.TERRITORY else territory,
        vendor=vendor,
        area=area,
        subsystem=subsystem,
        construct=construct,
        names=names,
    )
    extent = read_extent(session, repository)
    if extent is None:
        return FlowSeries()
    flows = [flow for flow in _read_flows(session, cells, by) if flow.added or flow.removed]
    stock = stock_series(flows, first=extent.first, last=extent.last, data_through=extent.data_through)
    return FlowSeries(weeks=stock.weeks, added=stock.added, removed=stock.removed, data_through=stock.data_through)


def read_neutrality(
    session: Session, *, repository: str, territory: Territory = Territory.NEUTRAL, names: bool = False
) -> dict[str, tuple[float | None, ...]]:
    """Return, by area, the weekly share of neutral constructs among neutral constructs and sites, 0..1.

    The weeks are those of `read_stock`; None: there was neither.

    Args:
        names: also among the sites are identifiers that merely contain a vendor's word, as in `read_stock`.
    """
    coupling = read_stock(session, repository=repository, by=By.AREA, territory=territory, names=names)
    adoption = read_stock(session, repository=repository, by=By.AREA, territory=territory, construct=Construct.NEUTRAL)
    nothing = (0,) * len(coupling.weeks)
    return {
        area: tuple(
            neutrality(neutral, sites)
            for neutral, sites in zip(
                adoption.closing.get(area, nothing), coupling.closing.get(area, nothing), strict=True
            )
        )
        for area in sorted({*coupling.closing, *adoption.closing})
    }


def read_totals(session: Session, *, repository: str) -> Totals:
    """Return the headline numbers of a repository; two statements."""
    extent = read_extent(session, repository)
    if extent is None:
        return Totals(repository=repository, data_through=None)
    then = extent.last - YEAR
    net = WeeklyCellRow.added - WeeklyCellRow.removed
    query = (
        select(WeeklyCellRow.vendor, func.sum(net), func.sum(case((WeeklyCellRow.week <= then, net), else_=0)))
        .join(RepositoryRow, RepositoryRow.id == WeeklyCellRow.repository_id)
        .where(RepositoryRow.slug == repository, WeeklyCellRow.territory == Territory.NEUTRAL)
        .where(WeeklyCellRow.construct != Construct.NAME)
        .group_by(WeeklyCellRow.vendor)
    )
    rows = session.execute(query).all()
    now = {vendor: int(count) for vendor, count, _ in rows}
    year_ago = {vendor: int(count) for vendor, _, count in rows} if then >= extent.first else None
    return Totals(
        repository=repository,
        data_through=extent.data_through,
        sites={vendor: count for vendor, count in sorted(now.items()) if vendor and count},
        sites_year_ago={vendor: count for vendor, count in sorted(year_ago.items()) if vendor and count}
        if year_ago is not None
        else None,
        neutral_constructs=now.get("", 0),
        neutral_constructs_year_ago=year_ago.get("", 0) if year_ago is not None else None,
    )


@dataclass(frozen=True, slots=True)
class Extent:
    first: date
    last: date
    data_through: datetime


def read_extent(session: Session, repository: str) -> Extent | None:
    """Return the weeks of the first and of the last commit of the line; None when no commit was read."""
    if is_read_only(session):
        for extent in read_extents(session):
            if extent.repository == repository and extent.first_at is not None and extent.last_at is not None:
                return Extent(week_of(extent.first_at), week_of(extent.last_at), extent.last_at)
    return once(session, ("extent", repository), lambda: _extent(session, repository))


def _extent(session: Session, repository: str) -> Extent | None:
    on_line = (
        select(CommitRow.committed_at)
        .where(CommitRow.repository_id == RepositoryRow.id, CommitRow.position.is_not(None))
        .correlate(RepositoryRow)
        .limit(1)
    )
    oldest = on_line.order_by(CommitRow.position).scalar_subquery()
    latest = on_line.order_by(CommitRow.position.desc()).scalar_subquery()
    row = session.execute(select(oldest, latest).where(RepositoryRow.slug == repository)).one_or_none()
    if row is None or row[0] is None or row[1] is None:
        return None
    return Extent(week_of(row[0]), week_of(row[1]), row[1])


def _read_flows(session: Session, wanted: CellFilter, by: By) -> list[Flow]:
    return add_up(read_cell_flows(session, wanted.repository, wanted.territory), wanted, by)
