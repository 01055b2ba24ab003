"""Crawls under every fault of GitHub's, killed at any call, end like one that nothing befell."""

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from db.base import open_database, session_factory
from db.exports import Export, export_rows
from db.repositories import add_repository
from db.tables import MergeNoticeRow, PullFileRow, PullRemainderRow, PullRequestRow, ReviewRow
from tests.jobs.pull_crawler import MUCH_LATER, SLUG
from tests.jobs.test_crawl_pulls_histories import FAULTS
from tests.pull_builders import A_TIME, a_notice, a_person, a_pull, a_review
from tests.standin.faults import FaultScript
from tests.standin.github import StandinGitHub
from tracker.upstream import PullFile, PullRequest

RUNS = int(os.environ.get("TRACKER_TEST_KILLED_CRAWLS", "40"))
"""Histories of faults and kills; two hundred before a release."""
PULLS = 24
MOST_TROUBLE = 12
"""Crawls that are hit or killed before GitHub is well again."""


@dataclass
class Forker:
    """The process that crawls in children."""

    process: "subprocess.Popen[str]"
    child: int = 0

    def crawl(self, database: str, url: str, now: datetime) -> int:
        """Crawl once and return how it ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{database} {url} {now.isoformat()}\n")
        self.process.stdin.flush()
        self.child = int(self.process.stdout.readline())
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def forker() -> Iterator[Forker]:
    command = [sys.executable, "-m", "tests.jobs.crawl_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Forker(process)
        assert process.stdin is not None
        process.stdin.close()


def a_world() -> list[PullRequest]:
    """Pull requests of which some have lists that GitHub does not give at once."""
    people = [a_person(f"reviewer-{number}", id=1000 + number) for number in range(7)]
    pulls = []
    for number in range(1, PULLS + 1):
        count = 120 if number % 12 == 0 else number % 4
        reviews = [a_review(f"PRR_{number}_{n:03}", author=people[n % 7]) for n in range(count)]
        files = [PullFile(path=f"{n}.py", change="MODIFIED", additions=n, deletions=1) for n in range(number % 5)]
        notices = [a_notice(f"IC_{number}")] if number % 3 else []
        pull = a_pull(number, author=people[number % 7], labels=("Merged",) * (number % 2), reviews=reviews)
        pulls.append(replace(pull, files=tuple(files), notices=tuple(notices)))
    return pulls


@contextmanager
def watched(template: Path, folder: Path, name: str) -> Iterator[str]:
    path = folder / f"{name}.db"
    shutil.copyfile(template, path)
    url = f"sqlite:///{path}"
    engine = open_database(url)
    with session_factory(engine).begin() as session:
        add_repository(session, SLUG, now=A_TIME)
    engine.dispose()
    yield url
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def exported(url: str) -> list[object]:
    engine = open_database(url, read_only=True)
    with session_factory(engine)() as session:
        rows: list[object] = list(export_rows(session, Export.PULLS, None))
        numbers = dict(session.execute(select(PullRequestRow.id, PullRequestRow.number)).all())
        reviews = session.scalars(select(ReviewRow).order_by(ReviewRow.id))
        rows += [(numbers[one.pull_request_id], one.id, one.state, one.submitted_at) for one in reviews]
        notices = session.scalars(select(MergeNoticeRow).order_by(MergeNoticeRow.id))
        rows += [(numbers[one.pull_request_id], one.id, one.kind) for one in notices]
        files = session.scalars(select(PullFileRow))
        rows.append(sorted((numbers[file.pull_request_id], file.position, file.path) for file in files))
        rows.append(list(session.scalars(select(PullRemainderRow.after))))
    engine.dispose()
    return rows


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_the_end_is_that_of_a_quiet_crawl(forker: Forker, sqlite_template: Path, git_dir: Path, tmp_path: Path) -> None:
    kills = 0
    with StandinGitHub(git_dir, SLUG, a_world()) as github:
        github.clock = lambda: MUCH_LATER
        github.too_heavy_from = 12
        with watched(sqlite_template, tmp_path, "quiet") as quiet:
            assert forker.crawl(quiet, github.api_url, MUCH_LATER) == 0
            expected = exported(quiet)
        for seed in range(RUNS):
            github.used.clear()  # the clock stands still: all runs would spend the budget of one hour
            with watched(sqlite_template, tmp_path, f"run{seed}") as url:
                kills += trouble(forker, github, url, random.Random(seed))  # noqa: S311 - a schedule
                for hours in (1, 60):  # dead letters are tried again after a day
                    assert forker.crawl(url, github.api_url, MUCH_LATER + timedelta(hours=hours)) == 0
                assert exported(url) == expected, f"seed {seed}"
    assert kills * 2 > RUNS


def trouble(forker: Forker, github: StandinGitHub, url: str, chance: random.Random) -> int:
    """Crawl under faults, some crawls killed at a call of theirs, until one ends well; return how many were killed."""
    kills = 0
    for attempt in range(MOST_TROUBLE):
        github.faults = FaultScript(chance=0.25, kinds=tuple(FAULTS), seed=chance.randrange(2**31))
        calls = iter(range(10_000))
        deadly = chance.randrange(1, 16) if chance.random() < 0.7 else -1

        def before(_description: str, calls: Iterator[int] = calls, deadly: int = deadly) -> None:
            if next(calls) == deadly:
                os.kill(forker.child, signal.SIGKILL)

        github.before_answer = before
        ended = forker.crawl(url, github.api_url, MUCH_LATER + timedelta(minutes=attempt))
        kills += ended == -signal.SIGKILL
        if ended == 0:
            break
    github.faults, github.before_answer = FaultScript(), lambda _description: None
    return kills
