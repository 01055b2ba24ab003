"""Facts -> what each rule observes: one value for each set of labels, with the commits or pages that show it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tracker.alerting.facts import AlertFacts, JobFact, LandedCommit, WatchedRepository
from tracker.alerting.rules import AlertRule, Measure, Watches

MOST_EVIDENCE = 10
CRAWLS = ("crawl_commits", "crawl_pulls")
UNCONFIGURED = "unconfigured"
"""The outcome of a run that lacks a setting: nothing failed, and nothing was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What shows that an alert is right."""

    text: str
    link: str
    """Path on the dashboard, with a leading slash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one rule sees under one set of labels."""

    labels: Mapping[str, str]
    value: float | None
    """None: there is no data, which is neither good nor bad."""
    evidence: tuple[Evidence, ...] = field(default=())
    message: str = ""


def observe(rule: AlertRule, facts: AlertFacts, now: datetime) -> tuple[Observation, ...]:
    """Return what the rule sees, one observation for each set of labels.

    A window ends when the commits were last read, so that an upstream out of reach neither raises nor ends an alert.
    """
    match rule.watches:
        case Watches.COMMITS | Watches.REVERTS:
            return tuple(
                observation
                for repository in facts.repositories
                for observation in _commits(rule, repository, facts.commits)
            )
        case Watches.STALE_CRAWL | Watches.UNREACHABLE_UPSTREAM | Watches.NOT_CRAWLED:
            added = {repository.slug: repository.added_at for repository in facts.repositories}
            return tuple(
                _job(job, value)
                for job in facts.jobs
                if job.job in CRAWLS and job.repository in added
                for value in (_crawled(rule.watches, job, now - (job.last_success_at or added[job.repository])),)
                if value is not None
            )
        case Watches.UNMOVED_UPSTREAM:
            return tuple(_unmoved(repository, now) for repository in facts.repositories)
        case Watches.FAILING_JOB:
            return tuple(_job(job, job.consecutive_failures) for job in facts.jobs if job.outcome != UNCONFIGURED)
        case Watches.AUDIT:
            return tuple(_audits(repository, facts) for repository in facts.repositories)
        case Watches.DEAD_LETTERS:
            return tuple(
                Observation(
                    labels={"repository": letters.repository, "stream": letters.stream},
                    value=letters.count,
                    evidence=(Evidence(text="what could not be read", link="/runs"),),
                )
                for letters in facts.dead_letters
            )


def _commits(rule: AlertRule, repository: WatchedRepository, commits: Iterable[LandedCommit]) -> Iterable[Observation]:
    read_at = repository.commits_read_at
    by_area: dict[str, list[LandedCommit]] = {area.value: [] for area in rule.areas}
    if read_at is not None:
        for commit in commits:
            if commit.area in by_area and commit.repository == repository.slug and _counts(rule, commit, read_at):
                by_area[commit.area].append(commit)
    for area, counted in by_area.items():
        yield Observation(
            labels={"repository": repository.slug, "area": area},
            value=sum(_measured(rule.measure, commit) for commit in counted) if read_at is not None else None,
            evidence=tuple(_evidence(commit) for commit in _newest(counted)),
        )


def _counts(rule: AlertRule, commit: LandedCommit, read_at: datetime) -> bool:
    if commit.verdict is not rule.verdict:
        return False
    if rule.watches is Watches.COMMITS:
        return commit.undone_by is None and commit.committed_at > read_at - rule.window
    return commit.undone_at is not None and commit.undone_at > read_at - rule.window


def _measured(measure: Measure, commit: LandedCommit) -> int:
    match measure:
        case Measure.COMMITS:
            return 1
        case Measure.REMOVED:
            return commit.removed
        case Measure.ADDED:
            return commit.added


def _newest(commits: Iterable[LandedCommit]) -> list[LandedCommit]:
    return sorted(commits, key=lambda commit: (commit.committed_at, commit.sha), reverse=True)[:MOST_EVIDENCE]


def _evidence(commit: LandedCommit) -> Evidence:
    undone = f", undone by {commit.undone_by[:10]}" if commit.undone_by else ""
    return Evidence(
        text=f"{commit.sha[:10]} {commit.subject}{undone}", link=f"/commits/{commit.repository}/{commit.sha}"
    )


def _job(job: JobFact, value: float) -> Observation:
    labels = {"repository": job.repository, "job": job.job} if job.repository else {"job": job.job}
    return Observation(
        labels=labels,
        value=value,
        evidence=(Evidence(text="the latest runs", link="/runs"),),
        message=job.message,
    )


def _crawled(watches: Watches, job: JobFact, since: timedelta) -> float | None:
    """Return what is seen of a crawl that last went well so long ago; None: that is not what the rule is about."""
    match watches:
        case Watches.NOT_CRAWLED:
            return float(job.outcome == UNCONFIGURED)
        case Watches.UNREACHABLE_UPSTREAM:
            return _hours(since) if job.outcome == "unavailable" else 0
        case _:
            return None if job.outcome == UNCONFIGURED else _hours(since)


def _unmoved(repository: WatchedRepository, now: datetime) -> Observation:
    value: float | None = None
    if repository.newest_at is not None and repository.quiet_after is not None:
        age = now - repository.newest_at
        value = max(age / timedelta(days=1), 1) if age > repository.quiet_after else 0
    return Observation(
        labels={"repository": repository.slug},
        value=value,
        evidence=(Evidence(text="what is read, and from where", link="/runs"),),
    )


def _audits(repository: WatchedRepository, facts: AlertFacts) -> Observation:
    audits = [audit for audit in facts.audits if audit.repository == repository.slug]
    differing = sorted((audit for audit in audits if audit.differences), key=lambda audit: audit.at, reverse=True)
    return Observation(
        labels={"repository": repository.slug},
        value=sum(audit.differences for audit in audits) if audits else None,
        evidence=tuple(
            Evidence(
                text=f"{audit.differences} paths differ at {audit.sha[:10]}",
                link=f"/commits/{repository.slug}/{audit.sha}",
            )
            for audit in differing[:MOST_EVIDENCE]
        ),
    )


def _hours(span: timedelta) -> float:
    return max(span / timedelta(hours=1), 0)
