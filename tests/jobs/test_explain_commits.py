"""An explanation shows the arithmetic of a verdict, and each site with its lines, its rule and the reason."""

from pathlib import Path

import pytest

from jobs.classify_commits import classify_commits
from jobs.explain_commits import explain
from tests.histories import COUPLED, NEUTRAL
from tests.repositories import Object, Repository
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


def explained(upstream: Repository, ruleset: Ruleset, sha: str) -> list[str]:
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        (found,) = classify_commits(mirror, SLUG, ruleset, [sha], accounts_at_most=None)
    return explain(found, ruleset).splitlines()


def test_the_arithmetic_the_lines_the_rule_and_the_reason(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/a.py": COUPLED * 12})
    sha = upstream.commit(
        {
            "torch/a.py": NEUTRAL * 12,
            "aten/src/ATen/cuda/a.cu": "cudaMalloc(x);\n",
            "torch/m": Object("4" * 40, "160000"),
        },
        "Wait (#12)\n",
    )
    lines = explained(upstream, ruleset, sha)
    assert lines[0].endswith("Wait (#12)")
    assert lines[1] == (
        "  verdict: decoupling: D = 12 decoupled (12 generalised, 0 broadened, 0 relocated), "
        "R = 0 removed (0 dropped, 0 retired), A = 0 introduced, 0 moved and 0 edited, which do not count"
    )
    assert lines[2:5] == [
        "  vendors: nvidia; area: core",
        "  -12 torch.cuda.synchronize  torch/a.py:5,10,15,20,25,30,35,40,...",
        "      generalised: a neutral name stands in its place (torch.accelerator.synchronize)",
    ]
    assert lines[5].startswith("      found by api.")
    assert lines[6:8] == [
        "      -5      torch.cuda.synchronize()",
        "      => 5    torch.accelerator.synchronize()",
    ]
    assert sum(line.startswith("      -") for line in lines) == 12
    assert lines[-2].endswith("entries outside neutral code, or of neutral constructs")
    assert lines[-1] == "  not read: torch/m (submodule)"


def test_a_pair_is_told_once_with_the_line_it_was_paired_with(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/a.py": "def one():\n    pass\n\n\n" + COUPLED, "torch/b.py": "x = 1\n"})
    sha = upstream.commit({"torch/a.py": "def one():\n    pass\n", "torch/b.py": "x = 1\n" + COUPLED}, "Move (#1)\n")
    assert explained(upstream, ruleset, sha)[3:] == [
        "  -1 torch.cuda.synchronize  torch/a.py:9",
        "      moved: stands in another file (torch.cuda.synchronize)",
        explained(upstream, ruleset, sha)[5],
        "      -9      torch.cuda.synchronize()",
        "      => torch/b.py:6    torch.cuda.synchronize()",
    ]


def test_lines_of_a_whole_new_or_deleted_file_are_shown(upstream: Repository, ruleset: Ruleset) -> None:
    sha = upstream.commit({"torch/a.py": COUPLED}, "Add (#1)\n")
    assert explained(upstream, ruleset, sha)[-1] == "      +5      torch.cuda.synchronize()"
    sha = upstream.commit({"torch/a.py": None}, "Delete (#2)\n")
    lines = explained(upstream, ruleset, sha)
    assert "      retired: its file is gone" in lines
    assert lines[-1] == "      -5      torch.cuda.synchronize()"


def test_a_place_that_admits_others_is_told(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/a.py": 'DEVICES = ["cpu", "cuda"]\n'})
    sha = upstream.commit({"torch/a.py": 'DEVICES = ["cpu", "cuda", "xpu"]\n'}, "Admit (#1)\n")
    lines = explained(upstream, ruleset, sha)
    assert lines[-4:] == [
        "  a place of nvidia alone admits others now, counted once as broadened: torch/a.py",
        "      another vendor is admitted beside it: xpu",
        '      +1      DEVICES = ["cpu", "cuda", "xpu"]',
        '      <= 1    DEVICES = ["cpu", "cuda"]',
    ]


def test_a_commit_that_says_nothing_of_hardware_has_no_sites(upstream: Repository, ruleset: Ruleset) -> None:
    sha = upstream.commit({"torch/a.py": "x = 1\n"}, "Say nothing (#1)\n")
    assert explained(upstream, ruleset, sha)[1:] == ["  verdict: none (no site of neutral code changes)"]


def test_where_a_shallow_clone_ends_there_is_nothing_to_explain(
    upstream: Repository, ruleset: Ruleset, tmp_path: Path
) -> None:
    upstream.commit({"torch/a.py": COUPLED})
    second = upstream.commit({"torch/b.py": COUPLED})
    shallow = tmp_path / "shallow.git"
    upstream.git("clone", "-q", "--bare", "--depth=1", f"file://{upstream.path}", str(shallow))
    with open_mirror(str(shallow), folder=Path(), slug=SLUG) as mirror:
        (found,) = classify_commits(mirror, SLUG, ruleset, [second], accounts_at_most=None)
    assert len(explain(found, ruleset).splitlines()) == 2
