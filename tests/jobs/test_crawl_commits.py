"""A crawl makes the stored line equal to the repository's, from wherever it stands."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, open_database, session_factory
from db.cells import rebuild_weeks
from db.commits import CommitCursor, read_commit_cursor
from db.exports import export_rows
from db.repositories import add_repository, read_repository
from db.stored_lines import read_line
from db.tables import RepositoryRow
from jobs import crawl_commits as crawling
from jobs.audit import audit
from jobs.commit_store import CommitStore
from jobs.crawl_commits import crawl_commits, cut
from tests.histories import COUPLED, write_history
from tests.repositories import Repository
from tracker.errors import CursorMoved, LineBegun, RepositoryError, UpstreamUnavailable
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings

SLUG = "example/upstream"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOTHING = {"commits": 0, "entries": 0, "skipped_files": 0}

Sessions = sessionmaker[Session]


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture(scope="module")
def other_rules(ruleset: Ruleset) -> Ruleset:
    return replace(ruleset, digest="f" * 64)


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


@pytest.fixture
def new_database(sqlite_template: Path, tmp_path: Path) -> Iterator[Callable[[], Sessions]]:
    """Make an empty database, and another one at each further call."""
    engines: list[Engine] = []

    def make() -> Sessions:
        path = tmp_path / f"tracker{len(engines)}.db"
        shutil.copyfile(sqlite_template, path)
        engines.append(open_database(f"sqlite:///{path}"))
        return session_factory(engines[-1])

    yield make
    for engine in engines:
        engine.dispose()


@dataclass(frozen=True, slots=True)
class Crawler:
    """Crawls one clone into one database."""

    sessions: Sessions
    settings: Settings
    ruleset: Ruleset
    mirror: str

    def crawl(self, *, ruleset: Ruleset | None = None, **options: object) -> dict[str, int | str]:
        with in_transaction(self.sessions) as session:
            repository = add_repository(session, SLUG, mirror=self.mirror, now=NOW)
        rules = ruleset or self.ruleset
        return crawl_commits(self.sessions, repository, self.settings, rules, now=lambda: NOW, **options)  # type: ignore[arg-type]

    def watched(self, session: Session) -> RepositoryRow:
        repository = read_repository(session, SLUG)
        assert repository is not None
        return repository

    def line(self) -> list[str]:
        with in_transaction(self.sessions) as session:
            return [commit.sha for commit in read_line(session, self.watched(session).id)]

    def exported(self) -> list[tuple[object, ...]]:
        with in_transaction(self.sessions) as session:
            return [row for what in ("ledger", "verdicts", "cells") for row in export_rows(session, what, SLUG)]

    def cursor(self) -> CommitCursor | None:
        with in_transaction(self.sessions) as session:
            return read_commit_cursor(session, self.watched(session).id)

    def differences(self) -> int:
        """How many paths differ between ledger and trees, at three commits of the stored line."""
        audits = audit(self.sessions, SLUG, self.settings, self.ruleset, sample=3, seed=1)
        assert sum(each.sites for each in audits) > 0
        return sum(each.differences for each in audits)


@pytest.fixture
def new_crawler(
    new_database: Callable[[], Sessions], upstream: Repository, tmp_path: Path, ruleset: Ruleset
) -> Callable[..., Crawler]:
    settings = Settings(var_folder=tmp_path / "var", mail_key=Secret("a key for tests only"))

    def make(mirror: str | None = None) -> Crawler:
        return Crawler(new_database(), settings, ruleset, mirror or str(upstream.path))

    return make


@pytest.fixture
def crawler(new_crawler: Callable[..., Crawler]) -> Crawler:
    return new_crawler()


class TestReading:
    def test_a_whole_history_is_stored_and_its_ledger_is_the_tree(self, crawler: Crawler, upstream: Repository) -> None:
        shas = write_history(upstream, 20)
        counts = crawler.crawl()
        assert (counts["commits"], counts["skipped: symlink"]) == (len(shas), 2)
        assert crawler.line() == shas
        assert crawler.cursor() == CommitCursor(sha=shas[-1], position=len(shas) - 1, head=shas[-1])
        assert crawler.differences() == 0

    def test_a_second_crawl_adds_nothing(self, crawler: Crawler, upstream: Repository) -> None:
        write_history(upstream, 10)
        crawler.crawl()
        before = crawler.exported()
        assert crawler.crawl() == NOTHING
        assert crawler.exported() == before

    def test_crawls_commit_by_commit_end_as_one_crawl_of_all(
        self, new_crawler: Callable[..., Crawler], upstream: Repository
    ) -> None:
        by_steps, at_once = new_crawler(), new_crawler()
        for number in range(7):
            write_history(upstream, 1, start=number)
            by_steps.crawl()
        at_once.crawl()
        assert by_steps.exported() == at_once.exported()

    def test_chunks_are_stored_one_by_one_and_end_as_one(
        self, new_crawler: Callable[..., Crawler], upstream: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        total = len(write_history(upstream, 10))
        in_chunks, at_once = new_crawler(), new_crawler()
        at_once.crawl()
        monkeypatch.setattr(crawling, "CHUNK", 4)
        told: list[tuple[object, ...]] = []
        in_chunks.crawl(progress=lambda *step: told.append(step))
        assert told == [("reading commits", done, total) for done in [*range(0, total, 4), total]]
        assert in_chunks.exported() == at_once.exported()

    def test_cells_say_what_the_ledger_says(self, crawler: Crawler, upstream: Repository) -> None:
        write_history(upstream, 9)
        crawler.crawl()
        before = crawler.exported()
        with in_transaction(crawler.sessions) as session:
            rebuild_weeks(session, crawler.watched(session).id, None)
        assert crawler.exported() == before

    def test_two_repositories_share_a_database(
        self, new_database: Callable[[], Sessions], tmp_path: Path, ruleset: Ruleset
    ) -> None:
        sessions, settings = new_database(), Settings(var_folder=tmp_path / "var")
        for name, changes in (("one", 5), ("two", 9)):
            upstream = Repository(tmp_path / f"{name}.git")
            write_history(upstream, changes)
            with in_transaction(sessions) as session:
                repository = add_repository(session, f"example/{name}", mirror=str(upstream.path), now=NOW)
            crawl_commits(sessions, repository, settings, ruleset)
        for name in ("one", "two"):
            audits = audit(sessions, f"example/{name}", settings, ruleset, sample=20)
            assert [each.differences for each in audits] == [0] * len(audits)

    def test_addresses_of_people_are_not_stored(self, crawler: Crawler, upstream: Repository, tmp_path: Path) -> None:
        upstream.commit({"torch/wait.py": COUPLED}, author="Ann <ann.unmistakable@example.com>")
        crawler.crawl()
        files = list(tmp_path.glob("tracker*.db*"))
        assert files
        assert not any(b"ann.unmistakable" in file.read_bytes() for file in files)

    def test_the_branch_that_the_clone_follows_is_noted(self, crawler: Crawler, upstream: Repository) -> None:
        write_history(upstream, 1)
        crawler.crawl()
        with in_transaction(crawler.sessions) as session:
            assert crawler.watched(session).default_branch == "main"


class TestBeginningAndEnd:
    def test_until_a_revision_and_then_on(self, new_crawler: Callable[..., Crawler], upstream: Repository) -> None:
        shas = write_history(upstream, 10)
        crawler, at_once = new_crawler(), new_crawler()
        assert crawler.crawl(until=shas[4])["commits"] == 5
        with pytest.raises(LineBegun, match=f"was read on to {shas[4][:10]}, which --until {shas[2]} contradicts"):
            crawler.crawl(until=shas[2])
        assert crawler.line() == shas[:5]
        crawler.crawl()
        at_once.crawl()
        assert crawler.exported() == at_once.exported()

    def test_since_a_date_what_stood_before_is_the_opening(self, crawler: Crawler, upstream: Repository) -> None:
        shas = write_history(upstream, 9)
        # Commits follow each other day by day from 6 January on; the fifth is of the tenth.
        counts = crawler.crawl(since=datetime(2020, 1, 10, tzinfo=UTC))
        assert counts["commits"] == 5
        assert crawler.line() == shas[3:]
        with in_transaction(crawler.sessions) as session:
            ledger = list(export_rows(session, "ledger", SLUG))
        opening = [row for row in ledger if shas[3] in row]
        assert opening
        assert all("baseline" in row for row in opening)
        assert crawler.differences() == 0
        assert crawler.crawl(since=datetime(2020, 1, 2, tzinfo=UTC)) == NOTHING

    def test_since_a_date_after_the_last_commit_there_is_the_opening_only(
        self, crawler: Crawler, upstream: Repository
    ) -> None:
        shas = write_history(upstream, 5)
        crawler.crawl(since=datetime(2021, 1, 1, tzinfo=UTC))
        assert crawler.line() == shas[-1:]
        shas += write_history(upstream, 3, start=5)
        crawler.crawl()
        assert crawler.line() == shas[4:]
        assert crawler.differences() == 0

    def test_since_a_date_before_the_first_commit_all_is_read(self, crawler: Crawler, upstream: Repository) -> None:
        shas = write_history(upstream, 5)
        crawler.crawl(since=datetime(2019, 1, 1, tzinfo=UTC))
        assert crawler.line() == shas

    def test_a_shallow_clone_opens_with_what_stands_at_its_boundary(
        self, new_crawler: Callable[..., Crawler], upstream: Repository, tmp_path: Path
    ) -> None:
        shas = write_history(upstream, 8)
        shallow = tmp_path / "shallow.git"
        upstream.git("clone", "-q", "--bare", "--depth=3", f"file://{upstream.path}", str(shallow))
        crawler = new_crawler(str(shallow))
        assert crawler.crawl()["commits"] == 2
        assert crawler.line() == shas[-3:]
        assert crawler.differences() == 0

    def test_an_empty_repository_is_an_error_that_says_so(self, crawler: Crawler) -> None:
        with pytest.raises(RepositoryError, match="no commits"):
            crawler.crawl()


class TestRewrites:
    def test_a_rewritten_branch_is_followed_from_the_fork_on(
        self, new_crawler: Callable[..., Crawler], upstream: Repository
    ) -> None:
        shas = write_history(upstream, 8)
        crawler, afresh = new_crawler(), new_crawler()
        crawler.crawl()
        upstream.set_branch("main", shas[3])
        new = write_history(upstream, 5, start=20)
        counts = crawler.crawl()
        afresh.crawl()
        assert (counts["commits"], counts["commits_off_the_line"]) == (5, 4)
        assert crawler.line() == shas[:4] + new
        assert crawler.exported() == afresh.exported()
        assert crawler.differences() == 0

    def test_a_branch_set_back_is_followed_and_may_come_again(
        self, new_crawler: Callable[..., Crawler], upstream: Repository
    ) -> None:
        shas = write_history(upstream, 8)
        crawler, afresh = new_crawler(), new_crawler()
        crawler.crawl()
        upstream.set_branch("main", shas[2])
        assert crawler.crawl()["commits_off_the_line"] == 5
        assert crawler.line() == shas[:3]
        assert crawler.differences() == 0
        upstream.set_branch("main", shas[7])
        crawler.crawl()
        afresh.crawl()
        assert crawler.exported() == afresh.exported()

    def test_a_history_that_shares_nothing_is_read_anew(
        self, new_crawler: Callable[..., Crawler], upstream: Repository
    ) -> None:
        write_history(upstream, 4)
        crawler, afresh = new_crawler(), new_crawler()
        crawler.crawl()
        root = upstream.commit({"torch/other.py": COUPLED}, parents=[])
        counts = crawler.crawl()
        afresh.crawl()
        assert (counts["commits_off_the_line"], crawler.line()) == (4, [root])
        assert crawler.exported() == afresh.exported()

    def test_a_clone_that_is_only_behind_undoes_nothing(
        self, crawler: Crawler, upstream: Repository, tmp_path: Path
    ) -> None:
        write_history(upstream, 3)
        behind = tmp_path / "behind.git"
        upstream.git("clone", "-q", "--bare", f"file://{upstream.path}", str(behind))
        shas = upstream.git("rev-list", "--reverse", "main").split() + write_history(upstream, 2, start=3)
        crawler.crawl()
        late = Crawler(crawler.sessions, crawler.settings, crawler.ruleset, str(behind))
        assert late.crawl() == NOTHING
        assert crawler.line() == shas

    def test_other_rules_judge_everything_anew(
        self, crawler: Crawler, upstream: Repository, ruleset: Ruleset, other_rules: Ruleset
    ) -> None:
        shas = write_history(upstream, 6)
        crawler.crawl()
        with pytest.raises(RepositoryError, match="other rules"):
            audit(crawler.sessions, SLUG, crawler.settings, other_rules)
        counts = crawler.crawl(ruleset=other_rules)
        assert (counts["commits"], counts["commits_judged_anew"]) == (0, len(shas))
        assert [ruleset.digest in row for row in crawler.exported()].count(True) == 0
        assert sum(other_rules.digest in row for row in crawler.exported()) == len(shas)
        assert audit(crawler.sessions, SLUG, crawler.settings, other_rules)[0].differences == 0

    def test_other_rules_begin_again_where_the_ledger_began(
        self, crawler: Crawler, upstream: Repository, other_rules: Ruleset
    ) -> None:
        shas = write_history(upstream, 8)
        crawler.crawl(since=datetime(2020, 1, 10, tzinfo=UTC))
        crawler.crawl(ruleset=other_rules)
        assert crawler.line() == shas[3:]


class TestOthersAtTheSameTime:
    def test_another_crawl_that_was_faster_is_gone_on_from(
        self, crawler: Crawler, upstream: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shas = write_history(upstream, 10)
        monkeypatch.setattr(crawling, "CHUNK", 3)
        told: list[int] = []

        def meanwhile(_stage: str, done: int, _total: int | None) -> None:
            told.append(done)
            if told == [0, 3]:
                # The other one cuts history elsewhere, so that what this one has in hand does not fit any more.
                monkeypatch.setattr(crawling, "CHUNK", 5)
                crawler.crawl(until=shas[7])

        crawler.crawl(progress=meanwhile)
        assert crawler.line() == shas
        assert crawler.differences() == 0

    def test_after_some_tries_it_is_left_to_the_next_crawl(
        self, crawler: Crawler, upstream: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_history(upstream, 2)

        def always_late(*_: object, **__: object) -> None:
            raise CursorMoved("another crawl went on")

        monkeypatch.setattr(CommitStore, "append", always_late)
        with pytest.raises(CursorMoved):
            crawler.crawl()


class TestMirrors:
    def test_a_url_is_mirrored_and_followed(self, new_crawler: Callable[..., Crawler], upstream: Repository) -> None:
        shas = write_history(upstream, 3)
        crawler = new_crawler(f"file://{upstream.path}")
        crawler.crawl()
        shas += write_history(upstream, 2, start=3)
        assert crawler.crawl()["commits"] == 2
        assert crawler.line() == shas

    def test_what_was_fetched_is_read_even_if_upstream_is_away_and_that_is_told(
        self, new_crawler: Callable[..., Crawler], upstream: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shas = write_history(upstream, 4)
        crawler = new_crawler(f"file://{upstream.path}")
        crawler.crawl(until=shas[1])

        def away(*_: object, **__: object) -> None:
            raise UpstreamUnavailable("upstream cannot be reached now")

        monkeypatch.setattr("tracker.sources.git_mirror.fetch_mirror", away)
        with pytest.raises(UpstreamUnavailable):
            crawler.crawl()
        assert crawler.line() == shas

    def test_an_upstream_that_was_never_reached_is_told(self, new_crawler: Callable[..., Crawler]) -> None:
        with pytest.raises(UpstreamUnavailable):
            new_crawler("http://127.0.0.1:9/example/upstream.git").crawl()


class TestBothDatabases:
    def test_ledgers_are_equal_on_sqlite_and_postgresql(
        self, engine: Engine, upstream: Repository, ruleset: Ruleset, crawler: Crawler
    ) -> None:
        shas = write_history(upstream, 12)
        crawler.crawl()
        other = Crawler(session_factory(engine), crawler.settings, ruleset, str(upstream.path))
        other.crawl(until=shas[5])
        upstream.set_branch("main", shas[3])
        other.crawl()
        upstream.set_branch("main", shas[-1])
        other.crawl()
        assert other.exported() == crawler.exported()
        assert other.differences() == 0


class TestChunks:
    @pytest.mark.parametrize(
        ("first_position", "count", "sizes"),
        [
            (0, 0, []),
            (0, 500, [500]),
            (0, 1200, [500, 500, 200]),
            (3, 600, [497, 103]),
            (499, 2, [1, 1]),
            (500, 1, [1]),
        ],
    )
    def test_they_end_at_multiples_so_that_two_crawls_cut_alike(
        self, first_position: int, count: int, sizes: list[int]
    ) -> None:
        pairs = [(f"{number}", None) for number in range(count)]
        chunks = cut(pairs, first_position)
        assert [len(chunk) for chunk in chunks] == sizes
        assert [pair for chunk in chunks for pair in chunk] == pairs
