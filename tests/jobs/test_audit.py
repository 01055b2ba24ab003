"""An audit finds what does not agree, names it, and records it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, update
from sqlalchemy.orm import Session, sessionmaker

from db.audits import AuditDifference, read_audits
from db.base import in_transaction, session_factory
from db.repositories import add_repository
from db.stored_lines import StoredCommit
from db.tables import LedgerEntryRow, LineEntryRow
from jobs.audit import audit, choose, compare, compare_lines
from jobs.crawl_commits import crawl_commits
from tests.builders import a_site
from tests.histories import COUPLED, write_history
from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings
from tracker.sites import Area, Territory

SLUG = "example/upstream"
NOW = datetime(2026, 1, 1, tzinfo=UTC)

CUDA, XPU = a_site("torch.cuda.synchronize"), a_site("torch.xpu.synchronize", vendor="intel")
LINE = [StoredCommit(sha=f"{number:040}", position=number) for number in range(20)]


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def sessions(sqlite_engine: Engine) -> sessionmaker[Session]:
    return session_factory(sqlite_engine)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(var_folder=tmp_path / "var", mail_key=Secret("a key for tests only"))


@pytest.fixture
def upstream(tmp_path: Path, sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset) -> Repository:
    """An upstream that has been crawled."""
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"torch/wait.py": COUPLED, "torch/\udcff.py": COUPLED})
    write_history(upstream, 6)
    with in_transaction(sessions) as session:
        repository = add_repository(session, SLUG, mirror=str(upstream.path), now=NOW)
    crawl_commits(sessions, repository, settings, ruleset)
    return upstream


def test_a_ledger_that_is_right_has_no_differences(
    upstream: Repository, sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset
) -> None:
    audits = audit(sessions, SLUG, settings, ruleset, sample=3, seed=7, now=lambda: NOW)
    assert [(each.differences, each.details, each.ruleset) for each in audits] == [(0, (), ruleset.digest)] * 3
    assert audits[-1].sha == upstream.tip()
    with in_transaction(sessions) as session:
        assert sorted(read_audits(session), key=lambda each: each.committed_at) == audits


def test_an_entry_that_is_wrong_is_found_at_its_path(
    upstream: Repository, sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset
) -> None:
    with in_transaction(sessions) as session:
        first = update(LedgerEntryRow).where(LedgerEntryRow.id == 1)
        session.execute(first.values(delta=LedgerEntryRow.delta + 2))
    (found,) = audit(sessions, SLUG, settings, ruleset, rev="main~6", now=lambda: NOW)
    assert (found.sha, found.differences) == (upstream.git("rev-parse", "main~6").strip(), 1)
    (difference,) = found.details
    assert (difference.tree, difference.ledger) == (1, 3)
    assert difference.example == "torch.cuda.synchronize"


@pytest.mark.usefixtures("upstream")
def test_a_number_of_lines_that_is_wrong_is_found_in_its_place(
    sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset
) -> None:
    with in_transaction(sessions) as session:
        wrong = update(LineEntryRow).where(LineEntryRow.commit_id == 1, LineEntryRow.territory == Territory.NEUTRAL)
        session.execute(wrong.values(delta=LineEntryRow.delta - 4))
    (found,) = audit(sessions, SLUG, settings, ruleset, rev="main~6", now=lambda: NOW)
    assert (found.lines, found.differences) == (10, 1)
    assert found.details == (AuditDifference(path="neutral/core/core", tree=10, ledger=6, unit="lines"),)


def test_what_was_not_read_cannot_be_audited(
    upstream: Repository, sessions: sessionmaker[Session], settings: Settings, ruleset: Ruleset
) -> None:
    upstream.commit({"torch/new.py": COUPLED})
    with pytest.raises(RepositoryError, match="not on the line"):
        audit(sessions, SLUG, settings, ruleset, rev="main")
    with pytest.raises(RepositoryError, match="no commits of example/other"):
        audit(sessions, "example/other", settings, ruleset)


def test_a_sample_holds_the_newest_commit_and_others_over_the_whole_line() -> None:
    assert choose(LINE, 1, seed=3) == [LINE[-1]]
    chosen = choose(LINE, 6, seed=3)
    assert (len({commit.sha for commit in chosen}), chosen[-1]) == (6, LINE[-1])
    assert chosen == sorted(chosen, key=lambda commit: commit.position)
    assert choose(LINE, 6, seed=3) == chosen
    assert choose(LINE, 100, seed=3) == LINE
    assert choose(LINE, 0, seed=3) == [LINE[-1]]


def test_balances_are_compared_site_by_site_and_not_by_their_sums() -> None:
    neutral = Territory.NEUTRAL
    tree = {("a.py", CUDA, neutral): 1, ("b.py", CUDA, neutral): 2, ("c.py", XPU, neutral): 1}
    assert compare(tree, tree) == []
    ledger = {("a.py", XPU, neutral): 1, ("b.py", CUDA, neutral): 2, ("d.py", XPU, neutral): 4}
    assert compare(tree, ledger) == [
        AuditDifference(path="a.py", tree=1, ledger=1, example="torch.xpu.synchronize"),
        AuditDifference(path="c.py", tree=1, ledger=0, example="torch.xpu.synchronize"),
        AuditDifference(path="d.py", tree=0, ledger=4, example="torch.xpu.synchronize"),
    ]


def test_a_site_that_the_ledger_holds_under_another_territory_is_a_difference() -> None:
    tree, ledger = ({("a.py", CUDA, territory): 1} for territory in (Territory.VENDOR_TEST, Territory.NEUTRAL))
    assert compare(tree, ledger) == [AuditDifference(path="a.py", tree=1, ledger=1, example="torch.cuda.synchronize")]


def test_lines_are_compared_place_by_place_and_not_by_their_sum() -> None:
    core, test = (Territory.NEUTRAL, Area.CORE, "core"), (Territory.NEUTRAL, Area.TEST, "test")
    assert compare_lines({core: 3, test: 4}, {test: 4, core: 3}) == []
    assert compare_lines({core: 3}, {test: 3}) == [
        AuditDifference(path="neutral/core/core", tree=3, ledger=0, unit="lines"),
        AuditDifference(path="neutral/test/test", tree=0, ledger=3, unit="lines"),
    ]
