"""Which commit lands, and which undoes, which pull request: derived from trailers and links, and rebuilt from them.

What other sources tell beyond that is joined by `db.reported_landings`, also after a rebuild.

A first-parent commit that carries a pull request's number lands it. A commit that reverts another undoes what that one
landed, and restores what it undid; a reland lands again what the other one landed. The last event of a number on the
line says whether it is landed now.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from db.commit_rows import pull_number
from db.identities import chunks
from db.links import Link
from db.tables import CommitLinkRow, CommitRow, LandingRow
from tracker.reception import LandingKind
from tracker.trailers import LinkKind, LinkMethod

_INVERSE = {LandingKind.LANDED: LandingKind.REVERTED, LandingKind.REVERTED: LandingKind.LANDED}

Events = Mapping[int, LandingKind]
"""What one commit does to pull requests, by number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """One event of one pull request's life on the default branch."""

    number: int
    kind: LandingKind
    sha: str
    position: int | None
    """On the line; None: no longer on it."""
    committed_at: datetime


def landed(landings: Iterable[Landing]) -> bool:
    """Return whether the pull request with these events, in the order of the line, is landed now."""
    kinds = [landing.kind for landing in landings]
    return bool(kinds) and kinds[-1] is LandingKind.LANDED


def events_of(own_number: int | None, links: Iterable[Link], events: Mapping[int, Events]) -> dict[int, LandingKind]:
    """Return what a commit does to pull requests, given what the commits it links to do (by their row ids)."""
    found: dict[int, LandingKind] = {}
    if own_number is not None:
        found[own_number] = LandingKind.LANDED
    for link in links:
        if link.kind is LinkKind.RELANDS and link.target_id is not None:
            found |= dict.fromkeys(events.get(link.target_id, {}), LandingKind.LANDED)
    for link in links:
        if link.kind is LinkKind.REVERTS and link.target_id is not None:
            found |= {number: _INVERSE[kind] for number, kind in events.get(link.target_id, {}).items()}
        elif link.kind is LinkKind.REVERTS and link.method is LinkMethod.PULL and link.target.isdecimal():
            # Named, but landed before the first commit that was read.
            number = pull_number(int(link.target)) if len(link.target) <= 10 else None
            found |= {number: LandingKind.REVERTED} if number is not None else {}
    return found


def append_landings(
    session: Session, repository_id: int, own_numbers: Mapping[int, int | None], links: Iterable[Link]
) -> int:
    """Store what newly appended commits do to pull requests, and return the number of events.

    Args:
        own_numbers: pull request number by commit row id, in the order of the line.
        links: the commits' links; those they point to stand earlier on the line or in `own_numbers`.
    """
    by_commit: dict[int, list[Link]] = {}
    for link in links:
        by_commit.setdefault(link.commit_id, []).append(link)
    targets = {link.target_id for found in by_commit.values() for link in found if link.target_id is not None}
    events: dict[int, Events] = _stored_events(session, targets - own_numbers.keys())
    for commit_id, number in own_numbers.items():
        events[commit_id] = events_of(number, by_commit.get(commit_id, ()), events)
    return _store(session, repository_id, {commit_id: events[commit_id] for commit_id in own_numbers})


def rebuild_landings(session: Session, repository_id: int, numbers: Collection[int] | None = None) -> int:
    """Derive the events of the given pull requests (None: of all) anew from trailers and links; return how many."""
    own_numbers = dict(
        session.execute(
            select(CommitRow.id, CommitRow.pull_number)
            .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
            .order_by(CommitRow.position)
        ).all()
    )
    links = _stored_links(session, repository_id)
    events: dict[int, Events] = {}
    for commit_id, number in own_numbers.items():
        events[commit_id] = events_of(number, links.get(commit_id, ()), events)
    stale = delete(LandingRow).where(LandingRow.repository_id == repository_id)
    if numbers is None:
        session.execute(stale)
        return _store(session, repository_id, events)
    for chunk in chunks(sorted(numbers)):
        session.execute(stale.where(LandingRow.number.in_(chunk)))
    kept = {
        commit_id: {number: kind for number, kind in found.items() if number in numbers}
        for commit_id, found in events.items()
    }
    return _store(session, repository_id, kept)


def read_landings(session: Session, repository_id: int, numbers: Collection[int]) -> dict[int, tuple[Landing, ...]]:
    """Return the events of each pull request in the order of the line; a number without any is absent."""
    found: dict[int, list[Landing]] = {}
    for chunk in chunks(sorted(numbers)):
        query = (
            select(LandingRow.number, LandingRow.kind, CommitRow.sha, CommitRow.position, CommitRow.committed_at)
            .join(CommitRow, CommitRow.id == LandingRow.commit_id)
            .where(LandingRow.repository_id == repository_id, LandingRow.number.in_(chunk))
            .where(CommitRow.position.is_not(None))
            .order_by(CommitRow.position)
        )
        for number, kind, sha, position, committed_at in session.execute(query):
            landing = Landing(
                number=number, kind=LandingKind(kind), sha=sha, position=position, committed_at=committed_at
            )
            found.setdefault(number, []).append(landing)
    return {number: tuple(landings) for number, landings in found.items()}


def _stored_events(session: Session, commit_ids: Iterable[int]) -> dict[int, Events]:
    found: dict[int, dict[int, LandingKind]] = {}
    for chunk in chunks(sorted(commit_ids)):
        query = select(LandingRow.commit_id, LandingRow.number, LandingRow.kind)
        for commit_id, number, kind in session.execute(query.where(LandingRow.commit_id.in_(chunk))):
            found.setdefault(commit_id, {})[number] = LandingKind(kind)
    return dict(found)


def read_links(session: Session, commit_ids: Iterable[int]) -> dict[int, list[Link]]:
    """Return what commits say they revert or reland, by the commits' rows."""
    found: dict[int, list[Link]] = {}
    for chunk in chunks(sorted(commit_ids)):
        query = select(CommitLinkRow).where(CommitLinkRow.commit_id.in_(chunk)).order_by(CommitLinkRow.id)
        for row in session.scalars(query):
            found.setdefault(row.commit_id, []).append(_link(row))
    return found


def _stored_links(session: Session, repository_id: int) -> dict[int, list[Link]]:
    query = (
        select(CommitLinkRow)
        .join(CommitRow, CommitRow.id == CommitLinkRow.commit_id)
        .where(CommitRow.repository_id == repository_id)
        .order_by(CommitLinkRow.id)
    )
    found: dict[int, list[Link]] = {}
    for row in session.scalars(query):
        found.setdefault(row.commit_id, []).append(_link(row))
    return found


def _link(row: CommitLinkRow) -> Link:
    return Link(
        commit_id=row.commit_id,
        kind=LinkKind(row.kind),
        method=LinkMethod(row.method),
        target=row.target,
        target_id=row.target_commit_id,
    )


def _store(session: Session, repository_id: int, events: Mapping[int, Events]) -> int:
    rows = [
        {"commit_id": commit_id, "number": number, "repository_id": repository_id, "kind": kind.value}
        for commit_id, found in events.items()
        for number, kind in found.items()
    ]
    if rows:
        session.execute(insert(LandingRow), rows)
        fill_positions(session, events)
    return len(rows)


def fill_positions(session: Session, commit_ids: Iterable[int]) -> None:
    """Note with landings where their commits stand on the line: states of pull requests are read by it."""
    position = select(CommitRow.position).where(CommitRow.id == LandingRow.commit_id).scalar_subquery()
    for chunk in chunks(sorted(commit_ids)):
        session.execute(
            update(LandingRow).where(LandingRow.commit_id.in_(chunk)).values(position=position),
            execution_options={"synchronize_session": False},
        )
