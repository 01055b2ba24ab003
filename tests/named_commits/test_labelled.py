"""Commits that two people labelled independently by docs/guide.md, judged again: the figures shown are those found.

labels/ holds what both readers say of each commit, without those on whose verdict they differ. TRACKER_TEST_CLONES must
name a clone of every labelled repository.
"""

import json
import os
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from jobs.classify_commits import Classification, classify_commits
from tests.named_commits.agreement import Label, Prediction, figures
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import parse_repository
from tracker.settings.repositories import split_repositories
from tracker.sources.git_mirror import open_mirror

pytestmark = pytest.mark.slow

LABELS = Path(__file__).with_name("labels")
SETS = sorted(path.stem for path in LABELS.glob("*.jsonl"))


@cache
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


def labels_of(name: str) -> list[Label]:
    lines = (LABELS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Label(**{**found, "vendors": tuple(found["vendors"])}) for found in map(json.loads, lines)]


def clones() -> dict[str, str]:
    named = [parse_repository(text) for text in split_repositories(os.environ["TRACKER_TEST_CLONES"])]
    return {each.slug: each.mirror for each in named if each.mirror is not None}


def judged(labels: list[Label]) -> dict[str, Classification]:
    by_repository = defaultdict[str, list[str]](list)
    for label in labels:
        by_repository[label.repo].append(label.sha)
    found: dict[str, Classification] = {}
    for slug, shas in by_repository.items():
        with open_mirror(clones()[slug], folder=Path(), slug=slug) as mirror:
            found.update((one.judged.commit.sha, one) for one in classify_commits(mirror, slug, ruleset(), shas))
    return found


def prediction(found: Classification) -> Prediction:
    judgement = found.judged.judgement
    return Prediction(
        verdict=judgement.verdict.value,
        mechanism=judgement.mechanism.value if judgement.mechanism else "",
        area=judgement.area.value if judgement.area else "",
        revert=found.judged.trailers.is_revert,
        removed=judgement.removed,
        added=judgement.added,
    )


@pytest.mark.parametrize("name", SETS)
def test_the_figures_shown_of_a_set_are_those_found(name: str) -> None:
    labels = labels_of(name)
    found = judged(labels)
    (shown,) = (one for one in ruleset().label_sets if one.name == name)
    assert figures([(label, prediction(found[label.sha])) for label in labels]) == dict(shown.figures)
