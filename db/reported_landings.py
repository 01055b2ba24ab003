"""Landings that no commit message tells: what a merge bot said, a shared Phabricator revision, GitHub's merge commit.

They are derived from what is stored of pull requests, and only for those that no message lands; commits that revert or
reland such a commit then do so to the pull request too. Joining twice adds nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from sqlalchemy import ColumnElement, Select, exists, select
from sqlalchemy.orm import Session, aliased

from db.base import insert_into
from db.commit_pages import begins_sha
from db.identities import chunks
from db.landings import Events, events_of, fill_positions, read_links
from db.links import Link
from db.tables import CommitLinkRow, CommitRow, LandingRow, MergeNoticeRow, PullRequestRow
from tracker.reception import LandingKind, LandingSource
from tracker.upstream import NoticeKind, PullRequestState

_WHOLE = 40
"""Digits of a sha that is not abbreviated."""

Numbers = Mapping[int, set[int]]
"""Which pull requests a commit lands, by the commit's row."""


def join_reported_landings(session: Session, repository_id: int) -> int:
    """Store the landings that only weaker sources tell, with what became of them; return how many events are new."""
    new = 0
    for source, find in _FINDERS.items():
        numbers: dict[int, set[int]] = {}
        for commit_id, number in find(session, repository_id):
            numbers.setdefault(commit_id, set()).add(number)
        if numbers:
            new += _store(session, repository_id, source, _events(session, numbers))
    return new


def tells_landings(session: Session, repository_id: int) -> bool:
    """Tell whether there is anything to join, for a session that keeps no writer waiting."""
    return any(next(find(session, repository_id), None) is not None for find in _FINDERS.values())


def _told_by_bots(session: Session, repository_id: int) -> Iterator[tuple[int, int]]:
    query = select(MergeNoticeRow.sha, PullRequestRow.number).join(
        PullRequestRow, PullRequestRow.id == MergeNoticeRow.pull_request_id
    )
    told = (MergeNoticeRow.kind == NoticeKind.MERGED, MergeNoticeRow.sha.is_not(None))
    return _by_sha(session, repository_id, query.where(*told))


def _told_by_github(session: Session, repository_id: int) -> Iterator[tuple[int, int]]:
    query = select(PullRequestRow.merge_commit, PullRequestRow.number)
    merged = (PullRequestRow.state == PullRequestState.MERGED, PullRequestRow.merge_commit.is_not(None))
    return _by_sha(session, repository_id, query.where(*merged))


def _told_by_differentials(session: Session, repository_id: int) -> Iterator[tuple[int, int]]:
    query = select(PullRequestRow.differential, PullRequestRow.number).where(PullRequestRow.differential.is_not(None))
    numbers = _numbers_by(session, repository_id, query)
    for chunk in chunks(sorted(numbers)):
        commits = select(CommitRow.id, CommitRow.differential).where(
            CommitRow.repository_id == repository_id,
            CommitRow.differential.in_(chunk),
            CommitRow.position.is_not(None),
            CommitRow.pull_number.is_(None),
            CommitRow.is_revert.is_(False),
        )
        for commit_id, differential in session.execute(commits):
            yield from ((commit_id, number) for number in numbers[differential or ""])


_FINDERS: Mapping[LandingSource, Callable[[Session, int], Iterator[tuple[int, int]]]] = {
    LandingSource.BOT: _told_by_bots,
    LandingSource.DIFFERENTIAL: _told_by_differentials,
    LandingSource.GITHUB: _told_by_github,
}
"""From the surest source to the weakest: each yields commits on the line and numbers they are said to land."""


def _by_sha(session: Session, repository_id: int, query: Select[str | None, int]) -> Iterator[tuple[int, int]]:
    """Yield the commits on the line that a query's shas, whole or abbreviated, begin with, and its numbers."""
    numbers = _numbers_by(session, repository_id, query)
    on_line = select(CommitRow.id, CommitRow.sha).where(
        CommitRow.repository_id == repository_id, CommitRow.position.is_not(None)
    )
    whole = [sha for sha in sorted(numbers) if len(sha) == _WHOLE]
    for chunk in chunks(whole):
        for commit_id, sha in session.execute(on_line.where(CommitRow.sha.in_(chunk))):
            yield from ((commit_id, number) for number in numbers[sha])
    for digits in sorted(numbers.keys() - set(whole)):
        found = session.execute(on_line.where(begins_sha(digits)).limit(2)).all()
        if len(found) == 1:
            yield from ((found[0][0], number) for number in numbers[digits])


def _numbers_by(session: Session, repository_id: int, query: Select[str | None, int]) -> dict[str, list[int]]:
    """Return what a query tells of the pull requests of a repository that nothing lands yet: numbers by text."""
    found: dict[str, list[int]] = {}
    for text, number in session.execute(query.where(PullRequestRow.repository_id == repository_id, ~_lands_already())):
        found.setdefault(text or "", []).append(number)
    return found


def _lands_already() -> ColumnElement[bool]:
    lander = aliased(CommitRow)
    return exists().where(
        LandingRow.repository_id == PullRequestRow.repository_id,
        LandingRow.number == PullRequestRow.number,
        LandingRow.kind == LandingKind.LANDED.value,
        lander.id == LandingRow.commit_id,
        lander.position.is_not(None),
    )


def _events(session: Session, reported: Numbers) -> dict[int, Events]:
    """Return what the reported commits, and those that revert or reland them, do to the reported numbers."""
    family = _family(session, reported)
    links = read_links(session, family)
    wanted = {number for numbers in reported.values() for number in numbers}
    events: dict[int, Events] = {}
    for commit_id in family:
        own = dict.fromkeys(reported.get(commit_id, ()), LandingKind.LANDED)
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
    fill_positions(session, events)
    return stored
