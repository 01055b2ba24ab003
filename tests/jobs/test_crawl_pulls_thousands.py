"""Thousands of pull requests, updated, created and killed for between any two pages: the end is that of a quiet crawl.

The histories of a few pull requests stand in `test_crawl_pulls_histories`; here are the sizes at which pages, floods of
one second and overlaps are what they are in life.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, event

from db.base import open_database, session_factory
from db.exports import Export, export_rows
from db.repositories import add_repository
from jobs.demo_upstream import DemoGitHub
from tests.jobs.pull_crawler import SLUG, Crawler
from tests.jobs.test_crawl_pulls_histories import Killed
from tests.pull_builders import A_TIME, a_pull
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import StandinGitHub
from tracker.errors import UpstreamError
from tracker.upstream import PullRequest

PULLS = 2_000


class QuickGitHub(StandinGitHub):
    """The stand-in without the schema: here its answers' values count, and there are many of them."""

    def graphql(self, question: dict[str, Any]) -> tuple[int, object]:
        return DemoGitHub.graphql(self, question)


@dataclass(frozen=True)
class Flood:
    """Many are updated, all in one second or one in each second."""

    first: int
    count: int
    step: int
    same_second: bool
    late_minutes: int
    """How long ago it happened, on a server that shows it only now."""


@dataclass(frozen=True)
class Births:
    count: int


@dataclass(frozen=True)
class Skew:
    """The server's clock is a day off for an answer."""

    ahead: bool


@dataclass(frozen=True)
class Death:
    """At the commit that comes next."""


@dataclass(frozen=True)
class Failure:
    kind: FaultKind


Happening = Flood | Births | Skew | Death | Failure
FLOODS = st.builds(
    Flood,
    st.integers(1, PULLS),
    st.integers(1, 250),
    st.sampled_from((1, 7, 31)),
    st.booleans(),
    st.sampled_from((0, 0, 0, 3, 9)),
)
HAPPENINGS = st.one_of(
    FLOODS,
    FLOODS,
    st.builds(Births, st.integers(1, 40)),
    st.builds(Skew, st.booleans()),
    st.builds(Death),
    st.builds(
        Failure,
        st.sampled_from((FaultKind.RATE_LIMITED, FaultKind.RESOURCE_LIMITS, FaultKind.NULL_NODES, FaultKind.RESET)),
    ),
)


class World:
    """To which a history happens: something before every few questions."""

    def __init__(self, crawler: Crawler, engine: Engine, history: Sequence[Happening], every: int) -> None:
        self.crawler = crawler
        self.github = crawler.github
        self.history = list(history)
        self.every = every
        self.calls = 0
        self.dies = False
        self.github.before_answer = self._before
        event.listen(engine, "commit", self._commit)

    def run(self) -> None:
        """Crawl until the history has happened, and then until everything is at rest."""
        while self.history or self.dies:
            try:
                self.crawler.crawl()
                self.dies = False
                self.calls += self.every  # nothing may be asked any more: time goes on all the same
            except (UpstreamError, Killed):
                pass
            self.crawler.pass_time(timedelta(minutes=15))
        self.github.before_answer = lambda _description: None
        self.github.faults = FaultScript()
        for passed in (timedelta(minutes=15), timedelta(days=2)):
            self.crawler.pass_time(passed)
            self.crawler.crawl()

    def _before(self, description: str) -> None:
        self.github.faults = FaultScript()
        self.calls += 1
        if self.history and self.calls >= self.every:
            self.calls = 0
            self._happen(self.history.pop(0), graphql="graphql" in description)

    def _happen(self, what: Happening, *, graphql: bool) -> None:
        match what:
            case Flood():
                self._flood(what)
            case Births(count=count):
                born = len(self.github.pulls.all())
                self.crawler.pass_time(timedelta(seconds=1))
                for number in range(born + 1, born + count + 1):
                    self.github.pulls.put(a_pull(number, created_at=self.crawler.now))
            case Skew(ahead=ahead):
                kind = FaultKind.CLOCK_AHEAD if ahead else FaultKind.CLOCK_BEHIND
                self.github.faults = FaultScript(faults=(Fault(kind=kind),))
            case Death():
                self.dies = True
            case Failure(kind=kind) if graphql or kind is FaultKind.RESET:
                self.github.faults = FaultScript(faults=(Fault(kind=kind),))
            case _:
                pass

    def _flood(self, flood: Flood) -> None:
        total = len(self.github.pulls.all())
        for index in range(flood.count):
            if not flood.same_second:
                self.crawler.pass_time(timedelta(seconds=1))
            number = (flood.first + index * flood.step - 1) % total + 1
            pull = self.github.pulls.get(number)
            assert pull is not None
            at = max(pull.updated_at, self.crawler.now - timedelta(minutes=flood.late_minutes))
            self.github.pulls.put(replace(pull, title=f"{pull.title[:60]}'", updated_at=at))

    def _commit(self, _connection: Connection) -> None:
        if self.dies:
            self.dies = False
            raise Killed


@contextmanager
def a_world(
    template: Path, git_dir: Path, given: Sequence[PullRequest], history: Sequence[Happening], every: int = 1
) -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder, QuickGitHub(git_dir, SLUG, given) as github:
        path = Path(folder) / "tracker.db"
        shutil.copyfile(template, path)
        engine = open_database(f"sqlite:///{path}")
        sessions = session_factory(engine)
        with sessions.begin() as session:
            add_repository(session, SLUG, now=A_TIME)
        crawler = Crawler(sessions, github)
        github.clock = lambda: crawler.now
        try:
            yield World(crawler, engine, history, every)
        finally:
            engine.dispose()


def exported(crawler: Crawler) -> list[object]:
    with crawler.sessions() as session:
        return list(export_rows(session, Export.PULLS, None))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.usefixtures("quick_retries")
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(history=st.lists(HAPPENINGS, min_size=15, max_size=60), every=st.integers(1, 7))
def test_thousands_that_are_updated_between_pages_end_in_the_rows_of_a_quiet_crawl(
    history: list[Happening], every: int, sqlite_template: Path, git_dir: Path
) -> None:
    given_pulls = [a_pull(number) for number in range(1, PULLS + 1)]
    with a_world(sqlite_template, git_dir, given_pulls, history, every) as world:
        world.run()
        assert world.crawler.letters() == []
        final, found = world.github.pulls.all(), exported(world.crawler)
    assert len(found) == len(final) >= PULLS
    with a_world(sqlite_template, git_dir, final, []) as quiet:
        quiet.crawler.now = world.crawler.now
        quiet.run()
        assert found == exported(quiet.crawler)
