"""Commits are classified one by one, wherever they stand, without a database."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from jobs.classify_commits import Classification, as_json, classify_commits
from tests.histories import COUPLED, NEUTRAL
from tests.repositories import Object, Repository
from tracker.errors import RepositoryError
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.sources.git_mirror import open_mirror

SLUG = "pytorch/pytorch"


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


def classified(repository: Repository, ruleset: Ruleset, *revisions: str) -> list[Classification]:
    with open_mirror(str(repository.path), folder=Path(), slug=SLUG) as mirror:
        return list(classify_commits(mirror, SLUG, ruleset, revisions))


def test_what_is_printed_of_a_commit(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/serialization.py": COUPLED})
    west = timezone(timedelta(hours=-7))
    sha = upstream.commit(
        {"torch/serialization.py": NEUTRAL}, "Wait (#12)\n", at=datetime(2021, 3, 4, 5, 6, 7, tzinfo=west)
    )
    (printed,) = [as_json(each) for each in classified(upstream, ruleset, sha)]
    entries = printed.pop("entries")
    assert printed == {
        "repo": SLUG,
        "sha": sha,
        "date": "2021-03-04T05:06:07-07:00",
        "pr": 12,
        "reverts": None,
        "reland_of": None,
        "verdict": "decoupling",
        "mechanism": "generalised",
        "vendors": ["nvidia"],
        "area": "core",
        "revert": False,
        "removed": 1,
        "added": 0,
        "let_in": 0,
        "net": -1,
        "ruleset": ruleset.digest,
        "skipped": [],
    }
    assert isinstance(entries, list)
    gone = entries[0]
    assert gone == {
        "path": "torch/serialization.py",
        "line": 5,
        "lines": [5],
        "territory": "neutral",
        "area": "core",
        "construct": "api",
        "vendor": "nvidia",
        "symbol": "torch.cuda.synchronize",
        "rule": gone["rule"],
        "delta": -1,
        "mechanism": "generalised",
        "replaced_by": gone["replaced_by"],
    }
    json.dumps(printed)


def test_a_commit_that_changes_no_site_has_empty_words_as_the_labels_have(
    upstream: Repository, ruleset: Ruleset
) -> None:
    sha = upstream.commit({"torch/a.py": "x = 1\n", "torch/gone.py": Object("4" * 40)})
    (printed,) = [as_json(each) for each in classified(upstream, ruleset, sha)]
    assert [printed[key] for key in ("verdict", "mechanism", "area", "vendors", "entries", "pr")] == [
        "none",
        "",
        "",
        [],
        [],
        None,
    ]
    assert printed["skipped"] == [{"path": "torch/gone.py", "blob": "4" * 40, "reason": "missing object"}]


def test_they_come_in_the_order_asked_for_and_by_any_name(upstream: Repository, ruleset: Ruleset) -> None:
    first = upstream.commit({"torch/a.py": COUPLED})
    second = upstream.commit({"torch/a.py": NEUTRAL})
    shas = [each.judged.commit.sha for each in classified(upstream, ruleset, "main", "main~1", first[:12], "main")]
    assert shas == [second, first, first, second]


def test_a_merge_is_compared_with_its_first_parent(upstream: Repository, ruleset: Ruleset) -> None:
    first = upstream.commit({"torch/a.py": "x = 1\n"})
    upstream.switch("side")
    side = upstream.commit({"torch/b.py": COUPLED}, parents=[first])
    upstream.switch("main")
    upstream.commit({"torch/c.py": COUPLED})
    merge = upstream.merge(side, {"torch/b.py": COUPLED})
    (found,) = classified(upstream, ruleset, merge)
    assert [entry.path for entry in found.judged.judgement.entries] == ["torch/b.py"]


def test_where_a_shallow_clone_ends_nothing_is_judged(upstream: Repository, ruleset: Ruleset, tmp_path: Path) -> None:
    upstream.commit({"torch/a.py": COUPLED})
    second = upstream.commit({"torch/b.py": COUPLED})
    shallow = tmp_path / "shallow.git"
    upstream.git("clone", "-q", "--bare", "--depth=1", f"file://{upstream.path}", str(shallow))
    with open_mirror(str(shallow), folder=Path(), slug=SLUG) as mirror:
        (found,) = classify_commits(mirror, SLUG, ruleset, [second])
    assert found.judged.judgement.verdict.value == "none"
    assert {entry.mechanism.value for entry in found.judged.judgement.entries} == {"baseline"}


@pytest.mark.parametrize("revision", ["no-such-branch", "--all", "0" * 40, ""])
def test_what_names_no_commit_is_an_error(upstream: Repository, ruleset: Ruleset, revision: str) -> None:
    upstream.commit({"torch/a.py": COUPLED})
    with pytest.raises(RepositoryError):
        classified(upstream, ruleset, revision)


class TestLinks:
    def reverted(self, upstream: Repository, ruleset: Ruleset, message: str) -> str | None:
        sha = upstream.commit({}, message)
        (found,) = classified(upstream, ruleset, sha)
        assert found.judged.trailers.is_revert
        return found.reverts

    def test_by_sha(self, upstream: Repository, ruleset: Ruleset) -> None:
        sha = upstream.commit({}, "Wait (#1)\n")
        message = f'Revert "Wait (#1)" (#2)\n\nThis reverts commit {sha}.\n'
        assert self.reverted(upstream, ruleset, message) == sha

    def test_by_changeset_and_differential(self, upstream: Repository, ruleset: Ruleset) -> None:
        source_id = "0123456789abcdef0123456789abcdef01234567"
        trailers = f"\n\nDifferential Revision: D123456\n\nfbshipit-source-id: {source_id}\n"
        sha = upstream.commit({}, f"Wait (#1){trailers}")
        upstream.commit({}, "Another one\n\nDifferential Revision: D777777\n")
        by_changeset = f'Back out "Wait"\n\nOriginal commit changeset: {source_id[:12]}\n'
        assert self.reverted(upstream, ruleset, by_changeset) == sha
        by_differential = "Revert D123456: Wait\n\nDifferential Revision:\nD123456\n"
        assert self.reverted(upstream, ruleset, by_differential) == sha

    def test_by_title_the_latest_one_before(self, upstream: Repository, ruleset: Ruleset) -> None:
        upstream.commit({}, "Wait (#1)\n")
        sha = upstream.commit({}, "Wait (#1)\n")
        revert = 'Revert "Wait (#1)"\n'
        assert self.reverted(upstream, ruleset, revert) == sha

    def test_what_fits_no_commit_stays_as_it_is_written(self, upstream: Repository, ruleset: Ruleset) -> None:
        upstream.commit({}, "Something\n")
        assert self.reverted(upstream, ruleset, f'Revert "X"\n\nThis reverts commit {"9" * 40}.\n') == "9" * 40

    def test_a_reland_names_what_it_lands_again(self, upstream: Repository, ruleset: Ruleset) -> None:
        first = upstream.commit({}, "Wait (#1)\n")
        upstream.commit({}, f'Revert "Wait (#1)"\n\nThis reverts commit {first}.\n')
        sha = upstream.commit({}, "[reland] Wait (#1)\n")
        (found,) = classified(upstream, ruleset, sha)
        assert (found.reland_of, found.reverts, as_json(found)["revert"]) == (first, None, False)
