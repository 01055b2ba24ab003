"""Leases: who may do a thing that one process at a time may do, under a number that only ever rises.

No clock decides anything. Who holds a lease raises its beat; who waits takes it over when the beat has stood still
for long enough by the waiter's own count of seconds, with a compare-and-set on what it saw. So neither daylight saving
nor a clock that jumps, here or in the database, gives or takes a lease; the times in the table are for people. A holder
that was only slow learns that it lost the lease when it commits: every transaction of `fenced` sessions looks, as its
last statement, whether the fence is still its own, and keeps the row from changing until it has committed. On
PostgreSQL its open transactions are ended by whoever takes over, for their locks would outlive a process that stands
still.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    column,
    delete,
    event,
    func,
    literal_column,
    select,
    table,
    update,
)
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from db.base import insert_into
from db.tables import LeaseRow
from tracker.errors import LeaseLost

SCHEDULE = "schedule"
"""The lease of the one scheduler that runs jobs."""
COMMAND = "command "
"""Begins the names of the leases of single commands, which exclude nobody: they show which runs are alive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a process holds."""

    name: str
    fence: int
    holder: str
    """Who it is, in words without meaning to the database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLease:
    """A lease as the database has it."""

    name: str
    fence: int
    """Rises with every taking."""
    holder: str
    """Empty: it was given back."""
    beat: int
    """Rises while the holder lives."""
    taken_at: datetime
    """By the database's clock; for people only, as the next."""
    beaten_at: datetime


def read_lease(session: Session, name: str) -> StoredLease | None:
    """Return a lease; None where it was never taken."""
    row = session.get(LeaseRow, name, populate_existing=True)
    return _stored(row) if row is not None else None


def read_command_leases(session: Session) -> tuple[StoredLease, ...]:
    """Return the leases of the commands that are running, or were when they were killed, by name."""
    rows = session.scalars(select(LeaseRow).where(LeaseRow.name.startswith(COMMAND)).order_by(LeaseRow.name))
    return tuple(_stored(row) for row in rows)


def take_lease(session: Session, name: str, holder: str, seen: StoredLease | None) -> Lease | None:
    """Take a lease that nobody has touched since it was seen; None where somebody has.

    Args:
        seen: what `read_lease` returned. Whether its holder has been silent for long enough is the caller's to judge.
    """
    if seen is None:
        new = insert_into(session, LeaseRow).values(name=name, fence=1, holder=holder, beat=1, **_now())
        taken = session.execute(new.on_conflict_do_nothing(index_elements=["name"]).returning(LeaseRow.fence))
    else:
        untouched = (LeaseRow.name == name, LeaseRow.fence == seen.fence, LeaseRow.beat == seen.beat)
        over = update(LeaseRow).where(*untouched, LeaseRow.holder == seen.holder)
        over = over.values(fence=seen.fence + 1, holder=holder, beat=seen.beat + 1, **_now())
        taken = session.execute(over.returning(LeaseRow.fence), execution_options=_UNSYNCHRONISED)
    fence = taken.scalar_one_or_none()
    if fence is None:
        return None
    lease = Lease(name=name, fence=fence, holder=holder)
    _end_transactions_of_former(session, lease)
    return lease


def beat(session: Session, lease: Lease) -> bool:
    """Show that the holder lives; False where the lease is no longer its own."""
    alive = update(LeaseRow).where(*_held(lease)).values(beat=LeaseRow.beat + 1, beaten_at=func.now())
    return session.execute(alive.returning(LeaseRow.beat), execution_options=_UNSYNCHRONISED).first() is not None


def give_back(session: Session, lease: Lease) -> None:
    """Let the next one have the lease at once; its fence stays, so that the numbers go on rising."""
    session.execute(update(LeaseRow).where(*_held(lease)).values(holder=""), execution_options=_UNSYNCHRONISED)


def remove_lease(session: Session, seen: StoredLease | Lease) -> None:
    """Forget the lease of a command that has ended."""
    session.execute(
        delete(LeaseRow).where(LeaseRow.name == seen.name, LeaseRow.fence == seen.fence),
        execution_options=_UNSYNCHRONISED,
    )


def require_lease(session: Session, lease: Lease) -> None:
    """Return silently when the lease is held, and keep it so until the transaction ends.

    Raises:
        LeaseLost: another process took it over, or it was given back.
    """
    # Not FOR KEY SHARE: that would let a take-over pass between this look and the commit.
    held = select(LeaseRow.fence).where(*_held(lease)).with_for_update(read=True)
    if session.execute(held).first() is None:
        raise LeaseLost(lease.name, lease.fence)


def fenced(sessions: sessionmaker[Session], lease: Lease) -> sessionmaker[Session]:
    """Return sessions on the same database that commit only while the lease is held.

    Their commit raises LeaseLost once it is not, and the transaction is rolled back.
    """
    made = sessionmaker(**sessions.kw)
    event.listen(made, "after_begin", _marked(lease))
    event.listen(made, "before_commit", _required(lease))
    return made


def _marked(lease: Lease) -> Callable[[Session, SessionTransaction, Connection], None]:
    def mark(_session: Session, _transaction: SessionTransaction, connection: Connection) -> None:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.set_config("application_name", _mark(lease), True)))

    return mark


def _mark(lease: Lease) -> str:
    """How the server calls the transactions under a lease."""
    return f"tracker {lease.name} {lease.fence}"


def _end_transactions_of_former(session: Session, lease: Lease) -> None:
    if session.get_bind().dialect.name == "postgresql":
        activity = table("pg_stat_activity", column("pid"), column("datname"), column("usename"), column(_NAMED, Text))
        former = activity.c[_NAMED].startswith(f"tracker {lease.name} "), activity.c[_NAMED] != _mark(lease)
        own = activity.c.datname == func.current_database(), activity.c.usename == literal_column("current_user")
        session.execute(select(func.pg_terminate_backend(activity.c.pid)).where(*former, *own)).all()


def _required(lease: Lease) -> Callable[[Session], None]:
    def look(session: Session) -> None:
        if not session.in_nested_transaction():
            session.flush()  # first: what is looked at last is locked for the time of the commit alone
            require_lease(session, lease)

    return look


_NAMED = "application_name"
_UNSYNCHRONISED = {"synchronize_session": False}


def _held(lease: Lease) -> tuple[ColumnElement[bool], ...]:
    return (LeaseRow.name == lease.name, LeaseRow.fence == lease.fence, LeaseRow.holder == lease.holder)


def _now() -> dict[str, object]:
    return {"taken_at": func.now(), "beaten_at": func.now()}


def _stored(row: LeaseRow) -> StoredLease:
    return StoredLease(
        name=row.name,
        fence=row.fence,
        holder=row.holder,
        beat=row.beat,
        taken_at=row.taken_at,
        beaten_at=row.beaten_at,
    )
