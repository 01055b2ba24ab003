"""Runs every rule's own examples: what it must flag, and what it must leave alone."""

from dataclasses import dataclass

from tracker.detect import Dialect, ScannedText, build_detector, scan_text
from tracker.ruleset import Example, Purpose, RegionRule, Rule, Ruleset


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
    return sum(len(rule.flags) + len(rule.ignores) for rule in rules), tuple(broken)


def _found(rule: Rule | RegionRule, text: ScannedText) -> bool:
    if isinstance(rule, Rule):
        return any(one.site.rule == rule.id for one in text.occurrences)
    return any((one.territory, one.areas) == (rule.territory, rule.areas) for one in text.regions)
