"""History judged anew in its place ends as a history that never knew the old rules, however often it is killed."""

import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, select, update
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, open_database, session_factory
from db.exports import export_rows
from db.rejudging import mark_outdated, read_outdated, read_outdated_counts
from db.repositories import add_repository
from db.tables import (
    CommitLinkRow,
    CommitRow,
    LandingRow,
    PathRow,
    ReasonRow,
    RepositoryRow,
    SiteAccountRow,
    SiteRow,
    VerdictRow,
)
from jobs import crawl_commits as crawling
from jobs.audit import audit
from jobs.crawl_commits import crawl_commits
from jobs.progress import Progress, Stopped, no_progress
from jobs.rejudge import Rejudged, rejudge
from tests.histories import write_history
from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings
from tracker.sites import Verdict

SLUG = "example/upstream"
NOW = datetime(2026, 1, 1, tzinfo=UTC)

Sessions = sessionmaker[Session]

OTHER_TERRITORY = """
[[territory]]
globs = ["torch/f1.py", "test/test_f1.py"]
territory = "vendor"
vendors = ["nvidia"]

"""


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture(scope="module")
def new_rules() -> Ruleset:
    """Two paths stand elsewhere, and long files are not read."""
    texts = dict(read_rules())
    texts["territory-default.toml"] = OTHER_TERRITORY + texts["territory-default.toml"]
    rules = load_ruleset(texts)
    return replace(rules, max_blob_bytes=250, digest="a" * 64)


@pytest.fixture
def upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.setattr(crawling, "CHUNK", 4)
    return Repository(tmp_path / "upstream.git")


@dataclass(frozen=True, slots=True)
class Ledger:
    """One database and the clone it is read from."""

    sessions: Sessions
    settings: Settings
    clone: str

    def watched(self) -> RepositoryRow:
        with in_transaction(self.sessions) as session:
            return add_repository(session, SLUG, mirror=self.clone, now=NOW)

    def crawl(self, rules: Ruleset, **options: object) -> dict[str, int | str]:
        return crawl_commits(self.sessions, self.watched(), self.settings, rules, now=lambda: NOW, **options)  # type: ignore[arg-type]

    def rejudge(self, rules: Ruleset, *, progress: Progress = no_progress, mirror: str | None = None) -> Rejudged:
        repository = self.watched()
        return rejudge(self.sessions, repository, self.settings, rules, mirror=mirror, workers=1, progress=progress)

    def exported(self) -> list[tuple[object, ...]]:
        with in_transaction(self.sessions) as session:
            return [row for what in ("ledger", "verdicts", "cells") for row in export_rows(session, what, SLUG)]

    def accounts(self) -> list[tuple[object, ...]]:
        """Every account with its commit, path, site and reason, by the shas of the line."""
        kept = select(
            CommitRow.sha, PathRow.path, SiteRow.symbol, ReasonRow.words, SiteAccountRow.line, SiteAccountRow.text
        )
        kept = kept.join(CommitRow, CommitRow.id == SiteAccountRow.commit_id)
        kept = kept.join(PathRow, PathRow.id == SiteAccountRow.path_id)
        kept = kept.join(SiteRow, SiteRow.id == SiteAccountRow.site_id)
        kept = kept.join(ReasonRow, ReasonRow.id == SiteAccountRow.reason_id)
        with in_transaction(self.sessions) as session:
            return [tuple(row) for row in session.execute(kept.order_by(CommitRow.position, SiteAccountRow.number))]

    def outdated(self, rules: Ruleset) -> int:
        with in_transaction(self.sessions) as session:
            return len(read_outdated(session, self.watched().id, rules.digest))


@pytest.fixture
def new_ledger(sqlite_template: Path, tmp_path: Path, upstream: Repository) -> Iterator[Callable[[], Ledger]]:
    engines: list[Engine] = []
    settings = Settings(var_folder=tmp_path / "var", mail_key=Secret("a key for tests only"))

    def make() -> Ledger:
        path = tmp_path / f"tracker{len(engines)}.db"
        shutil.copyfile(sqlite_template, path)
        engines.append(open_database(f"sqlite:///{path}"))
        return Ledger(session_factory(engines[-1]), settings, str(upstream.path))

    yield make
    for engine in engines:
        engine.dispose()


@pytest.fixture
def ledger(new_ledger: Callable[[], Ledger]) -> Ledger:
    return new_ledger()


@pytest.fixture
def expected(new_ledger: Callable[[], Ledger], upstream: Repository, new_rules: Ruleset) -> list[tuple[object, ...]]:
    """What a crawl leaves that never knew other rules; the history is written first."""
    write_history(upstream, 14)
    fresh = new_ledger()
    fresh.crawl(new_rules)
    return fresh.exported()


def stopping_at(at: int) -> Progress:
    def stop(stage: str, done: int, total: int | None) -> None:  # noqa: ARG001 - the contract of progress
        if stage == "judging anew" and done >= at:
            raise Stopped("the service is stopping")

    return stop


def test_the_end_is_that_of_a_crawl_by_the_new_rules(
    ledger: Ledger, expected: list[tuple[object, ...]], ruleset: Ruleset, new_rules: Ruleset
) -> None:
    ledger.crawl(ruleset)
    assert ledger.exported() != expected
    rejudged = ledger.rejudge(new_rules)
    assert ledger.exported() == expected
    assert (rejudged.commits, rejudged.before_this_run) == (15, 0)
    assert audit(ledger.sessions, SLUG, ledger.settings, new_rules, sample=5, seed=1)[-1].differences == 0


def test_what_changed_is_told_commit_by_commit_and_in_sum(
    ledger: Ledger, expected: list[tuple[object, ...]], ruleset: Ruleset, new_rules: Ruleset
) -> None:
    ledger.crawl(ruleset)
    before = {row[2]: row[9] for row in ledger.exported() if ruleset.digest in row}
    rejudged = ledger.rejudge(new_rules)
    after = {row[2]: row[9] for row in expected if new_rules.digest in row}
    differing = {sha for sha in before if before[sha] != after[sha]}
    assert differing
    assert {one.sha for one in rejudged.changes if one.before.verdict is not one.after.verdict} == differing
    assert sum(rejudged.moves.values()) == len(differing)
    assert all(isinstance(verdict, Verdict) for pair in rejudged.moves for verdict in pair)
    assert {verdict: number for verdict, number in rejudged.verdicts_before.items() if number} == Counter(
        before.values()
    )
    assert rejudged.verdicts_after == Counter(after.values())


@pytest.mark.parametrize("done", [0, 4, 12])
def test_stopped_and_run_again_it_ends_the_same(
    ledger: Ledger, expected: list[tuple[object, ...]], ruleset: Ruleset, new_rules: Ruleset, done: int
) -> None:
    ledger.crawl(ruleset)
    with pytest.raises(Stopped):
        ledger.rejudge(new_rules, progress=stopping_at(done))
    assert ledger.outdated(new_rules) == 15 - done
    rejudged = ledger.rejudge(new_rules)
    assert (rejudged.commits, rejudged.before_this_run) == (15 - done, done)
    assert ledger.exported() == expected


@pytest.mark.parametrize("done", [4, 12])
def test_what_changed_is_told_of_the_whole_history_also_by_a_run_that_ended_another(
    ledger: Ledger,
    upstream: Repository,
    ruleset: Ruleset,
    new_rules: Ruleset,
    new_ledger: Callable[[], Ledger],
    done: int,
) -> None:
    write_history(upstream, 14)
    whole = new_ledger()
    whole.crawl(ruleset)
    told = whole.rejudge(new_rules)
    ledger.crawl(ruleset)
    with pytest.raises(Stopped):
        ledger.rejudge(new_rules, progress=stopping_at(done))
    rejudged = ledger.rejudge(new_rules)
    assert told.changes
    assert (rejudged.changes, rejudged.verdicts_after) == (told.changes, told.verdicts_after)
    again = ledger.rejudge(new_rules)
    assert (again.commits, again.changes) == (0, told.changes)


def test_back_by_the_old_rules_what_changed_is_told_the_other_way_round(
    ledger: Ledger, expected: list[tuple[object, ...]], ruleset: Ruleset, new_rules: Ruleset
) -> None:
    ledger.crawl(ruleset)
    there = ledger.rejudge(new_rules)
    back = ledger.rejudge(ruleset)
    assert [(one.sha, one.after, one.before) for one in back.changes] == [
        (one.sha, one.before, one.after) for one in there.changes
    ]
    assert ledger.rejudge(new_rules).changes == there.changes
    assert ledger.exported() == expected


def test_what_a_crawl_judged_anew_is_told_too(
    ledger: Ledger,
    upstream: Repository,
    ruleset: Ruleset,
    new_rules: Ruleset,
    new_ledger: Callable[[], Ledger],
) -> None:
    write_history(upstream, 14)
    whole = new_ledger()
    whole.crawl(ruleset)
    told = whole.rejudge(new_rules)
    ledger.crawl(ruleset)
    ledger.crawl(new_rules)
    rejudged = ledger.rejudge(new_rules)
    assert (rejudged.commits, rejudged.changes) == (0, told.changes)


def test_judged_once_more_by_the_same_rules_it_is_told_what_stood_before_them(
    ledger: Ledger, expected: list[tuple[object, ...]], ruleset: Ruleset, new_rules: Ruleset
) -> None:
    ledger.crawl(ruleset)
    told = ledger.rejudge(new_rules)
    with in_transaction(ledger.sessions) as session:
        assert mark_outdated(session, ledger.watched().id, 3) == 12
    again = ledger.rejudge(new_rules)
    assert (again.commits, again.changes) == (12, told.changes)
    assert ledger.exported() == expected


def test_a_second_run_has_nothing_to_do(ledger: Ledger, upstream: Repository, new_rules: Ruleset) -> None:
    write_history(upstream, 3)
    ledger.crawl(new_rules)
    rejudged = ledger.rejudge(new_rules)
    assert (rejudged.commits, rejudged.before_this_run, rejudged.changes) == (0, 3, ())


def test_a_crawl_finishes_judging_anew_before_it_appends(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset, new_ledger: Callable[[], Ledger]
) -> None:
    write_history(upstream, 14)
    ledger.crawl(ruleset)
    with pytest.raises(Stopped):
        ledger.rejudge(new_rules, progress=stopping_at(4))
    write_history(upstream, 3, start=14)
    counts = ledger.crawl(new_rules)
    assert (counts["commits_judged_anew"], counts["commits"]) == (11, 3)
    fresh = new_ledger()
    fresh.crawl(new_rules)
    assert ledger.exported() == fresh.exported()


def test_a_rewritten_end_is_followed_after_the_rest_was_judged_anew(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset, new_ledger: Callable[[], Ledger]
) -> None:
    shas = write_history(upstream, 8)
    ledger.crawl(ruleset)
    upstream.set_branch("main", shas[5])
    write_history(upstream, 3, start=20)
    counts = ledger.crawl(new_rules)
    assert (counts["commits_judged_anew"], counts["commits"], counts["commits_off_the_line"]) == (6, 3, 2)
    fresh = new_ledger()
    fresh.crawl(new_rules)
    assert ledger.exported() == fresh.exported()


def test_a_ledger_that_began_later_keeps_its_opening(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset, new_ledger: Callable[[], Ledger]
) -> None:
    write_history(upstream, 9)
    since = datetime(2020, 1, 10, tzinfo=UTC)
    ledger.crawl(ruleset, since=since)
    ledger.rejudge(new_rules)
    fresh = new_ledger()
    fresh.crawl(new_rules, since=since)
    assert ledger.exported() == fresh.exported()


def test_another_clone_may_be_named_and_must_hold_the_commits(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset, tmp_path: Path
) -> None:
    write_history(upstream, 4)
    ledger.crawl(ruleset)
    other = tmp_path / "other.git"
    shutil.copytree(upstream.path, other)
    empty = tmp_path / "empty.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(empty)], check=True)
    with pytest.raises(RepositoryError, match="lacks the commit"):
        ledger.rejudge(new_rules, mirror=str(empty))
    assert ledger.outdated(new_rules) == 4
    assert ledger.rejudge(new_rules, mirror=str(other)).commits == 4


def test_nothing_read_is_an_error_that_says_so(ledger: Ledger, upstream: Repository, new_rules: Ruleset) -> None:
    write_history(upstream, 1)
    with pytest.raises(RepositoryError, match="crawl the commits first"):
        ledger.rejudge(new_rules)


def test_who_is_judged_by_other_rules_is_counted_by_repository(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset
) -> None:
    write_history(upstream, 3)
    ledger.crawl(ruleset)
    with in_transaction(ledger.sessions) as session:
        assert read_outdated_counts(session, new_rules.digest) == {SLUG: 3}
        assert read_outdated_counts(session, ruleset.digest) == {}
        session.execute(update(RepositoryRow).values(removed_at=NOW))
        assert read_outdated_counts(session, new_rules.digest) == {}


def test_links_and_landings_are_kept(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset
) -> None:
    write_history(upstream, 12)
    ledger.crawl(ruleset)

    def links() -> list[object]:
        with in_transaction(ledger.sessions) as session:
            columns = (CommitLinkRow.commit_id, CommitLinkRow.target, CommitLinkRow.target_commit_id)
            rows: list[object] = list(session.execute(select(*columns).order_by(*columns)).all())
            landings = (LandingRow.commit_id, LandingRow.number, LandingRow.kind)
            return rows + list(session.execute(select(*landings).order_by(*landings)).all())

    before = links()
    assert before
    ledger.rejudge(new_rules)
    assert links() == before


def test_why_is_recorded_of_what_was_judged_before_it_was_kept(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset
) -> None:
    write_history(upstream, 6)
    ledger.crawl(ruleset)
    recorded = ledger.accounts()
    assert recorded
    with in_transaction(ledger.sessions) as session:
        session.execute(delete(SiteAccountRow))
        session.execute(update(VerdictRow).values(accounts_left_out=None))
    before = ledger.exported()
    assert ledger.outdated(ruleset) == 0
    rejudged = ledger.rejudge(ruleset)
    assert (rejudged.commits, rejudged.changes) == (6, ())
    assert (ledger.accounts(), ledger.exported()) == (recorded, before)


def test_judged_anew_accounts_are_those_of_a_crawl_by_the_new_rules(
    ledger: Ledger, upstream: Repository, ruleset: Ruleset, new_rules: Ruleset, new_ledger: Callable[[], Ledger]
) -> None:
    write_history(upstream, 14)
    fresh = new_ledger()
    fresh.crawl(new_rules)
    ledger.crawl(ruleset)
    assert ledger.accounts() != fresh.accounts()
    ledger.rejudge(new_rules)
    assert ledger.accounts() == fresh.accounts()
