from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tracker.alerting import (
    Alert,
    AlertEvent,
    AlertFacts,
    AlertRule,
    AlertState,
    DeadLetterFact,
    Evidence,
    Measure,
    Severity,
    WatchedRepository,
    Watches,
    evaluate,
    fingerprint_of,
)
from tracker.sites import Area, Verdict

NOW = datetime(2026, 1, 8, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LABELS = {"repository": "o/n", "stream": "pulls-backfill"}
FINGERPRINT = fingerprint_of("dead-letters", LABELS)


def a_rule(*, hold: timedelta = timedelta(), identifier: str = "dead-letters") -> AlertRule:
    return AlertRule(
        id=identifier,
        title="Dead letters",
        severity=Severity.WARNING,
        watches=Watches.DEAD_LETTERS,
        verdict=None,
        areas=(),
        measure=Measure.COMMITS,
        at_least=2,
        window=timedelta(),
        hold=hold,
        summary="{value} of {stream} in {repository}: {message}",
        runbook="Look.",
    )


def letters(count: int) -> AlertFacts:
    return AlertFacts(dead_letters=(DeadLetterFact(repository="o/n", stream="pulls-backfill", count=count),))


FIRING = Alert(
    fingerprint=FINGERPRINT,
    rule="dead-letters",
    severity=Severity.WARNING,
    state=AlertState.FIRING,
    labels=LABELS,
    summary="3 of pulls-backfill in o/n",
    runbook="Look.",
    evidence=(Evidence(text="what could not be read", link="/runs"),),
    value=3,
    active_at=NOW,
    fired_at=NOW,
    resolved_at=None,
    evaluated_at=NOW,
)


def the_alert(rules: Iterable[AlertRule], facts: AlertFacts, stored: Iterable[Alert], now: datetime) -> Alert:
    (alert,) = evaluate(tuple(rules), facts, stored, now).alerts
    return alert


def test_a_condition_that_holds_fires_at_once_where_the_rule_does_not_wait() -> None:
    evaluation = evaluate((a_rule(),), letters(3), (), NOW)
    assert evaluation.alerts == (FIRING,)
    assert evaluation.events == (
        AlertEvent(
            fingerprint=FINGERPRINT, at=NOW, from_state=AlertState.INACTIVE, to_state=AlertState.FIRING, value=3
        ),
    )


def test_a_condition_that_does_not_hold_makes_no_alert() -> None:
    evaluation = evaluate((a_rule(),), letters(1), (), NOW)
    assert (evaluation.alerts, evaluation.events) == ((), ())


def test_an_alert_is_pending_until_its_condition_has_held_long_enough() -> None:
    rules = (a_rule(hold=10 * MINUTE),)
    pending = the_alert(rules, letters(3), (), NOW)
    assert (pending.state, pending.active_at, pending.fired_at) == (AlertState.PENDING, NOW, None)
    still = the_alert(rules, letters(3), [pending], NOW + 9 * MINUTE)
    assert (still.state, still.active_at) == (AlertState.PENDING, NOW)
    firing = the_alert(rules, letters(3), [still], NOW + 10 * MINUTE)
    assert (firing.state, firing.active_at, firing.fired_at) == (AlertState.FIRING, NOW, NOW + 10 * MINUTE)


def test_a_pending_alert_whose_condition_ends_never_fired() -> None:
    rules = (a_rule(hold=10 * MINUTE),)
    pending = the_alert(rules, letters(3), (), NOW)
    over = the_alert(rules, letters(0), [pending], NOW + MINUTE)
    assert (over.state, over.active_at, over.fired_at, over.resolved_at) == (AlertState.INACTIVE, None, None, None)
    again = the_alert(rules, letters(3), [over], NOW + 5 * MINUTE)
    assert (again.state, again.active_at) == (AlertState.PENDING, NOW + 5 * MINUTE)


def test_a_firing_alert_ends_when_its_condition_does() -> None:
    evaluation = evaluate((a_rule(),), letters(0), [FIRING], NOW + MINUTE)
    assert evaluation.alerts == (
        replace(
            FIRING,
            state=AlertState.INACTIVE,
            value=0,
            active_at=None,
            resolved_at=NOW + MINUTE,
            evaluated_at=NOW + MINUTE,
        ),
    )
    assert [(event.from_state, event.to_state) for event in evaluation.events] == [
        (AlertState.FIRING, AlertState.INACTIVE)
    ]


def test_a_firing_alert_keeps_when_it_began() -> None:
    alert = the_alert((a_rule(),), letters(9), [FIRING], NOW + MINUTE)
    assert (alert.active_at, alert.fired_at, alert.value) == (NOW, NOW, 9)
    assert alert.summary == "9 of pulls-backfill in o/n"


def test_evaluating_again_changes_nothing() -> None:
    first = evaluate((a_rule(),), letters(3), (), NOW)
    second = evaluate((a_rule(),), letters(3), first.alerts, NOW)
    assert (second.alerts, second.events) == (first.alerts, ())


def test_no_data_keeps_the_state() -> None:
    rule = replace(a_rule(identifier="coupling"), watches=Watches.COMMITS, verdict=Verdict.COUPLING, areas=(Area.CORE,))
    labels = {"repository": "o/n", "area": "core"}
    firing = replace(FIRING, rule="coupling", labels=labels, fingerprint=fingerprint_of("coupling", labels))
    unread = AlertFacts(repositories=(WatchedRepository(slug="o/n", added_at=NOW, commits_read_at=None),))
    evaluation = evaluate((rule,), unread, [firing], NOW + MINUTE)
    assert evaluation.alerts == (replace(firing, value=None, evaluated_at=NOW + MINUTE),)
    assert evaluation.events == ()


def test_an_alert_of_a_repository_no_longer_watched_is_over() -> None:
    alert = the_alert((a_rule(),), AlertFacts(), [FIRING], NOW + MINUTE)
    assert (alert.state, alert.value, alert.resolved_at) == (AlertState.INACTIVE, None, NOW + MINUTE)


def test_an_alert_whose_rule_is_gone_is_over() -> None:
    alert = the_alert((), letters(3), [FIRING], NOW + MINUTE)
    assert alert.state is AlertState.INACTIVE


def test_a_clock_that_goes_back_neither_fires_nor_ends_an_alert() -> None:
    rules = (a_rule(hold=10 * MINUTE),)
    pending = the_alert(rules, letters(3), (), NOW)
    assert the_alert(rules, letters(3), [pending], NOW - 60 * MINUTE).state is AlertState.PENDING
    assert the_alert(rules, letters(3), [replace(FIRING)], NOW - 60 * MINUTE).state is AlertState.FIRING


def test_a_fingerprint_depends_on_rule_and_labels_alone() -> None:
    assert fingerprint_of("r", {"a": "1", "b": "2"}) == fingerprint_of("r", {"b": "2", "a": "1"})
    assert fingerprint_of("r", {"a": "1"}) != fingerprint_of("q", {"a": "1"})
    assert fingerprint_of("r", {"a": "1"}) != fingerprint_of("r", {"a": "2"})
