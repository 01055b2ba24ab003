"""Comparisons of the ledger's balance with full scans of the tree, as they are recorded and read."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import AuditRow, CommitRow, RepositoryRow
from tracker.errors import RepositoryError

MOST_DETAILS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDifference:
    """A path at which the ledger and the tree do not agree, or a place in which their numbers of lines do not."""

    path: str
    """For lines: territory, area and subsystem, with slashes between."""
    tree: int
    """Sites, or lines, found by a full scan."""
    ledger: int
    """By the ledger's balance; equal to `tree` where only the identities of sites differ."""
    example: str = ""
    """A symbol whose count differs; empty for lines."""
    unit: str = "sites"
    """Or `lines`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One comparison at one commit."""

    repository: str
    sha: str
    committed_at: datetime
    ruleset: str
    at: datetime
    """When it was made."""
    paths: int
    """Paths compared."""
    sites: int
    """Sites found in the tree."""
    lines: int | None = None
    """Lines counted in the tree; None: they were not compared then."""
    differences: int
    """Paths whose balance differs, and places whose lines do."""
    details: tuple[AuditDifference, ...]
    """The first 100 of them: those of sites first, by path."""


def append_audit(  # noqa: PLR0913 - one argument for each column
    session: Session,
    repository_id: int,
    sha: str,
    *,
    ruleset: str,
    at: datetime,
    paths: int,
    sites: int,
    lines: int | None = None,
    differences: Sequence[AuditDifference],
) -> int:
    """Record a comparison and return its id.

    Raises:
        RepositoryError: the commit is not among those that were read.
    """
    commit_id = session.scalar(
        select(CommitRow.id).where(CommitRow.repository_id == repository_id, CommitRow.sha == sha)
    )
    if commit_id is None:
        raise RepositoryError(f"commit {sha} was not read yet; crawl the commits first, then audit")
    ordered = sorted(differences, key=lambda difference: (difference.unit != "sites", difference.path))
    row = AuditRow(
        repository_id=repository_id,
        commit_id=commit_id,
        ruleset=ruleset,
        at=at,
        paths=paths,
        sites=sites,
        lines=lines,
        differences=len(ordered),
        details=json.dumps([asdict(difference) for difference in ordered[:MOST_DETAILS]]),
    )
    session.add(row)
    session.flush()
    return row.id


def read_audits(session: Session, *, repository: str | None = None, limit: int = 50) -> tuple[Audit, ...]:
    """Return the latest comparisons, newest first, of one repository or of all."""
    query = (
        select(AuditRow, RepositoryRow.slug, CommitRow.sha, CommitRow.committed_at)
        .join(RepositoryRow, RepositoryRow.id == AuditRow.repository_id)
        .join(CommitRow, CommitRow.id == AuditRow.commit_id)
        .order_by(AuditRow.at.desc(), AuditRow.id.desc())
        .limit(limit)
    )
    if repository is not None:
        query = query.where(RepositoryRow.slug == repository)
    return tuple(_audit(row, slug, sha, committed_at) for row, slug, sha, committed_at in session.execute(query))


def read_latest_audits(session: Session) -> tuple[Audit, ...]:
    """Return the latest comparison of each repository under watch that has one, by slug; one statement."""
    latest = (
        select(AuditRow.id)
        .where(AuditRow.repository_id == RepositoryRow.id)
        .order_by(AuditRow.at.desc(), AuditRow.id.desc())
        .limit(1)
        .correlate(RepositoryRow)
        .scalar_subquery()
    )
    query = (
        select(AuditRow, RepositoryRow.slug, CommitRow.sha, CommitRow.committed_at)
        .select_from(RepositoryRow)
        .join(AuditRow, AuditRow.id == latest)
        .join(CommitRow, CommitRow.id == AuditRow.commit_id)
        .where(RepositoryRow.removed_at.is_(None))
        .order_by(RepositoryRow.slug)
    )
    return tuple(_audit(row, slug, sha, committed_at) for row, slug, sha, committed_at in session.execute(query))


def _audit(row: AuditRow, slug: str, sha: str, committed_at: datetime) -> Audit:
    return Audit(
        repository=slug,
        sha=sha,
        committed_at=committed_at,
        ruleset=row.ruleset,
        at=row.at,
        paths=row.paths,
        sites=row.sites,
        lines=row.lines,
        differences=row.differences,
        details=tuple(AuditDifference(**difference) for difference in json.loads(row.details)),
    )
