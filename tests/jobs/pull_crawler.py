"""A crawl of pull requests under test: a database, a stand-in GitHub, and clocks that stand still until moved."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session, sessionmaker

from db.base import session_factory
from db.dead_letters import read_dead_letters
from db.http_cache import HttpCache
from db.repositories import add_repository, read_repository
from db.tables import (
    MergeNoticeRow,
    PullFileRow,
    PullRemainderRow,
    PullRequestRow,
    RepositoryRow,
    ReviewRow,
)
from jobs.crawl_pulls import read_news
from jobs.pull_store import PullStore
from tests.pull_builders import A_TIME, pulls
from tests.standin.github import TOKEN, StandinGitHub
from tracker.settings import Secret
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import GitHubClient
from tracker.upstream import PullRequest

SLUG = "octo/engine"
MUCH_LATER = A_TIME + timedelta(days=30)
OPENING = f"GET /repos/{SLUG}/pulls?state=all&sort=updated&direction=desc&per_page=1"


@dataclass
class Crawler:
    """A repository under watch and the GitHub that has it; both clocks stand still until they are moved."""

    sessions: sessionmaker[Session]
    github: StandinGitHub
    now: datetime = MUCH_LATER
    stages: list[tuple[str, int, int | None]] = field(default_factory=list)

    def crawl(self) -> dict[str, int | str]:
        with self.sessions.begin() as session:
            store = PullStore(self.sessions, self.row(session), lambda: self.now)
        credentials = TokenCredentials(Secret(TOKEN))
        with GitHubClient(self.github.api_url, credentials, answers=HttpCache(self.sessions)) as client:
            return read_news(client, store, progress=lambda *stage: self.stages.append(stage), now=lambda: self.now)

    def row(self, session: Session) -> RepositoryRow:
        row = read_repository(session, SLUG)
        assert row is not None
        return row

    def pass_time(self, passed: timedelta) -> None:
        self.now += passed

    def stored(self) -> list[tuple[int, str, datetime]]:
        """Number, title and time of update of each stored pull request."""
        with self.sessions() as session:
            query = select(PullRequestRow.number, PullRequestRow.title, PullRequestRow.updated_at)
            return [
                (row.number, row.title, row.updated_at)
                for row in session.execute(query.order_by(PullRequestRow.number))
            ]

    def lists_of(self, number: int) -> dict[str, list[str]]:
        """What is stored of the lists of a pull request: names, ids or paths."""
        with self.sessions() as session:
            pull = session.scalars(select(PullRequestRow).where(PullRequestRow.number == number)).one()
            inside = {
                "reviews": select(ReviewRow.id).where(ReviewRow.pull_request_id == pull.id).order_by(ReviewRow.id),
                "notices": select(MergeNoticeRow.id)
                .where(MergeNoticeRow.pull_request_id == pull.id)
                .order_by(MergeNoticeRow.id),
                "files": select(PullFileRow.path)
                .where(PullFileRow.pull_request_id == pull.id)
                .order_by(PullFileRow.position),
                "remainders": select(PullRemainderRow.after).where(PullRemainderRow.pull_request_id == pull.id),
            }
            found = {name: list(session.scalars(query)) for name, query in inside.items()}
            return found | {"labels": json.loads(pull.labels), "linked_issues": json.loads(pull.linked_issues)}

    def letters(self) -> list[tuple[str, int]]:
        with self.sessions() as session:
            return [(letter.key, letter.attempts) for letter in read_dead_letters(session)]

    def update(self, number: int, at: datetime, title: str = "Updated") -> None:
        pull = self.github.pulls.get(number)
        assert pull is not None
        self.github.pulls.put(replace(pull, title=title, updated_at=at))

    def asked(self, since: int) -> list[str]:
        """The operations and paths asked for since the log had a length."""
        return [line.removeprefix("POST /graphql ") for line in self.github.log[since:]]


def described(given: Sequence[PullRequest]) -> list[tuple[int, str, datetime]]:
    return [(pull.number, pull.title, pull.updated_at) for pull in given]


@pytest.fixture
def crawler(sqlite_engine: Engine, standin: StandinGitHub) -> Crawler:
    """octo/engine with 120 pull requests, nothing of it read yet."""
    sessions = session_factory(sqlite_engine)
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_TIME)
    for pull in pulls(120):
        standin.pulls.put(pull)
    crawler = Crawler(sessions, standin)
    standin.clock = lambda: crawler.now
    return crawler
