"""Which weeks' cells no longer say what the ledger says."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from db.flow_cells import read_stale_flow_weeks
from db.identities import chunks
from db.line_cells import read_stale_line_weeks
from db.tables import CommitRow, LedgerEntryRow, WeeklyCellRow


def read_stale_weeks(session: Session, repository_id: int) -> tuple[date, ...]:
    """Return the Mondays of the weeks whose sums in cells, flows or lines differ from what commits did, oldest first.

    It reads the repository's whole ledger: use a read-only session. A week whose sums agree while its cells stand
    under another area is not found; that happens only when the ruleset changes.
    """
    delta = LedgerEntryRow.delta
    ledger = (
        select(
            CommitRow.week,
            func.sum(case((delta > 0, delta), else_=0)),
            func.sum(case((delta < 0, -delta), else_=0)),
        )
        .join(LedgerEntryRow, LedgerEntryRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .group_by(CommitRow.week)
    )
    cells = (
        select(WeeklyCellRow.week, func.sum(WeeklyCellRow.added), func.sum(WeeklyCellRow.removed))
        .where(WeeklyCellRow.repository_id == repository_id)
        .group_by(WeeklyCellRow.week)
    )
    recorded = {week: (int(added), int(removed)) for week, added, removed in session.execute(ledger)}
    derived = {week: (int(added), int(removed)) for week, added, removed in session.execute(cells)}
    stale = {week for week in {*recorded, *derived} if recorded.get(week) != derived.get(week)}
    stale |= read_stale_line_weeks(session, repository_id) | read_stale_flow_weeks(session, repository_id)
    return tuple(sorted(stale))


def read_weeks_of_paths(session: Session, path_ids: Sequence[int]) -> set[date]:
    """Return the weeks in which paths that now stand elsewhere have entries."""
    weeks: set[date] = set()
    for chunk in chunks(path_ids):
        query = select(CommitRow.week).join(LedgerEntryRow, LedgerEntryRow.commit_id == CommitRow.id).distinct()
        weeks |= set(session.scalars(query.where(LedgerEntryRow.path_id.in_(chunk))))
    return weeks
