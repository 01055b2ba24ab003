"""The rules as data: TOML texts in, one frozen, hashable, picklable `Ruleset` out, with a digest that names it."""

from tracker.ruleset.explanations import Figure, LabelSet, Question, Reason
from tracker.ruleset.loading import load_ruleset
from tracker.ruleset.model import (
    ENGINE_REVISION,
    AreaRule,
    Bots,
    Lifecycle,
    Messages,
    Organisation,
    Pattern,
    Replacement,
    Rule,
    Ruleset,
    TerritoryRule,
    TerritoryRules,
    Vendor,
    Words,
)
from tracker.ruleset.regions import RegionKind, RegionRule
from tracker.ruleset.texts import Context, Example, Language, Purpose

__all__ = [
    "ENGINE_REVISION",
    "AreaRule",
    "Bots",
    "Context",
    "Example",
    "Figure",
    "LabelSet",
    "Language",
    "Lifecycle",
    "Messages",
    "Organisation",
    "Pattern",
    "Purpose",
    "Question",
    "Reason",
    "RegionKind",
    "RegionRule",
    "Replacement",
    "Rule",
    "Ruleset",
    "TerritoryRule",
    "TerritoryRules",
    "Vendor",
    "Words",
    "load_ruleset",
]
