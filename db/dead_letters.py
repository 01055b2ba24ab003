"""What upstream could not serve: kept with the reason, shown, and tried again; a gap is never silent."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.tables import DeadLetterRow, RepositoryRow


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """One thing that was asked for in vain."""

    repository: str
    """Slug."""
    stream: str
    key: str
    """A pull request's number, a sha, or where it stands."""
    reason: str
    """Of the last attempt."""
    attempts: int
    first_at: datetime
    last_at: datetime


def append_dead_letter(session: Session, repository_id: int, stream: str, key: str, reason: str, now: datetime) -> None:
    """Note an attempt in vain; the first one makes the letter."""
    statement = insert_into(session, DeadLetterRow).values(
        repository_id=repository_id,
        stream=stream,
        key=key,
        reason=reason,
        attempts=1,
        first_at=now,
        last_at=now,
    )
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["repository_id", "stream", "key"],
            set_={
                "reason": statement.excluded.reason,
                "attempts": DeadLetterRow.attempts + 1,
                "last_at": statement.excluded.last_at,
            },
        )
    )


def remove_dead_letters(session: Session, repository_id: int, stream: str, keys: Collection[str]) -> int:
    """Forget letters that have been served, and return how many there were."""
    served = select(DeadLetterRow.id).where(
        DeadLetterRow.repository_id == repository_id,
        DeadLetterRow.stream == stream,
        DeadLetterRow.key.in_(keys),
    )
    ids = session.scalars(served).all()
    if ids:
        session.execute(delete(DeadLetterRow).where(DeadLetterRow.id.in_(ids)))
    return len(ids)


def read_due_keys(session: Session, repository_id: int, stream: str, before: datetime, limit: int) -> list[str]:
    """Return the keys last tried before a time, those that wait longest first."""
    query = (
        select(DeadLetterRow.key)
        .where(
            DeadLetterRow.repository_id == repository_id,
            DeadLetterRow.stream == stream,
            DeadLetterRow.last_at < before,
        )
        .order_by(DeadLetterRow.last_at, DeadLetterRow.id)
        .limit(limit)
    )
    return list(session.scalars(query))


def read_dead_letters(session: Session, repository: str | None = None, *, limit: int = 200) -> list[DeadLetter]:
    """Return letters, the latest first, of one repository (slug) or of all."""
    query = (
        select(RepositoryRow.slug, DeadLetterRow)
        .join(RepositoryRow, RepositoryRow.id == DeadLetterRow.repository_id)
        .order_by(DeadLetterRow.last_at.desc(), DeadLetterRow.id.desc())
        .limit(limit)
    )
    if repository is not None:
        query = query.where(RepositoryRow.slug == repository)
    return [
        DeadLetter(
            repository=slug,
            stream=row.stream,
            key=row.key,
            reason=row.reason,
            attempts=row.attempts,
            first_at=row.first_at,
            last_at=row.last_at,
        )
        for slug, row in session.execute(query)
    ]


def count_dead_letters(session: Session, repository_id: int, stream: str) -> int:
    """Return how many letters a stream has."""
    query = select(func.count()).where(DeadLetterRow.repository_id == repository_id, DeadLetterRow.stream == stream)
    return session.scalar(query) or 0
