"""What is stored of a repository's first-parent line: where it begins, which commits it holds, by which rules."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.tables import CommitRow, RepositoryRow, VerdictRow
from tracker.errors import LineBegun


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCommit:
    """One commit of a stored line."""

    sha: str
    position: int
    """Index on the line, 0 for the oldest of the repository; the stored line may begin later."""


def read_first_commit(session: Session, repository_id: int) -> StoredCommit | None:
    """Return the commit with which the stored line begins; None where there is no line."""
    query = select(CommitRow.sha, CommitRow.position)
    query = query.where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
    row = session.execute(query.order_by(CommitRow.position).limit(1)).first()
    return StoredCommit(sha=row.sha, position=row.position or 0) if row is not None else None


def count_read(session: Session, repository_id: int) -> int:
    """Return how many commits of the stored line were read; one whose tree is the opening stock was not."""
    own = (CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
    count = session.scalar(select(func.count()).where(*own)) or 0
    first = session.execute(select(CommitRow.committed_at, CommitRow.parents).where(*own).order_by(CommitRow.position))
    since = session.scalar(select(RepositoryRow.since).where(RepositoryRow.id == repository_id))
    for committed_at, parents in first.fetchmany(1):
        # Only an opening has parents that are not stored; where it is a root, it is older than the first day read.
        count -= bool(parents) or (since is not None and committed_at < _start_of(since))
    return count


def require_beginning(session: Session, repository_id: int, slug: str, since: date) -> None:
    """Return silently where a line that is told to begin on a day does so, or nothing is stored of it yet.

    Raises:
        LineBegun: it begins elsewhere.
    """
    query = select(CommitRow.committed_at, CommitRow.parents, CommitRow.position)
    query = query.where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
    stored = session.execute(query.order_by(CommitRow.position).limit(2)).all()
    if not stored:
        return
    first_at, parents, position = stored[0]
    second_at = stored[1][0] if len(stored) > 1 else None
    begin = _start_of(since)
    # The commit before the day is the opening stock. Without one the line begins at a root, or where a clone ends.
    opened = first_at < begin and (second_at is None or second_at >= begin)
    if opened or (first_at >= begin and not (parents and position)):
        return
    read_from = second_at if parents and second_at is not None else first_at
    raise LineBegun(slug, f"was read from {read_from:%Y-%m-%d} on", f"--since {since}")


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def read_line(session: Session, repository_id: int) -> tuple[StoredCommit, ...]:
    """Return the stored line, oldest first."""
    query = select(CommitRow.sha, CommitRow.position)
    query = query.where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
    rows = session.execute(query.order_by(CommitRow.position))
    return tuple(StoredCommit(sha=sha, position=position) for sha, position in rows if position is not None)


def read_sha_at(session: Session, repository_id: int, position: int) -> str | None:
    """Return the commit at a position of the stored line; None where none stands there."""
    query = select(CommitRow.sha)
    return session.scalar(query.where(CommitRow.repository_id == repository_id, CommitRow.position == position))


def read_ruleset_at(session: Session, repository_id: int, position: int) -> str | None:
    """Return the digest of the ruleset that judged the commit at a position; None where none stands there."""
    query = select(VerdictRow.ruleset).join(CommitRow, CommitRow.id == VerdictRow.commit_id)
    return session.scalar(query.where(CommitRow.repository_id == repository_id, CommitRow.position == position))
