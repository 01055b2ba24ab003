"""Pull requests as readers see them: as GitHub described them, with what the default branch's commits did to them.

They are stored by `db.pull_writes`; the state that is shown comes from `db.pull_states`, all of one from
`db.pull_details`.
"""

import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVarTuple

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select
from sqlalchemy.orm import Session

from db.pull_states import first_landing, shown_state
from db.repositories import read_repository
from db.tables import PersonRow, PullRequestRow, RepositoryRow
from tracker.reception import PullState, hours_from
from tracker.upstream import PullRequestState

Columns = TypeVarTuple("Columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class PullFilter:
    """Which pull requests to read; what is None does not restrict."""

    repository: str | None = None
    """Slug, also a former one."""
    state: PullState | None = None
    author: str | None = None
    """Login, whole, in any case."""
    text: str | None = None
    """Part of the title, in any case."""
    number: int | None = None
    since: datetime | None = None
    """Created at or after."""
    until: datetime | None = None
    """Created before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullSummary:
    """One line of a list of pull requests."""

    repository: str
    number: int
    title: str
    state: PullState
    github_state: PullRequestState
    draft: bool
    author: str | None
    """Login; None: the account was deleted."""
    author_kind: str | None
    company: str | None
    """As the author wrote it when last seen."""
    association: str
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None
    merged_at: datetime | None
    additions: int
    deletions: int
    changed_files: int
    labels: tuple[str, ...]
    reviews_total: int
    landed_at: datetime | None
    """Time of the first commit that landed it; None also where only GitHub's word says that it was merged."""

    @property
    def hours_to_landing(self) -> float | None:
        return hours_from(self.created_at, self.landed_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullPage:
    """A page of a list, newest first."""

    rows: tuple[PullSummary, ...]
    next_key: str | None
    """Give it as `before_key` for the page after this one; None: this is the last."""


def read_pulls(session: Session, wanted: PullFilter, *, before_key: str | None = None, limit: int = 50) -> PullPage:
    """Return a page of pull requests, newest first.

    Raises:
        ValueError: `before_key` is not one that this function gave.
    """
    conditions = _conditions(wanted)
    if wanted.repository is not None:
        repository = read_repository(session, wanted.repository)
        if repository is None:
            return PullPage(rows=(), next_key=None)
        conditions.append(PullRequestRow.repository_id == repository.id)
    if before_key is not None:
        conditions.append(_older_than(before_key))
    newest_first = (PullRequestRow.created_at.desc(), PullRequestRow.id.desc())
    # What is shown beside each one is looked up for the page only, not for all that are sorted.
    page = _joined(select(PullRequestRow.id)).where(*conditions).order_by(*newest_first).limit(limit + 1)
    found = session.execute(pull_summaries().where(PullRequestRow.id.in_(page)).order_by(*newest_first)).all()
    last = found[limit - 1][0] if len(found) > limit else None
    return PullPage(
        rows=tuple(pull_summary(row) for row in found[:limit]),
        next_key=_key(last) if last is not None else None,
    )


def count_pulls(session: Session, repository: str | None = None) -> dict[PullState, int]:
    """Return how many pull requests stand in each state, of one repository or of all; a state with none is zero."""
    query = select(shown_state().label("state")).join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id)
    if repository is not None:
        row = read_repository(session, repository)
        query = query.where(PullRequestRow.repository_id == (row.id if row is not None else None))
    shown = query.subquery()
    grouped = select(shown.c.state, func.count()).group_by(shown.c.state)
    counts = {PullState(state): count for state, count in session.execute(grouped)}
    return {state: counts.get(state, 0) for state in PullState}


def pull_summaries() -> Select[PullRequestRow, str, PersonRow, str, datetime]:
    return _joined(select(PullRequestRow, RepositoryRow.slug, PersonRow, shown_state(), first_landing()))


def _joined(query: Select[*Columns]) -> Select[*Columns]:
    return query.join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id).outerjoin(
        PersonRow, PersonRow.id == PullRequestRow.author_id
    )


def _conditions(wanted: PullFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.state is not None:
        conditions.append(shown_state() == wanted.state.value)
    if wanted.author is not None:
        conditions.append(func.lower(PersonRow.login) == wanted.author.lower())
    if wanted.text is not None:
        conditions.append(func.lower(PullRequestRow.title).contains(wanted.text.lower(), autoescape=True))
    if wanted.number is not None:
        conditions.append(PullRequestRow.number == wanted.number)
    if wanted.since is not None:
        conditions.append(PullRequestRow.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(PullRequestRow.created_at < wanted.until)
    return conditions


def _key(row: PullRequestRow) -> str:
    return f"{row.created_at.replace(tzinfo=None).isoformat(timespec='seconds')}Z~{row.id}"


def _older_than(key: str) -> ColumnElement[bool]:
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)~(\d{1,9})", key, re.ASCII)
    if found is None:
        raise ValueError(f"no key of a page of pull requests: {key}")
    at, last = datetime.fromisoformat(found[1]), int(found[2])
    return or_(PullRequestRow.created_at < at, and_(PullRequestRow.created_at == at, PullRequestRow.id < last))


def pull_summary(found: Row[PullRequestRow, str, PersonRow, str, datetime]) -> PullSummary:
    row, slug, author, state, landed_at = found
    return PullSummary(
        repository=slug,
        number=row.number,
        title=row.title,
        state=PullState(state),
        github_state=row.state,
        draft=row.draft,
        author=author.login if author is not None else None,
        author_kind=author.kind if author is not None else None,
        company=author.company if author is not None else None,
        association=row.association,
        created_at=row.created_at,
        updated_at=row.updated_at,
        closed_at=row.closed_at,
        merged_at=row.merged_at,
        additions=row.additions,
        deletions=row.deletions,
        changed_files=row.changed_files,
        labels=tuple(json.loads(row.labels)),
        reviews_total=row.reviews_total,
        landed_at=landed_at,
    )
