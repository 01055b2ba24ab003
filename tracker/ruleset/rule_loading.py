"""Single rules out of parsed TOML: of sites, of neutral constructs, of regions."""

import re

from tracker.ruleset.model import Lifecycle, Rule
from tracker.ruleset.regions import RegionKind, RegionRule
from tracker.ruleset.tables import Table
from tracker.ruleset.texts import Context, Example, Language, Purpose
from tracker.sites import Area, Construct, Territory

_CODE_CONTEXTS = (Context.CODE, Context.CALL, Context.RECEIVER, Context.METHOD)
_LEAST_VENDORS = 2


def lower_case(table: Table, key: str, *, needed: bool = False) -> tuple[str, ...]:
    """Read a list of words that must be written in lower case."""
    words = table.texts(key, needed=needed)
    for word in words:
        if word != word.lower():
            table.report(key, f"{word!r} must be written in lower case")
    return words


def rule_of(table: Table, *, neutral: bool) -> Rule:
    """Read a rule of sites, or of neutral constructs."""
    contexts = table.texts("contexts")
    rule = Rule(
        id=table.text("id"),
        lifecycle=table.choice("lifecycle", Lifecycle, default=Lifecycle.STABLE),
        construct=Construct.NEUTRAL if neutral else table.choice("construct", Construct, default=Construct.NAME),
        vendor="" if neutral else table.text("vendor", default=""),
        languages=table.choices("languages", Language),
        purposes=table.choices("purposes", Purpose),
        contexts=table.choices("contexts", Context) if contexts else _CODE_CONTEXTS,
        symbol=table.expression("symbol"),
        keywords=lower_case(table, "keywords", needed=True) if neutral else (),
        why=table.text("why"),
        source=table.text("source"),
        flags=examples_of(table, "flags"),
        ignores=examples_of(table, "ignores"),
    )
    if not neutral and rule.construct is Construct.NEUTRAL:
        table.report("construct", "neutral constructs belong in neutral.toml")
    _check(table, rule)
    return rule


def region_rule_of(table: Table) -> RegionRule:
    """Read a rule of regions."""
    areas = table.texts("areas")
    rule = RegionRule(
        id=table.text("id"),
        kind=table.choice("kind", RegionKind, default=RegionKind.CLASS),
        territory=table.choice("territory", Territory, default=Territory.NEUTRAL),
        areas=table.choices("areas", Area) if areas else (),
        languages=table.choices("languages", Language),
        is_one=table.expression("is_one", needed=False),
        names=table.expression("names", needed=False),
        marker=table.text("marker", default=""),
        least_vendors=table.number("least_vendors", default=_LEAST_VENDORS),
        why=table.text("why"),
        source=table.text("source"),
        flags=examples_of(table, "flags"),
        ignores=examples_of(table, "ignores"),
    )
    _check(table, rule)
    return rule


def _check(table: Table, rule: Rule | RegionRule) -> None:
    if not re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", rule.id):
        table.report("id", f"{rule.id!r} must be lower-case words joined by dots and hyphens")
    if not rule.flags:
        table.report("flags", "a rule needs an example of what it flags")
    if len(rule.ignores) < len(rule.flags):
        table.report("ignores", f"{len(rule.flags)} flags need as many ignores, not {len(rule.ignores)}")
    table.close()


def examples_of(table: Table, key: str) -> tuple[Example, ...]:
    """Read a list of texts, each with its language."""
    examples = []
    for example in table.tables(key):
        language = example.choice("language", Language, default=Language.PYTHON)
        examples.append(Example(language=language, text=example.text("text")))
        example.close()
    return tuple(examples)
