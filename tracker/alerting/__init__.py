"""Alerts: rules as data, facts in, observations, and the state of each alert with its transitions; no clock, no I/O."""

from tracker.alerting.facts import AlertFacts, AuditFact, DeadLetterFact, JobFact, LandedCommit, WatchedRepository
from tracker.alerting.observing import Evidence, Observation, observe
from tracker.alerting.rules import AlertRule, Measure, Severity, Watches, load_alert_rules
from tracker.alerting.states import Alert, AlertEvent, AlertState, Evaluation, evaluate, fingerprint_of

__all__ = [
    "Alert",
    "AlertEvent",
    "AlertFacts",
    "AlertRule",
    "AlertState",
    "AuditFact",
    "DeadLetterFact",
    "Evaluation",
    "Evidence",
    "JobFact",
    "LandedCommit",
    "Measure",
    "Observation",
    "Severity",
    "WatchedRepository",
    "Watches",
    "evaluate",
    "fingerprint_of",
    "load_alert_rules",
    "observe",
]
