"""Open pull requests are judged by what their heads would do to the tree, apart from the ledger, once for each head."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, session_factory
from db.pull_verdicts import HeadVerdict, read_head_verdict
from db.pull_writes import upsert_pulls
from db.repositories import add_repository, read_repository
from db.tables import CommitRow, LedgerEntryRow, PullRequestRow, WeeklyCellRow
from jobs import judge_heads as judging
from jobs.crawl_commits import crawl_commits
from jobs.judge_heads import RETRY_AFTER, judge_heads
from tests.histories import COUPLED, NEUTRAL
from tests.pull_builders import a_pull
from tests.repositories import Object, Repository
from tracker.classify import HeadProblem
from tracker.errors import UpstreamUnavailable
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Secret, Settings
from tracker.sites import Mechanism
from tracker.upstream import PullFile, PullRequest, PullRequestState, SkipReason

SLUG = "example/upstream"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
IDLE = {"due": 0, "judged": 0, "fetched": 0}

Sessions = sessionmaker[Session]


def a_file(path: str) -> PullFile:
    return PullFile(path=path, change="MODIFIED", additions=1, deletions=0)


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


class World:
    """An upstream with open pull requests, watched in place or through a mirror of its own."""

    def __init__(self, folder: Path, sessions: Sessions, ruleset: Ruleset) -> None:
        self.upstream = Repository(folder / "upstream.git")
        self.base = self.upstream.commit({"torch/a.py": COUPLED, "torch/b.py": COUPLED})
        self.sessions, self.ruleset = sessions, ruleset
        self.now = NOW
        self.settings = Settings(var_folder=folder / "var", mail_key=Secret("k" * 32), workers=1)
        self.watch(str(self.upstream.path))

    def watch(self, location: str) -> None:
        with in_transaction(self.sessions) as session:
            row = add_repository(session, SLUG, mirror=location, now=NOW)
            row.mirror, row.default_branch = location, "main"
            self.repository = row

    def propose(
        self, number: int, changes: dict[str, str | Object | None], *, parents: Sequence[str] | None = None
    ) -> PullRequest:
        """Give a pull request a head with these changes to the branch as it stood at first, or to other parents."""
        self.upstream.switch(f"work-{number}")
        sha = self.upstream.commit(changes, parents=list(parents) if parents is not None else [self.base])
        self.upstream.switch("main")
        self.upstream.set_reference(f"refs/pull/{number}/head", sha)
        return replace(a_pull(number), head_sha=sha)

    def store(self, *pulls: PullRequest) -> None:
        with in_transaction(self.sessions) as session:
            upsert_pulls(session, self.repository.id, pulls, NOW)

    def judge(self, ruleset: Ruleset | None = None) -> dict[str, int | str]:
        return judge_heads(self.sessions, self.repository, self.settings, ruleset or self.ruleset, now=lambda: self.now)

    def crawl(self) -> None:
        crawl_commits(self.sessions, self.repository, self.settings, self.ruleset, now=lambda: NOW)
        with in_transaction(self.sessions) as session:
            found = read_repository(session, SLUG)
            assert found is not None
            self.repository = found

    def verdict(self, number: int) -> HeadVerdict:
        with in_transaction(self.sessions) as session:
            row_id = session.scalar(select(PullRequestRow.id).where(PullRequestRow.number == number))
            found = read_head_verdict(session, row_id or 0)
            assert found is not None
            return found

    def count(self, table: type[LedgerEntryRow] | type[WeeklyCellRow] | type[CommitRow]) -> int:
        with in_transaction(self.sessions) as session:
            return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.fixture
def world(tmp_path: Path, sqlite_engine: Engine, ruleset: Ruleset) -> World:
    return World(tmp_path, session_factory(sqlite_engine), ruleset)


def test_a_head_is_judged_by_its_net_difference_to_the_merge_base(world: World) -> None:
    first = world.propose(1, {"torch/a.py": NEUTRAL, "torch/c.py": COUPLED})
    pull = world.propose(1, {"torch/c.py": None}, parents=[first.head_sha])
    world.upstream.commit({"torch/b.py": "# gone meanwhile, by another\n"})
    world.store(pull)
    assert world.judge() == {"due": 1, "judged": 1, "fetched": 0, "decoupling": 1}
    found = world.verdict(1)
    assert (found.head_sha, found.base_sha, found.base_ref, found.files) == (pull.head_sha, world.base, "main", 1)
    assert found.tally.generalised == 1
    assert [(entry.path, entry.delta, entry.mechanism) for entry in found.entries] == [
        ("torch/a.py", -1, Mechanism.GENERALISED),
        ("torch/a.py", 1, Mechanism.OUTSIDE),
    ]


def test_nothing_of_it_enters_the_ledger_or_a_sum(world: World) -> None:
    world.crawl()
    before = [world.count(table) for table in (CommitRow, LedgerEntryRow, WeeklyCellRow)]
    world.store(world.propose(1, {"torch/c.py": COUPLED * 4}))
    assert world.judge()["coupling"] == 1
    assert [world.count(table) for table in (CommitRow, LedgerEntryRow, WeeklyCellRow)] == before


def test_nothing_is_done_where_neither_head_nor_rules_are_new(world: World) -> None:
    world.store(world.propose(1, {"torch/c.py": COUPLED}))
    world.judge()
    assert world.judge() == IDLE


def test_a_head_that_moved_is_judged_again(world: World) -> None:
    world.store(world.propose(1, {"torch/c.py": COUPLED}))
    world.judge()
    moved = world.propose(1, {"torch/a.py": NEUTRAL})
    world.store(replace(moved, updated_at=NOW))
    assert world.judge()["decoupling"] == 1
    assert world.verdict(1).head_sha == moved.head_sha
    assert {entry.path for entry in world.verdict(1).entries} == {"torch/a.py"}


def test_another_ruleset_judges_every_open_head_again(world: World, ruleset: Ruleset) -> None:
    world.store(world.propose(1, {"torch/c.py": COUPLED}), world.propose(2, {"torch/a.py": NEUTRAL}))
    world.judge()
    other = replace(ruleset, digest="f" * 64)
    assert world.judge(other)["judged"] == 2
    assert world.verdict(1).ruleset == "f" * 64
    assert world.judge(other) == IDLE


def test_what_landed_or_was_closed_is_not_judged(world: World) -> None:
    world.upstream.commit({"torch/b.py": NEUTRAL}, "Generalise (#1)")
    world.crawl()
    closed = replace(world.propose(2, {"torch/c.py": COUPLED}), state=PullRequestState.CLOSED, closed_at=NOW)
    world.store(world.propose(1, {"torch/c.py": COUPLED}), closed)
    assert world.judge() == IDLE


def test_what_was_reverted_and_is_open_again_is_judged(world: World) -> None:
    sha = world.upstream.commit({"torch/b.py": NEUTRAL}, "Generalise (#1)")
    world.upstream.commit({"torch/b.py": COUPLED}, f'Revert "Generalise (#1)"\n\nThis reverts commit {sha}.\n')
    world.crawl()
    world.store(world.propose(1, {"torch/b.py": NEUTRAL}))
    assert world.judge()["decoupling"] == 1


def test_heads_come_through_a_mirror_and_only_those_that_are_due(world: World) -> None:
    one, two = world.propose(1, {"torch/c.py": COUPLED}), world.propose(2, {"torch/d.py": COUPLED})
    world.watch(f"file://{world.upstream.path}")
    world.store(one)
    assert world.judge() == {**IDLE, "due": 1, "waits_for": "the first crawl of commits"}
    world.crawl()
    assert world.judge() == {"due": 1, "judged": 1, "fetched": 1, "coupling": 1}
    world.store(two)
    assert world.judge() == {"due": 1, "judged": 1, "fetched": 1, "coupling": 1}


def test_rules_that_changed_need_no_network_for_heads_that_are_here(world: World, ruleset: Ruleset) -> None:
    world.watch(f"file://{world.upstream.path}")
    world.store(world.propose(1, {"torch/c.py": COUPLED}))
    world.crawl()
    world.judge()
    world.upstream.path.rename(world.upstream.path.with_suffix(".away"))
    assert world.judge(replace(ruleset, digest="f" * 64))["judged"] == 1


def test_what_is_here_is_judged_before_it_is_said_that_upstream_is_out_of_reach(world: World, ruleset: Ruleset) -> None:
    world.watch(f"file://{world.upstream.path}")
    one = world.propose(1, {"torch/c.py": COUPLED})
    world.store(one)
    world.crawl()
    world.judge()
    mirrored = world.settings.mirrors_folder / f"{SLUG}.git"
    two = world.propose(2, {"torch/d.py": COUPLED})
    world.store(two)
    world.watch("http://127.0.0.1:1/example/upstream.git")
    assert mirrored.exists()
    with pytest.raises(UpstreamUnavailable):
        world.judge(replace(ruleset, digest="f" * 64))
    assert world.verdict(1).ruleset == "f" * 64
    with in_transaction(world.sessions) as session:
        assert read_head_verdict(session, 2) is None


def test_what_is_wrong_with_one_head_is_stored_with_it_and_harms_no_other(world: World) -> None:
    missing = a_pull(1)
    unrelated = world.propose(2, {"torch/c.py": COUPLED}, parents=[])
    broken = world.propose(3, {"torch/d.py": COUPLED})
    world.upstream.remove_object(world.upstream.tree_of(broken.head_sha))
    good = world.propose(4, {"torch/c.py": COUPLED})
    world.store(missing, unrelated, broken, good)
    assert world.judge() == {
        "due": 4,
        "judged": 1,
        "fetched": 0,
        "coupling": 1,
        "problem: head missing": 1,
        "problem: no merge base": 1,
        "problem: unreadable": 1,
    }
    assert [world.verdict(number).problem for number in (1, 2, 3, 4)] == [
        HeadProblem.HEAD_MISSING,
        HeadProblem.NO_MERGE_BASE,
        HeadProblem.UNREADABLE,
        None,
    ]
    assert world.verdict(1).detail == "refs/pull/1/head is not there"


def test_what_could_not_be_judged_is_tried_again_a_day_later(world: World) -> None:
    world.store(a_pull(1))
    world.judge()
    assert world.judge() == IDLE
    world.now += RETRY_AFTER + timedelta(seconds=1)
    assert world.judge()["due"] == 1


def test_a_missing_blob_is_counted_and_the_rest_is_judged(world: World) -> None:
    world.store(world.propose(1, {"torch/a.py": NEUTRAL, "torch/lost.py": Object("1" * 40)}))
    assert world.judge()["judged"] == 1
    found = world.verdict(1)
    assert found.skipped == {SkipReason.MISSING_OBJECT: 1}
    assert found.tally.generalised == 1


def test_a_pull_request_that_changes_too_many_files_is_said_to_and_not_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "MOST_FILES", 2)
    world.store(world.propose(1, {f"torch/{number}.py": COUPLED for number in range(3)}))
    assert world.judge()["problem: too large"] == 1
    found = world.verdict(1)
    assert (found.problem, found.files) == (HeadProblem.TOO_LARGE, 3)
    assert found.detail == "it changes 3 files; more than 2 are not read of one pull request"


def test_a_stacked_pull_request_is_compared_with_its_own_base(world: World) -> None:
    below = world.propose(1, {"torch/c.py": COUPLED})
    world.upstream.set_branch("gh/ada/2/base", below.head_sha)
    above = world.propose(2, {"torch/a.py": NEUTRAL}, parents=[below.head_sha])
    world.watch(f"file://{world.upstream.path}")
    world.crawl()
    world.store(below, replace(above, base_ref="gh/ada/2/base"))
    assert world.judge()["judged"] == 2
    found = world.verdict(2)
    assert (found.base_ref, found.base_sha) == ("gh/ada/2/base", below.head_sha)
    assert {entry.path for entry in found.entries} == {"torch/a.py"}


def test_without_its_own_base_it_is_compared_with_the_followed_branch_and_says_so(world: World) -> None:
    below = world.propose(1, {"torch/c.py": COUPLED})
    world.store(replace(world.propose(2, {"torch/a.py": NEUTRAL}, parents=[below.head_sha]), base_ref="gone"))
    world.judge()
    found = world.verdict(2)
    assert (found.base_ref, found.base_sha) == ("main", world.base)
    assert {entry.path for entry in found.entries} == {"torch/a.py", "torch/c.py"}


def test_a_head_that_moved_after_it_was_described_is_judged_as_it_is_and_not_each_time(world: World) -> None:
    described = world.propose(1, {"torch/c.py": COUPLED})
    moved = world.propose(1, {"torch/a.py": NEUTRAL})
    world.watch(f"file://{world.upstream.path}")
    world.crawl()
    world.store(described)
    assert world.judge()["decoupling"] == 1
    assert world.verdict(1).head_sha == moved.head_sha
    assert world.judge() == IDLE
    world.store(replace(moved, updated_at=NOW))
    assert world.judge() == IDLE


def test_a_head_that_changes_no_code_is_judged_by_its_list_of_files_and_not_fetched(world: World) -> None:
    guide, more, old, code = (a_file(path) for path in ("docs/guide.md", "docs/more.md", "docs/old.md", "torch/c.py"))
    prose = replace(world.propose(1, {guide.path: "torch.cuda\n"}), changed_files=1, files=(guide,))
    cut = replace(world.propose(2, {more.path: "more\n"}), changed_files=2, files=(more,))
    renamed = replace(world.propose(3, {old.path: "old\n"}), changed_files=1, files=(replace(old, change="RENAMED"),))
    coupling = replace(world.propose(4, {code.path: COUPLED}), changed_files=1, files=(code,))
    world.watch(f"file://{world.upstream.path}")
    world.crawl()
    world.store(prose, cut, renamed, coupling)
    assert world.judge() == {"due": 4, "judged": 4, "fetched": 3, "none": 3, "coupling": 1}
    found = world.verdict(1)
    assert (found.head_sha, found.base_sha, found.files, found.entries) == (prose.head_sha, None, 1, ())
    assert world.judge() == IDLE


def test_two_pull_requests_with_one_head_are_judged_each_for_itself(world: World) -> None:
    one = world.propose(1, {"torch/a.py": NEUTRAL})
    world.upstream.set_reference("refs/pull/2/head", one.head_sha)
    world.upstream.set_branch("topic", one.head_sha)
    world.store(one, replace(a_pull(2), head_sha=one.head_sha, base_ref="topic"))
    world.judge()
    assert [world.verdict(number).tally.generalised for number in (1, 2)] == [1, 0]


def test_a_run_that_was_cut_short_goes_on_with_what_is_left(world: World) -> None:
    world.store(*(world.propose(number, {f"torch/{number}.py": COUPLED}) for number in (1, 2, 3)))

    def stop_after_first(stage: str, done: int, total: int | None) -> None:
        if stage == "judging pull requests" and (done, total) == (1, 3):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_heads(
            world.sessions, world.repository, world.settings, world.ruleset, progress=stop_after_first, now=lambda: NOW
        )
    assert world.judge() == {"due": 2, "judged": 2, "fetched": 0, "coupling": 2}
