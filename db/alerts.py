"""The present state of every alert and the record of its transitions; the model is `tracker.alerting`."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.tables import AlertEventRow, AlertRow
from tracker.alerting import Alert, AlertEvent, AlertState, Evidence, Severity


def read_alerts(session: Session) -> tuple[Alert, ...]:
    """Return every alert that is or was active, by rule and labels."""
    rows = session.scalars(select(AlertRow)).all()
    return tuple(sorted(map(_alert, rows), key=lambda alert: (alert.rule, sorted(alert.labels.items()))))


def replace_alert(session: Session, alert: Alert) -> None:
    """Store an alert as it stands now, in place of what was stored of it."""
    values = _values(alert)
    statement = insert_into(session, AlertRow).values(values)
    session.execute(statement.on_conflict_do_update(index_elements=["fingerprint"], set_=values))


def replace_alerts(session: Session, alerts: Iterable[Alert]) -> None:
    """Make these alerts the only ones stored; their events stay."""
    session.execute(delete(AlertRow))
    rows = [_values(alert) for alert in alerts]
    if rows:
        session.execute(insert(AlertRow), rows)


def append_event(session: Session, event: AlertEvent) -> None:
    """Record a transition of an alert's state."""
    session.add(
        AlertEventRow(
            fingerprint=event.fingerprint,
            at=event.at,
            from_state=event.from_state.value,
            to_state=event.to_state.value,
            value=event.value,
        )
    )
    session.flush()


def read_events(session: Session, *, fingerprint: str | None = None, limit: int = 100) -> tuple[AlertEvent, ...]:
    """Return the latest transitions, newest first, of one alert or of all."""
    query = select(AlertEventRow).order_by(AlertEventRow.at.desc(), AlertEventRow.id.desc()).limit(limit)
    if fingerprint is not None:
        query = query.where(AlertEventRow.fingerprint == fingerprint)
    return tuple(
        AlertEvent(
            fingerprint=row.fingerprint,
            at=row.at,
            from_state=AlertState(row.from_state),
            to_state=AlertState(row.to_state),
            value=row.value,
        )
        for row in session.scalars(query)
    )


def _values(alert: Alert) -> dict[str, object]:
    annotations = {
        "summary": alert.summary,
        "runbook": alert.runbook,
        "evidence": [asdict(evidence) for evidence in alert.evidence],
    }
    return {
        "fingerprint": alert.fingerprint,
        "rule": alert.rule,
        "severity": alert.severity.value,
        "state": alert.state.value,
        "labels": json.dumps(dict(alert.labels), sort_keys=True),
        "annotations": json.dumps(annotations),
        "value": alert.value,
        "active_at": alert.active_at,
        "fired_at": alert.fired_at,
        "resolved_at": alert.resolved_at,
        "evaluated_at": alert.evaluated_at,
    }


def _alert(row: AlertRow) -> Alert:
    annotations = json.loads(row.annotations)
    return Alert(
        fingerprint=row.fingerprint,
        rule=row.rule,
        severity=Severity(row.severity),
        state=AlertState(row.state),
        labels=json.loads(row.labels),
        summary=annotations["summary"],
        runbook=annotations["runbook"],
        evidence=tuple(Evidence(**evidence) for evidence in annotations["evidence"]),
        value=row.value,
        active_at=row.active_at,
        fired_at=row.fired_at,
        resolved_at=row.resolved_at,
        evaluated_at=row.evaluated_at,
    )
