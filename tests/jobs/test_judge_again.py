"""What a clone lacked is read once it is there, and the ledger ends as if it had always been there."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, open_database, session_factory
from db.exports import export_rows
from db.repositories import add_repository
from db.tables import RepositoryRow
from jobs import crawl_commits as crawling
from jobs.audit import audit
from jobs.crawl_commits import crawl_commits
from jobs.progress import Progress, Stopped, no_progress
from jobs.rejudge import rejudge
from tests.histories import COUPLED, write_history
from tests.repositories import Repository, blob_id
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings

SLUG = "example/upstream"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LOST = (COUPLED * 2, COUPLED * 3)


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setattr(crawling, "CHUNK", 4)
    return Repository(tmp_path / "upstream.git")


@dataclass(frozen=True, slots=True)
class Ledger:
    """One database, the rules that fill it, and the clone it is read from."""

    sessions: sessionmaker[Session]
    settings: Settings
    ruleset: Ruleset
    clone: str

    def watched(self) -> RepositoryRow:
        with in_transaction(self.sessions) as session:
            return add_repository(session, SLUG, mirror=self.clone, now=NOW)

    def crawl(self, progress: Progress = no_progress) -> dict[str, int | str]:
        return crawl_commits(
            self.sessions, self.watched(), self.settings, self.ruleset, progress=progress, now=lambda: NOW
        )

    def rejudge(self) -> int:
        return rejudge(self.sessions, self.watched(), self.settings, self.ruleset, workers=1, now=lambda: NOW).commits

    def exported(self) -> list[tuple[object, ...]]:
        with in_transaction(self.sessions) as session:
            return [row for what in ("ledger", "verdicts", "cells") for row in export_rows(session, what, SLUG)]

    def differences(self) -> int:
        """Paths that differ between ledger and trees, at every commit."""
        return sum(each.differences for each in audit(self.sessions, SLUG, self.settings, self.ruleset, sample=100))


@pytest.fixture
def new_ledger(
    sqlite_template: Path, tmp_path: Path, upstream: Repository, ruleset: Ruleset
) -> Iterator[Callable[[], Ledger]]:
    engines: list[Engine] = []
    settings = Settings(var_folder=tmp_path / "var", mail_key=Secret("a key for tests only"))

    def make() -> Ledger:
        path = tmp_path / f"tracker{len(engines)}.db"
        shutil.copyfile(sqlite_template, path)
        engines.append(open_database(f"sqlite:///{path}"))
        return Ledger(session_factory(engines[-1]), settings, ruleset, str(upstream.path))

    yield make
    for engine in engines:
        engine.dispose()


def write_and_lose(upstream: Repository, contents: Sequence[str] = LOST) -> None:
    """Write a file's history, the last part of which stays, and make its earlier contents missing."""
    for number, content in enumerate([*contents, "import torch\n"]):
        upstream.commit({"torch/lost.py": content, f"torch/f{number}.py": COUPLED})
    for content in contents:
        upstream.remove_object(blob_id(content))


def bring_back(upstream: Repository, contents: Sequence[str] = LOST) -> None:
    for content in contents:
        upstream.write_object("blob", content.encode())


def test_it_is_read_by_the_next_crawl(upstream: Repository, new_ledger: Callable[[], Ledger]) -> None:
    write_history(upstream, 3)
    write_and_lose(upstream)
    ledger = new_ledger()
    assert ledger.crawl()["skipped: missing object"] == 2
    assert ledger.differences() == 0
    bring_back(upstream)
    write_history(upstream, 2, start=3)
    assert ledger.differences() > 0
    counts = ledger.crawl()
    assert (counts["commits_judged_anew"], counts["commits"]) == (3, 2)
    assert ledger.differences() == 0
    fresh = new_ledger()
    fresh.crawl()
    assert ledger.exported() == fresh.exported()


def test_it_is_read_by_hand_too(upstream: Repository, new_ledger: Callable[[], Ledger]) -> None:
    write_and_lose(upstream)
    ledger = new_ledger()
    ledger.crawl()
    bring_back(upstream, LOST[1:])
    assert ledger.rejudge() == 2
    assert ledger.differences() == 0
    bring_back(upstream)
    assert ledger.rejudge() == 3
    assert ledger.rejudge() == 0
    fresh = new_ledger()
    fresh.crawl()
    assert ledger.exported() == fresh.exported()


def test_what_is_still_lacking_is_not_read_again(upstream: Repository, new_ledger: Callable[[], Ledger]) -> None:
    write_and_lose(upstream)
    ledger = new_ledger()
    ledger.crawl()
    assert ledger.crawl() == {"commits": 0, "entries": 0, "skipped_files": 0}


def test_a_crawl_that_is_stopped_in_the_midst_of_it_goes_on(
    upstream: Repository, new_ledger: Callable[[], Ledger]
) -> None:
    def stop(stage: str, done: int, total: int | None) -> None:  # noqa: ARG001 - the contract of progress
        if stage == "judging anew" and done >= 4:
            raise Stopped("the service is stopping")

    write_and_lose(upstream)
    write_history(upstream, 6)
    ledger = new_ledger()
    ledger.crawl()
    bring_back(upstream)
    with pytest.raises(Stopped):
        ledger.crawl(progress=stop)
    assert ledger.crawl()["commits_judged_anew"] == 5
    fresh = new_ledger()
    fresh.crawl()
    assert ledger.exported() == fresh.exported()
