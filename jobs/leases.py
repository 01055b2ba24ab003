"""How a process keeps the lease it holds, and how it tells that another's holder is dead: by counting, without a clock.

A lease is beaten every few seconds. Who waits looks as often, and counts its own seconds since the beat it sees last
moved; a look that fails starts the count anew, so that a database that was away for a while costs nobody a lease.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.leases import COMMAND, Lease, StoredLease, beat, read_command_leases, remove_lease, take_lease
from db.runs import close_orphans
from jobs.processes import is_alive

SECONDS_BETWEEN_BEATS = 5.0
SECONDS_OF_SILENCE = 30.0
"""A holder that has not beaten for so long is dead: with the looks between, it is replaced within a minute."""

log = logging.getLogger("tracker.leases")


class Silences:
    """For how long the holders of leases have not been heard of, by the count of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Know nothing yet.

        Args:
            clock: seconds from any origin, which nobody sets.
        """
        self._clock = clock
        self._heard: dict[str, tuple[tuple[int, int], float]] = {}

    def seconds(self, lease: StoredLease) -> float:
        """Take note of a lease as it was just read, and return for how long it has stood so."""
        state, now = (lease.fence, lease.beat), self._clock()
        known = self._heard.get(lease.name)
        if known is None or known[0] != state:
            self._heard[lease.name] = (state, now)
            return 0.0
        return now - known[1]

    def forget(self, name: str | None = None) -> None:
        """Begin to count anew: for one lease, or for all, as after a look that failed."""
        if name is None:
            self._heard.clear()
        else:
            self._heard.pop(name, None)


def holder_of(folder_id: str) -> str:
    """Return how a process calls itself; it begins with the folder that only one process can hold."""
    return f"{folder_id} {socket.gethostname()} {os.getpid()}"


def is_gone(lease: StoredLease) -> bool:
    """Whether the holder of a lease was a process of this machine that is no more; False where it cannot be known."""
    host, process = lease.holder.rsplit(" ", 2)[-2:] if lease.holder.count(" ") > 1 else ("", "")
    return host == socket.gethostname() and process.isdecimal() and not is_alive(int(process))


@contextmanager
def command_lease(sessions: sessionmaker[Session], seconds: float = SECONDS_BETWEEN_BEATS) -> Iterator[Lease]:
    """Hold a lease of this process's own while a command runs, so that its runs are known to be alive.

    The runs of commands that were killed on this machine are closed first: there may be no scheduler to do it.
    """
    name = f"{COMMAND}{uuid4().hex}"
    with in_transaction(sessions) as session:
        _bury(session)
        lease = take_lease(session, name, holder_of("command"), None)
    if lease is None:
        raise AssertionError("nobody else knows the name")
    done = threading.Event()
    beating = threading.Thread(target=_beat_until, args=(sessions, lease, done, seconds), name="lease", daemon=True)
    beating.start()
    try:
        yield lease
    finally:
        done.set()
        beating.join()
        # Where the database is away the scheduler finds the lease silent, and forgets it.
        with suppress(DBAPIError), in_transaction(sessions) as session:
            remove_lease(session, lease)


def _bury(session: Session) -> None:
    gone = [lease for lease in read_command_leases(session) if is_gone(lease)]
    for lease in gone:
        remove_lease(session, lease)
    if gone:
        close_orphans(session, datetime.now(UTC))


def _beat_until(sessions: sessionmaker[Session], lease: Lease, done: threading.Event, seconds: float) -> None:
    while not done.wait(seconds):
        if still_held(sessions, lease) is False:
            log.warning("a scheduler took this command for dead; it goes on")
            return


def still_held(sessions: sessionmaker[Session], lease: Lease) -> bool | None:
    """Beat once and return whether the lease is still held; None where the database could not be asked."""
    try:
        with in_transaction(sessions) as session:
            return beat(session, lease)
    except DBAPIError as error:
        log.warning("the lease of the %s could not be renewed: %s", lease.name, error.orig)
        return None
