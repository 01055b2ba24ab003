"""The comparison with other tools: all read the same slice, and ratios are those of each round."""

import sys
from pathlib import Path

import pytest

from tests.benchmarks.compare import Slice, checks, compare, history_commands, prepared, table
from tests.benchmarks.measuring import Measured, measured
from tests.benchmarks.seen import digest_of
from tests.histories import COUPLED, NEUTRAL
from tests.repositories import Repository


@pytest.fixture
def upstream(tmp_path: Path) -> tuple[Repository, list[str]]:
    upstream = Repository(tmp_path / "upstream.git")
    contents = (NEUTRAL, COUPLED, NEUTRAL, COUPLED + NEUTRAL)
    return upstream, [upstream.commit({"torch/a.py": content}) for content in contents]


def a_run(seconds: float, *, work: float = 1.0, seen: dict[str, object] | None = None) -> Measured:
    return Measured(seconds=seconds, processor_seconds=work, peak_megabytes=seconds, seen=seen or {})


def test_the_slice_is_the_last_commits_in_a_repository_that_borrows_them(
    upstream: tuple[Repository, list[str]], tmp_path: Path
) -> None:
    repository, shas = upstream
    folder = tmp_path / "scratch"
    folder.mkdir()
    sliced = prepared(repository.path, shas[3], 2, folder)
    assert (list(sliced.shas), sliced.before) == (shas[2:], shas[1])
    assert sliced.changed_lines == 7  # a line in place of another, then five more
    assert sliced.clone.parent == folder


def test_ratios_are_medians_of_those_of_each_round() -> None:
    runs = {"floor": [a_run(1), a_run(10), a_run(2)], "ours": [a_run(3, work=2), a_run(20, work=2), a_run(8, work=2)]}
    assert table(runs, "floor", 100, "commits") == [
        "| | commits/s | time, x floor | CPU s | CPU, x floor | peak MB |",
        "|---|--:|--:|--:|--:|--:|",
        "| floor | 50 | 1.00 | 1.0 | 1.00 | 10 |",
        "| ours | 12 | 3.00 | 2.0 | 2.00 | 20 |",
    ]


def test_a_tool_that_saw_other_commits_is_told() -> None:
    sliced = Slice(clone=Path("x"), shas=["a", "b"], before="c", changed_lines=1_234)
    same, other = digest_of(["a", "b"]), digest_of(["b"])
    runs = {
        "silent": [a_run(1)],
        "good": [a_run(1, seen={"commits": 2, "digest": same, "changed lines": 1_234})],
        "bad": [a_run(1, seen={"commits": 1, "digest": other})],
    }
    assert checks(runs, sliced) == [
        f"2 commits {same}, 1,234 changed lines by git",
        "good: the same commits, 1,234 changed lines",
        "bad: OTHER COMMITS (1)",
    ]


def test_a_command_that_fails_ends_the_comparison() -> None:
    with pytest.raises(Exception, match="exit status 3"):
        measured([sys.executable, "-c", "import sys; sys.exit(3)"])


@pytest.mark.slow
def test_ours_sees_the_slice_that_git_does(upstream: tuple[Repository, list[str]], tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    sliced = prepared(upstream[0].path, upstream[1][3], 3, folder)
    runs = compare(history_commands(sliced, "pytorch/pytorch", None, folder), 1)
    assert {name: run[0].seen.get("commits") for name, run in runs.items()} == {
        "git log -p": None,
        "ours": 3,
        "ours, one process": 3,
    }
    assert all("the same commits" in line for line in checks(runs, sliced)[1:])
