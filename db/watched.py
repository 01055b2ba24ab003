"""What every answer begins with: the version of the data, and the repositories under watch; one statement for both."""

import hashlib
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, case, cast, func, literal, null, select, union_all
from sqlalchemy.orm import Session

from db.remembered import once
from db.repositories import read_repository
from db.tables import AlertRow, AuditRow, CursorRow, JobRunRow, PullVerdictRow, RepositoryRow

_RECENT_RUNS = 60
_REPOSITORY = 0
"""The number of the part that tells of repositories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedRepository:
    """A repository under watch, as pages need it."""

    id: int
    slug: str
    demo: bool
    """Whether it holds generated data."""
    ref: str | None = None
    """Branch or revision that is followed; None: the default branch."""
    since: date | None = None
    """With the first commit of which day (UTC) reading begins; None: with the first of all."""
    quiet_days: float | None = None
    """How old its newest commit may be before it counts as unmoved; None: as the settings say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """The state of the database as an answer finds it."""

    version: str
    """Changes whenever a job stored something."""
    repositories: tuple[WatchedRepository, ...]
    """Under watch, by slug."""


def read_beginning(session: Session) -> Beginning:
    """Return the version of the data and the repositories under watch; small indexed reads only."""
    return once(session, "beginning", lambda: _read_beginning(session))


def read_data_version(session: Session) -> str:
    """Return a text that changes whenever a job stored something."""
    return read_beginning(session).version


def read_repository_id(session: Session, slug: str) -> int | None:
    """Return the row id of the repository that has this name, or had it before it was renamed, in any case."""
    for watched in read_beginning(session).repositories:
        if watched.slug.lower() == slug.lower():
            return watched.id
    row = read_repository(session, slug)
    return row.id if row is not None else None


def _read_beginning(session: Session) -> Beginning:
    runs = select(JobRunRow.id, JobRunRow.outcome, JobRunRow.ended_at).order_by(JobRunRow.id.desc()).limit(_RECENT_RUNS)
    recent = runs.subquery()
    demo = case((RepositoryRow.demo, "demo"), else_="")
    told = (RepositoryRow.ref, RepositoryRow.since, RepositoryRow.quiet_days)
    parts = (
        select(RepositoryRow.id, RepositoryRow.slug, RepositoryRow.added_at, RepositoryRow.removed_at, demo, *told),
        select(CursorRow.repository_id, CursorRow.stream, CursorRow.moved_at, CursorRow.value, *_nulls(4)),
        select(recent.c.id, recent.c.outcome, recent.c.ended_at, *_nulls(5)),
        select(func.count(AlertRow.fingerprint), null(), func.max(AlertRow.evaluated_at), *_nulls(5)),
        select(func.max(AuditRow.id), *_nulls(7)),
        select(func.max(PullVerdictRow.judged_at), *_nulls(7)),
    )
    marks = session.execute(union_all(*(_as_text(number, part) for number, part in enumerate(parts)))).all()
    repositories = (
        WatchedRepository(
            id=int(row_id),
            slug=slug,
            demo=bool(demo),
            ref=ref,
            since=date.fromisoformat(since) if since else None,
            quiet_days=float(quiet_days) if quiet_days else None,
        )
        for part, row_id, slug, _, removed_at, demo, ref, since, quiet_days in marks
        if part == _REPOSITORY and removed_at is None
    )
    return Beginning(
        version=hashlib.sha256(repr(sorted(map(repr, marks))).encode()).hexdigest()[:16],
        repositories=tuple(sorted(repositories, key=lambda one: one.slug)),
    )


def _nulls(count: int) -> tuple[ColumnElement[None], ...]:
    """In the place of the columns that a part has not."""
    return tuple(null().label(f"none_{number}") for number in range(count))


def _as_text(number: int, part: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    columns = part.subquery().columns
    return select(literal(number), *(cast(column, Text) for column in columns))
