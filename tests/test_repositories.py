"""The builder of test repositories writes what git itself accepts."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.repositories import Executable, Repository, Submodule, Symlink, blob_id


def test_git_finds_nothing_wrong_with_a_built_repository(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream.git")
    repository.commit({"a.py": "one\n", "folder/b.py": "two\n", "folder.c": "three\n", "\udcff.py": b"\x00"})
    repository.commit({"link": Symlink("a.py"), "run.sh": Executable("#!/bin/sh\n"), "module": Submodule()})
    assert repository.git("fsck", "--strict", "--no-dangling") == ""


def test_a_commit_holds_what_was_asked_for(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream.git")
    at = datetime(2021, 2, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=-5, minutes=-30)))
    sha = repository.commit(
        {"a.py": "one\n"},
        "Subject (#7)\n\nBody\n",
        at=at,
        author="Ann <ann@example.com>",
        committer="Bot <bot@example.com>",
        authored_at=datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=2))),
    )
    shown = repository.git("show", "--no-patch", "--format=%an|%ae|%aI|%cn|%cI|%B", sha)
    assert shown == (
        "Ann|ann@example.com|2020-01-01T00:00:00+02:00|Bot|2021-02-03T04:05:06-05:30|Subject (#7)\n\nBody\n\n"
    )
    assert repository.git("rev-parse", "HEAD", "HEAD:a.py").split() == [sha, blob_id("one\n")]


def test_moves_deletions_and_merges(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream.git")
    first = repository.commit({"a.py": "one\n", "b.py": "two\n"})
    second = repository.commit({"b.py": None}, moves={"a.py": "c/a.py"})
    repository.switch("side")
    side = repository.commit({"d.py": "four\n"}, parents=[first])
    repository.switch("main")
    merge = repository.merge(side, {"d.py": "four\n"})
    assert repository.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["c/a.py", "d.py"]
    assert repository.git("log", "--first-parent", "--format=%H").split() == [merge, second, first]
    assert repository.git("rev-parse", "HEAD^2").strip() == side


def test_a_branch_can_be_rewritten_and_head_detached(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "upstream.git")
    first = repository.commit({"a.py": "one\n"})
    repository.commit({"a.py": "two\n"})
    repository.set_branch("main", first)
    third = repository.commit({"a.py": "three\n"})
    repository.set_head(first)
    assert repository.git("log", "--format=%H", "main").split() == [third, first]
    assert repository.git("rev-parse", "HEAD").strip() == first
