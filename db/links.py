"""What commits say they revert or reland -> links, resolved to stored commits where they can be.

Which commit a reference means is decided by `tracker.trailers.targets`; here stored commits are looked up for it. A
reference that fits no stored commit stays unresolved, and is shown so.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, insert, select
from sqlalchemy.orm import Session

from db.base import clean_text
from db.commit_rows import pull_number
from db.tables import CommitLinkRow, CommitRow
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.trailers.targets import KnownCommit, bare_title, beginning_of, find_targets, pull_number_of

_COLUMNS = (
    CommitRow.id,
    CommitRow.position,
    CommitRow.sha,
    CommitRow.subject,
    CommitRow.is_revert,
    CommitRow.source_id,
    CommitRow.differential,
    CommitRow.pull_number,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One reference of one commit, resolved or not."""

    commit_id: int
    kind: LinkKind
    method: LinkMethod
    target: str
    target_id: int | None
    """The commit's row; None: no stored commit fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Referring:
    """A stored commit and the references of its message."""

    commit_id: int
    position: int
    references: tuple[CommitReference, ...]


def append_links(session: Session, repository_id: int, commits: Iterable[Referring]) -> tuple[Link, ...]:
    """Resolve and store the references of commits whose rows stand already; return the links in the same order."""
    links = tuple(link for commit in commits for link in _resolve(session, repository_id, commit))
    rows = [
        {
            "commit_id": link.commit_id,
            "kind": link.kind.value,
            "method": link.method.value,
            "target": link.target,
            "target_commit_id": link.target_id,
        }
        for link in links
    ]
    if rows:
        session.execute(insert(CommitLinkRow), rows)
    return links


def _resolve(session: Session, repository_id: int, commit: Referring) -> Iterable[Link]:
    def look_up(reference: CommitReference) -> list[KnownCommit[int]]:
        return _earlier(session, repository_id, commit.position, reference)

    # What is stored of titles is clean text, and so is what is compared with them.
    named = [CommitReference(one.kind, one.method, clean_text(one.target)) for one in commit.references]
    for reference, target in find_targets(named, look_up):
        yield Link(
            commit_id=commit.commit_id,
            kind=reference.kind,
            method=reference.method,
            target=reference.target,
            target_id=target.key if target is not None else None,
        )


def _earlier(session: Session, repository_id: int, position: int, reference: CommitReference) -> list[KnownCommit[int]]:
    condition = _condition(reference)
    if condition is None:
        return []
    # The position is compared here, not in SQL, lest the planner walk the whole line by position instead.
    query = select(*_COLUMNS).where(CommitRow.repository_id == repository_id, condition)
    return [
        KnownCommit(
            key=row.id,
            position=row.position,
            sha=row.sha,
            subject=row.subject,
            is_revert=row.is_revert,
            source_id=row.source_id,
            differential=row.differential,
            pull_request=row.pull_number,
        )
        for row in session.execute(query)
        if row.position is not None and row.position < position
    ]


def _condition(reference: CommitReference) -> ColumnElement[bool] | None:
    """SQL that holds for every commit that fits and is answered by an index (but for titles, which are rare)."""
    target = reference.target
    match reference.method:
        case LinkMethod.SHA:
            return (CommitRow.sha >= target.lower()) & (CommitRow.sha < target.lower() + "g")
        case LinkMethod.CHANGESET:
            return (CommitRow.source_id >= target.lower()) & (CommitRow.source_id < target.lower() + "g")
        case LinkMethod.DIFFERENTIAL:
            return CommitRow.differential == target
        case LinkMethod.PULL:
            number = pull_number(pull_number_of(target))
            return None if number is None else CommitRow.pull_number == number
        case LinkMethod.TITLE:
            title = beginning_of(target) or bare_title(target)
            return CommitRow.subject.contains(title, autoescape=True) if title else None
