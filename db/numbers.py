"""What the numbers of a repository stand for, and how the stored pull requests compare with them: gaps are shown."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.identities import chunks
from db.tables import NumberRow, PullCoverageRow, PullRequestRow, RepositoryRow
from tracker.numbers import NumberKind

MOST_GAPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PullCoverage:
    """One comparison of stored pull requests with the numbers that GitHub gave out."""

    at: datetime
    highest: int
    """The highest number given out; every one from 1 on is one of what follows."""
    pulls_on_github: int
    """As GitHub counts."""
    pulls: int
    """Stored."""
    unserved: int
    """Dead letters of pull requests that are not stored."""
    issues: int
    discussions: int
    deleted: int
    """Nothing stands under the number any more, or nothing that these credentials may see."""
    transferred: int
    """To another repository."""
    unchecked: int
    """Numbers that were not asked about yet."""
    missing: int
    """Pull requests that GitHub counts and that are neither stored nor unserved."""
    unread_lists: int
    """Of stored pull requests, not read to their end."""
    gaps: tuple[int, ...] = ()
    """The first 100 numbers that are unserved, missing or unchecked."""
    repository: str = ""
    """Slug."""


def store_kinds(session: Session, repository_id: int, kinds: Mapping[int, NumberKind], now: datetime) -> None:
    """Note what stands under numbers; later knowledge replaces earlier."""
    for chunk in chunks(sorted(kinds)):
        rows = [
            {"repository_id": repository_id, "number": number, "kind": kinds[number], "checked_at": now}
            for number in chunk
        ]
        statement = insert_into(session, NumberRow).values(rows)
        given = statement.excluded
        session.execute(
            statement.on_conflict_do_update(
                index_elements=["repository_id", "number"],
                set_={"kind": given.kind, "checked_at": given.checked_at},
            )
        )


def forget_pulls(session: Session, repository_id: int) -> None:
    """Forget what was noted of numbers that are stored pull requests by now."""
    stored = select(PullRequestRow.number).where(PullRequestRow.repository_id == repository_id)
    session.execute(delete(NumberRow).where(NumberRow.repository_id == repository_id, NumberRow.number.in_(stored)))


def read_known_numbers(session: Session, repository_id: int) -> set[int]:
    """Return the numbers of which it is known what they stand for: stored pull requests, and what was asked about."""
    pulls = select(PullRequestRow.number).where(PullRequestRow.repository_id == repository_id)
    asked = select(NumberRow.number).where(
        NumberRow.repository_id == repository_id, NumberRow.kind != NumberKind.PULL_REQUEST
    )
    return {*session.scalars(pulls), *session.scalars(asked)}


def count_kinds(session: Session, repository_id: int) -> dict[NumberKind, int]:
    """Return how many numbers stand for each kind, stored pull requests left out; a kind without any is zero."""
    query = (
        select(NumberRow.kind, func.count()).where(NumberRow.repository_id == repository_id).group_by(NumberRow.kind)
    )
    found = dict(session.execute(query).all())
    return {kind: found.get(kind, 0) for kind in NumberKind}


def append_pull_coverage(session: Session, repository_id: int, coverage: PullCoverage) -> None:
    """Record one comparison."""
    columns = asdict(coverage) | {"gaps": json.dumps(coverage.gaps[:MOST_GAPS])}
    columns.pop("repository")
    session.add(PullCoverageRow(repository_id=repository_id, **columns))
    session.flush()


def read_pull_coverage(session: Session) -> tuple[PullCoverage, ...]:
    """Return the latest comparison of each repository under watch, by name; one never compared has none."""
    latest = select(func.max(PullCoverageRow.id)).group_by(PullCoverageRow.repository_id)
    query = (
        select(RepositoryRow.slug, PullCoverageRow)
        .join(RepositoryRow, RepositoryRow.id == PullCoverageRow.repository_id)
        .where(PullCoverageRow.id.in_(latest), RepositoryRow.removed_at.is_(None))
    )
    return tuple(sorted((_coverage(slug, row) for slug, row in session.execute(query)), key=lambda one: one.repository))


def _coverage(slug: str, row: PullCoverageRow) -> PullCoverage:
    return PullCoverage(
        repository=slug,
        at=row.at,
        highest=row.highest,
        pulls_on_github=row.pulls_on_github,
        pulls=row.pulls,
        unserved=row.unserved,
        issues=row.issues,
        discussions=row.discussions,
        deleted=row.deleted,
        transferred=row.transferred,
        unchecked=row.unchecked,
        missing=row.missing,
        unread_lists=row.unread_lists,
        gaps=tuple(json.loads(row.gaps)),
    )
