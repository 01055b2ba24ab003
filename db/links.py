"""What commits say they revert or reland -> links, resolved to stored commits where they can be.

A reference means the latest earlier commit of the line that fits best. A weaker reference of the same message goes to
the commit that a surer one found, where it fits too. One that fits no stored commit stays unresolved, and is shown so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Row, insert, select
from sqlalchemy.orm import Session

from db.base import clean_text
from db.commit_rows import LARGEST_NUMBER
from db.tables import CommitLinkRow, CommitRow
from tracker.trailers import CommitReference, LinkKind, LinkMethod

_SURENESS = {method: index for index, method in enumerate(LinkMethod)}
_NUMBERS = re.compile(r"(?:\s*\(#\d+\))+\s*$")
_TAGS = re.compile(r"\s*(?:\[[^\]]*\]\s*)+")
_EDGES = " ,;:.+-"

Candidate = Row[int, int | None, bool, str, str | None, str | None, int | None, str]
_CANDIDATE = (
    CommitRow.id,
    CommitRow.position,
    CommitRow.is_revert,
    CommitRow.sha,
    CommitRow.source_id,
    CommitRow.differential,
    CommitRow.pull_number,
    CommitRow.subject,
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


def plain_title(subject: str) -> str:
    """Return a subject without its trailing pull request numbers and the punctuation at its edges."""
    return _NUMBERS.sub("", subject).strip(_EDGES)


def bare_title(subject: str) -> str:
    """Return a plain title without the tags before it: `[pytorch][PR] title` is quoted of what landed as `title`."""
    title = plain_title(subject)
    return _TAGS.sub("", title, count=1) if _TAGS.match(title) else title


def _resolve(session: Session, repository_id: int, commit: Referring) -> Iterable[Link]:
    found: dict[LinkKind, list[Candidate]] = {kind: [] for kind in LinkKind}
    seen: set[tuple[LinkKind, str]] = set()
    for reference in sorted(commit.references, key=lambda one: _SURENESS[one.method]):
        if (reference.kind, reference.target) in seen:
            continue
        seen.add((reference.kind, reference.target))
        surer = [candidate for candidate in found[reference.kind] if _fits(candidate, reference)]
        target = surer[0] if surer else _latest_before(session, repository_id, commit.position, reference)
        if target is not None:
            found[reference.kind].append(target)
        yield Link(
            commit_id=commit.commit_id,
            kind=reference.kind,
            method=reference.method,
            target=reference.target,
            target_id=target.id if target is not None else None,
        )


def _latest_before(session: Session, repository_id: int, position: int, reference: CommitReference) -> Candidate | None:
    condition = _condition(reference)
    if condition is None:
        return None
    # The position is compared here, not in SQL, lest the planner walk the whole line by position instead.
    query = select(*_CANDIDATE).where(CommitRow.repository_id == repository_id, condition)
    earlier = [
        row
        for row in session.execute(query)
        if row.position is not None and row.position < position and _fits(row, reference)
    ]
    return max(earlier, key=lambda row: (*_likelihood(row, reference), row.position or 0), default=None)


def _condition(reference: CommitReference) -> ColumnElement[bool] | None:
    """SQL that holds for every commit that fits and is answered by an index (but for titles, which are rare)."""
    target = clean_text(reference.target)
    match reference.method:
        case LinkMethod.SHA:
            return (CommitRow.sha >= target.lower()) & (CommitRow.sha < target.lower() + "g")
        case LinkMethod.CHANGESET:
            return (CommitRow.source_id >= target.lower()) & (CommitRow.source_id < target.lower() + "g")
        case LinkMethod.DIFFERENTIAL:
            return CommitRow.differential == target
        case LinkMethod.PULL:
            number = _number(target)
            return None if number is None else CommitRow.pull_number == number
        case LinkMethod.TITLE:
            title = bare_title(target)
            return CommitRow.subject.contains(title, autoescape=True) if title else None


def _fits(commit: Candidate, reference: CommitReference) -> bool:
    _, _, _, sha, source_id, differential, pull_number, subject = commit
    target = clean_text(reference.target)
    match reference.method:
        case LinkMethod.SHA:
            return sha.startswith(target.lower())
        case LinkMethod.CHANGESET:
            return source_id is not None and source_id.startswith(target.lower())
        case LinkMethod.DIFFERENTIAL:
            return differential == target
        case LinkMethod.PULL:
            return pull_number is not None and pull_number == _number(target)
        case LinkMethod.TITLE:
            return bare_title(subject) == bare_title(target)


def _likelihood(commit: Candidate, reference: CommitReference) -> tuple[bool, bool]:
    """Order commits that fit: what lands again is no revert (though one may bear its revision); whole titles first."""
    _, _, is_revert, *_, subject = commit
    original = reference.kind is LinkKind.REVERTS or not is_revert
    whole = reference.method is not LinkMethod.TITLE or plain_title(subject) == plain_title(
        clean_text(reference.target)
    )
    return original, whole


def _number(target: str) -> int | None:
    digits = target.lstrip("#")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 10:
        return None
    return int(digits) if int(digits) <= LARGEST_NUMBER else None
