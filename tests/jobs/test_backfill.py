"""A backfill with worker processes ends as a crawl in one process, however often it is killed on the way."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, open_database, session_factory
from db.exports import export_rows
from db.repositories import read_repository
from db.stored_lines import read_line
from jobs import chunk_workers
from jobs import crawl_commits as crawling
from jobs.backfill import backfill
from jobs.chunk_workers import Reading, WorkerLost, judge_chunks
from jobs.processes import descendants
from jobs.progress import Stopped
from tests.histories import write_history
from tests.jobs.backfill_process import SLUG
from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings
from tracker.sources.git_mirror import open_mirror

NOW = datetime(2026, 1, 1, tzinfo=UTC)

Exported = list[tuple[object, ...]]


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


@pytest.fixture
def new_database(sqlite_template: Path, tmp_path: Path) -> Callable[[str], Path]:
    def make(name: str) -> Path:
        path = tmp_path / name / "tracker.db"
        path.parent.mkdir()
        shutil.copyfile(sqlite_template, path)
        return path

    return make


@pytest.fixture
def sessions(sqlite_engine: Engine) -> sessionmaker[Session]:
    return session_factory(sqlite_engine)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(var_folder=tmp_path / "var", mail_key=Secret("a key for tests only"))


@pytest.fixture
def reading(upstream: Repository, ruleset: Ruleset) -> Reading:
    write_history(upstream, 12)
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        line = mirror.first_parent_line("main")
    chunks = [line[start : start + 2] for start in range(0, len(line), 2)]
    return Reading(path=str(upstream.path), slug=SLUG, ruleset=ruleset, chunks=chunks)


def exported(database: Path) -> Exported:
    engine = open_database(f"sqlite:///{database}")
    with in_transaction(session_factory(engine)) as session:
        rows: Exported = [row for what in ("ledger", "verdicts", "cells") for row in export_rows(session, what, SLUG)]
    engine.dispose()
    return rows


def started(database: Path, clone: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.jobs.backfill_process", str(database), str(clone)]
    return subprocess.Popen(command, cwd=Path(__file__).parents[2])


def workers_below(pid: int) -> tuple[int, ...]:
    """Return the workers of a process and their git; Python's own tracker of resources stays as long as the process."""
    found = []
    for each in descendants(pid):
        with suppress(OSError):
            if "resource_tracker" not in Path(f"/proc/{each}/cmdline").read_text(errors="replace"):
                found.append(each)
    return tuple(found)


def wait_until_gone(pids: tuple[int, ...], seconds: float = 20) -> tuple[int, ...]:
    """Wait for processes that are not our children to end; return those that have not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pids = tuple(pid for pid in pids if Path(f"/proc/{pid}").exists())
        if not pids:
            break
        time.sleep(0.05)
    return pids


@pytest.fixture(scope="module")
def no_children_left() -> Iterator[None]:
    yield
    assert wait_until_gone(workers_below(os.getpid()), 5) == ()


class TestBackfill:
    def test_the_repository_is_put_under_watch_with_its_clone(
        self, upstream: Repository, sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset
    ) -> None:
        shas = write_history(upstream, 3)
        counts = backfill(sessions, SLUG, settings, ruleset, mirror=str(upstream.path), workers=1)
        assert (counts["commits"], set(counts) > {"seconds", "commits per second"}) == (3, True)
        assert counts["peak memory of the largest process in MB"] != 0
        with in_transaction(sessions) as session:
            repository = read_repository(session, SLUG)
            assert repository is not None
            assert (repository.mirror, repository.ref) == (str(upstream.path), None)
            assert [commit.sha for commit in read_line(session, repository.id)] == shas
        assert backfill(sessions, SLUG, settings, ruleset, workers=1)["commits"] == 0

    def test_the_revision_to_end_with_is_followed_from_then_on_and_an_expression_is_kept_as_its_commit(
        self, upstream: Repository, sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset
    ) -> None:
        write_history(upstream, 3)
        upstream.set_branch("development", upstream.tip() or "")
        upstream.switch("development")
        write_history(upstream, 2, start=3)
        backfill(sessions, SLUG, settings, ruleset, mirror=str(upstream.path), until="main~1", workers=1)
        with in_transaction(sessions) as session:
            repository = read_repository(session, SLUG)
            assert repository is not None
            assert repository.ref == upstream.git("rev-parse", "main~1").strip()
        backfill(sessions, SLUG, settings, ruleset, until="development", workers=1)
        with in_transaction(sessions) as session:
            repository = read_repository(session, SLUG)
            assert repository is not None
            assert repository.ref == "development"
        assert backfill(sessions, SLUG, settings, ruleset, workers=1)["commits"] == 0

    def test_a_stop_in_the_middle_keeps_what_is_stored(
        self,
        upstream: Repository,
        sessions: sessionmaker[Session],
        settings: Settings,
        ruleset: Ruleset,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        write_history(upstream, 8)
        monkeypatch.setattr(crawling, "CHUNK", 3)

        def stop(stage: str, done: int, total: int | None) -> None:
            if (stage, done, total) == ("reading commits", 6, 8):
                raise Stopped("the service is stopping")

        with pytest.raises(Stopped):
            backfill(sessions, SLUG, settings, ruleset, mirror=str(upstream.path), workers=1, progress=stop)
        assert backfill(sessions, SLUG, settings, ruleset, workers=1)["commits"] == 2


@pytest.mark.slow
@pytest.mark.usefixtures("no_children_left")
class TestWorkers:
    def test_several_yield_what_one_does_in_the_same_order(self, reading: Reading) -> None:
        assert list(judge_chunks(reading, workers=3)) == list(judge_chunks(reading, workers=1))

    def test_whoever_stops_listening_ends_them(self, reading: Reading) -> None:
        results = judge_chunks(reading, workers=2)
        first = next(results)
        assert [judged.commit.sha for judged in first] == [sha for sha, _ in reading.chunks[0]]
        pids = workers_below(os.getpid())
        assert len(pids) > 2
        results.close()  # type: ignore[attr-defined]
        assert wait_until_gone(pids) == ()

    def test_an_error_in_one_is_the_error_of_all(self, reading: Reading, upstream: Repository) -> None:
        sha = reading.chunks[3][0][0]
        upstream.remove_object(upstream.tree_of(sha))
        results = judge_chunks(reading, workers=2)
        with pytest.raises(RepositoryError, match=sha):
            list(results)

    def test_one_that_is_killed_is_missed(self, reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(chunk_workers, "_GIVEN_TO_ONE", 1)
        results = judge_chunks(reading, workers=2)
        next(results)
        for pid in descendants(os.getpid()):
            if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)
        with pytest.raises(WorkerLost, match="killed"):
            list(results)


ENDLESS = """
import sys, time
from jobs import chunk_workers

class Walker:
    def __init__(self, *_, **__): pass
    def walk(self, chunk):
        print("at work", flush=True)
        time.sleep(600)

chunk_workers.Walker = Walker
"""
"""A worker whose chunk takes ten minutes; its parent is killed meanwhile."""
PARENT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import endless
from jobs.chunk_workers import Reading, judge_chunks
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset

if __name__ == "__main__":
    chunks = [[("0" * 40, None)]] * 4
    reading = Reading(path=sys.argv[2], slug="o/n", ruleset=load_ruleset(read_rules()), chunks=chunks)
    list(judge_chunks(reading, workers=2))
"""


@pytest.mark.slow
def test_a_parent_that_is_killed_takes_workers_with_it_that_are_in_the_middle_of_a_chunk(
    tmp_path: Path, upstream: Repository
) -> None:
    upstream.commit({"a.py": "x = 1\n"})
    (tmp_path / "endless.py").write_text(ENDLESS)
    (tmp_path / "parent.py").write_text(PARENT)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "parent.py"), str(tmp_path), str(upstream.path)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["at work\n"] * 2
    below = descendants(process.pid)
    assert len(below) >= 2
    process.kill()
    process.wait()
    process.stdout.close()
    assert wait_until_gone(below) == ()


@pytest.mark.slow
class TestKills:
    def test_killed_at_any_instant_and_run_again_the_record_ends_the_same(
        self, upstream: Repository, new_database: Callable[[str], Path]
    ) -> None:
        write_history(upstream, 300)
        undisturbed, disturbed = new_database("undisturbed"), new_database("disturbed")
        began = time.monotonic()
        assert started(undisturbed, upstream.path).wait() == 0
        whole = time.monotonic() - began
        instants = random.Random(20261201)  # noqa: S311 - instants, no secrets
        kills = 0
        for _ in range(12):
            process = started(disturbed, upstream.path)
            try:
                # Shares of an undisturbed run, on any machine: from before anything is stored to nearly the end.
                process.wait(timeout=whole * instants.uniform(0.05, 0.95))
            except subprocess.TimeoutExpired:
                below = descendants(process.pid)
                process.kill()
                process.wait()
                kills += 1
                assert wait_until_gone(below) == ()
        assert started(disturbed, upstream.path).wait() == 0
        assert kills > 0
        assert exported(disturbed) == exported(undisturbed)
        assert len(exported(undisturbed)) > 1000
