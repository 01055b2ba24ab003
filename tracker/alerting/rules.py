"""The text of `rules/alerts.toml` -> alert rules, with all problems at once."""

import re
import string
import tomllib
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from tracker.errors import RulesetError
from tracker.ruleset.tables import Table
from tracker.sites import Area, Verdict

FILE = "alerts.toml"
PLACEHOLDERS = {"value", "repository", "area", "job", "stream", "window", "at_least", "message"}


class Severity(StrEnum):
    """How much it matters; `tracker alerts --check` ends with 0, 1 or 2 for them."""

    INFO = "info"
    """Good to know; asks for nothing."""
    WARNING = "warning"
    CRITICAL = "critical"


class Watches(StrEnum):
    """What a rule looks at, and so by which labels its alerts differ."""

    COMMITS = "commits"
    """Commits of one verdict that landed within the window and stand: by repository and area."""
    REVERTS = "reverts"
    """Commits of one verdict that were undone within the window: by repository and area."""
    STALE_CRAWL = "stale crawl"
    """Hours since a crawl last went well: by repository and job."""
    UNMOVED_UPSTREAM = "unmoved upstream"
    """Days since the newest commit, where that is longer than the repository is wont to be quiet: by repository."""
    UNREACHABLE_UPSTREAM = "unreachable upstream"
    """Hours since a crawl last went well, where the last could not reach upstream: by repository and job."""
    NOT_CRAWLED = "not crawled"
    """1 where a crawl was never possible for want of a setting, such as a token: by repository and job."""
    FAILING_JOB = "failing job"
    """Failures in a row: by repository and job."""
    AUDIT = "audit"
    """Paths whose balance differs from a full scan: by repository."""
    DEAD_LETTERS = "dead letters"
    """Things upstream could not serve: by repository and stream."""


OVER_COMMITS = (Watches.COMMITS, Watches.REVERTS)


class Measure(StrEnum):
    """What is counted of the commits."""

    COMMITS = "commits"
    REMOVED = "removed"
    """Sites removed from neutral code."""
    ADDED = "added"
    """Sites added to neutral code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """When to raise which alert."""

    id: str
    """Permanent."""
    title: str
    severity: Severity
    watches: Watches
    verdict: Verdict | None
    """Of the commits watched; None where no commits are."""
    areas: tuple[Area, ...]
    """Those whose commits are watched."""
    measure: Measure
    at_least: float
    """The condition holds when the value is this or more."""
    window: timedelta
    """How far back commits count; zero where no commits are watched."""
    hold: timedelta
    """How long the condition must hold before the alert fires (`for_minutes`)."""
    summary: str
    """A sentence with {value}, {repository}, {area}, {job}, {stream}, {window}, {at_least} or {message}."""
    runbook: str
    """What to do about it."""

    @property
    def over_commits(self) -> bool:
        return self.watches in OVER_COMMITS

    @property
    def window_text(self) -> str:
        """The window in words: 7 days, 36 hours."""
        days, rest = divmod(self.window, timedelta(days=1))
        return f"{days} days" if days > 1 and not rest else f"{self.window / timedelta(hours=1):g} hours"


def load_alert_rules(text: str) -> tuple[AlertRule, ...]:
    """Return the rules in the order of the file.

    Raises:
        RulesetError: with every problem of the file.
    """
    problems: list[str] = []
    try:
        document = Table(tomllib.loads(text), FILE, problems)
    except tomllib.TOMLDecodeError as error:
        raise RulesetError((f"{FILE}: not well-formed TOML: {error}",)) from error
    rules = [_rule(table) for table in document.tables("alert")]
    document.close()
    ids = [rule.id for rule in rules]
    problems += [f"{FILE}: {name!r} is defined twice" for name in sorted({n for n in ids if ids.count(n) > 1})]
    if problems:
        raise RulesetError(tuple(problems))
    return tuple(rules)


def _rule(table: Table) -> AlertRule:
    watches = table.choice("watches", Watches, default=Watches.STALE_CRAWL)
    over_commits = watches in OVER_COMMITS
    rule = AlertRule(
        id=table.text("id"),
        title=table.text("title"),
        severity=table.choice("severity", Severity, default=Severity.WARNING),
        watches=watches,
        verdict=table.choice("verdict", Verdict, default=Verdict.COUPLING) if over_commits else None,
        areas=table.choices("areas", Area) if over_commits else (),
        measure=table.choice("measure", Measure, default=Measure.COMMITS) if over_commits else Measure.COMMITS,
        at_least=table.number("at_least", default=1),
        window=timedelta(hours=table.number("window_hours", default=168)) if over_commits else timedelta(),
        hold=timedelta(minutes=table.number("for_minutes", default=0)),
        summary=" ".join(table.text("summary").split()),
        runbook=" ".join(table.text("runbook").split()),
    )
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id):
        table.report("id", f"{rule.id!r} must be lower-case words joined by hyphens")
    for problem in _template_problems(rule.summary):
        table.report("summary", problem)
    table.close()
    return rule


def _template_problems(summary: str) -> list[str]:
    try:
        parts = list(string.Formatter().parse(summary))
    except ValueError as error:
        return [f"it is no template: {error}"]
    names = {name for _, name, _, _ in parts if name is not None}
    known = ", ".join(sorted(PLACEHOLDERS))
    return [f"{{{name}}} is not known; there are {known}" for name in sorted(names - PLACEHOLDERS)]
