"""Observations and the stored alerts -> the alerts as they stand now, and the transitions between.

inactive -> pending while the condition holds -> firing once it has held for the rule's time -> inactive when it no
longer holds. No data changes no state. Evaluating the same facts again changes nothing.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from tracker.alerting.facts import AlertFacts
from tracker.alerting.observing import Evidence, Observation, observe
from tracker.alerting.rules import AlertRule, Severity


class AlertState(StrEnum):
    """How an alert stands."""

    INACTIVE = "inactive"
    PENDING = "pending"
    """The condition holds, but not yet for as long as the rule asks."""
    FIRING = "firing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """The present state of one alert: one rule under one set of labels."""

    fingerprint: str
    """64 hexadecimal digits; the same for the same rule and labels."""
    rule: str
    severity: Severity
    state: AlertState
    labels: Mapping[str, str]
    """repository, area, job or stream, as the rule has them."""
    summary: str
    """A sentence about the value."""
    runbook: str
    evidence: tuple[Evidence, ...]
    value: float | None
    """None: no data now; the state is that of the last data."""
    active_at: datetime | None
    """Since when the condition holds; None while it does not."""
    fired_at: datetime | None
    """When it last began to fire."""
    resolved_at: datetime | None
    """When it last stopped firing."""
    evaluated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertEvent:
    """A transition of one alert's state."""

    fingerprint: str
    at: datetime
    from_state: AlertState
    to_state: AlertState
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What is to be stored after one evaluation."""

    alerts: tuple[Alert, ...]
    """Every alert that is or was active, by fingerprint."""
    events: tuple[AlertEvent, ...]


def fingerprint_of(rule: str, labels: Mapping[str, str]) -> str:
    """Return the digest that names an alert for good."""
    return hashlib.sha256(json.dumps([rule, sorted(labels.items())]).encode()).hexdigest()


def evaluate(rules: Sequence[AlertRule], facts: AlertFacts, stored: Iterable[Alert], now: datetime) -> Evaluation:
    """Return the alerts as they stand now.

    An alert that was never active is not among them. One whose rule is gone, or that nothing observes any more (its
    repository is no longer watched), is over.
    """
    known = {alert.fingerprint: alert for alert in stored}
    alerts: dict[str, Alert] = {}
    for rule in rules:
        for observation in observe(rule, facts, now):
            fingerprint = fingerprint_of(rule.id, observation.labels)
            alert = _next(rule, observation, known.get(fingerprint), fingerprint, now)
            if alert is not None:
                alerts[fingerprint] = alert
    for fingerprint, alert in known.items():
        if fingerprint not in alerts:
            alerts[fingerprint] = _over(alert, None, now)
    ordered = tuple(alerts[fingerprint] for fingerprint in sorted(alerts))
    return Evaluation(alerts=ordered, events=tuple(_events(ordered, known, now)))


def _next(
    rule: AlertRule, observation: Observation, stored: Alert | None, fingerprint: str, now: datetime
) -> Alert | None:
    value = observation.value
    if value is None:
        return replace(stored, value=None, evaluated_at=now) if stored is not None else None
    if value < rule.at_least:
        return _over(stored, value, now) if stored is not None else None
    before = stored.state if stored is not None else AlertState.INACTIVE
    active_at = stored.active_at if stored is not None and stored.active_at is not None else now
    fires = before is AlertState.FIRING or now - active_at >= rule.hold
    fired_before = stored.fired_at if stored is not None else None
    return Alert(
        fingerprint=fingerprint,
        rule=rule.id,
        severity=rule.severity,
        state=AlertState.FIRING if fires else AlertState.PENDING,
        labels=observation.labels,
        summary=_summary(rule, observation, value),
        runbook=rule.runbook,
        evidence=observation.evidence,
        value=value,
        active_at=active_at,
        fired_at=now if fires and before is not AlertState.FIRING else fired_before,
        resolved_at=stored.resolved_at if stored is not None else None,
        evaluated_at=now,
    )


def _over(alert: Alert, value: float | None, now: datetime) -> Alert:
    return replace(
        alert,
        state=AlertState.INACTIVE,
        value=value,
        active_at=None,
        resolved_at=now if alert.state is AlertState.FIRING else alert.resolved_at,
        evaluated_at=now,
    )


def _events(alerts: Iterable[Alert], known: Mapping[str, Alert], now: datetime) -> Iterable[AlertEvent]:
    for alert in alerts:
        before = known[alert.fingerprint].state if alert.fingerprint in known else AlertState.INACTIVE
        if before is not alert.state:
            yield AlertEvent(
                fingerprint=alert.fingerprint, at=now, from_state=before, to_state=alert.state, value=alert.value
            )


def _summary(rule: AlertRule, observation: Observation, value: float) -> str:
    words = defaultdict(
        str,
        observation.labels,
        value=_number(value),
        at_least=_number(rule.at_least),
        window=rule.window_text,
        message=observation.message,
    )
    return " ".join(rule.summary.format_map(words).split()).removesuffix(":")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"
