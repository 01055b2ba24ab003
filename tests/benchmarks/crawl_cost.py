"""What a thousand pull requests cost, beside what other crawlers spend: `python -m tests.benchmarks.crawl_cost`.

Ours is measured: the stand-in executes each query on GitHub's schema and prices it by the documented formula, from the
document itself. The others' figures are requests counted in their sources in 2026, for pull requests with their reviews
and commits or files, where they read these; REST requests and GraphQL points are budgets of 5,000 an hour each.
"""

import sys
import tempfile
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from db import schema
from db.base import open_database, session_factory
from db.repositories import add_repository
from tests.jobs.pull_crawler import MUCH_LATER, SLUG, Crawler
from tests.pull_builders import A_TIME, a_notice, a_pull, a_review
from tests.repositories import Repository
from tests.standin.github import StandinGitHub
from tracker.upstream import PullFile, PullRequest

PULLS = 1_000
OTHERS = (
    ("github-to-sqlite: list only", 10, 0),
    ("dlt github: list only", 0, 20),
    ("Airbyte source-github", 1_010, 200),
    ("MeltanoLabs tap-github", 3_010, 0),
    ("Perceval pull_request", 4_500, 0),
)
"""Name, REST requests, GraphQL points for 1,000 pull requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one crawl used."""

    requests: int
    rest: int
    """REST requests that count."""
    points: int


def measure(folder: Path) -> tuple[Spent, Spent, Spent]:
    """Return what the backfill of `PULLS` costs, an increment with 50 news, and an idle one."""
    repository = Repository(folder / "engine.git")
    repository.commit({"engine.py": "import torch\n"})
    engine = open_database(f"sqlite:///{folder / 'tracker.db'}")
    schema.upgrade(engine)
    sessions = session_factory(engine)
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_TIME)
    try:
        with StandinGitHub(repository.path, SLUG, map(_pull, range(1, PULLS + 1))) as github:
            crawler = Crawler(sessions, github, now=MUCH_LATER)
            github.clock = lambda: crawler.now
            backfill = _spent(crawler)
            crawler.pass_time(timedelta(minutes=15))
            for number in range(1, 51):
                crawler.update(number, crawler.now)
            increment = _spent(crawler)
            for _ in range(2):  # until no update can appear late any more
                crawler.pass_time(timedelta(minutes=15))
                idle = _spent(crawler)
            return backfill, increment, idle
    finally:
        engine.dispose()


def _pull(number: int) -> PullRequest:
    """One in thirty has a list that goes on behind its first 100 items; half were begun to be merged by a bot."""
    long = number % 30 == 0
    reviews = tuple(a_review(f"PRR_{number}_{n}") for n in range(130 if long else 3))
    files = tuple(PullFile(path=f"f{n}.py", change="ADDED", additions=1, deletions=0) for n in range(4))
    notices = (a_notice(f"IC_{number}"),) if number % 2 else ()
    return replace(a_pull(number, reviews=reviews), files=files, notices=notices)


def _spent(crawler: Crawler) -> Spent:
    counts = crawler.crawl()
    rest = crawler.github.requests("^GET")
    crawler.github.log.clear()
    return Spent(requests=int(counts["requests"]), rest=len(rest) - int(counts["free"]), points=int(counts["points"]))


def render() -> str:
    """Return the table."""
    with tempfile.TemporaryDirectory() as folder:
        backfill, increment, idle = measure(Path(folder))
    rows = [(f"this product, {PULLS} pull requests", backfill.rest, backfill.points)]
    rows += [(f"{name}, {PULLS} pull requests", rest, points) for name, rest, points in OTHERS]
    rows += [("this product, increment with 50 news", increment.rest, increment.points)]
    rows += [(f"this product, idle increment ({idle.requests} request)", idle.rest, idle.points)]
    lines = [f"{'crawler':56} {'REST requests':>14} {'points':>7}"]
    return "\n".join(lines + [f"{name:56} {rest:14,} {points:7,}" for name, rest, points in rows])


if __name__ == "__main__":
    sys.stdout.write(render() + "\n")
