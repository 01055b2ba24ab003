"""How the service itself is doing: freshness of each crawl in a sentence, runs, audits, what was skipped and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dashboards import wording
from dashboards.reading import Reading
from db.audits import Audit, read_audits
from db.coverage import CommitRange
from db.dead_letters import DeadLetter, read_dead_letters
from db.numbers import PullCoverage, read_pull_coverage
from db.overview import Coverage, Extent, read_coverage, read_extents
from db.runs import CRAWLS, READING_COMMITS, Freshness, JobRun, read_freshness, read_runs
from db.watched import WatchedRepository
from tracker.upstream import RangeState

CRAWL_COMMITS = "crawl_commits"
CRAWL_PULLS = "crawl_pulls"
EVALUATE_ALERTS = "evaluate_alerts"
RUN_COLUMNS = (
    "id",
    "job",
    "repository",
    "started_at",
    "ended_at",
    "outcome",
    "message",
    "retry_at",
    "counts",
)
"""Of the CSV twin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlState:
    """How one job over one repository is doing, in words."""

    repository: str
    """Empty for a job over all repositories."""
    job: str
    state: str
    """The latest run's outcome, or never ran, stale, unmoved (there is nothing new for too long) or not_crawled."""
    sentence: str
    demo: bool
    data_through: datetime | None
    commits: int
    freshness: Freshness


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsView:
    """Everything about runs."""

    states: tuple[CrawlState, ...]
    runs: tuple[JobRun, ...]
    audits: tuple[Audit, ...]
    dead_letters: tuple[DeadLetter, ...]
    coverage: tuple[Coverage, ...]
    told: Mapping[str, WatchedRepository]
    """What is kept of each repository under watch: what is followed, and where reading begins."""
    pull_coverage: tuple[PullCoverage, ...]
    """The latest comparison of each repository's pull requests with the numbers that GitHub gave out."""


def coverage_of(reading: Reading) -> tuple[Coverage, ...]:
    """Return what was read of each repository; what a crawl has begun and is at now is no failure."""
    return reading.remember("coverage", lambda: _coverage(reading))


def _coverage(reading: Reading) -> tuple[Coverage, ...]:
    at_it = {row.repository for row in freshness_of(reading) if row.job in READING_COMMITS and row.outcome == "running"}
    return tuple(
        replace(row, ranges=tuple(map(_as_running, row.ranges))) if row.repository in at_it else row
        for row in read_coverage(reading.session)
    )


def _as_running(part: CommitRange) -> CommitRange:
    return replace(part, state=RangeState.RUNNING) if part.state is RangeState.FAILED else part


def extents_of(reading: Reading) -> tuple[Extent, ...]:
    """Return how far each repository was read."""
    return reading.remember("extents", lambda: read_extents(reading.session))


def freshness_of(reading: Reading) -> tuple[Freshness, ...]:
    """Return how each job over each repository is doing."""
    return reading.remember("freshness", lambda: read_freshness(reading.session))


def evaluated_at(reading: Reading) -> datetime | None:
    """Return when alerts were last evaluated; None when they never were."""
    found = [row.last_success_at for row in freshness_of(reading) if row.job == EVALUATE_ALERTS]
    return next((at for at in found if at is not None), None)


def view_runs(reading: Reading, limit: int) -> RunsView:
    """Return the state of every job, the latest runs and audits, and the coverage."""
    return RunsView(
        states=job_states(reading),
        runs=reading.remember(("runs", limit), lambda: read_runs(reading.session, limit)),
        audits=reading.remember(("audits", limit), lambda: read_audits(reading.session, limit=limit)),
        dead_letters=reading.remember(("dead letters", limit), lambda: _dead_letters(reading, limit)),
        coverage=coverage_of(reading),
        told={repository.slug: repository for repository in reading.repositories},
        pull_coverage=reading.remember("pull coverage", lambda: read_pull_coverage(reading.session)),
    )


def _dead_letters(reading: Reading, limit: int) -> tuple[DeadLetter, ...]:
    return tuple(read_dead_letters(reading.session, limit=limit))


def job_states(reading: Reading) -> tuple[CrawlState, ...]:
    """Return how each job is doing, in words, by repository and job."""
    commits = {extent.repository: extent.commits for extent in extents_of(reading)}
    settings = reading.dashboard.settings
    stale_after = timedelta(hours=settings.stale_hours)
    quiet = quiet_times(reading.repositories, settings.quiet_days)
    return tuple(
        CrawlState(
            repository=row.repository,
            job=row.job,
            state=_state(row, reading.now, stale_after, quiet.get(row.repository)),
            sentence=sentence_about(row, reading.now, quiet.get(row.repository)),
            demo=reading.is_demo(row.repository) if row.repository else False,
            data_through=row.data_through,
            commits=commits.get(row.repository, 0),
            freshness=row,
        )
        for row in freshness_of(reading)
    )


def is_stale(row: Freshness, now: datetime, stale_after: timedelta) -> bool:
    """Return whether a crawl that succeeded once has not done so for too long; one that is running is not stale."""
    if row.job != CRAWL_COMMITS or row.last_success_at is None or row.outcome == "running":
        return False
    return now - row.last_success_at > stale_after


def is_unmoved(row: Freshness, now: datetime, quiet_after: timedelta | None) -> bool:
    """Return whether the newest commit that a crawl found is older than the repository is wont to be quiet."""
    if row.job != CRAWL_COMMITS or row.data_through is None or quiet_after is None:
        return False
    return now - row.data_through > quiet_after


def quiet_times(repositories: Iterable[WatchedRepository], days: float) -> dict[str, timedelta]:
    """Return for how long each repository may be quiet.

    Args:
        days: of one for which nothing else is kept.
    """
    return {row.slug: timedelta(days=row.quiet_days or days) for row in repositories}


def _state(row: Freshness, now: datetime, stale_after: timedelta, quiet_after: timedelta | None) -> str:
    match row.outcome:
        case None:
            return "never ran"
        case "unconfigured" if row.job in CRAWLS:
            return "not_crawled"
        case "ok" if is_stale(row, now, stale_after):
            return "stale"
        case "ok" if is_unmoved(row, now, quiet_after):
            return "unmoved"
    return row.outcome


def sentence_about(row: Freshness, now: datetime, quiet_after: timedelta | None = None) -> str:
    """One line: what happened, since when, and what comes next."""
    match row.outcome:
        case "ok" if row.data_through is not None and is_unmoved(row, now, quiet_after):
            newest = f"the newest commit is {wording.duration(now - row.data_through)} old"
            return f"went well {_since(row.last_success_at, now)} ago, but {newest}: what it reads does not move"
        case None:
            return "has not run yet"
        case "running":
            return f"running for {_since(row.last_attempt_at, now)}{_last_success(row, now)}"
        case "ok":
            return f"went well {_since(row.last_success_at, now)} ago"
    again = f"; next try {wording.moment(row.retry_at)}" if row.retry_at is not None else ""
    times = f", {wording.plural(row.consecutive_failures, 'time')} in a row" if row.consecutive_failures > 1 else ""
    return f"{row.message or row.outcome}{times}{_last_success(row, now)}{again}"


def _last_success(row: Freshness, now: datetime) -> str:
    if row.last_success_at is None:
        return "; never went well so far"
    return f"; last went well {_since(row.last_success_at, now)} ago"


def _since(at: datetime | None, now: datetime) -> str:
    return wording.duration(now - at) if at is not None else wording.UNKNOWN
