import logging
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, open_database, session_factory
from db.runs import JobRun, end_run, read_runs, start_run
from jobs.descriptions import describe
from jobs.progress import Stopped
from jobs.runner import FAILURES, JobRunner, RunReport, pause_after, run_job
from tracker.errors import AuthenticationFailed, NotConfigured, RateLimited, TrackerError, UpstreamUnavailable

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def at(*times: datetime) -> Callable[[], datetime]:
    """A clock that shows these times, and then stands still."""
    shown = list(times)
    return lambda: shown.pop(0) if len(shown) > 1 else shown[0]


def raising(error: BaseException) -> Callable[[], Mapping[str, int | str]]:
    def work() -> Mapping[str, int | str]:
        raise error

    return work


def runs_of(sessions: sessionmaker[Session]) -> tuple[JobRun, ...]:
    with in_transaction(sessions) as session:
        return read_runs(session, 100)


def test_a_run_that_goes_well_is_recorded_with_what_it_did(sessions: sessionmaker[Session]) -> None:
    report = run_job(sessions, "crawl_commits", "o/n", lambda: {"commits": 3}, at(NOON, NOON + MINUTE))
    assert report == RunReport(
        job="crawl_commits",
        repository="o/n",
        outcome="ok",
        counts={"commits": 3},
        message="",
        retry_at=None,
        started_at=NOON,
        ended_at=NOON + MINUTE,
    )
    assert runs_of(sessions) == (
        JobRun(
            id=1,
            job="crawl_commits",
            repository="o/n",
            started_at=NOON,
            ended_at=NOON + MINUTE,
            outcome="ok",
            counts={"commits": 3},
            message="",
            retry_at=None,
        ),
    )


def test_a_run_stands_as_running_while_it_works(sessions: sessionmaker[Session]) -> None:
    seen: list[str] = []

    def work() -> Mapping[str, int | str]:
        seen.extend(run.outcome for run in runs_of(sessions))
        return {}

    run_job(sessions, "audit", "", work, at(NOON))
    assert seen == ["running"]


@pytest.mark.parametrize(
    ("error", "outcome", "message", "retry_after"),
    [
        (UpstreamUnavailable("github.com does not answer"), "unavailable", "github.com does not answer", MINUTE),
        (RateLimited(NOON + 50 * MINUTE), "rate_limited", None, 50 * MINUTE),
        (AuthenticationFailed("the token is refused"), "failed", "the token is refused", MINUTE),
        (NotConfigured("set a token"), "unconfigured", "set a token", 60 * MINUTE),
        (TrackerError("of two\n  lines"), "failed", "of two lines", MINUTE),
        (
            OSError(28, "No space left on device", "x.db"),
            "failed",
            "No space left on device: x.db; make room on that disk; what was committed is kept",
            MINUTE,
        ),
        (ZeroDivisionError("division by zero"), "failed", "ZeroDivisionError: division by zero", MINUTE),
    ],
)
def test_an_error_becomes_an_outcome_and_a_time_to_try_again(
    sessions: sessionmaker[Session], error: Exception, outcome: str, message: str | None, retry_after: timedelta
) -> None:
    report = run_job(sessions, "crawl_pulls", "o/n", raising(error), at(NOON))
    (run,) = runs_of(sessions)
    assert (report.outcome, report.retry_at) == (outcome, NOON + retry_after)
    assert (run.outcome, run.message, run.retry_at) == (outcome, message or str(error), NOON + retry_after)


def test_pauses_double_from_a_minute_to_an_hour() -> None:
    minutes = [pause_after(failures) / MINUTE for failures in range(1, 9)]
    assert minutes == [1, 2, 4, 8, 16, 32, 60, 60]
    assert pause_after(10**9) == timedelta(hours=1)


def test_a_job_that_keeps_failing_waits_longer_each_time(sessions: sessionmaker[Session]) -> None:
    now = NOON
    waits = []
    for _ in range(4):
        report = JobRunner(sessions, at(now)).run("crawl_pulls", "o/n", raising(TrackerError("no")))
        assert report is not None
        assert report.retry_at is not None
        waits.append((report.retry_at - now) / MINUTE)
        now = report.retry_at
    assert waits == [1, 2, 4, 8]


def test_success_ends_the_pauses(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON))
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON + MINUTE))
    run_job(sessions, "crawl_pulls", "o/n", dict, at(NOON + 2 * MINUTE))
    report = run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON + 3 * MINUTE))
    assert report.retry_at == NOON + 4 * MINUTE


def test_a_pausing_job_does_nothing_and_leaves_no_row(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON))
    early = JobRunner(sessions, at(NOON + MINUTE / 2)).run("crawl_pulls", "o/n", raising(AssertionError("worked")))
    assert early is None
    assert len(runs_of(sessions)) == 1


def test_the_pause_of_one_repository_or_job_is_not_that_of_another(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON))
    runner = JobRunner(sessions, at(NOON))
    assert runner.run("crawl_pulls", "o/other", dict) is not None
    assert runner.run("crawl_commits", "o/n", dict) is not None


def test_a_persons_command_does_not_wait(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON))
    assert run_job(sessions, "crawl_pulls", "o/n", dict, at(NOON)).outcome == "ok"


def test_a_new_start_does_not_wait_after_a_failure_but_after_a_rate_limit(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no token")), at(NOON))
    run_job(sessions, "crawl_pulls", "o/spent", raising(RateLimited(NOON + 50 * MINUTE)), at(NOON))
    runner = JobRunner(sessions, at(NOON))
    assert runner.run("crawl_pulls", "o/n", dict, no_pause_after=FAILURES) is not None
    assert runner.run("crawl_pulls", "o/spent", dict, no_pause_after=FAILURES) is None


def test_a_pause_set_by_a_wrong_clock_does_not_hold(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_pulls", "o/n", raising(TrackerError("no")), at(NOON + timedelta(days=365)))
    assert JobRunner(sessions, at(NOON)).run("crawl_pulls", "o/n", dict) is not None


def test_an_interruption_is_recorded_and_goes_on_up(sessions: sessionmaker[Session]) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_job(sessions, "backfill", "o/n", raising(KeyboardInterrupt()), at(NOON))
    (run,) = runs_of(sessions)
    assert (run.outcome, run.message, run.retry_at) == ("killed", "interrupted", None)


def test_a_stopped_job_was_killed_and_did_not_fail(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_commits", "o/n", raising(Stopped("stop")), at(NOON))
    stop = threading.Event()
    stop.set()
    JobRunner(sessions, at(NOON), stop=stop).run("crawl_commits", "o/n", raising(UpstreamUnavailable("git died")))
    assert [(run.outcome, run.retry_at) for run in runs_of(sessions)] == [("killed", None), ("killed", None)]


def test_a_killed_run_is_no_failure_to_wait_for(sessions: sessionmaker[Session]) -> None:
    run_job(sessions, "crawl_commits", "o/n", raising(TrackerError("no")), at(NOON))
    run_job(sessions, "crawl_commits", "o/n", raising(Stopped("stop")), at(NOON + MINUTE))
    report = run_job(sessions, "crawl_commits", "o/n", raising(TrackerError("no")), at(NOON + 2 * MINUTE))
    assert report.retry_at == NOON + 4 * MINUTE


def test_a_message_is_kept_without_secrets(sessions: sessionmaker[Session]) -> None:
    runner = JobRunner(sessions, at(NOON), redact=lambda message: message.replace("hunter2", "***"))
    runner.run("crawl_pulls", "o/n", raising(TrackerError("refused hunter2")))
    assert runs_of(sessions)[0].message == "refused ***"


def test_one_line_is_logged_for_a_failure_and_a_traceback_only_for_a_surprise(
    sessions: sessionmaker[Session], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tracker.jobs")
    run_job(sessions, "crawl_commits", "o/n", lambda: {"commits_read": 3}, at(NOON))
    run_job(sessions, "crawl_commits", "o/n", raising(UpstreamUnavailable("no network")), at(NOON))
    run_job(sessions, "roll_up", "", raising(ZeroDivisionError("oops")), at(NOON))
    assert [(record.levelname, record.getMessage(), record.exc_info is not None) for record in caplog.records] == [
        ("INFO", "crawl_commits o/n: ok in 0.0 s: commits read 3", False),
        ("WARNING", "crawl_commits o/n: unavailable: no network; next try in 1 min", False),
        ("ERROR", "roll_up: failed: ZeroDivisionError: oops; next try in 1 min", True),
    ]


def test_a_database_that_cannot_be_written_fails_the_run_and_nothing_else(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path}/empty.db")
    report = JobRunner(session_factory(engine), at(NOON)).run("roll_up", "", raising(AssertionError("worked")))
    engine.dispose()
    assert report is not None
    assert (report.outcome, report.message) == ("failed", "the database refused: no such table: job_run")


def test_a_database_that_fills_the_disk_fails_the_run_in_one_line(
    sqlite_engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = session_factory(sqlite_engine)

    def work() -> Mapping[str, int | str]:
        with in_transaction(sessions) as session:
            session.execute(text("PRAGMA max_page_count = 1"))
            session.execute(text("CREATE TABLE big AS SELECT zeroblob(10000000) AS content"))
        return {}

    report = run_job(sessions, "crawl_commits", "o/n", work, at(NOON))
    assert (report.outcome, report.message) == (
        "failed",
        "the database refused: database or disk is full; make room on its disk; what was committed is kept",
    )
    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("WARNING", None)]


def test_an_end_that_the_database_could_not_take_is_recorded_with_the_next_run(sqlite_engine: Engine) -> None:
    sessions = session_factory(sqlite_engine)
    runner = JobRunner(sessions, at(NOON))

    def work() -> Mapping[str, int | str]:
        with in_transaction(sessions) as session:
            session.execute(text("CREATE TRIGGER full BEFORE UPDATE ON job_run BEGIN SELECT RAISE(ABORT, 'full'); END"))
        return {"commits": 1}

    report = runner.run("crawl_commits", "o/n", work)
    assert report is not None
    assert report.outcome == "ok"
    assert [run.outcome for run in runs_of(sessions)] == ["running"]
    with in_transaction(sessions) as session:
        session.execute(text("DROP TRIGGER full"))
    runner.run("roll_up", "", dict)
    assert [(run.job, run.outcome) for run in runs_of(sessions)] == [("roll_up", "ok"), ("crawl_commits", "ok")]


def test_a_run_still_going_elsewhere_does_not_hide_the_pause(sessions: sessionmaker[Session]) -> None:
    with in_transaction(sessions) as session:
        failed = start_run(session, "crawl_pulls", "o/n", NOON)
        end_run(session, failed, "failed", {}, "no", NOON, retry_at=NOON + MINUTE)
        start_run(session, "crawl_pulls", "o/n", NOON)
    assert JobRunner(sessions, at(NOON)).run("crawl_pulls", "o/n", dict) is None


def test_a_description_is_one_line_of_bounded_length() -> None:
    assert describe(ValueError("a\nb")) == "ValueError: a b"
    assert len(describe(ValueError("x" * 5000))) == 1000
