from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from sqlalchemy.orm import Session, sessionmaker

from db.alerts import append_event, read_alerts, read_events, replace_alert, replace_alerts
from tests.builders import A_DAY
from tracker.alerting import Alert, AlertEvent, AlertState, Evidence, Severity, fingerprint_of


def an_alert(rule: str = "new-coupling", repository: str = "pytorch/pytorch") -> Alert:
    labels = {"repository": repository, "area": "core"}
    return Alert(
        fingerprint=fingerprint_of(rule, labels),
        rule=rule,
        severity=Severity.WARNING,
        state=AlertState.FIRING,
        labels=labels,
        summary="12 sites — more than 10",
        runbook="Look at the commits.",
        evidence=(Evidence(text="Add a guard", link="/commits/pytorch/pytorch/abc"),),
        value=12.0,
        active_at=A_DAY,
        fired_at=A_DAY + timedelta(minutes=5),
        resolved_at=None,
        evaluated_at=A_DAY + timedelta(minutes=10),
    )


def test_an_alert_is_read_as_it_was_stored(sessions: sessionmaker[Session]) -> None:
    bare = replace(an_alert("stale"), value=None, active_at=None, fired_at=None, evidence=(), labels={})
    with sessions.begin() as session:
        replace_alert(session, an_alert())
        replace_alert(session, bare)
    with sessions() as session:
        assert read_alerts(session) == (an_alert(), bare)


def test_an_alert_is_stored_in_its_own_place(sessions: sessionmaker[Session]) -> None:
    changed = replace(an_alert(), state=AlertState.INACTIVE, value=0.0, active_at=None, resolved_at=A_DAY)
    with sessions.begin() as session:
        replace_alert(session, an_alert())
        replace_alert(session, an_alert("other"))
        replace_alert(session, changed)
        assert read_alerts(session) == (changed, an_alert("other"))


def test_alerts_stored_together_are_the_only_ones(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        replace_alert(session, an_alert("gone"))
        replace_alerts(session, [an_alert("b"), an_alert("a", "z/z"), an_alert("a")])
        assert [(alert.rule, alert.labels["repository"]) for alert in read_alerts(session)] == [
            ("a", "pytorch/pytorch"),
            ("a", "z/z"),
            ("b", "pytorch/pytorch"),
        ]
        replace_alerts(session, [])
        assert read_alerts(session) == ()


def test_transitions_are_appended_and_read_newest_first(sessions: sessionmaker[Session]) -> None:
    states = (AlertState.INACTIVE, AlertState.PENDING, AlertState.FIRING)
    events = [
        AlertEvent(
            fingerprint=fingerprint_of(rule, {}),
            at=A_DAY + timedelta(minutes=minute),
            from_state=before,
            to_state=after,
            value=None if minute else 3.5,
        )
        for rule in ("a", "b")
        for minute, (before, after) in enumerate(pairwise(states))
    ]
    with sessions.begin() as session:
        for event in events:
            append_event(session, event)
        assert read_events(session) == (events[3], events[1], events[2], events[0])
        assert read_events(session, fingerprint=fingerprint_of("a", {}), limit=1) == (events[1],)
