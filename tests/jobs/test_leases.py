"""Silence is counted in one's own seconds, and a command's runs are alive while its lease is."""

import socket
import subprocess
import sys

from sqlalchemy.orm import Session, sessionmaker

from db.leases import Lease, StoredLease, read_command_leases, read_lease, take_lease
from db.runs import close_orphans, read_runs, start_run
from jobs.leases import Silences, command_lease, holder_of, still_held
from tests.builders import A_DAY


def a_lease(beat: int = 1, *, name: str = "schedule", fence: int = 1) -> StoredLease:
    return StoredLease(name=name, fence=fence, holder="one", beat=beat, taken_at=A_DAY, beaten_at=A_DAY)


class Seconds:
    """A clock that stands until it is told to go on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_lease_seen_for_the_first_time_is_not_silent() -> None:
    assert Silences(Seconds()).seconds(a_lease()) == 0


def test_silence_lasts_since_the_beat_that_was_last_seen_to_move() -> None:
    clock = Seconds()
    silences = Silences(clock)
    silences.seconds(a_lease(1))
    clock.now += 20
    assert silences.seconds(a_lease(1)) == 20
    assert silences.seconds(a_lease(2)) == 0
    clock.now += 5
    assert silences.seconds(a_lease(2)) == 5


def test_a_new_holder_is_not_silent() -> None:
    clock = Seconds()
    silences = Silences(clock)
    silences.seconds(a_lease(4))
    clock.now += 60
    assert silences.seconds(a_lease(4, fence=2)) == 0


def test_a_look_that_failed_begins_the_count_anew() -> None:
    clock = Seconds()
    silences = Silences(clock)
    silences.seconds(a_lease())
    clock.now += 3600
    silences.forget()
    assert silences.seconds(a_lease()) == 0


def test_leases_are_counted_apart() -> None:
    clock = Seconds()
    silences = Silences(clock)
    silences.seconds(a_lease(name="a"))
    silences.seconds(a_lease(name="b"))
    clock.now += 7
    silences.forget("a")
    assert (silences.seconds(a_lease(name="a")), silences.seconds(a_lease(name="b"))) == (0, 7)


def test_a_holder_is_named_by_its_folder_first() -> None:
    assert holder_of("f1").startswith("f1 ")


def test_the_next_command_closes_the_runs_of_one_that_was_killed_on_this_machine_and_of_no_other(
    sessions: sessionmaker[Session],
) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with sessions.begin() as session:
        for number, holder in enumerate((f"command {socket.gethostname()} {process.pid}", "command elsewhere 77", "")):
            lease = take_lease(session, f"command {number}", holder, None)
            start_run(session, f"job {number}", "o/n", A_DAY, lease)
    with command_lease(sessions), sessions.begin() as session:
        runs = {run.job: run.outcome for run in read_runs(session, 5)}
    assert runs == {"job 0": "killed", "job 1": "running", "job 2": "killed"}


def test_the_runs_of_a_command_are_alive_while_it_lives_and_orphans_after(sessions: sessionmaker[Session]) -> None:
    with command_lease(sessions, seconds=0.01) as lease:
        with sessions.begin() as session:
            start_run(session, "backfill", "o/n", A_DAY, lease)
        with sessions.begin() as session:
            assert close_orphans(session, A_DAY) == 0
            assert [one.name for one in read_command_leases(session)] == [lease.name]
    with sessions.begin() as session:
        assert read_command_leases(session) == ()
        assert close_orphans(session, A_DAY) == 1
        assert [run.outcome for run in read_runs(session, 5)] == ["killed"]


def test_the_runs_of_a_scheduler_that_was_replaced_are_orphans_and_those_of_its_successor_are_not(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        first = take_lease(session, "schedule", "one", None)
        start_run(session, "crawl_commits", "o/n", A_DAY, first)
        second = take_lease(session, "schedule", "two", read_lease(session, "schedule"))
        start_run(session, "crawl_commits", "o/n", A_DAY, second)
        start_run(session, "crawl_pulls", "o/n", A_DAY)
    with sessions.begin() as session:
        assert close_orphans(session, A_DAY) == 2
        assert [(run.job, run.outcome) for run in read_runs(session, 5)] == [
            ("crawl_pulls", "killed"),
            ("crawl_commits", "running"),
            ("crawl_commits", "killed"),
        ]


def test_a_lease_that_nobody_holds_is_not_held(sessions: sessionmaker[Session]) -> None:
    assert still_held(sessions, Lease(name="schedule", fence=1, holder="one")) is False
