"""tracker alerts: what fires, for people and for monitoring."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from jobs.cli.context import Context, add_command
from tracker.alerting import Alert, AlertState, Severity

OK, WARNING, CRITICAL, UNKNOWN = 0, 1, 2, 3
MOST_SUMMARIES = 3
LEAST_TRUSTED = timedelta(minutes=15)


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = add_command(
        commands,
        "alerts",
        _alerts,
        summary="list the alerts, or check them for monitoring",
        details="With --check it prints one line and performance data, and ends with 0 ok, 1 warning, 2 critical, 3 "
        "unknown, as monitoring plugins do; informational alerts are ok, and alerts that nobody evaluates are unknown.",
        example="tracker alerts --check",
    )
    parser.add_argument("--check", action="store_true", help="one line and an exit code for monitoring")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="only alerts about this repository, or about none")
    parser.add_argument("--all", action="store_true", help="list those that are over as well")
    parser.add_argument("--format", choices=["table", "json"], default="table", help="of the list; default: table")


def _alerts(arguments: argparse.Namespace, context: Context) -> int:
    from db.alerts import read_alerts
    from db.runs import read_freshness

    arguments.unknown_when_it_fails = arguments.check
    with context.reading() as session:
        alerts = [
            alert
            for alert in read_alerts(session)
            if arguments.repo is None or alert.labels.get("repository", arguments.repo) == arguments.repo
        ]
        runs = [fresh for fresh in read_freshness(session) if fresh.job == "evaluate_alerts"]
        evaluated_at = runs[0].last_success_at if runs else None
    if arguments.check:
        trusted = max(LEAST_TRUSTED, timedelta(minutes=3 * context.settings.alerts_minutes))
        code, line = check_line(alerts, evaluated_at, datetime.now(UTC), trusted)
        context.say(line)
        return code
    shown = [alert for alert in alerts if arguments.all or alert.state is not AlertState.INACTIVE]
    if arguments.format == "json":
        for alert in shown:
            context.json_line(_document(alert))
    else:
        context.table(("state", "severity", "rule", "since", "summary"), [_row(alert) for alert in shown])
    return OK


def check_line(
    alerts: Sequence[Alert], evaluated_at: datetime | None, now: datetime, trusted: timedelta
) -> tuple[int, str]:
    """Return the exit code and the line that monitoring plugins give.

    Args:
        evaluated_at: when the alerts were last evaluated; None: never.
        trusted: for how long an evaluation stands.
    """
    firing = [alert for alert in alerts if alert.state is AlertState.FIRING]
    counts = {severity: sum(alert.severity is severity for alert in firing) for severity in Severity}
    pending = sum(alert.state is AlertState.PENDING for alert in alerts)
    perfdata = " ".join(
        (
            f"critical={counts[Severity.CRITICAL]};;1;0",
            f"warning={counts[Severity.WARNING]};1;;0",
            f"info={counts[Severity.INFO]};;;0",
            f"pending={pending};;;0",
        )
    )
    if evaluated_at is None:
        return UNKNOWN, f"UNKNOWN - alerts were never evaluated; is `tracker run` running? | {perfdata}"
    if now - evaluated_at > trusted:
        ago = f"{(now - evaluated_at) / timedelta(minutes=1):.0f} minutes ago"
        return UNKNOWN, f"UNKNOWN - alerts were last evaluated {ago}; is `tracker run` running? | {perfdata}"
    code, word, severity = OK, "OK", Severity.INFO
    if counts[Severity.CRITICAL]:
        code, word, severity = CRITICAL, "CRITICAL", Severity.CRITICAL
    elif counts[Severity.WARNING]:
        code, word, severity = WARNING, "WARNING", Severity.WARNING
    return code, f"{word} - {_summaries([alert for alert in firing if alert.severity is severity])} | {perfdata}"


def _summaries(alerts: Sequence[Alert]) -> str:
    if not alerts:
        return "nothing fires"
    # A bar begins the performance data.
    shown = "; ".join(" ".join(alert.summary.replace("|", "/").split()) for alert in alerts[:MOST_SUMMARIES])
    more = len(alerts) - MOST_SUMMARIES
    return shown + (f"; and {more} more" if more > 0 else "")


def _row(alert: Alert) -> Sequence[object]:
    since = alert.active_at or alert.resolved_at
    return (alert.state, alert.severity, alert.rule, f"{since:%Y-%m-%d %H:%M}" if since else "", alert.summary)


def _document(alert: Alert) -> dict[str, object]:
    return {
        "fingerprint": alert.fingerprint,
        "rule": alert.rule,
        "severity": alert.severity,
        "state": alert.state,
        "labels": dict(alert.labels),
        "value": alert.value,
        "summary": alert.summary,
        "runbook": alert.runbook,
        "evidence": [{"text": evidence.text, "link": evidence.link} for evidence in alert.evidence],
        "active_at": alert.active_at.isoformat() if alert.active_at else None,
        "fired_at": alert.fired_at.isoformat() if alert.fired_at else None,
        "resolved_at": alert.resolved_at.isoformat() if alert.resolved_at else None,
        "evaluated_at": alert.evaluated_at.isoformat(),
    }
