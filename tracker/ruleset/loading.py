"""TOML texts -> a validated ruleset, or one error that names every problem by file and key."""

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping

from tracker.errors import RulesetError
from tracker.ruleset.explanation_loading import figures_of, label_sets_of, questions_of, reasons_of
from tracker.ruleset.map_loading import territory_map_of
from tracker.ruleset.model import (
    ENGINE_REVISION,
    Bots,
    Messages,
    Organisation,
    Pattern,
    Replacement,
    Ruleset,
    Vendor,
    Words,
)
from tracker.ruleset.rule_loading import lower_case, region_rule_of, rule_of
from tracker.ruleset.tables import Table

_NOT_JUDGING = ("accuracy.toml", "alerts.toml", "organisations.toml", "pairing.toml")
_EXPLANATIONS = {"why", "source", "title", "flags", "ignores", "replacement"}
_DEFAULT_MAX_BLOB_BYTES = 4_000_000


def load_ruleset(texts: Mapping[str, str]) -> Ruleset:
    """Return the ruleset that the files (name -> TOML text) describe.

    Raises: RulesetError with all problems of all files, each with its file and key.
    """
    problems: list[str] = []
    parsed = {name: _parse(name, texts[name], problems) for name in sorted(texts)}
    tables = {name: Table(values, name, problems) for name, values in parsed.items()}
    words = _file(tables, "vendors.toml", problems)
    constructs = _file(tables, "constructs.toml", problems)
    neutral = _file(tables, "neutral.toml", problems)
    organisations = _file(tables, "organisations.toml", problems)
    regions = tables.get("regions.toml", Table({}, "regions.toml", problems))
    pairing, accuracy = (tables.get(name, Table({}, name, problems)) for name in ("pairing.toml", "accuracy.toml"))
    figures = figures_of(accuracy)
    maps = tuple(territory_map_of(name, tables[name]) for name in tables if name.startswith("territory-"))
    ruleset = Ruleset(
        digest=_digest(parsed),
        vendors=_vendors(words),
        uncounted=words.texts("uncounted"),
        innocent=words.expressions("innocent"),
        condition_marks=constructs.expressions("condition_marks"),
        roots=constructs.texts("roots", needed=True),
        cuts=constructs.expressions("cuts"),
        messages=_messages(constructs.table("messages")),
        rules=tuple(rule_of(table, neutral=False) for table in constructs.tables("rule")),
        neutral_constructs=tuple(rule_of(table, neutral=True) for table in neutral.tables("construct")),
        replacements=tuple(_replacement(table) for table in neutral.tables("replacement")),
        renames=tuple(_replacement(table) for table in neutral.tables("rename")),
        territory_maps=maps,
        regions=tuple(region_rule_of(table) for table in regions.tables("region")),
        organisations=tuple(_organisation(table) for table in organisations.tables("organisation")),
        bots=_bots(organisations.table("bots")),
        max_blob_bytes=constructs.number("max_blob_bytes", default=_DEFAULT_MAX_BLOB_BYTES),
        alerts_text=texts.get("alerts.toml", ""),
        reasons=reasons_of(pairing),
        questions=questions_of(pairing),
        figures=figures,
        label_sets=label_sets_of(accuracy, figures),
    )
    for name, table in tables.items():
        if name != "alerts.toml":
            table.close()
    _check_names(ruleset, problems)
    if problems:
        raise RulesetError(tuple(problems))
    return ruleset


def _parse(name: str, text: str, problems: list[str]) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{name}: not well-formed TOML: {error}")
        return {}


def _file(tables: Mapping[str, Table], name: str, problems: list[str]) -> Table:
    if name not in tables:
        problems.append(f"{name}: the file is missing")
        return Table({}, name, [])
    return tables[name]


def _digest(parsed: Mapping[str, dict[str, object]]) -> str:
    """Hash what decides a verdict; an edited explanation, alert or employer judges nothing anew."""
    deciding = {name: _deciding(values) for name, values in parsed.items() if name not in _NOT_JUDGING}
    document = json.dumps([ENGINE_REVISION, deciding], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(document.encode()).hexdigest()


def _deciding(value: object) -> object:
    if isinstance(value, dict):
        return {key: _deciding(item) for key, item in value.items() if key not in _EXPLANATIONS}
    if isinstance(value, list):
        return [_deciding(item) for item in value]
    return value


def _vendors(file: Table) -> tuple[Vendor, ...]:
    vendors = []
    for table in file.tables("vendor"):
        patterns = []
        for pattern in table.tables("patterns"):
            patterns.append(
                Pattern(regex=pattern.expression("regex"), keywords=lower_case(pattern, "keywords", needed=True))
            )
            pattern.close()
        words = Words(
            anywhere=lower_case(table, "anywhere"),
            parts=lower_case(table, "parts"),
            prefixes=table.texts("prefixes"),
            patterns=tuple(patterns),
        )
        if words == Words():
            table.report("", "the vendor has no words")
        vendors.append(
            Vendor(
                name=table.text("name"),
                title=table.text("title"),
                also_serves=table.texts("also_serves"),
                words=words,
                source=table.text("source"),
                flags=table.texts("flags"),
                ignores=table.texts("ignores"),
            )
        )
        table.close()
    return tuple(vendors)


def _messages(table: Table) -> Messages:
    messages = Messages(
        calls=table.expressions("calls"),
        keywords=table.expressions("keywords"),
        statements=table.expressions("statements"),
        titles=table.expressions("titles"),
    )
    table.close()
    return messages


def _replacement(table: Table) -> Replacement:
    replacement = Replacement(old=table.expression("old"), new=table.text("new"), source=table.text("source"))
    try:
        if matched := re.match(f"(?:{replacement.old})|", ""):
            matched.expand(replacement.new)
    except (re.error, IndexError) as error:
        table.report("new", f"does not fit the expression: {error}")
    table.close()
    return replacement


def _organisation(table: Table) -> Organisation:
    organisation = Organisation(
        name=table.text("name"),
        title=table.text("title"),
        domains=lower_case(table, "domains"),
        aliases=lower_case(table, "aliases"),
        whole=lower_case(table, "whole"),
    )
    table.close()
    return organisation


def _bots(table: Table) -> Bots:
    bots = Bots(names=table.expressions("names"), mails=table.expressions("mails"), logins=table.expressions("logins"))
    table.close()
    return bots


def _check_names(ruleset: Ruleset, problems: list[str]) -> None:
    """Names must be unique where they identify, and known where they refer."""
    vendors = [vendor.name for vendor in ruleset.vendors]
    identifiers = {
        "vendors.toml": vendors,
        "constructs.toml, neutral.toml, regions.toml, pairing.toml": [
            *(rule.id for rule in (*ruleset.rules, *ruleset.neutral_constructs)),
            *(rule.id for rule in ruleset.regions),
            *(question.id for question in ruleset.questions),
        ],
        "territory-*.toml": [
            *(rule.id for rules in ruleset.territory_maps for rule in rules.territories),
            *(rule.id for rules in ruleset.territory_maps for rule in rules.areas),
        ],
        "pairing.toml": [reason.id for reason in ruleset.reasons],
        "pairing.toml, words": [reason.words for reason in ruleset.reasons],
        "accuracy.toml": [figure.name for figure in ruleset.figures],
        "organisations.toml": [organisation.name for organisation in ruleset.organisations],
    }
    for place, names in identifiers.items():
        problems.extend(
            f"{place}: {name!r} is defined twice" for name in sorted({n for n in names if names.count(n) > 1})
        )
    for vendor in ruleset.vendors:
        problems.extend(
            f"vendors.toml ({vendor.name}): also_serves names {other!r}, which is no vendor"
            for other in vendor.also_serves
            if other not in vendors
        )
    problems.extend(
        f"constructs.toml ({rule.id}): {rule.vendor!r} is no vendor"
        for rule in ruleset.rules
        if rule.vendor and rule.vendor not in vendors
    )
    owners = {*vendors, *ruleset.uncounted}
    problems.extend(
        f"territory-{rules.name}.toml ({rule.globs[0]}): {owner!r} is neither a vendor nor an uncounted owner"
        for rules in ruleset.territory_maps
        for rule in rules.territories
        for owner in rule.vendors
        if owner not in owners
    )
    problems.extend(_domain_problems(ruleset))
    problems.extend(_map_problems(ruleset))
    if not any(not rules.repositories for rules in ruleset.territory_maps):
        problems.append("territory-default.toml: one map without repositories must be the default")


def _map_problems(ruleset: Ruleset) -> list[str]:
    """A repository has one map of its own; the first named so is not silently the one that counts."""
    mapped: dict[str, str] = {}
    problems = []
    for rules in ruleset.territory_maps:
        for pattern in rules.repositories or ("",):
            first = mapped.setdefault(pattern.lower(), rules.name)
            if first != rules.name:
                problems.append(
                    f"territory-{rules.name}.toml: {f'maps {pattern}' if pattern else 'names no repositories'}, as "
                    f"territory-{first}.toml does; give it that name to take its place"
                )
    return problems


def _domain_problems(ruleset: Ruleset) -> list[str]:
    owners: dict[str, str] = {}
    problems = []
    for organisation in ruleset.organisations:
        for word in (*organisation.domains, *organisation.aliases, *organisation.whole):
            if word in owners and owners[word] != organisation.name:
                problems.append(
                    f"organisations.toml ({organisation.name}): {word!r} belongs to {owners[word]!r} already"
                )
            owners[word] = organisation.name
    return problems
