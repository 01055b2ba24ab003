"""What the alert rules look at, gathered in one snapshot of the database."""

from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.audits import read_latest_audits
from db.identities import chunks
from db.repositories import read_repositories
from db.runs import Freshness, read_freshness
from db.tables import CommitRow, DeadLetterRow, RepositoryRow, VerdictRow
from db.undone import read_undone
from tracker.alerting import AlertFacts, AuditFact, DeadLetterFact, JobFact, LandedCommit, WatchedRepository


def read_alert_facts(session: Session, window: timedelta, *, quiet_after: timedelta | None = None) -> AlertFacts:
    """Return the facts of every repository under watch.

    Args:
        window: the longest one of the rules; commits that landed or were undone within it, before their repository was
            last read, are among the facts.
        quiet_after: how old the newest commit of a repository may be of which nothing else is kept.
    """
    freshness = read_freshness(session)
    read_at = {fresh.repository: fresh.last_success_at for fresh in freshness if fresh.job == "crawl_commits"}
    newest_at = {fresh.repository: fresh.data_through for fresh in freshness}
    repositories = tuple(
        WatchedRepository(
            slug=row.slug,
            added_at=row.added_at,
            commits_read_at=read_at.get(row.slug),
            newest_at=newest_at.get(row.slug),
            quiet_after=quiet_after if row.quiet_days is None else timedelta(days=row.quiet_days),
        )
        for row in read_repositories(session)
    )
    commits: list[LandedCommit] = []
    for row in read_repositories(session):
        end = read_at.get(row.slug)
        if end is not None:
            commits += _landed(session, row, end - window)
    return AlertFacts(
        repositories=repositories,
        commits=tuple(commits),
        jobs=tuple(_job(fresh) for fresh in freshness),
        audits=_audits(session),
        dead_letters=_dead_letters(session),
    )


def _landed(session: Session, repository: RepositoryRow, since: datetime) -> list[LandedCommit]:
    undone = read_undone(session, repository.id)
    lately = [commit_id for commit_id, fact in undone.items() if fact.at >= since]
    query = (
        select(CommitRow, VerdictRow)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository.id, CommitRow.position.is_not(None))
        .order_by(CommitRow.position)
    )
    found = {
        commit.id: (commit, verdict)
        for commit, verdict in session.execute(query.where(CommitRow.committed_at >= since))
    }
    for chunk in chunks(lately):
        for commit, verdict in session.execute(query.where(CommitRow.id.in_(chunk))):
            found[commit.id] = (commit, verdict)
    return [
        LandedCommit(
            repository=repository.slug,
            sha=commit.sha,
            subject=commit.subject,
            committed_at=commit.committed_at,
            verdict=verdict.verdict,
            area=verdict.area,
            removed=verdict.removed,
            added=verdict.added,
            undone_by=fact.by_sha if fact is not None else None,
            undone_at=fact.at if fact is not None else None,
        )
        for commit, verdict in found.values()
        for fact in (undone.get(commit.id),)
    ]


def _job(fresh: Freshness) -> JobFact:
    return JobFact(
        job=fresh.job,
        repository=fresh.repository,
        last_success_at=fresh.last_success_at,
        consecutive_failures=fresh.consecutive_failures,
        message=fresh.message,
        outcome=fresh.outcome,
    )


def _audits(session: Session) -> tuple[AuditFact, ...]:
    return tuple(
        AuditFact(repository=audit.repository, sha=audit.sha, at=audit.at, differences=audit.differences)
        for audit in read_latest_audits(session)
    )


def _dead_letters(session: Session) -> tuple[DeadLetterFact, ...]:
    query = (
        select(RepositoryRow.slug, DeadLetterRow.stream, func.count())
        .join(RepositoryRow, RepositoryRow.id == DeadLetterRow.repository_id)
        .where(RepositoryRow.removed_at.is_(None))
        .group_by(RepositoryRow.slug, DeadLetterRow.stream)
    )
    letters = sorted(session.execute(query))
    return tuple(DeadLetterFact(repository=slug, stream=stream, count=count) for slug, stream, count in letters)
