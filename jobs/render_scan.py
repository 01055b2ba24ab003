"""A scanned tree -> a table for a person, JSON for a program, SARIF for code-scanning tools."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import quote

from jobs.scan_tree import TreeScan
from tracker.classify import ScannedFile
from tracker.ruleset import Ruleset
from tracker.sites import Construct, Occurrence, Territory

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

Json = dict[str, object]
Sites = Iterator[tuple[ScannedFile, Occurrence]]


def scan_as_json(scan: TreeScan) -> Json:
    """Return every site and neutral construct with its place, and what was not read."""
    return {
        "repo": scan.repository,
        "tree": scan.name,
        "ruleset": scan.ruleset,
        "sites": [
            {
                "path": file.path,
                "line": occurrence.line,
                "territory": file.territory_of(occurrence).value,
                "area": file.place.area.value,
                "subsystem": file.place.subsystem,
                "construct": occurrence.site.construct.value,
                "vendor": occurrence.site.vendor,
                "symbol": occurrence.site.symbol,
                "rule": occurrence.site.rule,
            }
            for file, occurrence in _all(scan)
        ],
        "skipped": [{"path": file.path, "blob": file.blob, "reason": file.reason.value} for file in scan.skipped],
    }


def scan_as_table(scan: TreeScan) -> list[tuple[str, ...]]:
    """Return rows of text, a heading first: sites by territory, vendor and construct, the most first; sums last."""
    counts = Counter(
        (file.territory_of(occurrence).value, occurrence.site.vendor or "(neutral)", occurrence.site.construct.value)
        for file, occurrence in _all(scan)
    )
    rows: list[tuple[str, ...]] = [("territory", "vendor", "construct", "sites")]
    order = sorted(counts, key=lambda key: (key[0] != Territory.NEUTRAL.value, key[0], -counts[key], key))
    rows += [(*key, f"{counts[key]:,}") for key in order]
    neutral = sum(
        occurrence.site.construct is not Construct.NEUTRAL and file.territory_of(occurrence) is Territory.NEUTRAL
        for file, occurrence in _all(scan)
    )
    rows.append(("in neutral code", "all vendors", "all constructs", f"{neutral:,}"))
    rows += [
        ("not read", reason, "files", f"{count:,}")
        for reason, count in sorted(Counter(file.reason.value for file in scan.skipped).items())
    ]
    return rows


def scan_as_sarif(scan: TreeScan, ruleset: Ruleset, version: str) -> Json:
    """Return a SARIF 2.1.0 log: one result for each site in neutral code, one notification for each file not read.

    Format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.

    Args:
        version: of this product.
    """
    used = sorted({occurrence.site.rule for _, occurrence in _coupling(scan)})
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "decoupling-tracker",
                        "version": version,
                        "rules": [_rule(rule_id, ruleset) for rule_id in used],
                        "properties": {"ruleset": scan.ruleset},
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": f"{scan.repository} at {scan.name}"}}},
                "results": [_result(file, occurrence, used) for file, occurrence in _coupling(scan)],
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [
                            {
                                "level": "note",
                                "message": {"text": f"not read: {file.reason.value}"},
                                "locations": [_location(file.path)],
                            }
                            for file in scan.skipped
                        ],
                    }
                ],
            }
        ],
    }


def _all(scan: TreeScan) -> Sites:
    return ((file, occurrence) for file in scan.files for occurrence in file.occurrences)


def _coupling(scan: TreeScan) -> Sites:
    for file, occurrence in _all(scan):
        if file.territory_of(occurrence) is Territory.NEUTRAL and occurrence.site.construct is not Construct.NEUTRAL:
            yield file, occurrence


def _rule(rule_id: str, ruleset: Ruleset) -> Json:
    rule = ruleset.rule(rule_id)
    about: Json = {
        "id": rule_id,
        "shortDescription": {"text": rule.why or rule_id},
        "properties": {"construct": rule.construct.value, "source": rule.source},
    }
    return about | ({"helpUri": rule.source} if rule.source.startswith("https://") else {})


def _result(file: ScannedFile, occurrence: Occurrence, rules: list[str]) -> Json:
    site = occurrence.site
    return {
        "ruleId": site.rule,
        "ruleIndex": rules.index(site.rule),
        "level": "note",
        "message": {"text": f"{site.symbol} names {site.vendor}'s hardware in vendor-neutral code"},
        "locations": [_location(file.path, occurrence.line)],
        "properties": {"vendor": site.vendor, "construct": site.construct.value, "area": file.place.area.value},
    }


def _location(path: str, line: int | None = None) -> Json:
    physical: Json = {"artifactLocation": {"uri": quote(path), "uriBaseId": "SRCROOT"}}
    if line is not None:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}
