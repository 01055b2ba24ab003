import json
from pathlib import Path

import pytest

from tests.jobs.cli.conftest import COUPLED, Tracker
from tests.repositories import Repository

KEYS = {"repo", "sha", "date", "pr", "reverts", "reland_of", "verdict", "mechanism", "vendors", "area", "revert"}
KEYS |= {"removed", "added", "ruleset", "entries"}
ENTRY_KEYS = {"path", "line", "territory", "area", "construct", "vendor", "symbol", "delta", "mechanism"}


def test_a_commit_is_judged_without_a_database(tracker: Tracker, upstream: Repository, tmp_path: Path) -> None:
    sha = upstream.tip()
    assert sha is not None
    outcome = tracker("classify", "--mirror", str(upstream.path), "--repo", "o/n", sha[:12])
    (line,) = outcome.lines
    document = json.loads(line)
    assert (outcome.code, outcome.err) == (0, "")
    assert set(document) >= KEYS
    assert {key: document[key] for key in ("repo", "sha", "pr", "verdict", "mechanism", "removed", "added")} == {
        "repo": "o/n",
        "sha": sha,
        "pr": 3,
        "verdict": "decoupling",
        "mechanism": "generalised",
        "removed": 1,
        "added": 0,
    }
    assert set(document["entries"][0]) >= ENTRY_KEYS
    assert not (tmp_path / "var").exists()


def test_several_commits_come_in_the_order_asked_for(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("classify", "--mirror", str(upstream.path), "main", "main~2", "main~1")
    assert [json.loads(line)["verdict"] for line in outcome.lines] == ["decoupling", "coupling", "none"]


def test_commits_may_come_from_standard_input(
    tracker: Tracker, upstream: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "shas").write_text("main\n\nmain~1\n")
    with (tmp_path / "shas").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        outcome = tracker("classify", "--mirror", str(upstream.path), "--stdin")
    assert [json.loads(line)["pr"] for line in outcome.lines] == [3, 2]


def test_what_cannot_be_judged_is_named_and_the_others_are_judged(
    tracker: Tracker, upstream: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unknown = "0" * 40
    (tmp_path / "shas").write_text(f"main {unknown} main~1\nno-such-branch main\n")
    with (tmp_path / "shas").open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        outcome = tracker("classify", "--mirror", str(upstream.path), "--repo", "o/n", "--stdin")
    assert [json.loads(line)["pr"] for line in outcome.lines] == [3, 2, 3]
    assert outcome.code == 1
    assert [line.split(": ")[1] for line in outcome.err.splitlines()] == [
        f"{unknown} was not judged",
        "no-such-branch was not judged",
    ]


def test_a_commit_whose_tree_is_missing_keeps_no_other_from_being_judged(
    tracker: Tracker, upstream: Repository
) -> None:
    broken = upstream.commit({"torch/other.py": COUPLED}, "Lose a tree (#4)")
    upstream.commit({"torch/other.py": None}, "Go on (#5)")
    upstream.remove_object(upstream.tree_of(broken))
    outcome = tracker("classify", "--mirror", str(upstream.path), "--repo", "o/n", "main~2", "main~1", "main~3")
    assert [json.loads(line)["pr"] for line in outcome.lines] == [3, 2]
    assert (outcome.code, outcome.err.startswith("tracker: main~1 was not judged: ")) == (1, True)


def test_a_repository_is_judged_by_the_map_it_brings(tracker: Tracker, upstream: Repository, tmp_path: Path) -> None:
    own = """
        repositories = ["o/n"]
        [[territory]]
        globs = ["torch/waiting.py"]
        territory = "vendor"
        vendors = ["nvidia"]
        [[area]]
        globs = ["torch/**"]
        area = "distributed"
        subsystem = "waiting"
    """
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "territory-own.toml").write_text(own)
    argv = ("classify", "--mirror", str(upstream.path), "main")
    judged = [
        json.loads(tracker(*argv, "--repo", slug, TRACKER_RULES_FOLDER="rules").out) for slug in ("o/n", "o/other")
    ]
    assert [document["verdict"] for document in judged] == ["vendor-internal", "decoupling"]
    assert {(entry["territory"], entry["area"]) for entry in judged[0]["entries"]} == {("vendor", "distributed")}
    assert judged[0]["ruleset"] != json.loads(tracker(*argv, "--repo", "o/n").out)["ruleset"]


def test_an_explanation_names_lines_and_rules(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("classify", "--mirror", str(upstream.path), "--explain", "main")
    assert "verdict: decoupling: D = 1 decoupled (1 generalised" in outcome.out
    assert "-1 torch.cuda.synchronize  torch/waiting.py:5" in outcome.out
    assert "generalised: a neutral name stands in its place (torch.accelerator.synchronize)" in outcome.out


@pytest.mark.parametrize("argv", [(), ("--stdin", "main")])
def test_commits_are_named_in_exactly_one_way(tracker: Tracker, upstream: Repository, argv: tuple[str, ...]) -> None:
    outcome = tracker("classify", "--mirror", str(upstream.path), *argv)
    assert (outcome.code, outcome.out) == (2, "")
    assert "--stdin" in outcome.err


def test_a_commit_that_is_not_there_is_an_error(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("classify", "--mirror", str(upstream.path), "0" * 40)
    assert (outcome.code, outcome.out) == (1, "")
    assert "0" * 40 in outcome.err


def test_the_repository_is_the_one_the_clone_came_from(tracker: Tracker, upstream: Repository) -> None:
    arguments = ("classify", "--mirror", str(upstream.path), "main")
    assert json.loads(tracker(*arguments).out)["repo"] == "pytorch/pytorch"
    with (upstream.path / "config").open("a") as config:
        config.write('[remote "origin"]\n\turl = git@github.com:huggingface/accelerate.git\n')
    assert json.loads(tracker(*arguments).out)["repo"] == "huggingface/accelerate"
    assert json.loads(tracker(*arguments, "--repo", "o/n").out)["repo"] == "o/n"


def test_a_folder_is_scanned_as_it_is(tracker: Tracker, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "waiting.py").write_text(COUPLED)
    outcome = tracker("scan", "tree")
    assert (outcome.code, outcome.err) == (0, "")
    assert "neutral\tnvidia\tapi\t1" in outcome.lines


def test_a_revision_is_scanned_as_json(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("scan", "--mirror", str(upstream.path), "--rev", "main~1", "--format", "json")
    document = json.loads(outcome.out)
    assert [(site["path"], site["line"], site["symbol"]) for site in document["sites"]] == [
        ("torch/waiting.py", 5, "torch.cuda.synchronize")
    ]


def test_sarif_has_one_result_for_each_site_in_neutral_code(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("scan", "--mirror", str(upstream.path), "--rev", "main~1", "--format", "sarif")
    document = json.loads(outcome.out)
    assert (document["version"], len(document["runs"][0]["results"])) == ("2.1.0", 1)


@pytest.mark.parametrize("argv", [(), ("tree", "--mirror", "x"), ("tree", "--rev", "main")])
def test_a_tree_is_named_in_exactly_one_way(tracker: Tracker, argv: tuple[str, ...]) -> None:
    outcome = tracker("scan", *argv)
    assert (outcome.code, outcome.out) == (2, "")
    assert "name a PATH" in outcome.err


def test_a_path_that_is_not_there_is_an_error(tracker: Tracker) -> None:
    outcome = tracker("scan", "nowhere")
    assert (outcome.code, outcome.err) == (1, "tracker: nowhere does not exist\n")
