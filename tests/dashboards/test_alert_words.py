from dataclasses import replace
from datetime import timedelta

import pytest

from dashboards.views.alerts import condition, condition_in_words
from tracker.alerting import AlertRule, Measure, Severity, Watches
from tracker.sites import Area, Verdict

OVER_COMMITS = AlertRule(
    id="new-coupling",
    title="New coupling",
    severity=Severity.WARNING,
    watches=Watches.COMMITS,
    verdict=Verdict.COUPLING,
    areas=tuple(Area),
    measure=Measure.ADDED,
    at_least=20,
    window=timedelta(days=7),
    hold=timedelta(),
    summary="",
    runbook="",
)
OVER_JOBS = replace(
    OVER_COMMITS, watches=Watches.STALE_CRAWL, verdict=None, measure=Measure.COMMITS, at_least=6, window=timedelta()
)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (OVER_COMMITS, "coupling commits within 7 days added 20 or more sites"),
        (
            replace(OVER_COMMITS, areas=(Area.CORE, Area.TEST)),
            "coupling commits (core, test) within 7 days added 20 or more sites",
        ),
        (
            replace(OVER_COMMITS, verdict=Verdict.DECOUPLING, measure=Measure.COMMITS, at_least=1),
            "1 or more decoupling commits landed within 7 days",
        ),
        (
            replace(OVER_COMMITS, watches=Watches.REVERTS, measure=Measure.COMMITS, at_least=1),
            "1 or more coupling commits were reverted within 7 days",
        ),
        (OVER_JOBS, "no crawl went well for 6 hours"),
        (
            replace(OVER_JOBS, watches=Watches.UNMOVED_UPSTREAM),
            "the newest commit is older than its repository may be quiet",
        ),
        (
            replace(OVER_JOBS, watches=Watches.UNREACHABLE_UPSTREAM, at_least=1),
            "a crawl has not reached its upstream for 1 hour",
        ),
        (replace(OVER_JOBS, watches=Watches.NOT_CRAWLED), "a crawl lacks a setting, such as a token"),
        (replace(OVER_JOBS, watches=Watches.FAILING_JOB), "a job failed 6 times in a row"),
        (replace(OVER_JOBS, watches=Watches.AUDIT, at_least=1), "1 path differs from a full scan"),
        (replace(OVER_JOBS, watches=Watches.DEAD_LETTERS), "6 things could not be served by upstream"),
    ],
)
def test_a_condition_is_said_in_words(rule: AlertRule, words: str) -> None:
    assert condition_in_words(rule) == words


def test_a_condition_is_one_terse_line_for_programs() -> None:
    assert condition(OVER_COMMITS) == "added of coupling commits within 168h >= 20"
    narrow = replace(OVER_COMMITS, areas=(Area.CORE,))
    assert condition(narrow) == "added of coupling commits in core within 168h >= 20"
    assert condition(OVER_JOBS) == "stale crawl >= 6"
