"""Schedulers that share a database: one runs the jobs, each once; it is replaced when it dies, and stores no more."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.engine import URL

from db.base import in_transaction, open_database, session_factory
from db.exports import Export, Value, export_rows
from db.leases import SCHEDULE, StoredLease, read_lease, take_lease
from db.tables import JobRunRow
from jobs.duties import Duties, open_duties
from jobs.runner import utc_now
from jobs.schedule import Schedule
from jobs.standby import Standby
from tests.databases import empty_postgres_database
from tests.jobs.schedule_process import SECONDS_OF_SILENCE, SLUG
from tests.jobs.services import ROOT
from tests.jobs.test_duties import settings_in
from tests.jobs.test_schedule import an_upstream, runs_of, wait_for
from tests.repositories import Repository
from tracker.settings import RepositorySetting

COMMITS = 80


@contextmanager
def standing_by(duties: Duties, folder_id: str = "folder", *, silence: float = 3600) -> Iterator[Standby]:
    standby = Standby(duties, folder_id, seconds_between_beats=0.05, seconds_of_silence=silence)
    standby.start()
    try:
        yield standby
    finally:
        assert standby.stop(20)


def lease_of(duties: Duties) -> StoredLease | None:
    with in_transaction(duties.readers) as session:
        return read_lease(session, SCHEDULE)


def hold(duties: Duties, holder: str) -> None:
    """Let somebody hold the lease who will never beat again."""
    with in_transaction(duties.sessions) as session:
        assert take_lease(session, SCHEDULE, holder, read_lease(session, SCHEDULE)) is not None


@contextmanager
def duties_on(folder: Path, upstream: Repository) -> Iterator[Duties]:
    repository = RepositorySetting(slug="o/n", mirror=str(upstream.path))
    with open_duties(settings_in(folder, repository), stop=threading.Event()) as duties:
        duties.watch()
        yield duties


def test_a_scheduler_alone_begins_at_once_and_gives_its_lease_back(tmp_path: Path) -> None:
    with duties_on(tmp_path, an_upstream(tmp_path)) as duties:
        with standing_by(duties):
            wait_for(lambda: runs_of(duties, "crawl_commits"))
        lease = lease_of(duties)
        assert lease is not None
        assert (lease.fence, lease.holder) == (1, "")
        assert {run.outcome for run in runs_of(duties, "crawl_commits")} == {"ok"}


def test_while_another_scheduler_lives_no_job_runs(tmp_path: Path) -> None:
    with duties_on(tmp_path, an_upstream(tmp_path)) as duties:
        hold(duties, "other host 1")
        with standing_by(duties):
            time.sleep(0.5)
        assert runs_of(duties, "crawl_commits") == []
        lease = lease_of(duties)
        assert lease is not None
        assert lease.holder == "other host 1"


def test_a_scheduler_that_is_silent_is_replaced_under_a_higher_number(tmp_path: Path) -> None:
    with duties_on(tmp_path, an_upstream(tmp_path)) as duties:
        hold(duties, "other host 1")
        with standing_by(duties, silence=0.3):
            wait_for(lambda: runs_of(duties, "crawl_commits"))
        lease = lease_of(duties)
        assert lease is not None
        assert lease.fence == 2


def test_one_that_restarts_in_the_folder_of_the_last_holder_does_not_wait(tmp_path: Path) -> None:
    with duties_on(tmp_path, an_upstream(tmp_path)) as duties:
        hold(duties, "folder host 1")
        with standing_by(duties, "folder"):
            wait_for(lambda: runs_of(duties, "crawl_commits"))


def test_one_that_lost_its_lease_ends_its_jobs_and_stands_by(tmp_path: Path) -> None:
    with duties_on(tmp_path, an_upstream(tmp_path)) as duties:
        with standing_by(duties):
            wait_for(lambda: runs_of(duties, "crawl_commits"))
            hold(duties, "other host 1")
            time.sleep(0.5)
            lease = lease_of(duties)
        assert lease is not None
        assert (lease.fence, lease.holder) == (2, "other host 1")


class Clocks:
    """The time of day, which can be set, and seconds, which cannot."""

    def __init__(self) -> None:
        self.began = utc_now()
        self.seconds = 0.0
        self.set_by = timedelta()

    def now(self) -> object:
        return self.began + timedelta(seconds=self.seconds) + self.set_by


@pytest.mark.parametrize(
    ("set_by", "moved_by"),
    [
        (timedelta(hours=-1), timedelta(hours=-1)),
        (timedelta(days=-400), timedelta(days=-400)),
        (timedelta(hours=1), timedelta()),
        (timedelta(seconds=-3), timedelta()),
    ],
)
def test_a_clock_that_is_set_back_delays_no_job(tmp_path: Path, set_by: timedelta, moved_by: timedelta) -> None:
    clocks = Clocks()
    with duties_on(tmp_path, an_upstream(tmp_path)) as duties:
        schedule = Schedule(duties, now=clocks.now, clock=lambda: clocks.seconds)  # type: ignore[arg-type]
        schedule.start()
        wait_for(lambda: runs_of(duties, "crawl_commits") and runs_of(duties, "crawl_pulls"))
        before = {job.id: job.next_run_time for job in schedule._scheduler.get_jobs()}
        schedule._scheduler.pause()
        clocks.seconds += 7
        clocks.set_by = set_by
        schedule.heed_clock()
        schedule.heed_clock()
        after = {job.id: job.next_run_time for job in schedule._scheduler.get_jobs()}
        assert {after[name] - before[name] for name in ("crawl_commits o/n", "audit o/n")} == {moved_by}
        assert schedule.stop(20)


@dataclass(frozen=True)
class Shared:
    """A database that several schedulers share, and the clone they read."""

    url: str
    engine: Engine
    clone: Path

    def leases(self) -> StoredLease | None:
        with session_factory(self.engine).begin() as session:
            return read_lease(session, SCHEDULE)

    def position(self) -> int:
        """How many commits are stored."""
        with session_factory(self.engine).begin() as session:
            return sum(1 for _ in export_rows(session, Export.VERDICTS))

    def runs(self, job: str) -> list[tuple[int | None, str]]:
        with session_factory(self.engine).begin() as session:
            query = select(JobRunRow.fence, JobRunRow.outcome).where(JobRunRow.job == job).order_by(JobRunRow.id)
            return [(fence, outcome) for fence, outcome in session.execute(query)]

    def exports(self) -> dict[Export, list[tuple[Value, ...]]]:
        with session_factory(self.engine).begin() as session:
            return {what: list(export_rows(session, what)) for what in Export}


def a_long_upstream(folder: Path, commits: int) -> Repository:
    upstream = Repository(folder / "upstream.git")
    for number in range(commits):
        sites = "".join(f"torch.cuda.f{line}()\n" for line in range(number % 7 + 1))
        upstream.commit({f"torch/a{number % 5}.py": f"import torch\n{sites}"})
    return upstream


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shared]:
    clone = a_long_upstream(tmp_path, COMMITS).path
    if request.param == "sqlite":
        engine = open_database(f"sqlite:///{tmp_path}/shared.db")
        yield Shared(f"sqlite:///{tmp_path}/shared.db", engine, clone)
        engine.dispose()
        return
    server: URL = request.getfixturevalue("postgres_server")
    with empty_postgres_database(server, f"tracker_test_{uuid4().hex[:12]}") as url:
        text = url.render_as_string(hide_password=False)
        engine = open_database(text)
        yield Shared(text, engine, clone)
        engine.dispose()


@contextmanager
def scheduler(shared: Shared, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    folder.mkdir()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.jobs.schedule_process", shared.url, str(folder), str(shared.clone)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(10)


def ends(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(30)


def log_of(folder: Path) -> Callable[[str], bool]:
    return lambda text: text in (folder / "log").read_text()


def undisturbed(folder: Path, shared: Shared) -> dict[Export, list[tuple[Value, ...]]]:
    """What one crawl that nobody disturbs stores."""
    with duties_on(folder, Repository(shared.clone)) as duties:
        report = duties.crawl_commits("o/n")
        assert report is not None
        assert report.outcome == "ok"
        with in_transaction(duties.readers) as session:
            found = {what: list(export_rows(session, what)) for what in Export}
    return {what: [(SLUG, *row[1:]) for row in rows] for what, rows in found.items()}


@pytest.mark.slow
def test_two_schedulers_started_together_run_each_job_once_and_the_second_goes_on_when_the_first_is_killed(
    shared: Shared, tmp_path: Path
) -> None:
    with scheduler(shared, tmp_path / "a") as one, scheduler(shared, tmp_path / "b") as other:
        wait_for(lambda: log_of(tmp_path / "a")("runs the jobs") and log_of(tmp_path / "b")("runs the jobs"), 60)
        wait_for(lambda: shared.position() == COMMITS, 60)
        wait_for(lambda: (1, "ok") in shared.runs("crawl_commits"))
        assert shared.runs("crawl_commits") == [(1, "ok")]
        assert [fence for fence, _ in shared.runs("crawl_pulls")] == [1]
        assert {fence for fence, _ in shared.runs("roll_up")} == {1}
        lease = shared.leases()
        assert lease is not None
        holder, heir = (one, other) if lease.holder.endswith(f" {one.pid}") else (other, one)
        killed_at = time.monotonic()
        holder.kill()
        wait_for(lambda: (2, "ok") in shared.runs("crawl_commits"), 60)
        print(f"\ntaken over and crawled {time.monotonic() - killed_at:.1f} s after (silence {SECONDS_OF_SILENCE} s)")
        assert ends(heir) == 0
    assert shared.exports() == undisturbed(tmp_path / "alone", shared)


@pytest.mark.slow
def test_a_scheduler_that_is_stopped_in_the_middle_of_a_crawl_is_replaced_and_stores_nothing_when_it_wakes(
    shared: Shared, tmp_path: Path
) -> None:
    with scheduler(shared, tmp_path / "a") as one:
        wait_for(lambda: log_of(tmp_path / "a")("this scheduler runs the jobs"), 60)
        wait_for(lambda: shared.position() > 2, 60)
        one.send_signal(signal.SIGSTOP)
        stopped_at = shared.position()
        with scheduler(shared, tmp_path / "b") as other:
            wait_for(lambda: (2, "ok") in shared.runs("crawl_commits"), 60)
            done = shared.exports()
            one.send_signal(signal.SIGCONT)
            wait_for(lambda: log_of(tmp_path / "a")("this one stands by"), 60)
            assert stopped_at < COMMITS
            assert shared.runs("crawl_commits") == [(1, "killed"), (2, "ok")]
            assert shared.exports() == done
            assert ends(one) == 0
            assert ends(other) == 0
    assert done == undisturbed(tmp_path / "alone", shared)
