from datetime import timedelta

import pytest

from tracker.alerting import AlertRule, Measure, Severity, Watches, load_alert_rules
from tracker.errors import RulesetError
from tracker.rules import read_rules
from tracker.sites import Area, Verdict

COUPLING = """
[[alert]]
id = "new-coupling"
title = "New coupling"
severity = "warning"
watches = "commits"
verdict = "coupling"
measure = "added"
at_least = 5
window_hours = 48
for_minutes = 10
summary = "{value} in {area}"
runbook = "Look."
"""

STALE = """
[[alert]]
id = "stale"
title = "Stale"
severity = "critical"
watches = "stale crawl"
at_least = 6
summary = "{job} for {value} hours"
runbook = "Look."
"""


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(RulesetError) as caught:
        load_alert_rules(text)
    return caught.value.problems


def test_a_rule_over_commits_is_read_whole() -> None:
    assert load_alert_rules(COUPLING) == (
        AlertRule(
            id="new-coupling",
            title="New coupling",
            severity=Severity.WARNING,
            watches=Watches.COMMITS,
            verdict=Verdict.COUPLING,
            areas=tuple(Area),
            measure=Measure.ADDED,
            at_least=5,
            window=timedelta(hours=48),
            hold=timedelta(minutes=10),
            summary="{value} in {area}",
            runbook="Look.",
        ),
    )


def test_a_rule_about_the_service_has_no_window() -> None:
    (rule,) = load_alert_rules(STALE)
    assert (rule.verdict, rule.areas, rule.window, rule.hold) == (None, (), timedelta(), timedelta())


def test_a_rule_may_watch_some_areas_only() -> None:
    (rule,) = load_alert_rules(COUPLING + 'areas = ["core", "test"]')
    assert rule.areas == (Area.CORE, Area.TEST)


def test_no_rules_are_no_problem() -> None:
    assert load_alert_rules("") == ()


def test_all_problems_come_at_once() -> None:
    text = COUPLING.replace('"warning"', '"bad"') + STALE.replace("{value}", "{hours}") + COUPLING.replace("5", "0")
    assert problems_of(text) == (
        "alerts.toml.alert[1] (new-coupling).severity: 'bad' is none of info, warning, critical",
        (
            "alerts.toml.alert[2] (stale).summary: {hours} is not known; there are "
            "area, at_least, job, message, repository, stream, value, window"
        ),
        "alerts.toml.alert[3] (new-coupling).at_least: a positive whole number is needed, not 0",
        "alerts.toml: 'new-coupling' is defined twice",
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[[alert]", "not well-formed TOML"),
        ("[[alerts]]\nid = 1", "alerts"),
        (COUPLING + "verdikt = 1", "verdikt"),
        (COUPLING + 'areas = ["cores"]', "areas"),
        (STALE + 'verdict = "coupling"', "verdict"),
        (COUPLING.replace('"new-coupling"', '"New Coupling"'), "id"),
        (COUPLING.replace("{value}", "{value"), "summary"),
        (COUPLING.replace("{value}", "{}"), "summary"),
        (COUPLING.replace('runbook = "Look."', ""), "runbook"),
        (COUPLING.replace('verdict = "coupling"', ""), "verdict"),
    ],
)
def test_what_is_wrong_is_named(text: str, named: str) -> None:
    assert any(named in problem for problem in problems_of(text))


def test_the_shipped_rules_are_valid_and_watch_everything_there_is_to_watch() -> None:
    rules = load_alert_rules(read_rules()["alerts.toml"])
    assert {rule.watches for rule in rules} == set(Watches)
    assert {rule.severity for rule in rules} == set(Severity)
