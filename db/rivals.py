"""Who reads a repository's line of commits now: runs that are running, under a lease that is held.

The record of runs and the leases of their processes say it together, so that nothing else has to be taken, kept alive
and given back: a run that ended, or whose process gave its lease back, is nobody's rival.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.leases import StoredLease, read_lease
from db.repositories import read_repository, wait_for_other_crawlers
from db.runs import READING_COMMITS
from db.tables import JobRunRow, LeaseRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A run that reads a repository's commits."""

    job: str
    started_at: datetime
    lease: StoredLease
    """Of its process."""

    def __str__(self) -> str:
        """Say who it is."""
        host, process = self.lease.holder.rsplit(" ", 2)[-2:]
        at = f"{self.started_at:%Y-%m-%d %H:%M} UTC"
        return f"process {process} on {host}, which reads it since {at} ({self.job.replace('_', ' ')})"


def read_rivals(session: Session, slug: str) -> tuple[Rival, ...]:
    """Return the runs that read a repository's commits, in the order in which they began.

    Until the transaction ends nobody else can look, and so nobody begin: who looks and finds none may.
    """
    repository = read_repository(session, slug)
    if repository is None:
        return ()
    wait_for_other_crawlers(session, repository.id)
    query = (
        select(JobRunRow)
        .join(LeaseRow, (LeaseRow.name == JobRunRow.lease) & (LeaseRow.fence == JobRunRow.fence))
        .where(JobRunRow.repository == repository.slug, JobRunRow.job.in_(READING_COMMITS))
        .where(JobRunRow.outcome == "running", LeaseRow.holder != "")
        .order_by(JobRunRow.id)
    )
    found = []
    for row in session.scalars(query):
        lease = read_lease(session, row.lease or "")
        if lease is not None:
            found.append(Rival(job=row.job, started_at=row.started_at, lease=lease))
    return tuple(found)
