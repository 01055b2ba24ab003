"""A whole crawl of a real clone's pull requests: `python -m tests.benchmarks.crawl_clone PATH`.

The stand-in serves the clone's refs/pull/N/head as GitHub would; they are crawled into an SQLite database, and then in
increments. What is stored is compared with what git itself says, and requests, points and time are printed.
"""

import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from sqlalchemy import func, select

from db import schema
from db.base import open_database, session_factory
from db.repositories import add_repository
from db.tables import PullFileRow, PullRequestRow
from tests.jobs.pull_crawler import SLUG, Crawler
from tests.pull_builders import A_TIME
from tests.standin.git_pulls import pulls_of
from tests.standin.github import StandinGitHub

INCREMENTS = 4


def crawl_clone(git_dir: Path, folder: Path) -> list[str]:
    """Return what to print, a line each."""
    engine = open_database(f"sqlite:///{folder / 'tracker.db'}")
    schema.upgrade(engine)
    sessions = session_factory(engine)
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_TIME)
    began = time.monotonic()
    given = list(pulls_of(git_dir))
    lines = [f"{len(given):,} pull requests described by git in {time.monotonic() - began:.0f} s"]
    try:
        with StandinGitHub(git_dir, SLUG, given) as github:
            latest = max(pull.updated_at for pull in given)
            crawler = Crawler(sessions, github, now=latest + timedelta(days=1))
            github.clock = lambda: crawler.now
            lines.append(_timed("full crawl", crawler))
            for index in range(INCREMENTS):
                crawler.pass_time(timedelta(minutes=15))
                for number in [pull.number for pull in given[index::97]] if index < INCREMENTS - 2 else []:
                    crawler.update(number, crawler.now)
                lines.append(_timed(f"increment {index + 1}", crawler))
            lines += _compared(crawler, git_dir)
    finally:
        engine.dispose()
    return lines


def _timed(name: str, crawler: Crawler) -> str:
    began = time.monotonic()
    counts = crawler.crawl()
    used = ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in counts.items() if isinstance(value, int))
    return f"{name}: {time.monotonic() - began:.1f} s; {used}"


def _compared(crawler: Crawler, git_dir: Path) -> list[str]:
    command = ["git", "-C", str(git_dir), "for-each-ref", "--format=%(refname) %(objectname)", "refs/pull/*/head"]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    of_git = {int(name.split("/")[2]): sha for name, sha in zip(shown[::2], shown[1::2], strict=True)}
    with crawler.sessions() as session:
        stored = dict(session.execute(select(PullRequestRow.number, PullRequestRow.head_sha)).all())
        files = session.scalar(select(func.count()).select_from(PullFileRow))
    described = sum(len(pull.files) for pull in crawler.github.pulls.all())
    return [
        f"pull refs in git {len(of_git):,}, stored {len(stored):,}, with the same head {of_git == stored}",
        f"files by git diff {described:,}, stored {files:,}",
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.stdout.write("\n".join(crawl_clone(Path(sys.argv[1]), Path(scratch))) + "\n")
