from pathlib import Path

import pytest

from tests.jobs.cli.conftest import Tracker
from tracker.rules import read_rules
from tracker.ruleset import AreaRule, Question, RegionRule, Rule, TerritoryRule, load_ruleset

RULESET = load_ruleset(read_rules())
RULES: list[Rule | RegionRule | Question] = [
    *RULESET.rules,
    *RULESET.neutral_constructs,
    *RULESET.regions,
    *RULESET.questions,
]
PYTORCH = next(rules for rules in RULESET.territory_maps if rules.name == "pytorch")
PLACES: list[TerritoryRule | AreaRule] = [PYTORCH.territories[0], PYTORCH.areas[0]]


def test_the_list_has_every_rule_one_a_line(tracker: Tracker) -> None:
    ruleset = load_ruleset(read_rules())
    outcome = tracker("rules", "list")
    ids = [line.split("\t")[0] for line in outcome.lines[1:]]
    assert outcome.code == 0
    assert ids[: len(ruleset.rules)] == [rule.id for rule in ruleset.rules]
    assert "stale-crawl" in ids


def test_a_rule_is_shown_with_its_reason_and_examples(tracker: Tracker) -> None:
    outcome = tracker("rules", "show", "neutral.accelerator-api")
    names = [line.split()[0] for line in outcome.lines]
    assert (outcome.code, names[:2]) == (0, ["id", "construct"])
    assert {"why", "source", "flags", "ignores"} <= set(names)


def test_a_vendor_is_shown_with_its_words_source_and_examples(tracker: Tracker) -> None:
    outcome = tracker("rules", "show", "vendor.habana")
    names = [line.split()[0] for line in outcome.lines]
    assert (outcome.code, names[:2]) == (0, ["id", "title"])
    assert {"parts", "why", "source", "flags", "ignores"} <= set(names)


def test_an_alert_rule_is_shown_too(tracker: Tracker) -> None:
    assert "runbook" in tracker("rules", "show", "audit-difference").out


def test_an_unknown_rule_has_a_suggestion(tracker: Tracker) -> None:
    outcome = tracker("rules", "show", "new-couplin")
    assert (outcome.code, outcome.err) == (1, "tracker: there is no rule new-couplin; did you mean new-coupling?\n")


def test_the_shipped_rules_hold_their_own_examples(tracker: Tracker) -> None:
    outcome = tracker("rules", "check")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.rstrip().endswith("all hold")


@pytest.mark.parametrize("rule", [*RULES, *PLACES], ids=lambda rule: rule.id)
def test_every_rule_is_shown_whole(
    tracker: Tracker, rule: Rule | RegionRule | Question | TerritoryRule | AreaRule
) -> None:
    outcome = tracker("rules", "show", rule.id)
    assert all(line.strip() for line in outcome.lines)
    shown = [tuple(line.split(maxsplit=1)) for line in outcome.lines]
    names = [name for name, *_ in shown]
    assert outcome.code == 0
    assert {("id", rule.id), ("why", rule.why), ("source", rule.source)} <= set(shown)
    assert (names.count("flags"), names.count("ignores")) == (len(rule.flags), len(rule.ignores))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_rule_has_more_examples_of_what_it_flags_than_of_what_it_ignores(
    rule: Rule | RegionRule | Question | TerritoryRule | AreaRule,
) -> None:
    assert 0 < len(rule.flags) <= len(rule.ignores)


def test_maps_of_ones_own_are_checked_with_the_rules(tracker: Tracker, tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "territory-own.toml").write_text(
        'repositories = ["a/b"]\n[[territory]]\nglobs = ["x/**"]\nterritory = "vendor"\n'
    )
    good = tracker("rules", "check", TRACKER_RULES_FOLDER="maps")
    (tmp_path / "maps" / "territory-own.toml").write_text('repositories = ["a/b"]\n[[territory]]\nterritory = "mine"\n')
    bad = tracker("rules", "check", TRACKER_RULES_FOLDER="maps")
    assert (good.code, bad.code) == (0, 1)
    assert "territory-own.toml" in bad.err


def test_a_map_of_ones_own_that_says_where_paths_stand_is_held_to_it(tracker: Tracker, tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "territory-own.toml").write_text(
        'repositories = ["a/b"]\n[[territory]]\nglobs = ["x/**"]\nterritory = "vendor"\n'
        'flags = ["x/a.py", "y/a.py"]\nignores = ["z.py", "x/b.py"]\n'
    )
    outcome = tracker("rules", "check", TRACKER_RULES_FOLDER="maps")
    assert outcome.code == 1
    assert outcome.lines[:2] == [
        "territory.own.1: should be flagged: 'y/a.py'",
        "territory.own.1: should be ignored: 'x/b.py'",
    ]
    shown = tracker("rules", "show", "territory.own.1", TRACKER_RULES_FOLDER="maps")
    assert "why        not said" in shown.lines
