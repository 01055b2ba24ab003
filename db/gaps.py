"""What was not read, by repository: files that were skipped, what upstream could not serve, and ranges of commits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Integer, Select, Text, cast, func, literal, null, select, union_all
from sqlalchemy.orm import Session

from db.base import UtcDateTime
from db.coverage import CommitRange
from db.remembered import once
from db.tables import CommitRow, CoverageRow, DeadLetterRow, RepositoryRow, SkippedFileRow
from tracker.upstream import RangeState, SkipReason

LACKING = (SkipReason.MISSING_OBJECT, SkipReason.CORRUPT_OBJECT)
"""Why a file was not read that another clone would let read."""


@dataclass(slots=True, kw_only=True)
class Gaps:
    """What was not read of one repository."""

    skipped_files: dict[SkipReason, int] = field(default_factory=dict)
    """Sides of file changes by reason; a reason that never occurred is absent."""
    dead_letters: dict[str, int] = field(default_factory=dict)
    """By stream; a stream without any is absent."""
    ranges: tuple[CommitRange, ...] = ()
    """Of the line, oldest first; those that were read are among them."""


def read_gaps(session: Session) -> Mapping[str, Gaps]:
    """Return what was not read of each repository, by slug; one statement."""
    return once(session, "gaps", lambda: _read_gaps(session))


def _read_gaps(session: Session) -> dict[str, Gaps]:
    parts = union_all(_skipped_files(), _dead_letters(), _ranges()).subquery()
    rows = session.execute(select(parts).order_by(parts.c.slug, parts.c.what, parts.c.first, parts.c.name))
    found: dict[str, Gaps] = {}
    for slug, what, name, reason, first, last, attempts, first_at, last_at in rows:
        gaps = found.setdefault(slug, Gaps())
        match what:
            case "skipped":
                gaps.skipped_files[SkipReason(name)] = last
            case "letters":
                gaps.dead_letters[name] = last
            case _:
                gaps.ranges += (
                    CommitRange(
                        first=first,
                        last=last,
                        state=RangeState(name),
                        reason=reason,
                        attempts=attempts,
                        first_at=first_at,
                        last_at=last_at,
                    ),
                )
    return found


_NOTHING = (
    cast(null(), Text).label("reason"),
    cast(null(), Integer).label("first"),
    func.count().label("last"),
    cast(null(), Integer).label("attempts"),
    cast(null(), UtcDateTime()).label("first_at"),
    cast(null(), UtcDateTime()).label("last_at"),
)
"""What a number of things has, beside its name: the number stands where a range has its last position."""


def _skipped_files() -> Select[*tuple[Any, ...]]:
    what, name = literal("skipped").label("what"), cast(SkippedFileRow.reason, Text).label("name")
    return (
        select(RepositoryRow.slug.label("slug"), what, name, *_NOTHING)
        .join(CommitRow, CommitRow.id == SkippedFileRow.commit_id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None))
        .group_by(RepositoryRow.slug, SkippedFileRow.reason)
    )


def _dead_letters() -> Select[*tuple[Any, ...]]:
    return (
        select(RepositoryRow.slug, literal("letters"), cast(DeadLetterRow.stream, Text), *_NOTHING)
        .join(RepositoryRow, RepositoryRow.id == DeadLetterRow.repository_id)
        .group_by(RepositoryRow.slug, DeadLetterRow.stream)
    )


def _ranges() -> Select[*tuple[Any, ...]]:
    return select(
        RepositoryRow.slug,
        literal("range"),
        cast(CoverageRow.state, Text),
        CoverageRow.reason,
        CoverageRow.first_position,
        CoverageRow.last_position,
        CoverageRow.attempts,
        CoverageRow.first_at,
        CoverageRow.last_at,
    ).join(RepositoryRow, RepositoryRow.id == CoverageRow.repository_id)
