"""When each job runs: crawls at their intervals and at once on start-up, what follows from a crawl right behind it.

Commits that were read are rolled up and judged for alerts in the same breath, so that pages and pollers see them
within seconds. After a failure a job comes back when its pause is over, not at its next turn. APScheduler keeps the
times, in memory: what is due is known from the database and the settings, and nothing is pickled.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime, timedelta

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from db.base import in_transaction
from db.dirty_pulls import forget_deliveries, read_dirty_repositories
from db.leases import read_command_leases, remove_lease
from db.repositories import read_repositories
from db.runs import close_orphans, prune_runs, read_freshness
from jobs.descriptions import describe
from jobs.duties import Duties
from jobs.leases import SECONDS_OF_SILENCE, Silences
from jobs.progress import Progress, plain_progress
from jobs.runner import FORGIVEN_BY_A_NEW_START, RunReport, utc_now

SECONDS_BETWEEN_LOOKS = 30.0
LEAST_JUMP = timedelta(seconds=20)
"""A clock that is slewed, or a machine that was busy, is no clock that was set."""
FIRST_AUDIT_AFTER = timedelta(minutes=10)
BETWEEN_RELEASES = timedelta(days=1)
BETWEEN_RECONCILIATIONS = timedelta(days=7)
RUNS_KEPT_FOR = timedelta(days=30)
"""How long a run is remembered that a later success of the same job supersedes."""
DELIVERIES_KEPT_FOR = timedelta(days=14)
"""How long a delivery of a webhook is known when it comes again; GitHub can send it again for three days."""
THREADS = {"commits": 2, "pulls": 2, "default": 2}
"""Two first crawls at a time: more would only take the processors from each other and from the pages."""

SECONDS_BETWEEN_LINES = 60.0
"""How often a long crawl says in the log how far it is."""

log = logging.getLogger("tracker.schedule")


class Schedule:
    """The jobs of one process; `start` once, `stop` once."""

    def __init__(
        self,
        duties: Duties,
        *,
        now: Callable[[], datetime] = utc_now,
        seconds_between_looks: float = SECONDS_BETWEEN_LOOKS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Plan nothing yet.

        Args:
            seconds_between_looks: how soon a repository that another process adds is crawled.
            clock: seconds from any origin, which nobody sets.
        """
        self._duties = duties
        self._seconds_between_looks = seconds_between_looks
        self._now = now
        self._clock = clock
        self._clock_began = now() - timedelta(seconds=clock())
        self._silences = Silences()
        self._scheduler = BackgroundScheduler(
            timezone="UTC",
            executors={name: ThreadPoolExecutor(count) for name, count in THREADS.items()},
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        self._watched: frozenset[str] | None = None
        """None: not looked yet."""
        self._started: set[str] = set()
        """Jobs that have run in this process: the first run does not wait for a failure of an earlier process."""
        self._alerts = threading.Lock()
        self._running = 0
        self._idle = threading.Condition()

    def start(self) -> None:
        """Close what a killed process left open, and begin to run jobs in threads of their own."""
        self._close_orphans()
        settings = self._duties.settings
        look = timedelta(seconds=self._seconds_between_looks)
        self._every(look, "look for repositories", self._look_for_repositories)
        self._every(look, "close runs of dead processes", self._close_orphans)
        self._every(look, "read dirty pulls", self._read_dirty_pulls, executor="pulls")
        self._every(timedelta(minutes=settings.roll_up_minutes), "roll up", self._roll_up_all, first=self._now())
        self._every(timedelta(minutes=settings.alerts_minutes), "alerts", self._evaluate_alerts, first=self._now())
        self._every(timedelta(days=1), "forget old runs", self._forget_old_runs, first=self._now())
        self._look_for_repositories()
        self._scheduler.start()

    def stop(self, seconds: float) -> bool:
        """Ask every running job to end, and wait so long for it; return whether all have ended."""
        self._duties.stop.set()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        deadline = time.monotonic() + seconds
        with self._idle:
            while self._running and (left := deadline - time.monotonic()) > 0:
                self._idle.wait(left)
            return not self._running

    def heed_clock(self) -> None:
        """Where the clock was set back since it was last heeded, let the jobs not wait until it is there again.

        A clock that was set forward needs nothing: what is due by it runs once, at once.
        """
        began = self._now() - timedelta(seconds=self._clock())
        jump = began - self._clock_began
        if abs(jump) < LEAST_JUMP:
            return
        self._clock_began = began
        log.warning("the clock was set by %+.0f seconds; the jobs keep their intervals", jump.total_seconds())
        if jump > timedelta():
            return
        for job in self._scheduler.get_jobs():
            with suppress(JobLookupError):
                job.modify(next_run_time=job.next_run_time + jump)

    def _every(
        self,
        interval: timedelta,
        name: str,
        work: Callable[..., None],
        *,
        arguments: Collection[str] = (),
        first: datetime | None = None,
        executor: str = "default",
    ) -> None:
        more = {"next_run_time": first} if first is not None else {}
        self._scheduler.add_job(
            self._counted,
            "interval",
            seconds=interval.total_seconds(),
            id=" ".join((name, *arguments)),
            args=(work, *arguments),
            executor=executor,
            **more,
        )

    def _counted(self, work: Callable[..., None], *arguments: str) -> None:
        with self._idle:
            if self._duties.stop.is_set():
                return
            self._running += 1
        try:
            work(*arguments)
        except Exception as error:  # noqa: BLE001 - nothing that goes wrong around a job may end the others
            log.warning("%s: %s", " ".join((work.__name__.strip("_"), *arguments)), describe(error))
        finally:
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def _close_orphans(self) -> None:
        """Mark the runs of processes that are dead; a command is, once its lease has stood still for long enough."""
        with in_transaction(self._duties.readers) as session:
            commands = read_command_leases(session)
        dead = [lease for lease in commands if self._silences.seconds(lease) >= SECONDS_OF_SILENCE]
        with in_transaction(self._duties.sessions) as session:
            for lease in dead:
                remove_lease(session, lease)
            orphans = close_orphans(session, self._now())
        if orphans:
            log.info("%d runs were cut short when their process ended; they go on where they stopped", orphans)

    def _look_for_repositories(self) -> None:
        with in_transaction(self._duties.readers) as session:
            slugs = frozenset(row.slug for row in read_repositories(session))
        before = self._watched or frozenset()
        for slug in sorted(slugs - before):
            self._add(slug)
        for slug in before - slugs:
            for job in ("crawl_commits", "crawl_pulls", "audit", "reconcile_pulls", "read_releases"):
                with suppress(JobLookupError):
                    self._scheduler.remove_job(f"{job} {slug}")
        if not slugs and self._watched != slugs:
            log.warning("no repository is under watch; add one with `tracker repos add owner/name`")
        self._watched = slugs

    def _add(self, slug: str) -> None:
        settings, now = self._duties.settings, self._now()
        crawls = (
            ("crawl_commits", settings.crawl_commits_minutes, self._crawl_commits, "commits"),
            ("crawl_pulls", settings.crawl_pulls_minutes, self._crawl_pulls, "pulls"),
        )
        for job, minutes, work, executor in crawls:
            self._every(timedelta(minutes=minutes), job, work, arguments=(slug,), first=now, executor=executor)
        seldom = (
            ("audit", timedelta(hours=settings.audit_hours), self._audit),
            ("read_releases", BETWEEN_RELEASES, self._read_releases),
            ("reconcile_pulls", BETWEEN_RECONCILIATIONS, self._reconcile_pulls),
        )
        for job, interval, work in seldom:
            due = (self._last_success(job, slug) or now - interval) + interval
            self._every(interval, job, work, arguments=(slug,), first=max(now + FIRST_AUDIT_AFTER, due))

    def _last_success(self, job: str, slug: str) -> datetime | None:
        with in_transaction(self._duties.readers) as session:
            found = [fresh for fresh in read_freshness(session) if (fresh.job, fresh.repository) == (job, slug)]
        return found[0].last_success_at if found else None

    def _crawl_commits(self, slug: str) -> None:
        patience = self._patience("crawl_commits", slug)
        report = self._duties.crawl_commits(slug, progress=_logged(slug), no_pause_after=patience)
        self._come_back("crawl_commits", slug, report)
        # A crawl that was cut short has stored what it read until then.
        if report is not None and not (report.outcome == "ok" and not report.counts.get("commits")):
            self._duties.roll_up(slug)
        self._evaluate_alerts()

    def _crawl_pulls(self, slug: str) -> None:
        patience = self._patience("crawl_pulls", slug)
        report = self._duties.crawl_pulls(slug, progress=_logged(slug), no_pause_after=patience)
        self._come_back("crawl_pulls", slug, report)
        # Also where GitHub was not reached: what is stored may stand under other rules since.
        self._judge_heads(slug)

    def _read_dirty_pulls(self) -> None:
        """Read what webhooks say has changed, ahead of the next crawl."""
        with in_transaction(self._duties.readers) as session:
            slugs = read_dirty_repositories(session)
        for slug in slugs:
            if self._duties.stop.is_set():
                return
            report = self._duties.read_dirty_pulls(slug)
            if report is not None and report.counts.get("read"):
                self._judge_heads(slug)

    def _judge_heads(self, slug: str) -> None:
        if not self._duties.stop.is_set():
            patience = self._patience("judge_heads", slug)
            self._duties.judge_heads(slug, progress=_logged(slug), no_pause_after=patience)

    def _audit(self, slug: str) -> None:
        report = self._duties.audit(slug)
        self._come_back("audit", slug, report)
        self._evaluate_alerts()

    def _read_releases(self, slug: str) -> None:
        report = self._duties.read_releases(slug)
        self._come_back("read_releases", slug, report)

    def _reconcile_pulls(self, slug: str) -> None:
        report = self._duties.reconcile_pulls(slug, progress=_logged(slug))
        self._come_back("reconcile_pulls", slug, report)

    def _roll_up_all(self) -> None:
        for slug in sorted(self._watched or ()):
            if not self._duties.stop.is_set():
                self._duties.roll_up(slug)

    def _evaluate_alerts(self) -> None:
        with self._alerts:
            if not self._duties.stop.is_set():
                self._duties.evaluate_alerts()

    def _forget_old_runs(self) -> None:
        with in_transaction(self._duties.sessions) as session:
            gone = prune_runs(session, self._now() - RUNS_KEPT_FOR)
            forget_deliveries(session, self._now() - DELIVERIES_KEPT_FOR)
        if gone:
            log.info("%d runs that later ones supersede are older than %d days and forgotten", gone, RUNS_KEPT_FOR.days)

    def _patience(self, job: str, slug: str) -> Collection[str]:
        first = f"{job} {slug}" not in self._started
        self._started.add(f"{job} {slug}")
        return FORGIVEN_BY_A_NEW_START if first else ()

    def _come_back(self, job: str, slug: str, report: RunReport | None) -> None:
        """Run the job again when its pause is over."""
        if report is None or report.retry_at is None:
            return
        with suppress(JobLookupError):
            self._scheduler.modify_job(f"{job} {slug}", next_run_time=max(report.retry_at, self._now()))


def _logged(slug: str) -> Progress:
    return plain_progress(lambda line: log.info("%s: %s", slug, line), seconds=SECONDS_BETWEEN_LINES)
