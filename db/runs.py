"""Runs of jobs, and how fresh the data is: when each stream was last read, and what went wrong since."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import CTE, delete, exists, func, select, update
from sqlalchemy.orm import Session, aliased

from db.leases import Lease
from db.overview import read_extents
from db.tables import JobRunRow, LeaseRow

CRAWLS = ("crawl_commits", "crawl_pulls")
"""Jobs that every repository needs; freshness shows them also where they never ran."""


READING_COMMITS = ("crawl_commits", "backfill", "rejudge")
"""Jobs that read and write a repository's line of commits: one of them at a time."""

NO_FAILURE = ("ok", "running", "unconfigured")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """One run of one job."""

    id: int
    job: str
    repository: str
    """Slug; empty for a job over all repositories."""
    started_at: datetime
    ended_at: datetime | None
    """None: running, or killed."""
    outcome: str
    """running, ok, failed, unavailable, rate_limited, unconfigured or killed."""
    counts: Mapping[str, int | str]
    message: str
    """What went wrong, in words; empty when nothing did."""
    retry_at: datetime | None
    """Not to be tried again before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """How one job over one repository is doing."""

    repository: str
    """Slug; empty for a job over all repositories."""
    job: str
    last_attempt_at: datetime | None
    """Start of the latest run; None: never ran."""
    last_success_at: datetime | None
    """End of the latest run that went well."""
    outcome: str | None
    """Of the latest run."""
    message: str
    consecutive_failures: int
    """Ended runs since the last success."""
    retry_at: datetime | None
    data_through: datetime | None
    """Committer date of the last commit read; None where no commit of the repository was read."""
    commits_behind: int | None = None
    """Commits upstream has and we have not read; None: unknown."""


def start_run(session: Session, job: str, repository: str, now: datetime, lease: Lease | None = None) -> int:
    """Record that a job starts and return the run's id.

    Args:
        lease: what the process that runs it holds; without one the run counts as dead when a scheduler looks.
    """
    row = JobRunRow(job=job, repository=repository, started_at=now, outcome="running", counts="{}", message="")
    if lease is not None:
        row.lease, row.fence = lease.name, lease.fence
    session.add(row)
    session.flush()
    return row.id


def end_run(  # noqa: PLR0913 - one argument for each column it sets
    session: Session,
    run_id: int,
    outcome: str,
    counts: Mapping[str, int | str],
    message: str,
    now: datetime,
    *,
    retry_at: datetime | None = None,
) -> None:
    """Record how a run ended."""
    row = session.get_one(JobRunRow, run_id)
    row.ended_at, row.outcome, row.message, row.retry_at = now, outcome, message, retry_at
    row.counts = json.dumps(counts, ensure_ascii=False, sort_keys=True)
    session.flush()


def close_orphans(session: Session, now: datetime) -> int:
    """Mark runs that were left running by a process that no longer holds its lease, and return how many."""
    held = exists().where(LeaseRow.name == JobRunRow.lease, LeaseRow.fence == JobRunRow.fence, LeaseRow.holder != "")
    orphans = update(JobRunRow).where(JobRunRow.outcome == "running", ~held)
    message = "the process ended before the job did; the next run goes on where this one last committed"
    session.flush()
    ended = session.execute(
        orphans.values(outcome="killed", ended_at=now, message=message).returning(JobRunRow.id),
        execution_options={"synchronize_session": False},
    )
    session.expire_all()
    return len(ended.all())


def prune_runs(session: Session, before: datetime) -> int:
    """Forget runs that started before a time and that a later success of the same job supersedes; return how many."""
    later = aliased(JobRunRow)
    superseded = exists().where(
        later.repository == JobRunRow.repository,
        later.job == JobRunRow.job,
        later.outcome == "ok",
        later.id > JobRunRow.id,
    )
    session.flush()
    gone = session.execute(
        delete(JobRunRow).where(JobRunRow.started_at < before, superseded).returning(JobRunRow.id),
        execution_options={"synchronize_session": False},
    )
    count = len(gone.all())
    session.expire_all()
    return count


def read_runs(
    session: Session, limit: int, *, job: str | None = None, repository: str | None = None
) -> tuple[JobRun, ...]:
    """Return the latest runs, newest first."""
    # In the order in which they began, which a clock that was set back does not change.
    query = select(JobRunRow).order_by(JobRunRow.id.desc()).limit(limit)
    if job is not None:
        query = query.where(JobRunRow.job == job)
    if repository is not None:
        query = query.where(JobRunRow.repository == repository)
    return tuple(_run(row) for row in session.scalars(query))


def read_freshness(session: Session) -> tuple[Freshness, ...]:
    """Return the state of every job over every repository under watch, by repository and job.

    Two statements, whose cost does not grow with the number of runs that are kept.
    """
    through = {extent.repository: extent.last_at for extent in read_extents(session)}
    states = {(state.run.repository, state.run.job): state for state in _states(session)}
    keys = {*states, *((slug, job) for slug in through for job in CRAWLS)}
    return tuple(
        Freshness(
            repository=slug,
            job=job,
            last_attempt_at=run.started_at if run else None,
            last_success_at=state.last_success_at if state else None,
            outcome=run.outcome if run else None,
            message=run.message if run else "",
            consecutive_failures=state.failures if state else 0,
            retry_at=run.retry_at if run else None,
            data_through=through.get(slug),
        )
        for slug, job in sorted(keys)
        if not slug or slug in through
        for state in (states.get((slug, job)),)
        for run in (state.run if state else None,)
    )


def _run(row: JobRunRow) -> JobRun:
    return JobRun(
        id=row.id,
        job=row.job,
        repository=row.repository,
        started_at=row.started_at,
        ended_at=row.ended_at,
        outcome=row.outcome,
        counts=json.loads(row.counts),
        message=row.message,
        retry_at=row.retry_at,
    )


@dataclass(frozen=True, slots=True)
class _State:
    run: JobRunRow
    """The latest."""
    last_success_at: datetime | None
    failures: int
    """Ended runs since the last success."""


def _states(session: Session) -> Iterator[_State]:
    """Yield the state of each job over each repository, found by one look into an index each."""
    latest = _latest_ids()
    run, other = aliased(JobRunRow), aliased(JobRunRow)
    same = (other.repository == run.repository, other.job == run.job)
    success = select(other.id).where(*same, other.outcome == "ok").order_by(other.id.desc()).limit(1)
    success_id = success.correlate(run).scalar_subquery()
    failures = select(func.count()).where(
        *same, other.outcome.not_in(NO_FAILURE), other.id > func.coalesce(success_id, 0)
    )
    ended = aliased(JobRunRow)
    query = (
        select(run, ended.ended_at, failures.correlate(run).scalar_subquery())
        .join(latest, latest.c.id == run.id)
        .outerjoin(ended, ended.id == success_id)
    )
    return (_State(row, at, count) for row, at, count in session.execute(query))


def _latest_ids() -> CTE:
    """The latest run of each repository and job: from each to the next along the index, however many lie between."""
    known, following = aliased(JobRunRow), aliased(JobRunRow)
    order = (following.repository.desc(), following.job.desc(), following.id.desc())
    last = select(following.id).order_by(*order).limit(1)
    ids = select(last.scalar_subquery().label("id")).cte("latest", recursive=True)
    # Two looks: neither database steps over many runs of one job by comparing pairs.
    same_repository = last.where(following.repository == known.repository, following.job < known.job)
    next_repository = last.where(following.repository < known.repository)
    step = func.coalesce(*(look.correlate(known).scalar_subquery() for look in (same_repository, next_repository)))
    return ids.union_all(select(step).select_from(ids).join(known, known.id == ids.c.id))
