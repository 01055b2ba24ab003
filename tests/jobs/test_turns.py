"""One job at a time reads a repository; who comes second says who is at it; who is dead is at nothing."""

import socket
import subprocess
import sys
import threading

from sqlalchemy.orm import Session, sessionmaker

from db.leases import Lease, read_command_leases, take_lease
from db.repositories import add_repository
from db.runs import end_run, read_runs, start_run
from jobs.leases import Silences, command_lease
from jobs.progress import no_progress
from jobs.runner import JobRunner
from jobs.turns import Turns, waiting
from tests.builders import A_DAY

SLUG = "o/n"


class Seconds:
    """A clock that stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def begun(sessions: sessionmaker[Session], lease: Lease, job: str = "crawl_commits") -> int:
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_DAY)
        return start_run(session, job, SLUG, A_DAY, lease)


def held_by(sessions: sessionmaker[Session], holder: str, name: str = "command x") -> Lease:
    with sessions.begin() as session:
        lease = take_lease(session, name, holder, None)
    assert lease is not None
    return lease


def rival_of(sessions: sessionmaker[Session], turns: Turns) -> str | None:
    with sessions.begin() as session:
        rival = turns.taken_by(session, SLUG, A_DAY)
    return str(rival) if rival is not None else None


def test_who_reads_a_repository_is_named_with_process_and_time(sessions: sessionmaker[Session]) -> None:
    begun(sessions, held_by(sessions, "command elsewhere 77"), "backfill")
    said = "process 77 on elsewhere, which reads it since 2020-01-06 12:00 UTC (backfill)"
    assert rival_of(sessions, Turns()) == said


def test_a_run_that_ended_and_one_of_another_kind_and_one_of_another_repository_are_nobodys_rivals(
    sessions: sessionmaker[Session],
) -> None:
    lease = held_by(sessions, "command elsewhere 77")
    ended = begun(sessions, lease)
    begun(sessions, lease, "crawl_pulls")
    with sessions.begin() as session:
        end_run(session, ended, "ok", {}, "", A_DAY)
        start_run(session, "crawl_commits", "o/other", A_DAY, lease)
    assert rival_of(sessions, Turns()) is None


def test_a_process_of_this_machine_that_is_gone_has_no_turn_and_its_run_was_killed(
    sessions: sessionmaker[Session],
) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    begun(sessions, held_by(sessions, f"command {socket.gethostname()} {process.pid}"))
    assert rival_of(sessions, Turns()) is None
    with sessions.begin() as session:
        assert [run.outcome for run in read_runs(session, 5)] == ["killed"]
        assert read_command_leases(session) == ()


def test_a_process_of_another_machine_has_its_turn_until_it_has_been_silent_for_long_enough(
    sessions: sessionmaker[Session],
) -> None:
    clock = Seconds()
    turns = Turns(Silences(clock), seconds_of_silence=30)
    begun(sessions, held_by(sessions, "folder elsewhere 77", "schedule"))
    assert rival_of(sessions, turns) is not None
    clock.now += 29
    assert rival_of(sessions, turns) is not None
    clock.now += 1
    assert rival_of(sessions, turns) is None


def test_a_scheduled_crawl_leaves_a_repository_to_whoever_is_at_it(sessions: sessionmaker[Session]) -> None:
    begun(sessions, held_by(sessions, "command elsewhere 77"))
    runner = JobRunner(sessions, lambda: A_DAY)
    assert runner.run("crawl_commits", SLUG, lambda: {"commits": 1}, alone=True) is None
    with sessions.begin() as session:
        assert [run.outcome for run in read_runs(session, 5)] == ["running"]
    # What reads something else goes its way.
    report = runner.run("crawl_pulls", SLUG, lambda: {"pulls": 1})
    assert report is not None
    assert report.outcome == "ok"


def test_a_command_waits_and_then_has_its_turn(sessions: sessionmaker[Session]) -> None:
    run = begun(sessions, held_by(sessions, "command elsewhere 77"))
    stages: list[str] = []

    def note(stage: str, done: int, total: int | None) -> None:  # noqa: ARG001 - a Progress
        stages.append(stage)
        if len(stages) == 2:
            with sessions.begin() as session:
                end_run(session, run, "ok", {}, "", A_DAY)

    report = JobRunner(sessions, lambda: A_DAY).run(
        "backfill", SLUG, lambda: {"commits": 1}, alone=True, while_taken=waiting(note, seconds=0)
    )
    assert report is not None
    assert (report.outcome, report.counts) == ("ok", {"commits": 1})
    said = "process 77 on elsewhere, which reads it since 2020-01-06 12:00 UTC (crawl commits)"
    assert stages == [f"waiting for {said}"] * 2


def test_of_many_that_begin_at_once_one_reads_at_a_time(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_DAY)
    reading, most, counted = [0], [0], threading.Lock()

    def work() -> dict[str, int | str]:
        with counted:
            reading[0] += 1
            most[0] = max(most[0], reading[0])
        threading.Event().wait(0.02)
        with counted:
            reading[0] -= 1
        return {}

    def begin() -> None:
        with command_lease(sessions) as lease:
            runner = JobRunner(sessions, lambda: A_DAY, lease=lease)
            runner.run("backfill", SLUG, work, alone=True, while_taken=waiting(no_progress, seconds=0.01))

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]
    with sessions.begin() as session:
        assert [run.outcome for run in read_runs(session, 9, job="backfill")] == ["ok"] * 4
