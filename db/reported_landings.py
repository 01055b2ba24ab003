"""Landings that no commit message tells: what a merge bot said, a shared Phabricator revision, GitHub's merge commit.

They are derived from what is stored of pull requests, and only for those that no message lands; commits that revert or
reland such a commit then do so to the pull request too. Joining twice adds nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, Select, and_, exists, select
from sqlalchemy.orm import Session, aliased

from db.base import insert_into
from db.identities import chunks
from db.landings import Events, events_of, read_links
from db.links import Link
from db.tables import CommitLinkRow, CommitRow, LandingRow, MergeNoticeRow, PullRequestRow
from tracker.reception import LandingKind, LandingSource
from tracker.upstream import NoticeKind, PullRequestState


@dataclass(frozen=True, slots=True)
class _Reported:
    """What one source says of pull requests."""

    source: LandingSource
    numbers: dict[int, set[int]] = field(default_factory=dict)
    """By the row of the commit that lands them."""


def join_reported_landings(session: Session, repository_id: int) -> int:
    """Store the landings that only weaker sources tell, with what became of them; return how many events are new."""
    new = 0
    for source, query in _reports(repository_id):
        reported = _Reported(source)
        for commit_id, number in session.execute(query):
            reported.numbers.setdefault(commit_id, set()).add(number)
        if reported.numbers:
            new += _store(session, repository_id, source, _events(session, reported))
    return new


def _reports(repository_id: int) -> list[tuple[LandingSource, Select[int, int]]]:
    """Return, from the surest source to the weakest, commits on the line and the numbers they are said to land."""
    query = (
        select(CommitRow.id, PullRequestRow.number)
        .join(PullRequestRow, PullRequestRow.repository_id == CommitRow.repository_id)
        .where(PullRequestRow.repository_id == repository_id, CommitRow.position.is_not(None), ~_lands_already())
        .order_by(CommitRow.position, PullRequestRow.number)
    )
    notice = and_(
        MergeNoticeRow.pull_request_id == PullRequestRow.id,
        MergeNoticeRow.kind == NoticeKind.MERGED,
        CommitRow.sha >= MergeNoticeRow.sha,
        CommitRow.sha < MergeNoticeRow.sha + "g",
    )
    shared = and_(
        CommitRow.differential == PullRequestRow.differential,
        CommitRow.pull_number.is_(None),
        CommitRow.is_revert.is_(False),
    )
    merged = and_(CommitRow.sha == PullRequestRow.merge_commit, PullRequestRow.state == PullRequestState.MERGED)
    return [
        (LandingSource.BOT, query.join(MergeNoticeRow, notice)),
        (LandingSource.DIFFERENTIAL, query.where(shared)),
        (LandingSource.GITHUB, query.where(merged)),
    ]


def _lands_already() -> ColumnElement[bool]:
    lander = aliased(CommitRow)
    return exists().where(
        LandingRow.repository_id == PullRequestRow.repository_id,
        LandingRow.number == PullRequestRow.number,
        LandingRow.kind == LandingKind.LANDED.value,
        lander.id == LandingRow.commit_id,
        lander.position.is_not(None),
    )


def _events(session: Session, reported: _Reported) -> dict[int, Events]:
    """Return what the reported commits, and those that revert or reland them, do to the reported numbers."""
    family = _family(session, reported.numbers)
    links = read_links(session, family)
    wanted = {number for numbers in reported.numbers.values() for number in numbers}
    events: dict[int, Events] = {}
    for commit_id in family:
        own = dict.fromkeys(reported.numbers.get(commit_id, ()), LandingKind.LANDED)
        events[commit_id] = own | _inherited(links.get(commit_id, ()), events, wanted)
    return events


def _inherited(links: Iterable[Link], events: Mapping[int, Events], wanted: set[int]) -> dict[int, LandingKind]:
    return {number: kind for number, kind in events_of(None, links, events).items() if number in wanted}


def _family(session: Session, commit_ids: Iterable[int]) -> list[int]:
    """Return commits and all that refer to them, directly or through others, in the order of the line."""
    positions: dict[int, int] = {}
    frontier = set(commit_ids)
    while frontier:
        found: dict[int, int] = {}
        for chunk in chunks(sorted(frontier)):
            query = select(CommitRow.id, CommitRow.position).where(CommitRow.id.in_(chunk))
            found |= {row_id: position for row_id, position in session.execute(query) if position is not None}
        positions |= found
        frontier = set()
        for chunk in chunks(sorted(found)):
            referring = select(CommitLinkRow.commit_id).where(CommitLinkRow.target_commit_id.in_(chunk))
            frontier |= set(session.scalars(referring)) - positions.keys()
    return sorted(positions, key=lambda row_id: positions[row_id])


def _store(session: Session, repository_id: int, source: LandingSource, events: Mapping[int, Events]) -> int:
    rows = [
        {
            "commit_id": commit_id,
            "number": number,
            "repository_id": repository_id,
            "kind": kind.value,
            "source": source.value,
        }
        for commit_id, found in events.items()
        for number, kind in found.items()
    ]
    stored = 0
    for chunk in chunks(rows):
        statement = insert_into(session, LandingRow).values(chunk).on_conflict_do_nothing()
        stored += len(session.execute(statement.returning(LandingRow.number)).all())
    return stored
