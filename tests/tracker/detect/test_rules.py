"""Every rule's own examples."""

import pytest

from tests.tracker.detect.conftest import shipped_detector
from tracker.detect import Dialect, scan
from tracker.ruleset import Example, Language, Purpose, Rule, Vendor

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


VENDORS = shipped_detector().ruleset.vendors


def vendors_in(line: str) -> set[str]:
    found = scan(line.encode(), Dialect(Language.PYTHON, Purpose.CODE), shipped_detector())
    return {occurrence.site.vendor for occurrence in found}


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_vendors_words_name_it_and_what_looks_like_them_does_not(vendor: Vendor) -> None:
    assert [line for line in vendor.flags if vendor.name not in vendors_in(line)] == []
    assert [line for line in vendor.ignores if vendor.name in vendors_in(line)] == []
    assert 0 < len(vendor.flags) <= len(vendor.ignores)
