"""Families of commits as they are stored: which commits are undone at the end of what was read, which count.

Derived from the links of commits on the line whenever it is read: a crawl that appends a revert changes no older row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, Select, case, literal, or_, select
from sqlalchemy.orm import Session, aliased

from db.identities import chunks
from db.remembered import is_read_only, once
from db.tables import CommitLinkRow, CommitRow
from tracker.families import Reference, Standing, standings
from tracker.trailers import LinkKind

LinkOnLine = Row[int | None, int, str, datetime, str, int] | tuple[int | None, int, str, datetime, str, int]
"""Position, row id, sha and date of the commit that refers, kind, row id of what it refers to."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The commit that undid another one for good."""

    by_sha: str
    at: datetime
    """Its committer date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Families:
    """The commits that revert or reland others, and those that are reverted or relanded, by row id."""

    standings: Mapping[int, Standing[int]]
    """A commit that is in no family stands, and counts."""
    shas: Mapping[int, str]
    """Of the commits that refer to others."""
    dates: Mapping[int, datetime]


STANDS: Standing[int] = Standing(undone_by=None, restored_by=None, is_change=True)
"""What became of a commit that is in no family."""


def read_undone(session: Session, repository_id: int) -> dict[int, Undone]:
    """Return the undone commits of a repository by their row ids."""
    found = read_families_of(session, repository_id)
    return {
        commit: Undone(found.shas[one.undone_by], found.dates[one.undone_by])
        for commit, one in found.standings.items()
        if one.undone_by is not None
    }


def read_families_of(session: Session, repository_id: int) -> Families:
    """Return the families of a repository; one statement."""
    return families_by(session.execute(_links().where(CommitRow.repository_id == repository_id)))


def read_families(session: Session, commit_ids: Iterable[int]) -> Families:
    """Return the families of the given commits, followed through the links: one statement where there are none.

    A read-only session, which shows lists of commits, reads all of them, once.
    """
    if is_read_only(session):
        return _all_families(session)
    links: dict[tuple[int, str, int], LinkOnLine] = {}
    asked: set[int] = set()
    new = set(commit_ids)
    while new:
        for chunk in chunks(sorted(new)):
            touches = or_(CommitLinkRow.commit_id.in_(chunk), CommitLinkRow.target_commit_id.in_(chunk))
            links |= {(link[1], link[4], link[5]): link for link in session.execute(_links().where(touches))}
        asked |= new
        new = {commit for link in links.values() for commit in (link[1], link[5])} - asked
    return families_by(sorted(links.values(), key=lambda link: link[0] or 0))


def family_of(commit_id: int) -> Select[int]:
    """Return the query of the row ids of a commit's family: what it is linked with, followed to every end."""
    start: Select[int] = select(literal(commit_id).label("id"))
    members = start.cte("family", recursive=True)
    speaks, is_named = CommitLinkRow.commit_id == members.c.id, CommitLinkRow.target_commit_id == members.c.id
    other_end = case((speaks, CommitLinkRow.target_commit_id), else_=CommitLinkRow.commit_id)
    step = select(other_end).join_from(members, CommitLinkRow, or_(speaks, is_named))
    return select(members.union(step.where(CommitLinkRow.target_commit_id.is_not(None))).c.id)


def read_uncounted(session: Session) -> set[int]:
    """Return the row ids of the commits that a net figure leaves out, of all repositories.

    They are changes that were undone, and reverts and relands of commits that were read.
    """
    found = _all_families(session)
    return {commit for commit, standing in found.standings.items() if not standing.counts}


def _all_families(session: Session) -> Families:
    return once(session, "families", lambda: families_by(session.execute(_links())))


def _links() -> Select[int | None, int, str, datetime, str, int]:
    """The resolved links between commits of one line, by the order of the line of those that refer."""
    target = aliased(CommitRow)
    return (
        select(CommitRow.position, CommitRow.id, CommitRow.sha, CommitRow.committed_at, CommitLinkRow.kind, target.id)
        .join_from(CommitLinkRow, CommitRow, CommitRow.id == CommitLinkRow.commit_id)
        .join(target, target.id == CommitLinkRow.target_commit_id)
        .where(CommitRow.position.is_not(None), target.position.is_not(None))
        .order_by(CommitRow.position, CommitLinkRow.id)
    )


def families_by(found: Iterable[LinkOnLine]) -> Families:
    """Return the families that links between commits of one line make, given by the order of the line."""
    links = list(found)
    references = (Reference(commit=link[1], kind=LinkKind(link[4]), target=link[5]) for link in links)
    return Families(
        standings=standings(references),
        shas={link[1]: link[2] for link in links},
        dates={link[1]: link[3] for link in links},
    )
