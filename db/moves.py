"""What came and went between two dates by path, symbol or commit: the entries behind the weekly cells.

All moves of a period add up to the change of the stock in it, so moved and edited sites are among them: a file that was
renamed falls under its old path and rises under its new one. What stood there when reading began is no move.
"""

from datetime import date, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, String, case, false, func, literal, select
from sqlalchemy.orm import Session

from db.cells import CellFilter, Extent, read_extent
from db.tables import CommitRow, LedgerEntryRow, PathRow, RepositoryRow, SiteRow
from tracker.sites import Construct, Mechanism
from tracker.trend import Move


class MovesBy(StrEnum):
    """Under what moves are added up."""

    PATH = "path"
    SYMBOL = "symbol"
    COMMIT = "commit"


def read_moves(
    session: Session, wanted: CellFilter, by: MovesBy, *, since: date | None = None, until: date | None = None
) -> tuple[Move, ...]:
    """Return what came and went in the weeks that overlap a period, by key.

    A commit dated before the first or after the last week of the line moved in that week, as its cells do.

    Args:
        since: first day; None: from the beginning.
        until: the first day after the period; None: to the end.
    """
    extent = read_extent(session, wanted.repository)
    if extent is None:
        return ()
    key, title = _key(by)
    delta = LedgerEntryRow.delta
    query = (
        select(
            key,
            title,
            func.sum(case((delta > 0, delta), else_=0)),
            func.sum(case((delta < 0, -delta), else_=0)),
        )
        .select_from(LedgerEntryRow)
        .join(CommitRow, CommitRow.id == LedgerEntryRow.commit_id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .join(PathRow, PathRow.id == LedgerEntryRow.path_id)
        .join(SiteRow, SiteRow.id == LedgerEntryRow.site_id)
        .where(*_conditions(wanted), *_weeks(extent, since, until))
        .group_by(key, title)
        .order_by(key)
    )
    return tuple(_moves(session, query))


def _moves(session: Session, query: Select[*tuple[Any, ...]]) -> list[Move]:
    return [
        Move(key=key, title=title, added=int(added), removed=int(removed))
        for key, title, added, removed in session.execute(query)
    ]


def _key(by: MovesBy) -> tuple[SQLColumnExpression[str], SQLColumnExpression[str]]:
    nothing = literal("", String)
    match by:
        case MovesBy.PATH:
            return PathRow.path, nothing
        case MovesBy.SYMBOL:
            return SiteRow.symbol, nothing
        case MovesBy.COMMIT:
            return CommitRow.sha, CommitRow.subject


def _weeks(extent: Extent, since: date | None, until: date | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    first, last = min(extent.first, extent.last), extent.last
    if since is not None and since > first + timedelta(days=6):
        conditions.append(CommitRow.week >= since - timedelta(days=6) if since <= last + timedelta(days=6) else false())
    if until is not None and until <= last:
        conditions.append(CommitRow.week < until if until > first else false())
    return conditions


def _conditions(wanted: CellFilter) -> list[ColumnElement[bool]]:
    conditions = [
        RepositoryRow.slug == wanted.repository,
        CommitRow.position.is_not(None),
        LedgerEntryRow.mechanism != Mechanism.BASELINE,
    ]
    if wanted.construct is None:
        conditions.append(SiteRow.construct != Construct.NEUTRAL)
        if not wanted.names:
            conditions.append(SiteRow.construct != Construct.NAME)
    for column, value in (
        (LedgerEntryRow.territory, wanted.territory),
        (SiteRow.vendor, wanted.vendor),
        (PathRow.area, wanted.area),
        (PathRow.subsystem, wanted.subsystem),
        (SiteRow.construct, wanted.construct),
    ):
        if value is not None:
            conditions.append(column == value)
    return conditions
