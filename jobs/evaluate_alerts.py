"""Gathers the facts that the alert rules look at, judges them, and stores the alerts with their transitions.

Running it twice, late, or on two machines has the effect of once: the state of an alert comes from what is stored and
from the facts, and only a change of state is recorded.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.alert_facts import read_alert_facts
from db.alerts import append_event, read_alerts, replace_alerts
from db.base import in_transaction
from tracker.alerting import AlertRule, AlertState, Evaluation, Severity, evaluate

log = logging.getLogger("tracker.alerts")


def evaluate_alerts(
    sessions: sessionmaker[Session],
    rules: Sequence[AlertRule],
    now: Callable[[], datetime],
    *,
    readers: sessionmaker[Session] | None = None,
    quiet_after: timedelta | None = None,
) -> Mapping[str, int]:
    """Bring the stored alerts up to date and return how many stand in which state.

    Args:
        readers: sessions on a read-only engine, so that gathering facts keeps no writer waiting.
        quiet_after: how old the newest commit of a repository may be; None: as old as it likes.
    """
    window = max((rule.window for rule in rules), default=timedelta())
    with in_transaction(readers or sessions) as session:
        facts = read_alert_facts(session, window, quiet_after=quiet_after)
    with in_transaction(sessions) as session:
        evaluation = evaluate(rules, facts, read_alerts(session), now())
        replace_alerts(session, evaluation.alerts)
        for event in evaluation.events:
            append_event(session, event)
    _log_transitions(evaluation)
    states = Counter(alert.state for alert in evaluation.alerts)
    return {
        "firing": states[AlertState.FIRING],
        "pending": states[AlertState.PENDING],
        "transitions": len(evaluation.events),
    }


def _log_transitions(evaluation: Evaluation) -> None:
    alerts = {alert.fingerprint: alert for alert in evaluation.alerts}
    for event in evaluation.events:
        alert = alerts[event.fingerprint]
        fields = {"rule": alert.rule, "labels": dict(alert.labels), "state": alert.state, "value": alert.value}
        if event.to_state is AlertState.FIRING:
            level = logging.INFO if alert.severity is Severity.INFO else logging.WARNING
            log.log(level, "alert %s fires: %s", alert.rule, alert.summary, extra={"fields": fields})
        elif event.from_state is AlertState.FIRING:
            log.info("alert %s is over: %s", alert.rule, alert.summary, extra={"fields": fields})
