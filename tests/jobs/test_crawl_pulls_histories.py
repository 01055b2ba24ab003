"""Whatever happens between two questions, and wherever a crawl is killed, the end is that of an undisturbed crawl."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, event, select

from db.base import open_database, session_factory
from db.exports import Export, export_rows
from db.repositories import add_repository
from db.tables import ReviewRow
from tests.jobs.pull_crawler import SLUG, Crawler
from tests.pull_builders import A_TIME, a_person, a_pull, a_review
from tests.standin.faults import GRAPHQL_ONLY, Fault, FaultKind, FaultScript
from tests.standin.github import StandinGitHub
from tracker.errors import UpstreamError
from tracker.upstream import PullRequest

PULLS = 7
SLOW_TO_SHOW = {FaultKind.SLOW, FaultKind.HUGE}
REFUSALS = {
    FaultKind.FORBIDDEN,
    FaultKind.UNAUTHORIZED,
    FaultKind.GONE,
    FaultKind.EMPTY_REPOSITORY,
    FaultKind.TOO_LARGE,
    FaultKind.UNPROCESSABLE,
    FaultKind.NOT_FOUND,
    FaultKind.MOVED_NOWHERE,
}
FAULTS = sorted(set(FaultKind) - SLOW_TO_SHOW - REFUSALS)


class Killed(BaseException):
    """Nothing after this instant happens: not even what catches every error."""


@dataclass(frozen=True)
class Update:
    number: int
    seconds: int
    """That pass before it; 0: in the same second as what happened last."""


@dataclass(frozen=True)
class LateUpdate:
    number: int
    minutes: int
    """How long ago it happened, on a server that shows it only now."""


@dataclass(frozen=True)
class Create:
    seconds: int


@dataclass(frozen=True)
class Suffer:
    fault: FaultKind


@dataclass(frozen=True)
class Rename:
    pass


@dataclass(frozen=True)
class Kill:
    """At the commit that comes next."""


@dataclass(frozen=True)
class Quiet:
    """Nothing happens."""


Happening = Update | LateUpdate | Create | Suffer | Rename | Kill | Quiet

numbers = st.integers(1, PULLS)
happenings = st.one_of(
    st.builds(Update, numbers, st.integers(0, 90)),
    st.builds(LateUpdate, numbers, st.integers(1, 9)),
    st.builds(Create, st.integers(0, 90)),
    st.builds(Suffer, st.sampled_from(FAULTS)),
    st.builds(Rename),
    st.builds(Kill),
    st.builds(Quiet),
)
histories = st.lists(happenings, max_size=30)


class World:
    """GitHub and the crawler, to which a history happens, one thing before each question."""

    def __init__(self, crawler: Crawler, engine: Engine, history: list[Happening]) -> None:
        self.crawler = crawler
        self.github = crawler.github
        self.history = list(history)
        self.dies = False
        self.github.before_answer = self._next
        event.listen(engine, "commit", self._commit)

    def _next(self, description: str) -> None:
        self.github.faults = FaultScript()
        if self.history:
            self._happen(self.history.pop(0), graphql="graphql" in description)

    def _happen(self, what: Happening, *, graphql: bool) -> None:
        match what:
            case Update(number=number, seconds=seconds):
                self.crawler.pass_time(timedelta(seconds=seconds))
                self._update(number, timedelta(0))
            case LateUpdate(number=number, minutes=minutes):
                self._update(number, timedelta(minutes=minutes))
            case Create(seconds=seconds):
                self.crawler.pass_time(timedelta(seconds=seconds))
                number = len(self.github.pulls.all()) + 1
                self.github.pulls.put(a_pull(number, created_at=self.crawler.now))
            case Suffer(fault=fault) if graphql or fault not in GRAPHQL_ONLY:
                self.github.faults = FaultScript(faults=(Fault(kind=fault),))
            case Rename():
                self.github.rename(f"octo/engine-{len(self.github.former_slugs)}")
            case Kill():
                self.dies = True
            case _:
                pass

    def _update(self, number: int, ago: timedelta) -> None:
        pull = self.github.pulls.get(number)
        assert pull is not None
        at = max(pull.updated_at, self.crawler.now - ago)
        author = a_person(f"reviewer-{len(self.history)}", id=100 + len(self.history))
        review = a_review(f"PRR_{number}_{len(self.history)}", author=author, submitted_at=at)
        changed = replace(pull, title=f"{pull.title}'", updated_at=at, reviews=(*pull.reviews, review))
        self.github.pulls.put(replace(changed, reviews_total=len(changed.reviews)))

    def _commit(self, _connection: Connection) -> None:
        if self.dies:
            self.dies = False
            raise Killed

    def run(self) -> None:
        """Crawl until the history has happened, and then as often as it takes to be at rest."""
        while self.history or self.dies:
            self._crawl_once()
        for passed in (timedelta(minutes=15), timedelta(days=2)):
            self.crawler.pass_time(passed)
            self.crawler.crawl()

    def _crawl_once(self) -> None:
        try:
            self.crawler.crawl()
            if self.dies:
                self.dies = False  # no commit came: there was nothing to be killed at
        except (UpstreamError, Killed):
            self.crawler.pass_time(timedelta(minutes=1))


@contextmanager
def an_empty_world(template: Path, git_dir: Path, history: list[Happening]) -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder, StandinGitHub(git_dir, SLUG) as github:
        path = Path(folder) / "tracker.db"
        shutil.copyfile(template, path)
        engine = open_database(f"sqlite:///{path}")
        sessions = session_factory(engine)
        with sessions.begin() as session:
            add_repository(session, SLUG, now=A_TIME)
        crawler = Crawler(sessions, github)
        github.clock = lambda: crawler.now
        github.too_heavy_from = 4  # so that seven pull requests make several pages
        try:
            yield World(crawler, engine, history)
        finally:
            engine.dispose()


def exported(crawler: Crawler) -> list[object]:
    with crawler.sessions() as session:
        pulls: list[object] = [tuple(row)[1:] for row in export_rows(session, Export.PULLS, None)]
        reviews = session.scalars(select(ReviewRow).order_by(ReviewRow.id))
        return [*pulls, *((review.id, review.state, review.submitted_at) for review in reviews)]


def undisturbed(given: Sequence[PullRequest], template: Path, git_dir: Path) -> list[object]:
    with an_empty_world(template, git_dir, []) as world:
        for pull in given:
            world.github.pulls.put(pull)
        world.crawler.crawl()
        return exported(world.crawler)


def check(history: list[Happening], template: Path, git_dir: Path) -> None:
    with an_empty_world(template, git_dir, history) as world:
        for number in range(1, PULLS + 1):
            world.github.pulls.put(a_pull(number))
        world.run()
        final = world.github.pulls.all()
        assert world.crawler.letters() == []
        found = exported(world.crawler)
    assert len(found) >= len(final) >= PULLS
    assert found == undisturbed(final, template, git_dir)


@pytest.mark.usefixtures("quick_retries")
@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(history=histories)
def test_any_history_ends_in_the_rows_of_an_undisturbed_crawl(
    history: list[Happening], sqlite_template: Path, git_dir: Path
) -> None:
    check(history, sqlite_template, git_dir)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_retries")
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(history=st.lists(happenings, min_size=20, max_size=80))
def test_long_histories_end_in_the_rows_of_an_undisturbed_crawl(
    history: list[Happening], sqlite_template: Path, git_dir: Path
) -> None:
    check(history, sqlite_template, git_dir)
