"""Runs every rule's own examples: what it must flag, and what it must leave alone."""

from dataclasses import dataclass

from tracker.detect import Dialect, build_detector, scan
from tracker.ruleset import Example, Rule, Ruleset


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

    def flags(rule: Rule, example: Example) -> bool:
        dialect = Dialect(example.language, rule.purposes[0])
        return any(found.site.rule == rule.id for found in scan(example.text.encode(), dialect, detector))

    rules = (*ruleset.rules, *ruleset.neutral_constructs)
    broken = [
        BrokenExample(rule=rule.id, text=example.text, expected=expected)
        for rule in rules
        for expected, examples in (("flagged", rule.flags), ("ignored", rule.ignores))
        for example in examples
        if flags(rule, example) is not (expected == "flagged")
    ]
    return sum(len(rule.flags) + len(rule.ignores) for rule in rules), tuple(broken)
