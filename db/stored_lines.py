"""What is stored of a repository's first-parent line: where it begins, which commits it holds, by which rules."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import CommitRow, VerdictRow


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
