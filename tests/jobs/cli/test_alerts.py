import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from db import schema
from db.alerts import replace_alerts
from db.base import in_transaction, open_database, session_factory
from db.runs import end_run, start_run
from jobs.cli.alerts import check_line
from tests.jobs.cli.conftest import Tracker
from tracker.alerting import Alert, AlertState, Evidence, Severity

NOW = datetime(2026, 1, 8, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ALERT = Alert(
    fingerprint="f" * 64,
    rule="new-coupling",
    severity=Severity.WARNING,
    state=AlertState.FIRING,
    labels={"repository": "o/n", "area": "core"},
    summary="New sites in o/n (core): 12",
    runbook="Look.",
    evidence=(Evidence(text="abc", link="/commits/o/n/abc"),),
    value=12,
    active_at=NOW,
    fired_at=NOW,
    resolved_at=None,
    evaluated_at=NOW,
)
CRITICAL = replace(ALERT, fingerprint="c" * 64, severity=Severity.CRITICAL, summary="Paths that differ: 1")
INFO = replace(ALERT, fingerprint="1" * 64, severity=Severity.INFO)
OVER = replace(ALERT, fingerprint="0" * 64, state=AlertState.INACTIVE)
PENDING = replace(CRITICAL, fingerprint="2" * 64, state=AlertState.PENDING)


@pytest.mark.parametrize(
    ("alerts", "code", "line"),
    [
        ([], 0, "OK - nothing fires | critical=0;;1;0 warning=0;1;;0 info=0;;;0 pending=0;;;0"),
        ([OVER, PENDING], 0, "OK - nothing fires | critical=0;;1;0 warning=0;1;;0 info=0;;;0 pending=1;;;0"),
        (
            [INFO],
            0,
            "OK - New sites in o/n (core): 12 | critical=0;;1;0 warning=0;1;;0 info=1;;;0 pending=0;;;0",
        ),
        (
            [ALERT, INFO],
            1,
            "WARNING - New sites in o/n (core): 12 | critical=0;;1;0 warning=1;1;;0 info=1;;;0 pending=0;;;0",
        ),
        (
            [ALERT, CRITICAL],
            2,
            "CRITICAL - Paths that differ: 1 | critical=1;;1;0 warning=1;1;;0 info=0;;;0 pending=0;;;0",
        ),
    ],
)
def test_the_worst_severity_that_fires_decides(alerts: list[Alert], code: int, line: str) -> None:
    assert check_line(alerts, NOW, NOW + MINUTE, 15 * MINUTE) == (code, line)


def test_many_alerts_are_still_one_line_and_a_bar_in_a_summary_begins_no_data() -> None:
    alerts = [replace(ALERT, summary=f"a | b\nc {n}") for n in range(5)]
    _, line = check_line(alerts, NOW, NOW, 15 * MINUTE)
    assert line.startswith("WARNING - a / b c 0; a / b c 1; a / b c 2; and 2 more | critical=")


@pytest.mark.parametrize("evaluated_at", [None, NOW - 16 * MINUTE])
def test_alerts_that_nobody_evaluates_are_unknown(evaluated_at: datetime | None) -> None:
    code, line = check_line([CRITICAL], evaluated_at, NOW, 15 * MINUTE)
    assert code == 3
    assert line.startswith("UNKNOWN - alerts were ")
    assert "is `tracker run` running?" in line


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., None]:
    """`stored(alert, ...)` keeps alerts as evaluated just now."""

    def store(*alerts: Alert) -> None:
        engine = open_database(f"sqlite:///{tmp_path}/var/tracker.db")
        schema.upgrade(engine)
        now = datetime.now(UTC)
        with in_transaction(session_factory(engine)) as session:
            replace_alerts(session, alerts)
            end_run(session, start_run(session, "evaluate_alerts", "", now), "ok", {}, "", now)
        engine.dispose()

    return store


def test_the_check_ends_with_the_code_of_monitoring_plugins(tracker: Tracker, stored: Callable[..., None]) -> None:
    stored(ALERT, CRITICAL)
    assert tracker("alerts", "--check").code == 2
    stored(ALERT)
    assert tracker("alerts", "--check").code == 1
    assert tracker("alerts", "--check", "--repo", "o/other").code == 0
    stored(OVER)
    outcome = tracker("alerts", "--check")
    assert (outcome.code, len(outcome.lines), outcome.err) == (0, 1, "")


def test_a_check_that_cannot_look_is_unknown_and_still_one_line(tracker: Tracker) -> None:
    outcome = tracker("alerts", "--check")
    assert (outcome.code, len(outcome.lines)) == (3, 1)
    assert outcome.out.startswith("UNKNOWN - there is no database")
    assert tracker("alerts", "--check", TRACKER_PORT="x").code == 3


def test_the_list_shows_what_is_active(tracker: Tracker, stored: Callable[..., None]) -> None:
    stored(ALERT, OVER)
    outcome = tracker("alerts")
    assert (outcome.code, outcome.lines[1:]) == (
        0,
        ["firing\twarning\tnew-coupling\t2026-01-08 12:00\tNew sites in o/n (core): 12"],
    )
    assert len(tracker("alerts", "--all").lines) == 3


def test_the_list_is_also_there_as_json(tracker: Tracker, stored: Callable[..., None]) -> None:
    stored(ALERT)
    (line,) = tracker("alerts", "--format", "json").lines
    document = json.loads(line)
    assert (document["rule"], document["state"], document["labels"]) == ("new-coupling", "firing", dict(ALERT.labels))
