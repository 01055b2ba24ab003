"""The jobs, each as one call that runs it through the runner: what the scheduler and the command line both use."""

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.base import in_transaction, open_database, session_factory
from db.commits import read_commit_cursor
from db.cursors import read_cursor
from db.leases import Lease, fenced
from db.reported_landings import join_reported_landings, tells_landings
from db.repositories import read_repository
from db.rivals import Rival
from db.tables import RepositoryRow
from jobs.affiliate import affiliate
from jobs.audit import audit
from jobs.configure import with_mail_key
from jobs.crawl_commits import crawl_commits
from jobs.crawl_pulls import crawl_pulls
from jobs.evaluate_alerts import evaluate_alerts
from jobs.judge_heads import has_due_heads, judge_heads
from jobs.leases import command_lease
from jobs.load_rules import load_rules
from jobs.log import Redaction
from jobs.one_at_a_time import using_database
from jobs.progress import Progress, no_progress, until_stopped
from jobs.pull_cursors import BACKFILL, parse_backfill
from jobs.read_dirty_pulls import read_dirty
from jobs.read_releases import read_releases
from jobs.reconcile_pulls import reconcile_pulls
from jobs.roll_up import roll_up
from jobs.runner import Counts, JobRunner, RunReport, utc_now
from jobs.watching import watch_one, watch_settings
from tracker.alerting import AlertRule, load_alert_rules
from tracker.errors import RepositoryError
from tracker.ruleset import Ruleset
from tracker.settings import RepositorySetting, Settings

log = logging.getLogger("tracker.duties")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duties:
    """What every job needs, and the jobs; safe to use from several threads."""

    settings: Settings
    ruleset: Ruleset
    alert_rules: tuple[AlertRule, ...]
    sessions: sessionmaker[Session]
    readers: sessionmaker[Session]
    """On a read-only engine: they keep no writer waiting."""
    runner: JobRunner
    stop: threading.Event
    """Once it is set, jobs end at their next step."""

    def crawl_commits(
        self,
        slug: str,
        *,
        progress: Progress = no_progress,
        no_pause_after: Collection[str] = (),
        while_taken: Callable[[Rival], None] | None = None,
    ) -> RunReport | None:
        """Read what is new on the default branch; where another process does, leave it to that one, or wait."""

        def work() -> Counts:
            counts = crawl_commits(
                self.sessions,
                self._repository(slug),
                self.settings,
                self.ruleset,
                workers=self.settings.workers,
                progress=until_stopped(progress, self.stop),
            )
            return {**counts, **self._join_landings(slug)}

        return self.runner.run(
            "crawl_commits", slug, work, no_pause_after=no_pause_after, alone=True, while_taken=while_taken
        )

    def crawl_pulls(
        self, slug: str, *, progress: Progress = no_progress, no_pause_after: Collection[str] = ()
    ) -> RunReport | None:
        """Read the pull requests that are new or were updated."""

        def work() -> Counts:
            progress_until_stopped = until_stopped(progress, self.stop)
            return crawl_pulls(self.sessions, self._repository(slug), self.settings, progress=progress_until_stopped)

        return self.runner.run("crawl_pulls", slug, work, no_pause_after=no_pause_after)

    def judge_heads(
        self, slug: str, *, progress: Progress = no_progress, no_pause_after: Collection[str] = ()
    ) -> RunReport | None:
        """Judge what open pull requests would do if they landed, where their heads or the rules are new."""
        idle = not has_due_heads(self.readers, self._repository(slug).id, self.ruleset.digest)

        def work() -> Counts:
            joined = self._join_landings(slug)
            counts = judge_heads(
                self.sessions,
                self._repository(slug),
                self.settings,
                self.ruleset,
                progress=until_stopped(progress, self.stop),
            )
            return {**joined, **counts}

        return self.runner.run("judge_heads", slug, work, no_pause_after=no_pause_after, routine=idle)

    def read_dirty_pulls(self, slug: str) -> RunReport | None:
        """Read the pull requests that webhooks say have changed."""

        def work() -> Counts:
            progress = until_stopped(no_progress, self.stop)
            return read_dirty(self.sessions, self._repository(slug), self.settings, progress=progress)

        return self.runner.run("read_dirty_pulls", slug, work)

    def reconcile_pulls(
        self, slug: str, *, progress: Progress = no_progress, no_pause_after: Collection[str] = ()
    ) -> RunReport | None:
        """Compare the stored pull requests with the numbers GitHub gave out; None before all were read once."""
        with in_transaction(self.readers) as session:
            backfill = parse_backfill(read_cursor(session, self._repository(slug).id, BACKFILL))
        if backfill is None or not backfill.done:
            return None

        def work() -> Counts:
            patient = until_stopped(progress, self.stop)
            return reconcile_pulls(self.sessions, self._repository(slug), self.settings, progress=patient)

        return self.runner.run("reconcile_pulls", slug, work, no_pause_after=no_pause_after)

    def read_releases(self, slug: str, *, no_pause_after: Collection[str] = ()) -> RunReport | None:
        """Read the tags that mark versions; None also where no commit was read yet, and so no clone need be there."""
        with in_transaction(self.readers) as session:
            if read_commit_cursor(session, self._repository(slug).id) is None:
                return None

        def work() -> Counts:
            return read_releases(self.sessions, self._repository(slug), self.settings)

        return self.runner.run("read_releases", slug, work, no_pause_after=no_pause_after)

    def roll_up(self, slug: str) -> RunReport | None:
        """Bring the weekly cells in line with the ledger, and attribute what is new to organisations."""

        def work() -> Counts:
            done = roll_up(self.sessions, slug, self.ruleset.digest, utc_now(), readers=self.readers)
            own = self._repository(slug).id
            return {**done, **affiliate(self.sessions, own, self.settings, self.ruleset, utc_now())}

        return self.runner.run("roll_up", slug, work, routine=True)

    def evaluate_alerts(self) -> RunReport | None:
        """Bring the alerts up to date."""

        def work() -> Counts:
            quiet = timedelta(days=self.settings.quiet_days)
            return evaluate_alerts(self.sessions, self.alert_rules, utc_now, readers=self.readers, quiet_after=quiet)

        return self.runner.run("evaluate_alerts", "", work, routine=True)

    def audit(
        self, slug: str, *, progress: Progress = no_progress, no_pause_after: Collection[str] = ()
    ) -> RunReport | None:
        """Compare the ledger with full scans at a sample of commits; None also where no commit was read yet."""
        with in_transaction(self.readers) as session:
            if read_commit_cursor(session, self._repository(slug).id) is None:
                return None

        def work() -> Counts:
            audits = audit(
                self.sessions,
                slug,
                self.settings,
                self.ruleset,
                sample=self.settings.audit_sample,
                readers=self.readers,
                progress=until_stopped(progress, self.stop),
            )
            return {"commits": len(audits), "differences": sum(each.differences for each in audits)}

        return self.runner.run("audit", slug, work, no_pause_after=no_pause_after)

    def under(self, lease: Lease, stop: threading.Event) -> "Duties":
        """Return the same jobs for the time in which a lease is held: what they do counts only while it is.

        Args:
            stop: ends the jobs of that time alone.
        """
        sessions = fenced(self.sessions, lease)
        runner = JobRunner(sessions, stop=stop, redact=Redaction.of(self.settings), lease=lease)
        return replace(self, sessions=sessions, runner=runner, stop=stop)

    def watch(self, *, demo: bool = False) -> list[str]:
        """Watch what the settings name, see `watch_settings`."""
        return watch_settings(self.sessions, self.settings, demo=demo)

    def watch_one(self, repository: RepositorySetting, *, until: str | None = None) -> str:
        """Watch one repository, see `jobs.watching.watch_one`."""
        return watch_one(self.sessions, self.settings, repository, until=until)

    def _join_landings(self, slug: str) -> Counts:
        """Add the landings that no message tells, once commits or pull requests may be new; what was new, if any."""
        repository_id = self._repository(slug).id
        with in_transaction(self.readers) as session:
            if not tells_landings(session, repository_id):
                return {}
        with in_transaction(self.sessions) as session:
            joined = join_reported_landings(session, repository_id)
        return {"landings_by_other_sources": joined} if joined else {}

    def _repository(self, slug: str) -> RepositoryRow:
        with in_transaction(self.readers) as session:
            repository = read_repository(session, slug)
        if repository is None:
            raise RepositoryError(f"{slug} is not under watch; add it with `tracker repos add {slug}`")
        return repository


@contextmanager
def open_command_duties(settings: Settings) -> Iterator[Duties]:
    """Open the jobs for one command, whose runs are known to be alive while it lives.

    Raises:
        DatabaseUnavailable, RulesetError, SettingsError: as `open_duties`.
    """
    with open_duties(settings) as duties, command_lease(duties.sessions) as lease:
        runner = JobRunner(duties.sessions, stop=duties.stop, redact=Redaction.of(settings), lease=lease)
        yield replace(duties, runner=runner)


@contextmanager
def open_duties(
    settings: Settings, *, ruleset: Ruleset | None = None, stop: threading.Event | None = None
) -> Iterator[Duties]:
    """Open the database, bring its schema up to date, load the rules, and yield the jobs.

    Args:
        ruleset: without it, the one that is shipped, with the maps of the rules folder.

    Raises:
        DatabaseUnavailable: the database cannot be opened, or was written by a newer version.
        RulesetError, SettingsError: as they say.
    """
    ruleset = ruleset or load_rules(settings)
    alert_rules = load_alert_rules(ruleset.alerts_text)
    settings = with_mail_key(settings)
    stop = stop or threading.Event()
    with ExitStack() as stack:
        log.info("opening %s", settings.database_label)
        stack.enter_context(using_database(settings.database_url))
        writer = open_database(settings.database_url)
        stack.callback(writer.dispose)
        schema.upgrade(writer)
        reader = open_database(settings.database_url, read_only=True)
        stack.callback(reader.dispose)
        sessions = session_factory(writer)
        yield Duties(
            settings=settings,
            ruleset=ruleset,
            alert_rules=alert_rules,
            sessions=sessions,
            readers=session_factory(reader),
            runner=JobRunner(sessions, stop=stop, redact=Redaction.of(settings)),
            stop=stop,
        )
