"""Lines of code by place: what stands at a commit, and the weekly sums that are derived from what commits change.

Only files in languages that are scanned have lines, and a file's lines stand where its path does. Commits that were
judged before lines were counted have none: from their first week on the number of lines is unknown, never zero.
"""

from collections import defaultdict
from collections.abc import Collection
from datetime import date

from sqlalchemy import case, delete, func, insert, select
from sqlalchemy.orm import Session

from db.identities import chunks
from db.tables import CommitRow, LineEntryRow, RepositoryRow, VerdictRow, WeeklyLinesRow
from tracker.sites import Area, Territory

LinePlace = tuple[Territory, Area, str]
"""Territory, area and subsystem."""

_COLUMNS = ("repository_id", "week", "territory", "area", "subsystem", "found", "added", "removed")


def read_standing_lines(session: Session, repository_id: int, at_position: int) -> dict[LinePlace, int]:
    """Return the number of lines by place after the commit at a position; zeros are left out."""
    key = (LineEntryRow.territory, LineEntryRow.area, LineEntryRow.subsystem)
    total = func.sum(LineEntryRow.delta)
    sums = session.execute(
        select(*key, total)
        .join(CommitRow, CommitRow.id == LineEntryRow.commit_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position <= at_position)
        .group_by(*key)
        .having(total != 0)
    )
    return {(territory, area, subsystem): int(lines) for territory, area, subsystem, lines in sums}


def read_uncounted_since(session: Session) -> dict[str, date]:
    """Return, by repository, the first week with commits whose lines were not counted: from there on no total is known.

    A repository without any is absent.
    """
    query = (
        select(RepositoryRow.slug, func.min(CommitRow.week))
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None), VerdictRow.lines_changed.is_(None))
        .group_by(RepositoryRow.slug)
    )
    return dict(session.execute(query).all())


def rebuild_lines(session: Session, repository_id: int, weeks: Collection[date] | None) -> None:
    """Derive the weekly lines of the given weeks (None: of all) anew."""
    own = delete(WeeklyLinesRow).where(WeeklyLinesRow.repository_id == repository_id)
    if weeks is None:
        session.execute(own)
        _insert(session, repository_id, None)
        return
    for chunk in chunks(sorted(set(weeks))):
        session.execute(own.where(WeeklyLinesRow.week.in_(chunk)))
        _insert(session, repository_id, chunk)


def read_stale_line_weeks(session: Session, repository_id: int) -> set[date]:
    """Return the weeks whose sums in the weekly lines differ from those of their commits."""
    recorded = (
        select(CommitRow.week, *_sums())
        .join(LineEntryRow, LineEntryRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .group_by(CommitRow.week)
    )
    cells = (WeeklyLinesRow.found, WeeklyLinesRow.added, WeeklyLinesRow.removed)
    derived = (
        select(WeeklyLinesRow.week, *(func.sum(column) for column in cells))
        .where(WeeklyLinesRow.repository_id == repository_id)
        .group_by(WeeklyLinesRow.week)
    )
    sums: defaultdict[date, list[tuple[int, ...]]] = defaultdict(list)
    for query in (recorded, derived):
        for week, *numbers in session.execute(query):
            sums[week].append(tuple(map(int, numbers)))
    return {week for week, found in sums.items() if len(found) == 1 or found[0] != found[1]}


def _insert(session: Session, repository_id: int, weeks: Collection[date] | None) -> None:
    key = (
        CommitRow.repository_id,
        CommitRow.week,
        LineEntryRow.territory,
        LineEntryRow.area,
        LineEntryRow.subsystem,
    )
    sums = (
        select(*key, *_sums())
        .join(LineEntryRow, LineEntryRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .group_by(*key)
    )
    if weeks is not None:
        sums = sums.where(CommitRow.week.in_(weeks))
    session.execute(insert(WeeklyLinesRow).from_select(list(_COLUMNS), sums))


def _sums() -> tuple[object, ...]:
    """Found, added and removed."""
    delta, baseline = LineEntryRow.delta, LineEntryRow.baseline
    return (
        func.sum(case((baseline, delta), else_=0)),
        func.sum(case((~baseline & (delta > 0), delta), else_=0)),
        func.sum(case((~baseline & (delta < 0), -delta), else_=0)),
    )
