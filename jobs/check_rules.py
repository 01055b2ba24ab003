"""Runs every rule's own examples: what it must flag, and what it must leave alone."""

from collections.abc import Iterator
from dataclasses import dataclass

from tracker.detect import Detector, Dialect, ScannedText, build_detector, scan_text
from tracker.pairing.questions import ANSWERS
from tracker.ruleset import (
    AreaRule,
    Example,
    Language,
    Purpose,
    Question,
    RegionRule,
    Rule,
    Ruleset,
    TerritoryRule,
    TerritoryRules,
    Vendor,
)
from tracker.territory import map_of_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenExample:
    """An example that does not hold."""

    rule: str
    text: str
    expected: str
    """flagged or ignored."""


def check_examples(ruleset: Ruleset) -> tuple[int, tuple[BrokenExample, ...]]:
    """Return how many examples there are, and those that do not hold."""
    detector = build_detector(ruleset)

    def flags(rule: Rule | RegionRule, example: Example) -> bool:
        purpose = rule.purposes[0] if isinstance(rule, Rule) else Purpose.CODE
        return _found(rule, scan_text(example.text.encode(), Dialect(example.language, purpose), detector))

    rules: tuple[Rule | RegionRule, ...] = (*ruleset.rules, *ruleset.neutral_constructs, *ruleset.regions)
    broken = [
        BrokenExample(rule=rule.id, text=example.text, expected=expected)
        for rule in rules
        for expected, examples in (("flagged", rule.flags), ("ignored", rule.ignores))
        for example in examples
        if flags(rule, example) is not (expected == "flagged")
    ]
    broken += (one for question in ruleset.questions for one in _wrongly_answered(question))
    broken += (
        BrokenExample(rule=f"vendor.{vendor.name}", text=text, expected=expected)
        for vendor in ruleset.vendors
        for expected, texts in (("flagged", vendor.flags), ("ignored", vendor.ignores))
        for text in texts
        if _names(vendor, text, detector) is not (expected == "flagged")
    )
    broken += (one for rules_of_map in ruleset.territory_maps for one in _wrongly_placed(rules_of_map, ruleset))
    counted = sum(map(_count, rules)) + sum(map(_count, ruleset.questions)) + sum(map(_count, ruleset.vendors))
    counted += sum(map(_count, (rule for one in ruleset.territory_maps for rule in one.territories)))
    counted += sum(map(_count, (rule for one in ruleset.territory_maps for rule in one.areas)))
    return counted, tuple(broken)


def _names(vendor: Vendor, line: str, detector: Detector) -> bool:
    found = scan_text(line.encode(), Dialect(Language.PYTHON, Purpose.CODE), detector)
    return any(one.site.vendor == vendor.name for one in found.occurrences)


def _count(rule: Rule | RegionRule | Question | TerritoryRule | AreaRule | Vendor) -> int:
    return len(rule.flags) + len(rule.ignores)


def _wrongly_placed(rules: TerritoryRules, ruleset: Ruleset) -> Iterator[BrokenExample]:
    places = map_of_rules(rules, ruleset)
    placing: list[TerritoryRule | AreaRule] = [*rules.territories, *rules.areas]
    for rule in placing:
        for expected, paths in (("flagged", rule.flags), ("ignored", rule.ignores)):
            for path in paths:
                if (rule in places.deciding(path)) is not (expected == "flagged"):
                    yield BrokenExample(rule=rule.id, text=path, expected=expected)


def _wrongly_answered(question: Question) -> Iterator[BrokenExample]:
    for expected, texts in (("flagged", question.flags), ("ignored", question.ignores)):
        for text in texts:
            if ANSWERS[question.id](text) is not (expected == "flagged"):
                yield BrokenExample(rule=question.id, text=text, expected=expected)


def _found(rule: Rule | RegionRule, text: ScannedText) -> bool:
    if isinstance(rule, Rule):
        return any(one.site.rule == rule.id for one in text.occurrences)
    return any((one.territory, one.areas) == (rule.territory, rule.areas) for one in text.regions)
