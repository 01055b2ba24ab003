"""Whatever upstream and the crawls do, in any order, what is stored in the end is what one crawl of the end stores."""

import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.base import in_transaction, open_database, session_factory
from db.coverage import read_ranges
from db.derived import rebuild_derived
from db.repositories import read_repository
from jobs import crawl_commits as crawling
from jobs.progress import Stopped
from tests.histories import COUPLED, NEUTRAL
from tests.jobs.test_crawl_commits import SLUG, Crawler
from tests.jobs.test_crawl_coverage import stops_after
from tests.repositories import Content, Repository
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings

RULES = load_ruleset(read_rules())


@dataclass(frozen=True)
class Commits:
    """So many changes on top of the branch."""

    count: int


@dataclass(frozen=True)
class Revert:
    """The tip is undone, and says so."""


@dataclass(frozen=True)
class Rewrite:
    """The branch is set back by so many commits, and goes on otherwise."""

    back: int


@dataclass(frozen=True)
class Crawl:
    """A crawl that is cut short after so many commits (None: not at all), by the one ruleset or the other."""

    stops_after: int | None
    other_rules: bool


steps = st.lists(
    st.one_of(
        st.builds(Commits, st.integers(1, 4)),
        st.just(Revert()),
        st.builds(Rewrite, st.integers(1, 5)),
        st.builds(Crawl, st.none() | st.integers(0, 4), st.booleans()),
    ),
    min_size=2,
    max_size=8,
)


class World:
    """One upstream and what was crawled of it."""

    def __init__(self, folder: Path, template: Path) -> None:
        self.folder = folder
        self.template = template
        self.upstream = Repository(folder / "upstream.git")
        self.line: list[str] = []
        self.number = 0
        self.do(Commits(1))
        self.crawler = self.new_crawler("first")

    def new_crawler(self, name: str) -> Crawler:
        shutil.copyfile(self.template, self.folder / f"{name}.db")
        engine = open_database(f"sqlite:///{self.folder / f'{name}.db'}")
        kept = Settings(var_folder=self.folder / "var", mail_key=Secret("a key for tests only"))
        return Crawler(session_factory(engine), kept, RULES, str(self.upstream.path))

    def do(self, step: Commits | Revert | Rewrite | Crawl) -> None:
        match step:
            case Commits():
                for _ in range(step.count):
                    self.line.append(self.upstream.commit(self.change(), f"Change {self.number} (#{self.number})"))
            case Revert():
                message = f'Revert "Change"\n\nThis reverts commit {self.line[-1]}.\n'
                self.line.append(self.upstream.commit(self.change(), message))
            case Rewrite():
                self.line = self.line[: max(len(self.line) - step.back, 1)]
                self.upstream.set_branch("main", self.line[-1])
                self.do(Commits(1))
            case Crawl():
                self.crawl(step)

    def change(self) -> dict[str, Content]:
        """The next change, unlike every other."""
        self.number += 1
        code = COUPLED * (self.number % 3) + NEUTRAL * (self.number % 2) + f"# {self.number}\n"
        return {
            f"torch/f{self.number % 3}.py": code,
            f"aten/src/ATen/cuda/f{self.number % 2}.cu": "cudaMalloc(1);\n" * (self.number % 4),
        }

    def crawl(self, step: Crawl) -> None:
        rules = other(RULES) if step.other_rules else RULES
        if step.stops_after is None:
            self.crawler.crawl(ruleset=rules)
            return
        with suppress(Stopped):
            self.crawler.crawl(ruleset=rules, progress=stops_after(step.stops_after))


def other(ruleset: Ruleset) -> Ruleset:
    return replace(ruleset, digest="f" * 64)


@pytest.mark.slow
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(todo=steps)
def test_any_order_of_commits_reverts_rewrites_crashes_and_crawls_ends_as_one_crawl(
    sqlite_template: Path, monkeypatch: pytest.MonkeyPatch, todo: list[Commits | Revert | Rewrite | Crawl]
) -> None:
    monkeypatch.setattr(crawling, "CHUNK", 2)
    with TemporaryDirectory() as folder:
        world = World(Path(folder), sqlite_template)
        for step in todo:
            world.do(step)
        world.crawler.crawl()
        afresh = world.new_crawler("afresh")
        afresh.crawl()
        assert world.crawler.line() == afresh.line() == world.line
        assert world.crawler.exported() == afresh.exported()
        assert world.crawler.differences() == 0
        with in_transaction(world.crawler.sessions) as session:
            repository = read_repository(session, SLUG)
            assert repository is not None
            assert rebuild_derived(session, repository.id).as_before
            (covered,) = read_ranges(session)[SLUG]
            assert (covered.first, covered.last, covered.state) == (0, len(world.line) - 1, "ok")
        for crawler in (world.crawler, afresh):
            crawler.sessions.kw["bind"].dispose()
