"""Every rule's own examples."""

import pytest

from tests.tracker.detect.conftest import shipped_detector
from tracker.detect import Dialect, scan
from tracker.ruleset import Example, Rule

RULES = [*shipped_detector().ruleset.rules, *shipped_detector().ruleset.neutral_constructs]


def rules_in(example: Example, rule: Rule) -> set[str]:
    dialect = Dialect(example.language, rule.purposes[0])
    return {occurrence.site.rule for occurrence in scan(example.text.encode(), dialect, shipped_detector())}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_flags_what_it_says_it_flags(rule: Rule) -> None:
    assert [example.text for example in rule.flags if rule.id not in rules_in(example, rule)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_leaves_alone_what_it_says_it_ignores(rule: Rule) -> None:
    assert [example.text for example in rule.ignores if rule.id in rules_in(example, rule)] == []
