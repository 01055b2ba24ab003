"""What commits did to neutral code, added up by repository, organisation and verdict, gross and net; one statement.

Most commits leave neutral code alone: their verdicts say so, and they are not read. What turns a name into an API under
the same symbol has no such verdict, and changes the stock all the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from db.remembered import once
from db.tables import CommitLinkRow, CommitRow, RepositoryRow, VerdictRow
from db.undone import read_uncounted
from tracker.sites import Area, Mechanism, Verdict

TOUCHING = (Verdict.DECOUPLING, Verdict.REMOVAL, Verdict.COUPLING, Verdict.CHURN)
"""Verdicts of commits that change sites of neutral code; of all others every number of sites is zero."""

MECHANISMS = (
    Mechanism.GENERALISED,
    Mechanism.BROADENED,
    Mechanism.RELOCATED,
    Mechanism.DROPPED,
    Mechanism.RETIRED,
    Mechanism.INTRODUCED,
)
"""Those that bring or take sites of neutral code."""

_SITES = {
    "removed": VerdictRow.removed,
    "added": VerdictRow.added,
    "let_in": VerdictRow.let_in,
    "staying": VerdictRow.staying,
    "names_net": VerdictRow.names_net,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictSum:
    """Commits of one repository, organisation and verdict, added up; or a single one that belongs to a family."""

    repository: str
    """Slug."""
    organisation: str | None
    """None: unknown."""
    verdict: Verdict
    counts: bool
    """Whether net figures count them: they stand, and revert and reland no other commit that was read."""
    commits: int
    removed: int
    """Sites of neutral code, moved and edited ones excluded."""
    added: int
    let_in: int
    """Came because a place was broadened to admit others."""
    staying: int
    """Moved and edited ones, those that came less those that went."""
    names_net: int
    """By how many identifiers that merely contain a vendor's word the stock grew; they are among all of the above."""
    mechanisms: Mapping[Mechanism, int]
    """Sites of neutral code; zeros included."""


def read_verdict_sums(
    session: Session,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    vendor: str | None = None,
    area: Area | None = None,
) -> tuple[VerdictSum, ...]:
    """Return the commits of a period that touch neutral code, of all repositories under watch.

    Args:
        since: committed at or after.
        until: committed before.
        vendor: among the vendors of their neutral sites; None: whoever's they are.
        area: where most of their neutral sites stand; None: wherever.
    """
    conditions = [*committed(since, until), *concerning(vendor, area)]
    return once(session, ("verdict sums", since, until, vendor, area), lambda: _read(session, conditions))


def concerning(vendor: str | None, area: Area | None) -> list[ColumnElement[bool]]:
    """Hold for commits that touch a vendor's neutral sites, and whose neutral sites stand in an area mostly."""
    conditions: list[ColumnElement[bool]] = []
    if vendor is not None:
        conditions.append(("," + VerdictRow.vendors + ",").contains(f",{vendor},", autoescape=True))
    if area is not None:
        conditions.append(VerdictRow.area == area)
    return conditions


def committed(since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    """Hold for commits of a period, its begin included and its end not."""
    conditions: list[ColumnElement[bool]] = []
    if since is not None:
        conditions.append(CommitRow.committed_at >= since)
    if until is not None:
        conditions.append(CommitRow.committed_at < until)
    return conditions


def _read(session: Session, conditions: Iterable[ColumnElement[bool]]) -> tuple[VerdictSum, ...]:
    resolved = CommitLinkRow.target_commit_id.is_not(None)
    speaks = select(CommitLinkRow.commit_id.label("id")).where(resolved)
    related = speaks.union(select(CommitLinkRow.target_commit_id).where(resolved)).subquery()
    # Whether a member of a family counts is not known to the database: each stands in a group of its own.
    key = (RepositoryRow.slug, CommitRow.organisation, VerdictRow.verdict, related.c.id)
    columns = (*_SITES.values(), *(getattr(VerdictRow, one.value) for one in MECHANISMS))
    query = (
        select(*key, func.count(), *(func.sum(column) for column in columns))
        .select_from(VerdictRow)
        .join(CommitRow, CommitRow.id == VerdictRow.commit_id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .outerjoin(related, related.c.id == CommitRow.id)
        .where(CommitRow.position.is_not(None), RepositoryRow.removed_at.is_(None))
        .where(or_(VerdictRow.verdict.in_(TOUCHING), VerdictRow.names_net != 0), *conditions)
        .group_by(*key)
    )
    found = session.execute(query).all()
    left_out = read_uncounted(session)
    return tuple(
        VerdictSum(
            repository=slug,
            organisation=organisation,
            verdict=verdict,
            counts=commit_id not in left_out,
            commits=commits,
            **dict(zip(_SITES, map(int, counts), strict=False)),
            mechanisms={one: int(count) for one, count in zip(MECHANISMS, counts[len(_SITES) :], strict=True)},
        )
        for slug, organisation, verdict, commit_id, commits, *counts in found
    )
