"""A process that crawls pull requests in children of its own, each of which may be killed at any instant.

`python -m tests.jobs.crawl_process` reads one line for each crawl, `DATABASE URL NOW`, and writes two: the child's
process id, and how it ended (`0`, `1` for an error of upstream's, or minus the signal). One thread: it may fork.
"""

import logging
import os
import sys
from datetime import datetime

import stamina
from sqlalchemy.orm import Session, sessionmaker

from db.base import open_database, session_factory
from db.http_cache import HttpCache
from db.repositories import read_repository
from jobs.crawl_pulls import read_news
from jobs.pull_store import PullStore
from tests.jobs.pull_crawler import SLUG
from tests.standin.github import TOKEN
from tracker.errors import UpstreamError
from tracker.settings import Secret
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import GitHubClient


def main() -> None:
    """Serve until standard input ends."""
    logging.disable(logging.WARNING)  # that something is tried again is what is tested
    for line in sys.stdin:
        database, url, now = line.split()
        child = os.fork()
        if child == 0:
            os._exit(_crawl(database, url, datetime.fromisoformat(now)))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _crawl(database: str, url: str, now: datetime) -> int:
    engine = open_database(database)
    try:
        with stamina.set_testing(True, attempts=4, cap=True):
            _read_news(session_factory(engine), url, now)
    except UpstreamError:
        return 1
    finally:
        engine.dispose()
    return 0


def _read_news(sessions: sessionmaker[Session], url: str, now: datetime) -> None:
    with sessions.begin() as session:
        row = read_repository(session, SLUG)
        assert row is not None
        store = PullStore(sessions, row, lambda: now)
    credentials = TokenCredentials(Secret(TOKEN))
    with GitHubClient(url, credentials, answers=HttpCache(sessions)) as client:
        read_news(client, store, now=lambda: now)


if __name__ == "__main__":
    main()
