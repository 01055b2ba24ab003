"""Which ranges of a repository's line of commits were read, which never will be and why, and which were begun in vain.

A range is written down before it is begun and struck out in the transaction that stores it: whatever ends a crawl, also
a machine that loses power, leaves what it had begun on record. Ranges that were read and follow each other are one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from db.base import insert_into
from db.tables import CoverageRow, RepositoryRow
from tracker.upstream import RangeState


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRange:
    """A range of the line, both ends included."""

    first: int
    """Position on the line, 0 for the oldest commit."""
    last: int
    state: RangeState
    reason: str
    """Why it was skipped; empty otherwise."""
    attempts: int
    """How often it was begun."""
    first_at: datetime
    last_at: datetime


def note_begun(session: Session, repository_id: int, first: int, last: int, now: datetime) -> None:
    """Record that a range is about to be read, and nothing else is (`last` before `first`: nothing at all).

    Until it is read, it counts as failed as often as it was begun.
    """
    others = delete(CoverageRow).where(
        CoverageRow.repository_id == repository_id, CoverageRow.state == RangeState.FAILED
    )
    if last < first:
        session.execute(others, execution_options=_PLAIN)
        return
    session.execute(others.where(CoverageRow.first_position != first), execution_options=_PLAIN)
    new = insert_into(session, CoverageRow).values(
        _values(repository_id, first, last, RangeState.FAILED, now, attempts=1)
    )
    session.execute(
        new.on_conflict_do_update(
            index_elements=["repository_id", "first_position", "state"],
            set_={"last_position": last, "attempts": CoverageRow.attempts + 1, "last_at": now},
        )
    )


def note_read(session: Session, repository_id: int, first: int, last: int, now: datetime) -> None:
    """Record that a range was read and judged; what was begun of it no longer failed."""
    begun = (CoverageRow.repository_id == repository_id, CoverageRow.state == RangeState.FAILED)
    within = CoverageRow.first_position.between(first, last)
    session.execute(delete(CoverageRow).where(*begun, CoverageRow.last_position <= last), execution_options=_PLAIN)
    rest = update(CoverageRow).where(*begun, within).values(first_position=last + 1, attempts=1, last_at=now)
    session.execute(rest, execution_options=_PLAIN)
    before = update(CoverageRow).where(
        CoverageRow.repository_id == repository_id,
        CoverageRow.state == RangeState.OK,
        CoverageRow.last_position.between(first - 1, last),
    )
    longer = before.values(last_position=last, last_at=now).returning(CoverageRow.first_position)
    if session.execute(longer, execution_options=_PLAIN).first() is None:
        new = insert_into(session, CoverageRow).values(
            _values(repository_id, first, last, RangeState.OK, now, attempts=1)
        )
        session.execute(new.on_conflict_do_nothing(index_elements=["repository_id", "first_position", "state"]))


def note_skipped(session: Session, repository_id: int, first: int, last: int, reason: str, now: datetime) -> None:
    """Record that a range is not to be read."""
    values = _values(repository_id, first, last, RangeState.SKIPPED, now, attempts=0) | {"reason": reason}
    statement = insert_into(session, CoverageRow).values(values)
    session.execute(statement.on_conflict_do_nothing(index_elements=["repository_id", "first_position", "state"]))


def cut_coverage(session: Session, repository_id: int, position: int) -> None:
    """Forget what was read behind a position (-1: anywhere), which history has rewritten; what was begun stays so."""
    own = (CoverageRow.repository_id == repository_id, CoverageRow.state != RangeState.FAILED)
    session.execute(delete(CoverageRow).where(*own, CoverageRow.first_position > position), execution_options=_PLAIN)
    longer = update(CoverageRow).where(*own, CoverageRow.last_position > position)
    session.execute(longer.values(last_position=position), execution_options=_PLAIN)


def read_ranges(session: Session) -> Mapping[str, tuple[CommitRange, ...]]:
    """Return the ranges of each repository under watch, by slug, oldest first; one without any is absent."""
    query = (
        select(RepositoryRow.slug, CoverageRow)
        .join(CoverageRow, CoverageRow.repository_id == RepositoryRow.id)
        .where(RepositoryRow.removed_at.is_(None))
        .order_by(RepositoryRow.slug, CoverageRow.first_position)
    )
    found: dict[str, list[CommitRange]] = {}
    for slug, row in session.execute(query):
        found.setdefault(slug, []).append(_range(row))
    return {slug: tuple(ranges) for slug, ranges in found.items()}


_PLAIN = {"synchronize_session": False}


def _values(
    repository_id: int, first: int, last: int, state: RangeState, now: datetime, *, attempts: int
) -> dict[str, object]:
    return {
        "repository_id": repository_id,
        "first_position": first,
        "last_position": last,
        "state": state,
        "reason": "",
        "attempts": attempts,
        "first_at": now,
        "last_at": now,
    }


def _range(row: CoverageRow) -> CommitRange:
    return CommitRange(
        first=row.first_position,
        last=row.last_position,
        state=row.state,
        reason=row.reason,
        attempts=row.attempts,
        first_at=row.first_at,
        last_at=row.last_at,
    )
