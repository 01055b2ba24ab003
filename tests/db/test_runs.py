from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.repositories import remove_repository
from db.runs import Freshness, JobRun, close_orphans, end_run, prune_runs, read_freshness, read_runs, start_run
from tests.builders import A_DAY, a_judged_commit
from tests.stored import SLUG, a_repository, append

MINUTE = timedelta(minutes=1)


def a_run(session: Session, outcome: str, *, minute: int, job: str = "crawl_commits", repository: str = SLUG) -> int:
    """A run that began at a minute and ended half a minute later."""
    began = A_DAY + minute * MINUTE
    run = start_run(session, job, repository, began)
    if outcome != "running":
        message = "" if outcome == "ok" else f"it {outcome}"
        end_run(session, run, outcome, {"commits": minute}, message, began + MINUTE / 2)
    return run


def freshness(session: Session, job: str = "crawl_commits", repository: str = SLUG) -> Freshness:
    (found,) = [fresh for fresh in read_freshness(session) if (fresh.job, fresh.repository) == (job, repository)]
    return found


def test_a_run_is_recorded_from_its_start(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        run = start_run(session, "audit", SLUG, A_DAY)
        assert read_runs(session, 10) == (
            JobRun(
                id=run,
                job="audit",
                repository=SLUG,
                started_at=A_DAY,
                ended_at=None,
                outcome="running",
                counts={},
                message="",
                retry_at=None,
            ),
        )


def test_the_end_of_a_run_says_what_was_done_or_what_went_wrong(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        run = start_run(session, "crawl_pulls", SLUG, A_DAY)
        counts: dict[str, int | str] = {"pulls": 3, "branch": "größer"}
        end_run(
            session, run, "rate_limited", counts, "spent\0 until noon", A_DAY + MINUTE, retry_at=A_DAY + 60 * MINUTE
        )
        (found,) = read_runs(session, 10)
    assert found.outcome == "rate_limited"
    assert found.ended_at == A_DAY + MINUTE
    assert found.counts == counts
    assert found.message == "spent� until noon"
    assert found.retry_at == A_DAY + 60 * MINUTE


def test_runs_come_newest_first_of_one_job_or_repository_or_all(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        first = a_run(session, "ok", minute=1)
        second = a_run(session, "ok", minute=2, job="audit")
        third = a_run(session, "ok", minute=2, repository="a/b")
        assert [run.id for run in read_runs(session, 10)] == [third, second, first]
        assert [run.id for run in read_runs(session, 2)] == [third, second]
        assert [run.id for run in read_runs(session, 10, job="crawl_commits")] == [third, first]
        assert [run.id for run in read_runs(session, 10, job="crawl_commits", repository=SLUG)] == [first]


def test_runs_that_a_killed_process_left_are_marked_and_no_other(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_run(session, "ok", minute=1)
        orphan = a_run(session, "running", minute=2)
        assert close_orphans(session, A_DAY + 5 * MINUTE) == 1
        assert close_orphans(session, A_DAY + 6 * MINUTE) == 0
        killed, fine = read_runs(session, 10)
    assert (killed.id, killed.outcome, killed.ended_at) == (orphan, "killed", A_DAY + 5 * MINUTE)
    assert "the process ended before the job did" in killed.message
    assert fine.outcome == "ok"


def test_old_runs_are_forgotten_once_a_later_one_of_the_same_job_went_well(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        for minute, outcome in enumerate(("ok", "failed", "ok", "failed", "failed")):
            a_run(session, outcome, minute=minute)
        only = a_run(session, "failed", minute=0, job="audit")
        before = freshness(session)
        assert prune_runs(session, A_DAY + 60 * MINUTE) == 2
        assert freshness(session) == before
        assert [run.started_at for run in read_runs(session, 9, job="crawl_commits")] == [
            A_DAY + minute * MINUTE for minute in (4, 3, 2)
        ]
        assert [run.id for run in read_runs(session, 9, job="audit")] == [only]


def test_runs_of_late_are_kept(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        for minute in range(3):
            a_run(session, "ok", minute=minute)
        assert prune_runs(session, A_DAY + MINUTE) == 1
        assert len(read_runs(session, 9)) == 2


def test_a_crawl_that_never_ran_is_known_to_be_missing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        assert read_freshness(session) == tuple(
            Freshness(
                repository=SLUG,
                job=job,
                last_attempt_at=None,
                last_success_at=None,
                outcome=None,
                message="",
                consecutive_failures=0,
                retry_at=None,
                data_through=None,
                commits_behind=None,
            )
            for job in ("crawl_commits", "crawl_pulls")
        )


def test_freshness_tells_the_last_success_and_the_failures_since(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", at=A_DAY - MINUTE)])
        for minute, outcome in enumerate(("failed", "ok", "ok", "unavailable", "killed", "failed", "running"), 1):
            a_run(session, outcome, minute=minute)
        assert freshness(session) == Freshness(
            repository=SLUG,
            job="crawl_commits",
            last_attempt_at=A_DAY + 7 * MINUTE,
            last_success_at=A_DAY + 3 * MINUTE + MINUTE / 2,
            outcome="running",
            message="",
            consecutive_failures=3,
            retry_at=None,
            data_through=A_DAY - MINUTE,
        )


def test_a_job_that_only_ever_failed_counts_every_failure(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        a_run(session, "failed", minute=1)
        a_run(session, "failed", minute=2)
        found = freshness(session)
    assert (found.last_success_at, found.consecutive_failures, found.message) == (None, 2, "it failed")


def test_one_job_or_repository_does_not_speak_for_another(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        a_repository(session, "a/b")
        a_run(session, "failed", minute=1)
        a_run(session, "ok", minute=2, job="crawl_pulls")
        a_run(session, "ok", minute=3, repository="a/b")
        assert freshness(session).consecutive_failures == 1
        assert freshness(session, job="crawl_pulls").outcome == "ok"
        assert freshness(session, repository="a/b").outcome == "ok"


def test_jobs_over_all_repositories_are_shown_and_those_of_removed_ones_not(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        a_run(session, "ok", minute=1, job="evaluate_alerts", repository="")
        a_run(session, "failed", minute=1, repository=SLUG)
        remove_repository(session, SLUG, A_DAY)
        assert [(fresh.repository, fresh.job) for fresh in read_freshness(session)] == [("", "evaluate_alerts")]


def test_data_reaches_to_the_last_commit_of_the_line_whatever_dates_came_before(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        batch = [a_judged_commit("late", at=A_DAY + timedelta(days=30)), a_judged_commit("last")]
        append(session, a_repository(session), batch)
        assert freshness(session).data_through == A_DAY
