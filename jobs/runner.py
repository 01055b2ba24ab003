"""Runs one job: records how it went, turns errors into outcomes, and sets when to try again after a failure.

This is the one place under `jobs` that catches everything: a job that fails is recorded and said in one line, and never
takes the scheduler or another job with it. That holds for the record too: where the database cannot take it, the log
does, and the database gets it with the next run.
"""

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.leases import Lease
from db.rivals import Rival
from db.runs import JobRun, end_run, read_runs, start_run
from jobs.descriptions import describe
from jobs.progress import Stopped
from jobs.turns import Turns
from tracker.errors import LeaseLost, NotConfigured, RateLimited, TrackerError, UpstreamUnavailable

FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)
BELIEVED_PAUSE = timedelta(hours=2)
"""A longer pause than this was set by a clock that was wrong, and does not hold."""
FAILURES = ("failed", "unavailable")
PAUSING = (*FAILURES, "rate_limited", "unconfigured")
FORGIVEN_BY_A_NEW_START = (*FAILURES, "unconfigured")
"""A service that was started anew may have been given what it lacked; a rate limit holds all the same."""
FORESEEN = (TrackerError, Stopped, OperationalError, OSError)
"""What needs no traceback in the log: a locked database or a full disk explains itself."""
SECONDS_UNTIL_STOP_IS_KNOWN = 0.05
RECENT = 20
"""How many runs are looked at for the pause; the longest is reached well before."""

log = logging.getLogger("tracker.jobs")

Counts = Mapping[str, int | str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """How one run of one job went."""

    job: str
    repository: str
    outcome: str
    """ok, failed, unavailable, rate_limited, unconfigured or killed."""
    counts: Counts
    message: str
    """One line; empty when ok."""
    retry_at: datetime | None
    """Not to be tried again before; None: no pause."""
    started_at: datetime
    ended_at: datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


def run_job(
    sessions: sessionmaker[Session],
    job: str,
    repository: str,
    work: Callable[[], Counts],
    now: Callable[[], datetime] = utc_now,
) -> RunReport:
    """Do the work once, even while the job pauses after failures, as a person's command does; record the run."""
    report = JobRunner(sessions, now).run(job, repository, work, no_pause_after=PAUSING)
    if report is None:
        raise AssertionError("a run that does not wait for the pause always reports")
    return report


class JobRunner:
    """Runs jobs, in any number of threads; keeps the ends of runs that the database could not take yet."""

    def __init__(
        self,
        sessions: sessionmaker[Session],
        now: Callable[[], datetime] = utc_now,
        *,
        stop: threading.Event | None = None,
        redact: Callable[[str], str] = str,
        lease: Lease | None = None,
    ) -> None:
        """Take what every run needs.

        Args:
            stop: once it is set, a job that ends with an error was stopped, and did not fail.
            redact: takes secrets out of a message before it is kept.
            lease: what this process holds; its runs are known to be alive by it.
        """
        self._sessions = sessions
        self._now = now
        self._stop = stop or threading.Event()
        self._redact = redact
        self._lease = lease
        self._turns = Turns()
        self._unrecorded: dict[int, RunReport] = {}

    def run(  # noqa: PLR0913 - what a job is, and how it gives way
        self,
        job: str,
        repository: str,
        work: Callable[[], Counts],
        *,
        no_pause_after: Collection[str] = (),
        routine: bool = False,
        alone: bool = False,
        while_taken: Callable[[Rival], None] | None = None,
    ) -> RunReport | None:
        """Do the work and record the run; None when the job pauses or is another's turn, and nothing was done.

        Args:
            repository: slug; empty for a job over all repositories.
            work: does the job in its own transactions and returns what it did, by name.
            no_pause_after: outcomes after which the job runs although it is too early to try again.
            routine: a run that goes well is no event, and only logged at level debug.
            alone: it reads the repository's commits, as one job at a time may, in whichever process.
            while_taken: called again and again while another has the turn; None: the repository is left to it.
        """
        started_at = self._now()
        try:
            begun = self._begin(job, repository, started_at, no_pause_after, alone=alone)
            while isinstance(begun, Rival):
                if while_taken is None:
                    log.info("%s %s: left to %s", job, repository, begun)
                    return None
                while_taken(begun)
                started_at = self._now()
                begun = self._begin(job, repository, started_at, no_pause_after, alone=alone)
        except Exception as error:  # noqa: BLE001 - an edge, see the module's first paragraph
            report = self._report(job, repository, started_at, _outcome_of(error, 0, started_at))
            _log_end(report, error)
            return report
        if begun is None:
            return None
        run_id, failures = begun
        try:
            counts = work()
        except Exception as error:  # noqa: BLE001 - an edge, see the module's first paragraph
            report = self._report(job, repository, started_at, self._judge(error, failures))
            _log_end(report, error)
        except BaseException:
            report = self._report(job, repository, started_at, _Ending("killed", "interrupted"))
            self._record(run_id, report)
            raise
        else:
            report = self._report(job, repository, started_at, _Ending("ok", counts=counts))
            _log_end(report, None, routine=routine)
        self._record(run_id, report)
        return report

    def _begin(
        self, job: str, repository: str, now: datetime, no_pause_after: Collection[str], *, alone: bool
    ) -> tuple[int, int] | Rival | None:
        """Record the start; return the run's id and how often the job failed in a row before.

        None in a pause; where it must be alone and another is at it, that one.
        """
        with in_transaction(self._sessions) as session:
            late = dict(self._unrecorded)
            for unrecorded_id, report in late.items():
                _store_end(session, unrecorded_id, report)
            recent = read_runs(session, RECENT, job=job, repository=repository)
            run_id = None
            rival = self._turns.taken_by(session, repository, now) if alone else None
            if rival is None and not pauses(recent, now, no_pause_after):
                run_id = start_run(session, job, repository, now, self._lease)
        for stored_id in late:
            self._unrecorded.pop(stored_id, None)
        return (run_id, consecutive_failures(recent)) if run_id is not None else rival

    def _judge(self, error: Exception, failures: int) -> "_Ending":
        if isinstance(error, LeaseLost):
            return _Ending("killed", describe(error))
        # Ctrl-C ends git before this process has heard of it.
        if isinstance(error, Stopped) or self._stop.wait(SECONDS_UNTIL_STOP_IS_KNOWN):
            return _Ending("killed", "stopped with the service; the next run goes on where this one last committed")
        return _outcome_of(error, failures, self._now())

    def _report(self, job: str, repository: str, started_at: datetime, ending: "_Ending") -> RunReport:
        return RunReport(
            job=job,
            repository=repository,
            outcome=ending.outcome,
            counts=ending.counts,
            message=self._redact(ending.message),
            retry_at=ending.retry_at,
            started_at=started_at,
            ended_at=self._now(),
        )

    def _record(self, run_id: int, report: RunReport) -> None:
        try:
            with in_transaction(self._sessions) as session:
                _store_end(session, run_id, report)
        except Exception as error:  # noqa: BLE001 - an edge, see the module's first paragraph
            self._unrecorded[run_id] = report
            log.warning("how a run of %s ended is not recorded yet: %s", report.job, describe(error))


def consecutive_failures(runs: Sequence[JobRun]) -> int:
    """Count the failures since the last run that went well; newest run first, killed and rate-limited ones left out."""
    count = 0
    for run in runs:
        if run.outcome == "ok":
            break
        count += run.outcome in FAILURES
    return count


def pauses(runs: Sequence[JobRun], now: datetime, no_pause_after: Collection[str] = ()) -> bool:
    """Whether the last run that ended says that it is too early to try again; newest run first."""
    last = next((run for run in runs if run.ended_at is not None), None)
    if last is None or last.retry_at is None or last.outcome in no_pause_after:
        return False
    return now < last.retry_at <= now + BELIEVED_PAUSE


def pause_after(failures: int) -> timedelta:
    """Return how long to wait after so many failures in a row: one minute, doubled each time, one hour at most."""
    return min(FIRST_PAUSE * (1 << min(max(failures, 1) - 1, 16)), LONGEST_PAUSE)


@dataclass(frozen=True, slots=True)
class _Ending:
    outcome: str
    message: str = ""
    retry_at: datetime | None = None
    counts: Counts = field(default_factory=dict)


def _outcome_of(error: Exception, failures: int, now: datetime) -> _Ending:
    match error:
        case RateLimited():
            return _Ending("rate_limited", describe(error), error.reset_at)
        case NotConfigured():
            return _Ending("unconfigured", describe(error), now + LONGEST_PAUSE)
        case UpstreamUnavailable():
            return _Ending("unavailable", describe(error), now + pause_after(failures + 1))
        case _:
            return _Ending("failed", describe(error), now + pause_after(failures + 1))


def _store_end(session: Session, run_id: int, report: RunReport) -> None:
    end_run(session, run_id, report.outcome, report.counts, report.message, report.ended_at, retry_at=report.retry_at)


def _log_end(report: RunReport, error: Exception | None, *, routine: bool = False) -> None:
    seconds = (report.ended_at - report.started_at).total_seconds()
    name = f"{report.job} {report.repository}".strip()
    fields = {
        "job": report.job,
        "repository": report.repository,
        "outcome": report.outcome,
        "counts": dict(report.counts),
        "seconds": round(seconds, 3),
        "retry_at": report.retry_at.isoformat() if report.retry_at else None,
    }
    if error is None:
        done = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in report.counts.items())
        level = logging.DEBUG if routine else logging.INFO
        log.log(level, "%s: ok in %.1f s%s", name, seconds, f": {done}" if done else "", extra={"fields": fields})
        return
    wait = (report.retry_at - report.ended_at).total_seconds() if report.retry_at else 0
    again = f"; next try in {max(wait, 0) / 60:.0f} min" if report.retry_at else ""
    expected = isinstance(error, FORESEEN) or report.outcome == "killed"
    level = logging.INFO if report.outcome == "killed" else logging.WARNING if expected else logging.ERROR
    sentence = f"{name}: {report.outcome.replace('_', ' ')}: {report.message}{again}"
    log.log(level, "%s", sentence, exc_info=None if expected else error, extra={"fields": fields})
