"""Which commits are undone at the end of what was read: reverted, and neither relanded nor restored since.

A revert of a revert restores what the first one undid, and so does a reland that names the undone commit.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import CommitLinkRow, CommitRow
from tracker.trailers import LinkKind


@dataclass(frozen=True, slots=True)
class Undone:
    """The commit that undid another one for good."""

    by_sha: str
    at: datetime
    """Its committer date."""


def read_undone(session: Session, repository_id: int) -> dict[int, Undone]:
    """Return the undone commits of a repository by their row ids."""
    query = (
        select(CommitRow.id, CommitRow.sha, CommitRow.committed_at, CommitLinkRow.kind, CommitLinkRow.target_commit_id)
        .join(CommitLinkRow, CommitLinkRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .where(CommitLinkRow.target_commit_id.is_not(None))
        .order_by(CommitRow.position.desc(), CommitLinkRow.kind)
    )
    # From the newest: the latest commit that stands and speaks of another decides whether that one stands.
    undone: dict[int, Undone] = {}
    decided: set[int] = set()
    for commit_id, sha, at, kind, target_id in session.execute(query):
        if commit_id in undone or target_id is None or target_id in decided:
            continue
        decided.add(target_id)
        if kind == LinkKind.REVERTS.value:
            undone[target_id] = Undone(sha, at)
    return undone
