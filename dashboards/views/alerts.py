"""Alerts and alert rules, for the page and in the shape of Prometheus's HTTP API.

https://prometheus.io/docs/prometheus/latest/querying/api/#alerts: active alerts only, values as text. What is inactive
is on the page and in the rules' list, where each rule shows the alerts it has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboards.plain import utc_text
from dashboards.reading import Reading
from dashboards.wording import plural
from db.alerts import read_alerts, read_events
from tracker.alerting import Alert, AlertEvent, AlertRule, AlertState, Measure, Severity, Watches, load_alert_rules
from tracker.sites import Area

_EVENTS_SHOWN = 50
_ORDER = {AlertState.FIRING: 0, AlertState.PENDING: 1, AlertState.INACTIVE: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertsView:
    """Every alert and rule."""

    alerts: tuple[Alert, ...]
    """Firing first, then pending; the inactive ones were active once."""
    rules: tuple[AlertRule, ...]
    events: tuple[AlertEvent, ...]
    """Transitions, newest first."""
    evaluated_at: datetime | None
    """None: never evaluated as far as is known; the state of every alert is unknown."""

    @property
    def by_fingerprint(self) -> Mapping[str, Alert]:
        return {alert.fingerprint: alert for alert in self.alerts}


def stored_alerts(reading: Reading) -> tuple[Alert, ...]:
    """Return every alert that is or was active, firing first."""

    def read() -> tuple[Alert, ...]:
        alerts = read_alerts(reading.session)
        return tuple(sorted(alerts, key=lambda alert: (_ORDER[alert.state], alert.rule, sorted(alert.labels.items()))))

    return reading.remember("alerts", read)


def count_firing(reading: Reading) -> int:
    """Return how many alerts that ask for something are firing; good news is none."""
    return sum(
        alert.state is AlertState.FIRING and alert.severity is not Severity.INFO for alert in stored_alerts(reading)
    )


def alert_rules(reading: Reading) -> tuple[AlertRule, ...]:
    """Return the rules in their order."""
    text = reading.dashboard.ruleset.alerts_text
    return reading.remember("alert rules", lambda: load_alert_rules(text))


def view_alerts(reading: Reading, evaluated_at: datetime | None) -> AlertsView:
    """Return everything about alerts.

    Args:
        evaluated_at: end of the last evaluation that went well.
    """
    return AlertsView(
        alerts=stored_alerts(reading),
        rules=alert_rules(reading),
        events=reading.remember("alert events", lambda: read_events(reading.session, limit=_EVENTS_SHOWN)),
        evaluated_at=evaluated_at,
    )


def prometheus_alerts(view: AlertsView) -> dict[str, object]:
    """Return the active alerts as `data` of Prometheus's GET /api/v1/alerts."""
    titles = {rule.id: rule.title for rule in view.rules}
    active = [alert for alert in view.alerts if alert.state is not AlertState.INACTIVE]
    return {"alerts": [_prometheus_alert(alert, titles) for alert in active]}


def prometheus_rules(view: AlertsView, *, with_alerts: bool = True) -> dict[str, object]:
    """Return the rules as `data` of Prometheus's GET /api/v1/rules."""
    titles = {rule.id: rule.title for rule in view.rules}
    rules = [_prometheus_rule(rule, view, titles) for rule in view.rules]
    if not with_alerts:
        rules = [{name: value for name, value in rule.items() if name != "alerts"} for rule in rules]
    group = {
        "name": "decoupling-tracker",
        "file": "alerts.toml",
        "interval": 0,
        "limit": 0,
        "rules": rules,
        "evaluationTime": 0,
        "lastEvaluation": utc_text(view.evaluated_at) if view.evaluated_at is not None else _NEVER,
    }
    return {"groups": [group]}


_NEVER = "0001-01-01T00:00:00Z"
"""How Prometheus writes that a rule has not been evaluated yet."""


def _prometheus_alert(alert: Alert, titles: Mapping[str, str]) -> dict[str, object]:
    labels = {"alertname": alert.rule, "severity": alert.severity.value} | dict(alert.labels)
    evidence = "\n".join(f"{item.text} {item.link}" for item in alert.evidence)
    annotations = {
        "title": titles.get(alert.rule, alert.rule),
        "summary": alert.summary,
        "runbook": alert.runbook,
        "evidence": evidence,
        "fingerprint": alert.fingerprint,
    }
    return {
        "labels": labels,
        "annotations": annotations,
        "state": alert.state.value,
        "activeAt": utc_text(alert.active_at) if alert.active_at is not None else None,
        "value": f"{alert.value:e}" if alert.value is not None else "NaN",
    }


def _prometheus_rule(rule: AlertRule, view: AlertsView, titles: Mapping[str, str]) -> dict[str, object]:
    active = [alert for alert in view.alerts if alert.rule == rule.id and alert.state is not AlertState.INACTIVE]
    is_firing = any(alert.state is AlertState.FIRING for alert in active)
    state = AlertState.FIRING if is_firing else AlertState.PENDING if active else AlertState.INACTIVE
    return {
        "state": state.value,
        "name": rule.id,
        "query": condition(rule),
        "duration": rule.hold.total_seconds(),
        "keepFiringFor": 0,
        "labels": {"severity": rule.severity.value},
        "annotations": {"title": rule.title, "summary": rule.summary, "runbook": rule.runbook},
        "alerts": [_prometheus_alert(alert, titles) for alert in active],
        "health": "ok" if view.evaluated_at is not None else "unknown",
        "evaluationTime": 0,
        "lastEvaluation": utc_text(view.evaluated_at) if view.evaluated_at is not None else _NEVER,
        "type": "alerting",
    }


def condition(rule: AlertRule) -> str:
    """Return a rule's condition in one terse line, where Prometheus has its query."""
    least = f"{rule.at_least:g}"
    if rule.verdict is None:
        return f"{rule.watches.value} >= {least}"
    window = f"{rule.window / timedelta(hours=1):g}h"
    places = f" in {', '.join(rule.areas)}" if len(rule.areas) < len(Area) else ""
    return f"{rule.measure.value} of {rule.verdict.value} {rule.watches.value}{places} within {window} >= {least}"


def condition_in_words(rule: AlertRule) -> str:
    """Say when a rule's condition holds."""
    least = rule.at_least
    match rule.watches:
        case Watches.COMMITS | Watches.REVERTS:
            words = _commits_in_words(rule)
        case Watches.STALE_CRAWL:
            words = f"no crawl went well for {least:g} hours"
        case Watches.UNMOVED_UPSTREAM:
            words = "the newest commit is older than its repository may be quiet"
        case Watches.UNREACHABLE_UPSTREAM:
            words = f"a crawl has not reached its upstream for {plural(least, 'hour')}"
        case Watches.NOT_CRAWLED:
            words = "a crawl lacks a setting, such as a token"
        case Watches.FAILING_JOB:
            words = f"a job failed {least:g} times in a row"
        case Watches.AUDIT:
            words = f"{plural(least, 'path differs', 'paths differ')} from a full scan"
        case Watches.DEAD_LETTERS:
            words = f"{plural(least, 'thing')} could not be served by upstream"
    return words


def _commits_in_words(rule: AlertRule) -> str:
    places = "" if len(rule.areas) == len(Area) else f" ({', '.join(rule.areas)})"
    what = f"{rule.verdict} commits"
    did = "were reverted" if rule.watches is Watches.REVERTS else "landed"
    if rule.measure is Measure.COMMITS:
        return f"{rule.at_least:g} or more {what}{places} {did} within {rule.window_text}"
    return f"{what}{places} within {rule.window_text} {rule.measure} {rule.at_least:g} or more sites"
