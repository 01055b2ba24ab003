"""Numbers over everything that is stored: the version of the data, coverage, verdicts and organisations.

What changes seldom is read in few grouped statements; pages keep the answers for as long as the data version stands.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, cast, exists, func, literal, null, select, union_all
from sqlalchemy.orm import Session

from db.coverage import CommitRange
from db.gaps import Gaps, read_gaps
from db.remembered import once
from db.repositories import read_repositories
from db.tables import (
    AlertRow,
    AuditRow,
    CommitLinkRow,
    CommitRow,
    CursorRow,
    JobRunRow,
    PullVerdictRow,
    RepositoryRow,
    VerdictRow,
    WeeklyCellRow,
)
from db.undone import read_uncounted
from tracker.sites import Area, Construct, Territory, Verdict
from tracker.upstream import SkipReason

_RECENT_RUNS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far one repository was read."""

    repository: str
    commits: int
    """On the first-parent line."""
    first_at: datetime | None
    """Committer date of the oldest commit read; None: nothing was read."""
    last_at: datetime | None
    rewritten_commits: int
    """Read once, and no longer on the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was read of one repository."""

    repository: str
    commits: int
    """On the first-parent line."""
    first_at: datetime | None
    """Committer date of the oldest commit read; None: nothing was read."""
    last_at: datetime | None
    rewritten_commits: int
    """Read once, and no longer on the line."""
    skipped_files: Mapping[SkipReason, int]
    """Sides of file changes that were not read; a reason that never occurred is absent."""
    dead_letters: Mapping[str, int]
    """What upstream could not serve, by stream; a stream without any is absent."""
    ranges: tuple[CommitRange, ...] = ()
    """Of the line, oldest first: read, skipped and why, or begun so many times in vain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationRecord:
    """What the commits of one organisation's people did to neutral code in a period."""

    organisation: str | None
    """None: unknown."""
    commits: int
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)
    """Changes by verdict, each once and only where it stands; a verdict without any is absent."""
    removed: int
    """Sites in neutral code, moved and edited ones excluded."""
    added: int


def read_data_version(session: Session) -> str:
    """Return a text that changes whenever a job stored something; small indexed reads only."""
    runs = select(JobRunRow.id, JobRunRow.outcome, JobRunRow.ended_at).order_by(JobRunRow.id.desc()).limit(_RECENT_RUNS)
    recent = runs.subquery()
    parts = (
        select(RepositoryRow.id, RepositoryRow.slug, RepositoryRow.added_at, RepositoryRow.removed_at),
        select(CursorRow.repository_id, CursorRow.stream, CursorRow.moved_at, CursorRow.value),
        select(recent.c.id, recent.c.outcome, recent.c.ended_at, null()),
        select(func.count(AlertRow.fingerprint), null(), func.max(AlertRow.evaluated_at), null()),
        select(func.max(AuditRow.id), null(), null(), null()),
        select(func.max(PullVerdictRow.judged_at), null(), null(), null()),
    )
    # One statement: every page begins with it.
    marks = session.execute(union_all(*(_as_text(number, part) for number, part in enumerate(parts)))).all()
    return hashlib.sha256(repr(sorted(map(repr, marks))).encode()).hexdigest()[:16]


def _as_text(number: int, part: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    columns = part.subquery().columns
    return select(literal(number), *(cast(column, Text) for column in columns))


def read_extents(session: Session) -> tuple[Extent, ...]:
    """Return how far each repository under watch was read, by slug; one statement over indexes."""
    return once(session, "extents", lambda: _read_extents(session))


def _read_extents(session: Session) -> tuple[Extent, ...]:
    own = CommitRow.repository_id == RepositoryRow.id
    on_line = (own, CommitRow.position.is_not(None))
    dates = select(CommitRow.committed_at).where(*on_line).limit(1)
    query = (
        select(
            RepositoryRow.slug,
            select(func.count(CommitRow.position)).where(*on_line).scalar_subquery(),
            dates.order_by(CommitRow.position).scalar_subquery(),
            dates.order_by(CommitRow.position.desc()).scalar_subquery(),
            select(func.count()).where(own, CommitRow.position.is_(None)).scalar_subquery(),
        )
        .where(RepositoryRow.removed_at.is_(None))
        .order_by(RepositoryRow.slug)
    )
    return tuple(
        Extent(repository=slug, commits=count, first_at=first, last_at=last, rewritten_commits=rewritten)
        for slug, count, first, last, rewritten in session.execute(query)
    )


def read_coverage(session: Session) -> tuple[Coverage, ...]:
    """Return what was read of each repository under watch, by slug; two statements."""
    found = read_gaps(session)
    nothing = Gaps()
    return tuple(
        Coverage(
            repository=extent.repository,
            commits=extent.commits,
            first_at=extent.first_at,
            last_at=extent.last_at,
            rewritten_commits=extent.rewritten_commits,
            skipped_files=found.get(extent.repository, nothing).skipped_files,
            dead_letters=found.get(extent.repository, nothing).dead_letters,
            ranges=found.get(extent.repository, nothing).ranges,
        )
        for extent in read_extents(session)
    )


def read_verdicts(
    session: Session, *, since: datetime | None = None, until: datetime | None = None, net: bool = False
) -> dict[str, dict[Verdict, int]]:
    """Return numbers of commits by repository under watch and verdict, committed in a period; zeros included.

    Args:
        net: count each change once, and only where it stands: no undone commit, and no revert or reland of one that
            was read.
    """
    query = (
        select(RepositoryRow.slug, VerdictRow.verdict, func.count())
        .join(CommitRow, CommitRow.id == VerdictRow.commit_id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None))
        .group_by(RepositoryRow.slug, VerdictRow.verdict)
    )
    counts = {row.slug: dict.fromkeys(Verdict, 0) for row in read_repositories(session)}
    for slug, verdict, count in session.execute(query.where(*_committed(since, until))):
        if slug in counts:
            counts[slug][verdict] = count
    for slug, _, verdict in _uncounted(session, since, until) if net else ():
        if slug in counts:
            counts[slug][verdict] -= 1
    return counts


def _uncounted(
    session: Session, since: datetime | None, until: datetime | None
) -> Iterator[tuple[str, str | None, Verdict]]:
    """Yield repository, organisation and verdict of each commit of a period that net figures leave out."""
    left_out = read_uncounted(session)
    if not left_out:
        return
    speaks = select(CommitLinkRow.commit_id).where(CommitLinkRow.target_commit_id.is_not(None))
    named = select(CommitLinkRow.target_commit_id).where(CommitLinkRow.target_commit_id.is_not(None))
    query = (
        select(CommitRow.id, RepositoryRow.slug, CommitRow.organisation, VerdictRow.verdict)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.id.in_(speaks.union(named)), RepositoryRow.removed_at.is_(None))
    )
    for commit_id, slug, organisation, verdict in session.execute(query.where(*_committed(since, until))):
        if commit_id in left_out:
            yield slug, organisation, verdict


def read_organisations(
    session: Session, *, repository: str | None = None, since: datetime | None = None, until: datetime | None = None
) -> tuple[OrganisationRecord, ...]:
    """Return what each organisation's commits did to neutral code, most removed sites first, the unknown last.

    Numbers of sites are those of all commits: what a revert brings back is added again. Verdicts count a change once.
    """
    query = (
        select(
            CommitRow.organisation,
            VerdictRow.verdict,
            func.count(),
            func.sum(VerdictRow.removed),
            func.sum(VerdictRow.added),
        )
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None), RepositoryRow.removed_at.is_(None))
        .group_by(CommitRow.organisation, VerdictRow.verdict)
    )
    if repository is not None:
        query = query.where(RepositoryRow.slug == repository)
    found: dict[str | None, list[tuple[Verdict, int, int, int]]] = {}
    for name, verdict, commits, removed, added in session.execute(query.where(*_committed(since, until))):
        found.setdefault(name, []).append((verdict, commits, int(removed), int(added)))
    left_out = Counter(
        (name, verdict)
        for slug, name, verdict in _uncounted(session, since, until)
        if repository is None or slug == repository
    )
    records = [
        OrganisationRecord(
            organisation=name,
            commits=sum(commits for _, commits, _, _ in rows),
            verdicts={
                verdict: commits - left_out[name, verdict]
                for verdict, commits, _, _ in sorted(rows)
                if commits > left_out[name, verdict]
            },
            removed=sum(removed for _, _, removed, _ in rows),
            added=sum(added for _, _, _, added in rows),
        )
        for name, rows in found.items()
    ]
    return tuple(
        sorted(records, key=lambda row: (row.organisation is None, -row.removed, -row.commits, row.organisation or ""))
    )


def read_present_sites(session: Session) -> dict[str, dict[tuple[Area, str], int]]:
    """Return what stands in neutral code at the end of what was read: by repository under watch, by area and vendor.

    Hard sites by their vendor, neutral constructs under the vendor ""; identifiers that merely contain a vendor's word
    are left out. A repository of which nothing was read is absent, a cell that is absent is zero.
    """
    query = (
        select(
            RepositoryRow.slug,
            WeeklyCellRow.area,
            WeeklyCellRow.vendor,
            func.sum(WeeklyCellRow.added - WeeklyCellRow.removed),
        )
        .join(RepositoryRow, RepositoryRow.id == WeeklyCellRow.repository_id)
        .where(RepositoryRow.removed_at.is_(None), WeeklyCellRow.territory == Territory.NEUTRAL)
        .where(WeeklyCellRow.construct != Construct.NAME)
        .group_by(RepositoryRow.slug, WeeklyCellRow.area, WeeklyCellRow.vendor)
    )
    commit = exists().where(CommitRow.repository_id == RepositoryRow.id, CommitRow.position.is_not(None))
    read = select(RepositoryRow.slug).where(RepositoryRow.removed_at.is_(None), commit)
    found: dict[str, dict[tuple[Area, str], int]] = {slug: {} for slug in sorted(session.scalars(read))}
    for slug, area, vendor, count in session.execute(query):
        found.setdefault(slug, {})[area, vendor] = int(count)
    return found


def _committed(since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if since is not None:
        conditions.append(CommitRow.committed_at >= since)
    if until is not None:
        conditions.append(CommitRow.committed_at < until)
    return conditions
