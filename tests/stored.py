"""Stores domain facts in a test's database the way the crawlers do."""

import hashlib
from collections.abc import Sequence

from sqlalchemy.orm import Session

from db.cells import rebuild_weeks
from db.commits import AppendCounts, CommitCursor, append_commits, read_commit_cursor
from db.identities import Identities
from db.repositories import add_repository
from tests.builders import A_DAY
from tracker.classify import JudgedCommit

SLUG = "pytorch/pytorch"


def a_repository(session: Session, slug: str = SLUG) -> int:
    """The id of a repository under watch."""
    return add_repository(session, slug, now=A_DAY).id


def key_of(mail: str) -> str:
    return hashlib.sha256(mail.encode()).hexdigest()


def organisation_of(domain: str) -> str | None:
    return domain.removesuffix(".example.com") if domain.endswith(".example.com") else None


def append(
    session: Session,
    repository_id: int,
    commits: Sequence[JudgedCommit],
    *,
    first_position: int | None = None,
    head: str | None = None,
    identities: Identities | None = None,
) -> AppendCounts:
    """Append commits after the last one stored, and rebuild the cells of their weeks."""
    cursor = read_commit_cursor(session, repository_id)
    first = first_position if first_position is not None else cursor.position + 1 if cursor else 0
    last = commits[-1].commit.sha
    counts = append_commits(
        session,
        repository_id,
        commits,
        first_position=first,
        author_key=key_of,
        organisation=organisation_of,
        cursor=CommitCursor(sha=last, position=first + len(commits) - 1, head=head if head is not None else last),
        now=A_DAY,
        identities=identities,
    )
    rebuild_weeks(session, repository_id, counts.weeks)
    return counts
