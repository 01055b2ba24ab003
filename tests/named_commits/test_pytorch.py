"""Commits of pytorch/pytorch that anyone who followed the project knows, judged as such a person would.

TRACKER_TEST_CLONES names the clone as TRACKER_REPOSITORIES does: `pytorch/pytorch=path@ref`. It is only read. The same
patterns stand in miniature in tests/tracker/pairing, which run everywhere.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.classify_commits import Classification, classify_commits
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import parse_repository
from tracker.settings.repositories import split_repositories
from tracker.sources.git_mirror import Mirror, open_mirror

pytestmark = pytest.mark.slow

SLUG = "pytorch/pytorch"


@pytest.fixture(scope="module")
def clone() -> Iterator[Mirror]:
    named = [parse_repository(text) for text in split_repositories(os.environ["TRACKER_TEST_CLONES"])]
    (location,) = [each.mirror for each in named if each.slug == SLUG and each.mirror is not None]
    with open_mirror(location, folder=Path(), slug=SLUG) as mirror:
        yield mirror


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


def classified(clone: Mirror, ruleset: Ruleset, sha: str) -> Classification:
    (found,) = classify_commits(clone, SLUG, ruleset, [sha])
    return found


@pytest.mark.parametrize(
    ("sha", "verdict", "mechanism"),
    [
        pytest.param("43103af7a7", "decoupling", "generalised", id="the device guard everywhere"),
        pytest.param("27f6a29fd0", "decoupling", "generalised", id="build options out of the autograd engine"),
        pytest.param("344e7c26c4", "decoupling", "broadened", id="the build option out of data_parallel.h"),
        pytest.param("b4c35d7ae7", "decoupling", "generalised", id="the build option out of the Gloo process group"),
        pytest.param("cbcae46fa5", "decoupling", "relocated", id="the build option out of reducer and logger"),
        pytest.param("a9a9d362e2", "decoupling", "generalised", id="tests for any device, seven literals less"),
        pytest.param("3099732017", "decoupling", "generalised", id="decorators for any cuDNN"),
        pytest.param("6ff0c6ca3f", "removal", "retired", id="THD removed"),
        pytest.param("560cd88195", "removal", "retired", id="THCUNN killed: build files only"),
        pytest.param("e279963eef", "removal", "retired", id="THC leaves: build files only"),
        pytest.param("b9ede6600e", "removal", "dropped", id="an option for MIOpen gone"),
        pytest.param("5268b7dfaf", "removal", "dropped", id="an old version cleaned up"),
        pytest.param("1ee66a5278", "removal", "dropped", id="another old version"),
        pytest.param("30cb6ac53c", "coupling", "introduced", id="a device type of Apple's"),
        pytest.param("c73f0e457e", "coupling", "introduced", id="is_hpu"),
        pytest.param("66158a6e90", "vendor-internal", None, id="a dispatch key, where vendors are enumerated"),
        pytest.param("602aec325d", "vendor-internal", None, id="a version check in a vendor's own code"),
        pytest.param("ea414e4990", "vendor-internal", None, id="clean-up in a vendor's own code"),
        pytest.param("50bd6a3640", "infrastructure", None, id="an old version in CI"),
        pytest.param("b004307252", "none", None, id="188 files reformatted"),
        pytest.param("d43fb75a21", "none", None, id="the text of an error"),
        pytest.param("fd3004d3ee", "none", None, id="the neutral API grows"),
        pytest.param("05fa570bbc", "none", None, id="and again"),
    ],
)
def test_known_commits(clone: Mirror, ruleset: Ruleset, sha: str, verdict: str, mechanism: str | None) -> None:
    judgement = classified(clone, ruleset, sha).judged.judgement
    assert (judgement.verdict, judgement.mechanism) == (verdict, mechanism)


@pytest.mark.parametrize(
    ("sha", "verdict"),
    [
        pytest.param("0aaff5eaf9", "coupling", id="set_index becomes set_device: more names come than go"),
        pytest.param(
            "b4b8f53a5d", "coupling", id="test_torch ported to device types: vendors' decorators come in number"
        ),
        pytest.param("fbf991d062", "coupling", id="the device-type test framework itself names vendors"),
        pytest.param("e936a69085", "churn", id="the caching allocator moves between a vendor's own directories"),
    ],
)
def test_commits_whose_intent_and_arithmetic_differ(clone: Mirror, ruleset: Ruleset, sha: str, verdict: str) -> None:
    """They began something that decoupled later; a verdict says what one commit does to the tree."""
    assert classified(clone, ruleset, sha).judged.judgement.verdict == verdict


def test_a_sweep_of_renames_counts_next_to_nothing(clone: Mirror, ruleset: Ruleset) -> None:
    judgement = classified(clone, ruleset, "885a8e53ba").judged.judgement
    assert judgement.removed + judgement.added <= 2
    assert judgement.tally.edited > 200


def test_files_that_only_move_count_next_to_nothing(clone: Mirror, ruleset: Ruleset) -> None:
    judgement = classified(clone, ruleset, "a016150163").judged.judgement
    assert judgement.removed + judgement.added <= 2


def test_a_change_that_was_backed_out_and_landed_again_is_one_family(clone: Mirror, ruleset: Ruleset) -> None:
    landed, backed_out, again = (classified(clone, ruleset, sha) for sha in ("416ba5c48f", "7fc03dd7c9", "197f9f0826"))
    assert landed.reverts is None
    assert backed_out.reverts == landed.judged.commit.sha
    assert backed_out.judged.trailers.is_revert
    # It says nothing of a reland: the same pull request landed once more, a change of its own that counts.
    assert again.judged.trailers.pull_request == landed.judged.trailers.pull_request == 53902
    assert landed.judged.judgement.verdict == again.judged.judgement.verdict == "coupling"
    assert backed_out.judged.judgement.verdict == "removal"
