"""tracker rules: the ruleset as data."""

import argparse
import difflib
from datetime import timedelta

from jobs.cli.context import Context, add_command
from jobs.load_rules import load_rules
from tracker.alerting import AlertRule, load_alert_rules
from tracker.errors import TrackerError
from tracker.ruleset import AreaRule, Question, RegionKind, RegionRule, Rule, Ruleset, TerritoryRule, Vendor


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    rules = add_command(
        commands,
        "rules",
        None,
        summary="show and check the rules: what is a site, what replaces one, when to raise an alert",
        example="tracker rules show neutral.accelerator-api",
    )
    group = rules.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_command(
        group, "list", _list, summary="list every rule, one a line", example="tracker rules list | grep decorator"
    )
    show = add_command(
        group,
        "show",
        _show,
        summary="show one rule with its reason, source and examples",
        example="tracker rules show neutral.accelerator-api",
    )
    show.add_argument("id", help="the rule's id; `tracker rules list` has them")
    add_command(
        group,
        "check",
        _check,
        summary="validate the rules and run their own examples; exit 1 when one does not hold",
        example="tracker rules check",
    )


def _list(_arguments: argparse.Namespace, context: Context) -> int:
    ruleset, alert_rules = _load(context)
    rows: list[tuple[object, ...]] = [
        (rule.id, rule.construct, rule.vendor, rule.lifecycle, " ".join(rule.languages), rule.why)
        for rule in (*ruleset.rules, *ruleset.neutral_constructs)
    ]
    rows += [(rule.id, "region", "", "", " ".join(rule.languages), rule.why) for rule in ruleset.regions]
    rows += [(f"vendor.{vendor.name}", "vendor", vendor.name, "", "", vendor.title) for vendor in ruleset.vendors]
    rows += [(rule.id, "territory", " ".join(rule.vendors), "", "", rule.why) for rule in _territories(ruleset)]
    rows += [(rule.id, "area", "", "", "", rule.why) for rule in _areas(ruleset)]
    rows += [(question.id, "question", "", "", "", question.asks) for question in ruleset.questions]
    rows += [(rule.id, "alert", "", rule.severity, "", rule.title) for rule in alert_rules]
    context.table(("id", "kind", "vendor", "lifecycle or severity", "languages", "why"), rows)
    return 0


def _show(arguments: argparse.Namespace, context: Context) -> int:
    ruleset, alert_rules = _load(context)
    rules = {rule.id: _lines(rule) for rule in (*ruleset.rules, *ruleset.neutral_constructs)}
    rules |= {rule.id: _region_lines(rule) for rule in ruleset.regions}
    rules |= {f"vendor.{vendor.name}": _vendor_lines(vendor) for vendor in ruleset.vendors}
    rules |= {rule.id: _place_lines(rule) for rule in _territories(ruleset)}
    rules |= {rule.id: _place_lines(rule) for rule in _areas(ruleset)}
    rules |= {question.id: _question_lines(question) for question in ruleset.questions}
    rules |= {rule.id: _alert_lines(rule) for rule in alert_rules}
    if arguments.id not in rules:
        near = difflib.get_close_matches(arguments.id, rules, n=1)
        hint = f"did you mean {near[0]}?" if near else "`tracker rules list` has them all"
        raise TrackerError(f"there is no rule {arguments.id}; {hint}")
    for name, value in rules[arguments.id]:
        context.say(f"{name:<10} {value}")
    return 0


def _check(_arguments: argparse.Namespace, context: Context) -> int:
    from jobs.check_rules import check_examples

    ruleset, alert_rules = _load(context)
    examples, broken = check_examples(ruleset)
    for example in broken:
        context.say(f"{example.rule}: should be {example.expected}: {example.text.strip()!r}")
    rules = len(ruleset.rules) + len(ruleset.neutral_constructs) + len(ruleset.regions) + len(ruleset.questions)
    rules += len(_territories(ruleset)) + len(_areas(ruleset))
    context.say(
        f"{rules} rules with {examples} examples, {len(ruleset.vendors)} vendors, "
        f"{len(ruleset.territory_maps)} territory maps, {len(alert_rules)} alert rules, digest {ruleset.digest[:12]}: "
        + (f"{len(broken)} examples do not hold" if broken else "all hold")
    )
    return 1 if broken else 0


def _load(context: Context) -> tuple[Ruleset, tuple[AlertRule, ...]]:
    ruleset = load_rules(context.settings)
    return ruleset, load_alert_rules(ruleset.alerts_text)


def _lines(rule: Rule) -> list[tuple[str, str]]:
    lines = [
        ("id", rule.id),
        ("construct", rule.construct.value),
        ("vendor", rule.vendor or "the one whose word it holds"),
        ("lifecycle", rule.lifecycle.value),
        ("languages", ", ".join(rule.languages)),
        ("contexts", ", ".join(rule.contexts)),
        ("symbol", " ".join(rule.symbol.split())),
        ("why", rule.why),
        ("source", rule.source),
    ]
    return lines + _examples(rule)


def _region_lines(rule: RegionRule) -> list[tuple[str, str]]:
    lines = [
        ("id", rule.id),
        ("region", rule.kind.value),
        ("territory", rule.territory.value),
        ("areas", ", ".join(rule.areas) or "any"),
        ("languages", ", ".join(rule.languages)),
    ]
    if rule.kind is RegionKind.CLASS:
        lines += [("is one", rule.is_one), ("names", rule.names), ("marker", rule.marker or "none")]
    else:
        lines += [("names", f"at least {rule.least_vendors} vendors")]
    return [*lines, ("why", rule.why), ("source", rule.source), *_examples(rule)]


def _examples(rule: Rule | RegionRule) -> list[tuple[str, str]]:
    lines = [("flags", f"{example.language}: {example.text.strip()!r}") for example in rule.flags]
    return lines + [("ignores", f"{example.language}: {example.text.strip()!r}") for example in rule.ignores]


def _territories(ruleset: Ruleset) -> list[TerritoryRule]:
    return [rule for rules in ruleset.territory_maps for rule in rules.territories]


def _areas(ruleset: Ruleset) -> list[AreaRule]:
    return [rule for rules in ruleset.territory_maps for rule in rules.areas]


def _vendor_lines(vendor: Vendor) -> list[tuple[str, str]]:
    words = vendor.words
    lines = [("id", f"vendor.{vendor.name}"), ("title", vendor.title)]
    lines += [("also", f"the same names reach {', '.join(vendor.also_serves)}")] if vendor.also_serves else []
    lines += [("anywhere", " ".join(words.anywhere))] if words.anywhere else []
    lines += [("parts", " ".join(words.parts))] if words.parts else []
    lines += [("prefixes", " ".join(words.prefixes))] if words.prefixes else []
    lines += [("pattern", pattern.regex) for pattern in words.patterns]
    lines += [("why", "its words name its hardware, runtimes and libraries"), ("source", vendor.source)]
    lines += [("flags", repr(text)) for text in vendor.flags]
    return lines + [("ignores", repr(text)) for text in vendor.ignores]


def _place_lines(rule: TerritoryRule | AreaRule) -> list[tuple[str, str]]:
    lines = [("id", rule.id)]
    if isinstance(rule, TerritoryRule):
        lines += [("territory", rule.territory.value), ("vendors", ", ".join(rule.vendors) or "none")]
    else:
        lines += [("area", rule.area.value), ("subsystem", rule.subsystem)]
    lines += [("glob", glob) for glob in rule.globs]
    lines += [("why", rule.why or "not said"), ("source", rule.source or "not said")]
    lines += [("flags", path) for path in rule.flags]
    return lines + [("ignores", path) for path in rule.ignores]


def _question_lines(question: Question) -> list[tuple[str, str]]:
    lines = [("id", question.id), ("asks", question.asks), ("why", question.why), ("source", question.source)]
    lines += [("flags", repr(text)) for text in question.flags]
    return lines + [("ignores", repr(text)) for text in question.ignores]


def _alert_lines(rule: AlertRule) -> list[tuple[str, str]]:
    watched = f"{rule.watches} ({rule.verdict})" if rule.verdict else rule.watches.value
    window = f" within {rule.window_text}" if rule.over_commits else ""
    return [
        ("id", rule.id),
        ("title", rule.title),
        ("severity", rule.severity.value),
        ("watches", watched),
        ("fires at", f"{rule.at_least:g} {rule.measure if rule.over_commits else ''}{window}".strip()),
        ("after", f"{rule.hold / timedelta(minutes=1):g} minutes"),
        ("summary", rule.summary),
        ("runbook", rule.runbook),
    ]
