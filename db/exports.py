"""The record as plain rows, in an order that comes from upstream alone, streamed in constant memory.

No row ids and no clock times are in them, so equal histories give equal exports, also between SQLite and PostgreSQL.
Commits that a rewritten history no longer holds are left out. Times are ISO 8601 text in UTC, to the second.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from enum import Enum
from itertools import groupby
from typing import Any

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Session

from db.export_columns import COLUMNS, ColumnKind, Export, ExportColumn
from db.pull_states import first_landing, shown_state
from db.repositories import read_repository
from db.tables import (
    CommitRow,
    LedgerEntryRow,
    LineEntryRow,
    PathRow,
    PersonRow,
    PullRequestRow,
    RepositoryRow,
    SiteRow,
    VerdictRow,
    WeeklyCellRow,
    WeeklyFlowRow,
    WeeklyLinesRow,
)
from db.undone import STANDS, read_families_of

ROWS_AT_ONCE = 2000

Value = str | int | bool | None

AnySelect = Select[*tuple[Any, ...]]

__all__ = ["ColumnKind", "Export", "ExportColumn", "Value", "export_columns", "export_rows"]


def export_columns(what: Export | str) -> tuple[ExportColumn, ...]:
    """Return the columns of an export, in the order of `export_rows`."""
    return COLUMNS[Export(what)]


def export_rows(session: Session, what: Export | str, slug: str | None = None) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of an export, of one repository or of all; a repository that is not known has none.

    The database is read while rows are taken: keep the session open, and read-only.
    """
    what = Export(what)
    for repository_id, name in _repositories(session, slug):
        more = _standing(session, repository_id) if what is Export.VERDICTS else _nothing_more
        query = _QUERIES[what](repository_id)
        rows = session.execute(query, execution_options={"yield_per": ROWS_AT_ONCE})
        # The order below the first column is made here: two databases need not agree on the order of text.
        for _, group in groupby(rows, key=lambda row: row[0]):
            yield from sorted(((name, *map(_plain, more(row))) for row in group), key=_nulls_first)


def _nothing_more(row: Row[*tuple[Any, ...]]) -> Iterable[object]:
    return row


def _standing(session: Session, repository_id: int) -> Callable[[Row[*tuple[Any, ...]]], Iterable[object]]:
    """Return what puts in the place of a commit's row id, which is last, what became of the commit since."""
    families = read_families_of(session, repository_id)

    def extend(row: Row[*tuple[Any, ...]]) -> Iterable[object]:
        *columns, commit_id = row
        standing = families.standings.get(commit_id, STANDS)
        undone = standing.undone_by
        return (
            *columns,
            standing.counts,
            families.shas[undone] if undone is not None else None,
            families.dates[undone] if undone is not None else None,
            families.shas[standing.restored_by] if standing.restored_by is not None else None,
        )

    return extend


def _plain(value: object) -> Value:
    match value:
        case datetime():
            return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
        case date():
            return value.isoformat()
        case Enum():
            return str(value.value)
        case None | bool() | int() | str():
            return value
        case _:
            raise TypeError(f"an export holds no {type(value).__name__}")


def _nulls_first(row: tuple[Value, ...]) -> list[tuple[bool, Any]]:
    return [(value is not None, value) for value in row]


def _repositories(session: Session, slug: str | None) -> list[tuple[int, str]]:
    if slug is not None:
        row = read_repository(session, slug)
        return [(row.id, row.slug)] if row is not None else []
    found = session.execute(select(RepositoryRow.id, RepositoryRow.slug)).all()
    return sorted(found, key=lambda repository: repository[1])


def _ledger(repository_id: int) -> AnySelect:
    return (
        select(
            CommitRow.position,
            CommitRow.sha,
            CommitRow.committed_at,
            PathRow.path,
            LedgerEntryRow.territory,
            PathRow.area,
            PathRow.subsystem,
            SiteRow.construct,
            SiteRow.vendor,
            SiteRow.symbol,
            SiteRow.rule,
            LedgerEntryRow.delta,
            LedgerEntryRow.mechanism,
            LedgerEntryRow.lines,
            LedgerEntryRow.replaced_by,
        )
        .join(LedgerEntryRow, LedgerEntryRow.commit_id == CommitRow.id)
        .join(PathRow, PathRow.id == LedgerEntryRow.path_id)
        .join(SiteRow, SiteRow.id == LedgerEntryRow.site_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .order_by(CommitRow.position)
    )


def _verdicts(repository_id: int) -> AnySelect:
    return (
        select(
            CommitRow.position,
            CommitRow.sha,
            CommitRow.committed_at,
            CommitRow.subject,
            CommitRow.pull_number,
            CommitRow.is_revert,
            CommitRow.is_reland,
            CommitRow.organisation,
            VerdictRow.verdict,
            VerdictRow.mechanism,
            VerdictRow.area,
            VerdictRow.vendors,
            VerdictRow.removed,
            VerdictRow.added,
            VerdictRow.generalised,
            VerdictRow.broadened,
            VerdictRow.relocated,
            VerdictRow.dropped,
            VerdictRow.retired,
            VerdictRow.introduced,
            VerdictRow.moved,
            VerdictRow.edited,
            VerdictRow.let_in,
            VerdictRow.staying,
            VerdictRow.names_removed,
            VerdictRow.names_added,
            VerdictRow.names_net,
            VerdictRow.ruleset,
            CommitRow.id,
        )
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .order_by(CommitRow.position)
    )


def _cells(repository_id: int) -> AnySelect:
    return (
        select(
            WeeklyCellRow.week,
            WeeklyCellRow.territory,
            WeeklyCellRow.area,
            WeeklyCellRow.subsystem,
            WeeklyCellRow.vendor,
            WeeklyCellRow.construct,
            WeeklyCellRow.mechanism,
            WeeklyCellRow.added,
            WeeklyCellRow.removed,
        )
        .where(WeeklyCellRow.repository_id == repository_id)
        .order_by(WeeklyCellRow.week)
    )


def _flows(repository_id: int) -> AnySelect:
    return (
        select(
            WeeklyFlowRow.week,
            WeeklyFlowRow.territory,
            WeeklyFlowRow.area,
            WeeklyFlowRow.subsystem,
            WeeklyFlowRow.vendor,
            WeeklyFlowRow.construct,
            WeeklyFlowRow.mechanism,
            WeeklyFlowRow.organisation,
            WeeklyFlowRow.added,
            WeeklyFlowRow.removed,
            WeeklyFlowRow.net_added,
            WeeklyFlowRow.net_removed,
        )
        .where(WeeklyFlowRow.repository_id == repository_id)
        .order_by(WeeklyFlowRow.week)
    )


def _lines(repository_id: int) -> AnySelect:
    return (
        select(
            CommitRow.position,
            CommitRow.sha,
            CommitRow.committed_at,
            LineEntryRow.territory,
            LineEntryRow.area,
            LineEntryRow.subsystem,
            LineEntryRow.delta,
            LineEntryRow.baseline,
        )
        .join(LineEntryRow, LineEntryRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .order_by(CommitRow.position)
    )


def _weekly_lines(repository_id: int) -> AnySelect:
    return (
        select(
            WeeklyLinesRow.week,
            WeeklyLinesRow.territory,
            WeeklyLinesRow.area,
            WeeklyLinesRow.subsystem,
            WeeklyLinesRow.found,
            WeeklyLinesRow.added,
            WeeklyLinesRow.removed,
        )
        .where(WeeklyLinesRow.repository_id == repository_id)
        .order_by(WeeklyLinesRow.week)
    )


def _pulls(repository_id: int) -> AnySelect:
    return (
        select(
            PullRequestRow.number,
            PullRequestRow.title,
            shown_state(),
            PullRequestRow.state,
            PullRequestRow.draft,
            PersonRow.login,
            PullRequestRow.association,
            PullRequestRow.created_at,
            PullRequestRow.updated_at,
            PullRequestRow.closed_at,
            PullRequestRow.merged_at,
            first_landing(),
            PullRequestRow.base_ref,
            PullRequestRow.head_ref,
            PullRequestRow.head_sha,
            PullRequestRow.additions,
            PullRequestRow.deletions,
            PullRequestRow.changed_files,
            PullRequestRow.labels,
            PullRequestRow.reviews_total,
            PullRequestRow.review_decision,
            PullRequestRow.linked_issues,
            PullRequestRow.stack,
            PullRequestRow.differential,
            PullRequestRow.picked_from,
        )
        .join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id)
        .outerjoin(PersonRow, PersonRow.id == PullRequestRow.author_id)
        .where(PullRequestRow.repository_id == repository_id)
        .order_by(PullRequestRow.number)
    )


_QUERIES: dict[Export, Callable[[int], AnySelect]] = {
    Export.LEDGER: _ledger,
    Export.VERDICTS: _verdicts,
    Export.CELLS: _cells,
    Export.FLOWS: _flows,
    Export.LINES: _lines,
    Export.WEEKLY_LINES: _weekly_lines,
    Export.PULLS: _pulls,
}
