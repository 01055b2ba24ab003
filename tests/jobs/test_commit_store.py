"""What a batch brings is stored as a whole, and counted by name."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, session_factory
from db.commits import read_commit_cursor
from db.repositories import add_repository
from jobs.commit_store import CommitStore, author_key
from tests.builders import a_judged_commit, a_sha, an_entry
from tracker.classify import SkippedFile
from tracker.errors import CursorMoved
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset
from tracker.settings import Secret
from tracker.upstream import SkipReason

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def sessions(sqlite_engine: Engine) -> sessionmaker[Session]:
    return session_factory(sqlite_engine)


@pytest.fixture
def store(sessions: sessionmaker[Session]) -> CommitStore:
    with in_transaction(sessions) as session:
        repository_id = add_repository(session, "example/upstream", now=NOW).id
    return CommitStore(sessions, repository_id, load_ruleset(read_rules()), Secret("a key"), lambda: NOW)


def test_batches_follow_each_other(store: CommitStore, sessions: sessionmaker[Session]) -> None:
    skipped = (SkippedFile(path="m", blob="4" * 40, reason=SkipReason.SUBMODULE),)
    store.append([a_judged_commit("a", [an_entry()], skipped=skipped)], first_position=0, head=a_sha("c"))
    store.append([a_judged_commit("b"), a_judged_commit("c")], first_position=1, head=a_sha("c"))
    assert store.counts == {"commits": 3, "entries": 1, "skipped_files": 1, "skipped: submodule": 1}
    with in_transaction(sessions) as session:
        cursor = read_commit_cursor(session, 1)
    assert cursor is not None
    assert (cursor.sha, cursor.position, cursor.head) == (a_sha("c"), 2, a_sha("c"))


def test_a_batch_that_is_stored_already_counts_as_nothing(store: CommitStore) -> None:
    batch = [a_judged_commit("a", [an_entry()])]
    store.append(batch, first_position=0, head=a_sha("a"))
    store.append(batch, first_position=0, head=a_sha("a"))
    assert store.counts == {"commits": 1, "entries": 1, "skipped_files": 0}


def test_a_batch_that_does_not_fit_changes_nothing(store: CommitStore) -> None:
    store.append([a_judged_commit("a")], first_position=0, head=a_sha("a"))
    with pytest.raises(CursorMoved):
        store.append([a_judged_commit("c")], first_position=2, head=a_sha("c"))
    assert store.counts == {"commits": 1, "entries": 0, "skipped_files": 0}


def test_what_is_taken_off_the_line_is_counted(store: CommitStore) -> None:
    store.append([a_judged_commit(name) for name in "abc"], first_position=0, head=a_sha("c"))
    store.append([a_judged_commit("d")], first_position=2, head=a_sha("d"), keep_until=1)
    store.rewind(0)
    assert store.counts["commits_off_the_line"] == 3


def test_a_mail_address_gives_a_key_that_only_the_secret_leads_to() -> None:
    key = author_key(Secret("a key"))
    assert key("ann@example.com") == key(" Ann@Example.com ")
    assert key("ann@example.com") != key("bob@example.com")
    assert key("ann@example.com") != author_key(Secret("another key"))("ann@example.com")
    assert len(key("\ud800")) == 64
