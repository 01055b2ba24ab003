"""Heads of pull requests, fetched by reference into a mirror or read in a clone that is left as it is."""

from pathlib import Path

import pytest

from tests.repositories import Repository
from tracker.errors import RepositoryError, UpstreamUnavailable
from tracker.sources import git_heads
from tracker.sources.git_heads import PullHeads, is_branch_name
from tracker.sources.git_mirror import Mirror, open_mirror

ABSENT = "a" * 40


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    """A branch with one commit, and heads of pull requests 1, 12 and 123 that each add a file."""
    repository = Repository(tmp_path / "upstream.git")
    base = repository.commit({"a.py": "one\n"})
    for number in (1, 12, 123):
        repository.switch(f"work-{number}")
        head = repository.commit({f"{number}.py": "one\n"}, parents=[base])
        repository.set_reference(f"refs/pull/{number}/head", head)
    repository.switch("main")
    return repository


def fetched(repository: Repository, tmp_path: Path) -> Mirror:
    mirror = open_mirror(f"file://{repository.path}", folder=tmp_path / "mirrors", slug="example/upstream")
    mirror.fetch()
    return mirror


def head(repository: Repository, number: int) -> str:
    return (repository.path / f"refs/pull/{number}/head").read_text().strip()


def move(repository: Repository, number: int) -> str:
    """Force-push a pull request."""
    repository.switch(f"moved-{number}")
    sha = repository.commit({f"{number}.py": "other\n"}, parents=[str(repository.tip("main"))])
    repository.set_reference(f"refs/pull/{number}/head", sha)
    repository.switch("main")
    return sha


def test_only_the_heads_that_are_asked_for_are_fetched(upstream: Repository, tmp_path: Path) -> None:
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        assert heads.fetch([1, 123]) == {}
        assert heads.read() == {1: head(upstream, 1), 123: head(upstream, 123)}
        assert mirror.holds(head(upstream, 1))
        assert not mirror.holds(head(upstream, 12))


def test_a_head_that_is_not_there_keeps_no_other_from_being_fetched(upstream: Repository, tmp_path: Path) -> None:
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        assert heads.fetch([1, 7, 8, 12]) == {}
        assert set(heads.read()) == {1, 12}


def test_a_head_that_was_force_pushed_replaces_the_old_one(upstream: Repository, tmp_path: Path) -> None:
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        heads.fetch([1])
        moved = move(upstream, 1)
        heads.fetch([1])
        assert heads.read() == {1: moved}


def test_a_head_that_was_deleted_is_no_longer_here(upstream: Repository, tmp_path: Path) -> None:
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        heads.fetch([1, 12])
        (upstream.path / "refs/pull/1/head").unlink()
        heads.fetch([1, 12])
        assert set(heads.read()) == {12}


def test_a_head_whose_objects_are_gone_is_named_and_the_others_are_fetched(
    upstream: Repository, tmp_path: Path
) -> None:
    broken = head(upstream, 12)
    upstream.remove_object(upstream.tree_of(broken))
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        failures = heads.fetch([1, 12, 123])
        assert set(failures) == {12}
        assert set(heads.read()) == {1, 123}


def test_a_remote_of_which_nothing_can_be_fetched_is_to_blame_itself(
    upstream: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_heads, "MOST_FAILED", 2)
    for number in (1, 12, 123):
        upstream.remove_object(upstream.tree_of(head(upstream, number)))
    with fetched(upstream, tmp_path) as mirror, pytest.raises(RepositoryError, match="cannot be fetched"):
        PullHeads(mirror).fetch([1, 12, 123])


def test_a_remote_that_is_out_of_reach_is_said_to_be(upstream: Repository, tmp_path: Path) -> None:
    with fetched(upstream, tmp_path) as mirror:
        mirror.location = "http://127.0.0.1:1/example/upstream.git"
        with pytest.raises(UpstreamUnavailable):
            PullHeads(mirror).fetch([1])


def test_branches_that_pull_requests_are_based_on_are_fetched_beside_the_followed_one(
    upstream: Repository, tmp_path: Path
) -> None:
    stacked = str(upstream.tip("work-1"))
    upstream.set_branch("gh/ada/7/base", stacked)
    upstream.set_branch("release/2.1", stacked)
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        heads.fetch([12], ["gh/ada/7/base", "release/2.1", "gone", "--upload-pack=x", "a..b", "*"])
        assert heads.base_tip("gh/ada/7/base") == stacked
        assert heads.base_tip("release/2.1") == stacked
        assert heads.base_tip("gone") is None
        assert set(heads.read()) == {12}


def test_heads_of_closed_pull_requests_are_taken_out_of_the_mirror(upstream: Repository, tmp_path: Path) -> None:
    with fetched(upstream, tmp_path) as mirror:
        heads = PullHeads(mirror)
        heads.fetch([1, 12, 123])
        assert heads.forget({12}) == 2
        assert set(heads.read()) == {12}
        assert heads.forget({12}) == 0


def test_a_local_clone_is_read_as_it_is_and_never_written_to(upstream: Repository) -> None:
    with open_mirror(str(upstream.path), folder=upstream.path, slug="example/upstream") as mirror:
        heads = PullHeads(mirror)
        before = sorted(upstream.path.rglob("*"))
        assert heads.fetch([1, 7], ["main"]) == {}
        assert heads.forget(()) == 0
        assert set(heads.read()) == {1, 12, 123}
        assert heads.base_tip("main") == upstream.tip("main")
        assert sorted(upstream.path.rglob("*")) == before


def test_heads_that_people_fetched_as_remote_branches_are_found_too(upstream: Repository) -> None:
    upstream.set_reference("refs/remotes/origin/pr/45", head(upstream, 1))
    upstream.set_reference("refs/remotes/upstream/pull/46/head", head(upstream, 12))
    upstream.set_reference("refs/remotes/origin/pr/1", head(upstream, 123))
    with open_mirror(str(upstream.path), folder=upstream.path, slug="example/upstream") as mirror:
        found = PullHeads(mirror).read()
    assert (found[45], found[46]) == (head(upstream, 1), head(upstream, 12))
    assert found[1] == head(upstream, 1)


def test_the_merge_base_of_two_commits(upstream: Repository) -> None:
    base, ours = str(upstream.tip("main")), head(upstream, 1)
    with open_mirror(str(upstream.path), folder=upstream.path, slug="example/upstream") as mirror:
        assert mirror.merge_base(ours, head(upstream, 12)) == base
        assert mirror.merge_base(base, ours) == base
        alone = upstream.commit({"b.py": "b\n"}, parents=[])
        assert mirror.merge_base(ours, alone) is None
        with pytest.raises(RepositoryError):
            mirror.merge_base(ours, ABSENT)


@pytest.mark.parametrize("name", ["main", "release/2.1", "gh/ada/7/base", "ça-va"])
def test_what_a_branch_can_be_called(name: str) -> None:
    assert is_branch_name(name)


@pytest.mark.parametrize(
    "name", ["", "-x", "a b", "a..b", "a*", "a:b", "/a", "a/", "a.lock", "a\nb", "a@{1}", "a//b", ".a", "a?", "[a"]
)
def test_what_no_branch_can_be_called(name: str) -> None:
    assert not is_branch_name(name)
