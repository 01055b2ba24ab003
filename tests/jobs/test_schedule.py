import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from db.base import in_transaction
from db.leases import SCHEDULE, take_lease
from db.repositories import remove_repository
from db.runs import JobRun, end_run, read_runs, start_run
from jobs.duties import Duties, open_duties
from jobs.runner import utc_now
from jobs.schedule import Schedule
from tests.jobs.test_duties import settings_in
from tests.repositories import Repository
from tracker.settings import RepositorySetting

COUPLED = "import torch\ntorch.cuda.synchronize()\n"


def an_upstream(folder: Path) -> Repository:
    upstream = Repository(folder / "upstream.git")
    upstream.commit({"a.py": COUPLED})
    return upstream


@contextmanager
def scheduled(folder: Path, *repositories: RepositorySetting) -> Iterator[Duties]:
    """Run the real schedule on these repositories, under its lease."""
    with open_duties(settings_in(folder, *repositories), stop=threading.Event()) as duties:
        duties.watch()
        with in_transaction(duties.sessions) as session:
            lease = take_lease(session, SCHEDULE, "this test", None)
        assert lease is not None
        schedule = Schedule(duties.under(lease, duties.stop), seconds_between_looks=0.1)
        schedule.start()
        try:
            yield duties
        finally:
            assert schedule.stop(20)


def runs_of(duties: Duties, job: str, repository: str = "o/n") -> list[JobRun]:
    with in_transaction(duties.readers) as session:
        return [run for run in read_runs(session, 100, job=job, repository=repository) if run.ended_at]


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def test_crawls_start_at_once_and_what_follows_from_them_right_behind(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    with scheduled(tmp_path, RepositorySetting(slug="o/n", mirror=str(upstream.path))) as duties:
        wait_for(lambda: runs_of(duties, "crawl_commits"))
        crawled = runs_of(duties, "crawl_commits")[0]
        wait_for(lambda: any(run.started_at >= crawled.started_at for run in runs_of(duties, "roll_up")))
        wait_for(lambda: any(run.started_at > crawled.started_at for run in runs_of(duties, "evaluate_alerts", "")))
        assert (crawled.outcome, crawled.counts["commits"]) == ("ok", 1)


def test_heads_are_judged_behind_each_crawl_of_pull_requests_even_one_that_failed(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    with scheduled(tmp_path, RepositorySetting(slug="o/n", mirror=str(upstream.path))) as duties:
        wait_for(lambda: runs_of(duties, "judge_heads"))
        assert runs_of(duties, "crawl_pulls")[0].outcome == "unconfigured"
        wait_for(lambda: runs_of(duties, "judge_heads")[0].outcome == "ok")
        assert runs_of(duties, "judge_heads")[0].counts == {"due": 0, "judged": 0, "fetched": 0}


def test_a_job_that_fails_stops_no_other_and_comes_back_when_its_pause_is_over(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    good = RepositorySetting(slug="o/n", mirror=str(upstream.path))
    bad = RepositorySetting(slug="o/bad", mirror=str(tmp_path / "nothing"))
    with scheduled(tmp_path, bad, good) as duties:
        wait_for(lambda: runs_of(duties, "crawl_commits") and runs_of(duties, "crawl_commits", "o/bad"))
        failed = runs_of(duties, "crawl_commits", "o/bad")[0]
        assert (failed.outcome, failed.retry_at is not None) == ("failed", True)
        assert runs_of(duties, "crawl_commits")[0].outcome == "ok"
        wait_for(lambda: runs_of(duties, "crawl_pulls") and runs_of(duties, "crawl_pulls", "o/bad"))
        time.sleep(0.5)
        assert len(runs_of(duties, "crawl_commits", "o/bad")) == 1


def test_a_repository_that_another_process_adds_is_crawled_and_one_it_removes_no_more(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    with scheduled(tmp_path, RepositorySetting(slug="o/n", mirror=str(upstream.path))) as duties:
        wait_for(lambda: runs_of(duties, "crawl_commits"))
        duties.watch_one(RepositorySetting(slug="o/later", mirror=str(upstream.path)))
        wait_for(lambda: runs_of(duties, "crawl_commits", "o/later"))
        with in_transaction(duties.sessions) as session:
            remove_repository(session, "o/later", utc_now())


def test_runs_that_a_killed_process_left_open_are_closed(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    repository = RepositorySetting(slug="o/n", mirror=str(upstream.path))
    with open_duties(settings_in(tmp_path, repository)) as duties, in_transaction(duties.sessions) as session:
        start_run(session, "crawl_commits", "o/n", utc_now())
    with scheduled(tmp_path, repository) as duties:
        wait_for(lambda: len(runs_of(duties, "crawl_commits")) == 2)
        assert [run.outcome for run in runs_of(duties, "crawl_commits")] == ["ok", "killed"]


def test_a_database_that_is_locked_for_a_while_does_not_end_the_schedule(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    with scheduled(tmp_path, RepositorySetting(slug="o/n", mirror=str(upstream.path))) as duties:
        with duties.sessions.begin():
            time.sleep(0.5)
        wait_for(lambda: runs_of(duties, "crawl_commits"))
        assert runs_of(duties, "crawl_commits")[0].outcome == "ok"


def test_stopping_twice_or_without_work_is_quick(tmp_path: Path) -> None:
    with open_duties(settings_in(tmp_path), stop=threading.Event()) as duties:
        schedule = Schedule(duties)
        schedule.start()
        assert schedule.stop(20)
        assert schedule.stop(20)


def test_runs_of_long_ago_are_forgotten_once_a_later_one_went_well(tmp_path: Path) -> None:
    upstream = an_upstream(tmp_path)
    repository = RepositorySetting(slug="o/n", mirror=str(upstream.path))
    with open_duties(settings_in(tmp_path, repository)) as duties, in_transaction(duties.sessions) as session:
        for days in (60, 40, 20):
            then = utc_now() - timedelta(days=days)
            end_run(session, start_run(session, "audit", "o/n", then), "ok", {}, "", then)
    with scheduled(tmp_path, repository) as duties:
        wait_for(lambda: len(runs_of(duties, "audit")) == 1)
        (kept,) = runs_of(duties, "audit")
        assert utc_now() - kept.started_at < timedelta(days=21)


def test_releases_are_read_by_themselves_and_numbers_only_once_pull_requests_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.schedule.FIRST_AUDIT_AFTER", timedelta(seconds=0.2))
    upstream = an_upstream(tmp_path)
    upstream.set_reference("refs/tags/v1.0.0", upstream.tip() or "")
    repository = RepositorySetting(slug="o/n", mirror=str(upstream.path))
    with open_duties(settings_in(tmp_path, repository)) as duties:
        duties.watch()
        duties.crawl_commits("o/n")
    with scheduled(tmp_path, repository) as duties:
        wait_for(lambda: runs_of(duties, "read_releases"))
        (run,) = runs_of(duties, "read_releases")
        assert (run.outcome, run.counts) == ("ok", {"new": 1, "known": 0, "source": "tags of the clone"})
        assert runs_of(duties, "reconcile_pulls") == []
