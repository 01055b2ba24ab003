"""Pull requests that a webhook says have changed: marked by inserts alone, read and taken away by the schedule.

Marking is all that the web process ever writes. It needs INSERT on two tables and SELECT on the repositories, which is
what a database role of its own can be given.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.identities import chunks
from db.repositories import read_repository
from db.tables import DirtyPullRow, RepositoryRow, WebhookDeliveryRow
from tracker.webhooks import Delivery


class Marked(StrEnum):
    """What became of a delivery."""

    MARKED = "marked"
    REPLAYED = "replayed"
    """It was taken before, and says nothing new."""
    UNWATCHED = "unwatched"
    """Its repository is not under watch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirtyPull:
    """A pull request to be read anew, and up to which mark that is told."""

    number: int
    last_mark: int


def mark_dirty(session: Session, delivery: Delivery, now: datetime) -> Marked:
    """Note that something changed of a pull request, once for each delivery."""
    repository = read_repository(session, delivery.repository)
    if repository is None or repository.removed_at is not None:
        return Marked.UNWATCHED
    values = {"id": delivery.id, "event": delivery.event, "received_at": now}
    taken = insert_into(session, WebhookDeliveryRow).values(values).on_conflict_do_nothing()
    if session.execute(taken.returning(WebhookDeliveryRow.id)).first() is None:
        return Marked.REPLAYED
    session.execute(
        insert(DirtyPullRow), [{"repository_id": repository.id, "number": delivery.number, "marked_at": now}]
    )
    return Marked.MARKED


def read_dirty_pulls(session: Session, repository_id: int, limit: int) -> tuple[DirtyPull, ...]:
    """Return pull requests to be read anew, those first that have waited longest."""
    last, first = func.max(DirtyPullRow.id), func.min(DirtyPullRow.id)
    query = (
        select(DirtyPullRow.number, last)
        .where(DirtyPullRow.repository_id == repository_id)
        .group_by(DirtyPullRow.number)
        .order_by(first)
        .limit(limit)
    )
    return tuple(DirtyPull(number=number, last_mark=mark) for number, mark in session.execute(query))


def read_dirty_repositories(session: Session) -> tuple[str, ...]:
    """Return the slugs of the repositories under watch that have pull requests to be read anew."""
    query = (
        select(RepositoryRow.slug)
        .where(RepositoryRow.removed_at.is_(None))
        .where(RepositoryRow.id.in_(select(DirtyPullRow.repository_id)))
        .order_by(RepositoryRow.slug)
    )
    return tuple(session.scalars(query))


def clear_dirty_pulls(session: Session, repository_id: int, done: Iterable[DirtyPull]) -> None:
    """Take away the marks of pull requests that were read; a mark that came meanwhile stays."""
    for one in done:
        session.execute(
            delete(DirtyPullRow).where(
                DirtyPullRow.repository_id == repository_id,
                DirtyPullRow.number == one.number,
                DirtyPullRow.id <= one.last_mark,
            )
        )


def forget_deliveries(session: Session, before: datetime) -> int:
    """Forget deliveries, and marks that nobody came to read, from before a time; return how many deliveries."""
    session.execute(delete(DirtyPullRow).where(DirtyPullRow.marked_at < before))
    old = list(session.scalars(select(WebhookDeliveryRow.id).where(WebhookDeliveryRow.received_at < before)))
    for chunk in chunks(old):
        session.execute(delete(WebhookDeliveryRow).where(WebhookDeliveryRow.id.in_(chunk)))
    return len(old)
