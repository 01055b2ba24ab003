"""Runs the schedule while this process holds its lease, and stands by while another process does.

Several schedulers may be started on one database, on any machines: one of them works, the others look every few
seconds, and one takes over within a minute when the beat of the first stands still. A process that restarts in the
folder of the last holder takes over at once: it holds the folder's lock, so that one is dead. A scheduler that lost its
lease ends its jobs, which can store nothing any more, and stands by.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable

from db.base import in_transaction
from db.leases import SCHEDULE, Lease, StoredLease, give_back, read_lease, take_lease
from jobs.descriptions import describe
from jobs.duties import Duties
from jobs.leases import SECONDS_BETWEEN_BEATS, SECONDS_OF_SILENCE, Silences, holder_of, still_held
from jobs.one_at_a_time import file_identity
from jobs.processes import end_descendants
from jobs.schedule import Schedule

SECONDS_TO_STEP = 1.0
"""How long a job whose lease is lost may take to its next step before its processes are ended."""
SECONDS_TO_END = 3.0

log = logging.getLogger("tracker.standby")


class Standby:
    """A thread that holds or waits for the lease of the schedule; `start` once, `stop` as often as needed."""

    def __init__(
        self,
        duties: Duties,
        folder_id: str,
        *,
        schedule: Callable[[Duties], Schedule] = Schedule,
        seconds_between_beats: float = SECONDS_BETWEEN_BEATS,
        seconds_of_silence: float = SECONDS_OF_SILENCE,
    ) -> None:
        """Hold nothing yet.

        Args:
            folder_id: of the folder whose lock this process holds; its former holder is known to be dead.
            schedule: makes a schedule of the jobs under a lease.
        """
        self._duties = duties
        self._folder_id = folder_id
        self._holder = holder_of(folder_id)
        self._schedule = schedule
        self._seconds_between_beats = seconds_between_beats
        self._seconds_of_silence = seconds_of_silence
        self._silences = Silences()
        self._file = file_identity(duties.settings.database_url)
        self._first_look = True
        self._waits_for: str | None = None
        self._stop = duties.stop
        self._thread = threading.Thread(target=self._live, name="standby", daemon=True)

    def start(self) -> None:
        """Begin to hold or wait for the lease, in a thread of its own."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Ask every running job to end, and wait so long for it; return whether all have ended."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _live(self) -> None:
        while not self._stop.is_set():
            try:
                lease = self._try()
                if lease is not None:
                    self._lead(lease)
                    continue
            except Exception as error:  # noqa: BLE001 - a thread's edge: without it no job would run any more
                self._silences.forget()
                log.warning("the lease of the schedule: %s", describe(error))
            self._stop.wait(self._seconds_between_beats)

    def _try(self) -> Lease | None:
        """Take the lease where it is free or its holder is dead."""
        with in_transaction(self._duties.readers) as session:
            seen = read_lease(session, SCHEDULE)
        if not self._may_take(seen):
            return None
        with in_transaction(self._duties.sessions) as session:
            return take_lease(session, SCHEDULE, self._holder, seen)

    def _may_take(self, seen: StoredLease | None) -> bool:
        first, self._first_look = self._first_look, False
        if seen is None or not seen.holder:
            return True
        if first and seen.holder.startswith(f"{self._folder_id} "):
            return True
        if self._silences.seconds(seen) >= self._seconds_of_silence:
            log.warning("the scheduler %s is silent; this one takes over", _named(seen.holder))
            return True
        if self._waits_for != seen.holder:
            self._waits_for = seen.holder
            log.info("the scheduler %s runs the jobs; this one stands by", _named(seen.holder))
        return False

    def _lead(self, lease: Lease) -> None:
        """Run the schedule until the lease is lost or this process is told to stop."""
        log.info("this scheduler runs the jobs (lease number %d)", lease.fence)
        self._waits_for = None
        schedule = self._schedule(self._duties.under(lease, threading.Event()))
        try:
            schedule.start()
            self._keep(lease, schedule)
        finally:
            self._end(schedule)
            with in_transaction(self._duties.sessions) as session:
                give_back(session, lease)

    def _keep(self, lease: Lease, schedule: Schedule) -> None:
        while not self._stop.wait(self._seconds_between_beats):
            schedule.heed_clock()
            if file_identity(self._duties.settings.database_url) != self._file:
                log.error(
                    "%s was deleted or replaced while it was in use; this process ends, so that nothing is written "
                    "where nobody reads it: start it anew, or restore a backup first",
                    self._duties.settings.database_label,
                )
                os.kill(os.getpid(), signal.SIGTERM)
                self._stop.wait()
                return
            if still_held(self._duties.sessions, lease) is False:
                log.warning("another scheduler has taken over; this one ends its jobs and stands by")
                return

    def _end(self, schedule: Schedule) -> None:
        """Wait until every job has ended; a process that was told to stop is ended by `jobs.serve` in any case."""
        while not schedule.stop(SECONDS_TO_STEP):
            if not self._stop.is_set():
                end_descendants(os.getpid(), SECONDS_TO_END)


def _named(holder: str) -> str:
    """Return host and process, without the folder's id."""
    return holder.partition(" ")[2] or holder
