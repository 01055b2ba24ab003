"""What every answer begins with: the version of the data, and the repositories under watch; one statement for both."""

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, Text, case, cast, func, literal, null, select, union_all
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
    parts = (
        select(RepositoryRow.id, RepositoryRow.slug, RepositoryRow.added_at, RepositoryRow.removed_at, demo),
        select(CursorRow.repository_id, CursorRow.stream, CursorRow.moved_at, CursorRow.value, null()),
        select(recent.c.id, recent.c.outcome, recent.c.ended_at, null(), null()),
        select(func.count(AlertRow.fingerprint), null(), func.max(AlertRow.evaluated_at), null(), null()),
        select(func.max(AuditRow.id), null(), null(), null(), null()),
        select(func.max(PullVerdictRow.judged_at), null(), null(), null(), null()),
    )
    marks = session.execute(union_all(*(_as_text(number, part) for number, part in enumerate(parts)))).all()
    repositories = (
        WatchedRepository(id=int(row_id), slug=slug, demo=bool(demo))
        for part, row_id, slug, _, removed_at, demo in marks
        if part == _REPOSITORY and removed_at is None
    )
    return Beginning(
        version=hashlib.sha256(repr(sorted(map(repr, marks))).encode()).hexdigest()[:16],
        repositories=tuple(sorted(repositories, key=lambda one: one.slug)),
    )


def _as_text(number: int, part: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    columns = part.subquery().columns
    return select(literal(number), *(cast(column, Text) for column in columns))
