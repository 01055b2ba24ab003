from tests.jobs.cli.conftest import Tracker
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset


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


def test_an_alert_rule_is_shown_too(tracker: Tracker) -> None:
    assert "runbook" in tracker("rules", "show", "audit-difference").out


def test_an_unknown_rule_has_a_suggestion(tracker: Tracker) -> None:
    outcome = tracker("rules", "show", "new-couplin")
    assert (outcome.code, outcome.err) == (1, "tracker: there is no rule new-couplin; did you mean new-coupling?\n")


def test_the_shipped_rules_hold_their_own_examples(tracker: Tracker) -> None:
    outcome = tracker("rules", "check")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.rstrip().endswith("all hold")
