"""The sites that stand in a repository at the end of what was read, path by path, from the ledger's balance.

A page of them is cut by path: the entries of as many paths as it may take are added up, and of more only where these
hold too few. Which lines they stand on is not known: an entry's lines are those of its own commit.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from db.remembered import once
from db.tables import CommitRow, LedgerEntryRow, PathRow, SiteRow, WeeklyCellRow
from db.watched import read_repository_id
from tracker.sites import Area, Construct, Territory

_PATHS = (400, None)
"""How many paths are looked at for a page, at first and where that was not enough; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFilter:
    """Which sites of one repository to read; what is None does not restrict."""

    repository: str
    """Slug."""
    territory: Territory = Territory.NEUTRAL
    vendor: str | None = None
    area: Area | None = None
    construct: Construct | None = None
    """None: every construct but the neutral ones."""
    names: bool = False
    """Whether identifiers that merely contain a vendor's word are among them."""
    text: str | None = None
    """Part of the path, in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingSite:
    """What stands under one path, of one identity."""

    path: str
    area: Area
    subsystem: str
    territory: Territory
    construct: Construct
    vendor: str
    symbol: str
    rule: str
    count: int
    """How many times; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage:
    """A page of a list, by path and symbol."""

    rows: tuple[StandingSite, ...]
    next_key: str | None
    """Give it as `after_key` for the page after this one; None: this is the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The commit at which everything stands."""

    sha: str
    committed_at: datetime


def read_head(session: Session, repository: str) -> Head | None:
    """Return the last commit of the line that was read; None: nothing was read."""
    repository_id = read_repository_id(session, repository)
    query = (
        select(CommitRow.sha, CommitRow.committed_at)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .order_by(CommitRow.position.desc())
        .limit(1)
    )
    row = once(session, ("head", repository), lambda: session.execute(query).one_or_none())
    return Head(sha=row[0], committed_at=row[1]) if row is not None else None


def read_standing_sites(
    session: Session, wanted: SiteFilter, *, after_key: str | None = None, limit: int = 50
) -> SitePage:
    """Return a page of sites by path and symbol; at most two statements beside the repository's.

    Raises:
        ValueError: `after_key` is not one that this function gave.
    """
    after = _after(after_key) if after_key is not None else None
    repository_id = read_repository_id(session, wanted.repository)
    if repository_id is None:
        return SitePage(rows=(), next_key=None)
    found: list[Row[*tuple[Any, ...]]] = []
    for paths in _PATHS:
        candidates = _paths(wanted, repository_id, after[0] if after is not None else None, paths)
        query = _standing(wanted, repository_id, candidates)
        if after is not None:
            query = query.where(_behind(*after))
        found = list(session.execute(query.limit(limit + 1)).all())
        if len(found) > limit:
            break
    last = found[limit - 1] if len(found) > limit else None
    key = json.dumps([last.path, last.symbol, last.id]) if last is not None else None
    return SitePage(rows=tuple(_site(row, wanted.territory) for row in found[:limit]), next_key=key)


def read_standing_total(session: Session, wanted: SiteFilter) -> int:
    """Return how many sites stand in all, whatever their paths: the sum of the weekly cells, which is the stock."""
    cell = WeeklyCellRow
    query = (
        select(func.coalesce(func.sum(cell.added - cell.removed), 0))
        .where(cell.repository_id == read_repository_id(session, wanted.repository))
        .where(cell.territory == wanted.territory, *_of_sites(wanted, cell.construct, cell.vendor))
    )
    if wanted.area is not None:
        query = query.where(cell.area == wanted.area)
    return int(session.execute(query).scalar_one())


def _paths(wanted: SiteFilter, repository_id: int, first: str | None, count: int | None) -> Select[int]:
    query = select(PathRow.id).where(PathRow.repository_id == repository_id)
    if first is not None:
        query = query.where(PathRow.path >= first)
    if wanted.area is not None:
        query = query.where(PathRow.area == wanted.area)
    if wanted.text is not None:
        query = query.where(func.lower(PathRow.path).contains(wanted.text.lower(), autoescape=True))
    return query.order_by(PathRow.path).limit(count) if count is not None else query


def _standing(wanted: SiteFilter, repository_id: int, paths: Select[int]) -> Select[*tuple[Any, ...]]:
    rewritten = select(CommitRow.id).where(CommitRow.repository_id == repository_id, CommitRow.position.is_(None))
    entry, total = LedgerEntryRow, func.sum(LedgerEntryRow.delta)
    # Added up from the index alone; only what stands, a tenth of what came and went, is looked up.
    balance = (
        select(entry.path_id, entry.site_id, total.label("count"))
        .where(entry.path_id.in_(paths), entry.territory == wanted.territory, entry.commit_id.not_in(rewritten))
        .group_by(entry.path_id, entry.site_id)
        .having(total != 0)
        .subquery()
    )
    path = (PathRow.path, PathRow.area, PathRow.subsystem)
    site = (SiteRow.id, SiteRow.construct, SiteRow.vendor, SiteRow.symbol, SiteRow.rule)
    query: Select[*tuple[Any, ...]] = select(*path, *site, balance.c.count)
    return (
        query.select_from(balance)
        .join(PathRow, PathRow.id == balance.c.path_id)
        .join(SiteRow, SiteRow.id == balance.c.site_id)
        .where(*_of_sites(wanted, SiteRow.construct, SiteRow.vendor))
        .order_by(PathRow.path, SiteRow.symbol, SiteRow.id)
    )


def _of_sites(
    wanted: SiteFilter, construct: InstrumentedAttribute[Construct], vendor: InstrumentedAttribute[str]
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.construct is not None:
        conditions.append(construct == wanted.construct)
    else:
        left_out = (Construct.NEUTRAL,) if wanted.names else (Construct.NEUTRAL, Construct.NAME)
        conditions.append(construct.not_in(left_out))
    if wanted.vendor is not None:
        conditions.append(vendor == wanted.vendor)
    return conditions


def _after(key: str) -> tuple[str, str, int]:
    try:
        found = json.loads(key)
    except ValueError as error:
        raise ValueError(f"no key of a page of sites: {key}") from error
    match found:
        case [str(path), str(symbol), int(site_id)] if _can_be_asked(path + symbol) and 0 <= site_id < 2**31:
            return path, symbol, site_id
    raise ValueError(f"no key of a page of sites: {key}")


def _can_be_asked(text: str) -> bool:
    """A database refuses NUL, and what is no text at all."""
    return "\x00" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def _behind(path: str, symbol: str, site_id: int) -> ColumnElement[bool]:
    same_path = PathRow.path == path
    return or_(
        PathRow.path > path,
        and_(same_path, SiteRow.symbol > symbol),
        and_(same_path, SiteRow.symbol == symbol, SiteRow.id > site_id),
    )


def _site(row: Row[*tuple[Any, ...]], territory: Territory) -> StandingSite:
    return StandingSite(
        path=row.path,
        area=row.area,
        subsystem=row.subsystem,
        territory=territory,
        construct=row.construct,
        vendor=row.vendor,
        symbol=row.symbol,
        rule=row.rule,
        count=int(row[-1]),
    )
