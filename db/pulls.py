"""Pull requests as readers see them: as GitHub described them, with what the default branch's commits did to them.

They are stored by `db.pull_writes`; the state that is shown comes from `db.pull_states`, all of one from
`db.pull_details`.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVarTuple

from sqlalchemy import ColumnElement, Row, Select, and_, func, literal, or_, select, union_all
from sqlalchemy.orm import InstrumentedAttribute, Session

from db.commit_pages import UNKNOWN
from db.pull_judgements import JudgementFilter, JudgementSource, effect, judged_so, judgement_of, with_judgements
from db.pull_states import first_landing, shown_state
from db.tables import PersonRow, PullRequestRow, PullVerdictRow, RepositoryRow, VerdictRow
from db.watched import read_repository_id
from tracker.reception import PullState, hours_from
from tracker.sites import Area, Mechanism, Verdict
from tracker.upstream import PullRequestState

Columns = TypeVarTuple("Columns")
SummaryColumns = tuple[PullRequestRow, str, PersonRow, str, datetime, PullVerdictRow, VerdictRow]
"""A pull request, its repository's name, its author, state and first landing, and its verdicts; those may be absent."""


_NEWEST_FIRST = (PullRequestRow.created_at.desc(), PullRequestRow.id.desc())


@dataclass(frozen=True, slots=True, kw_only=True)
class PullFilter:
    """Which pull requests to read; what is None does not restrict."""

    repository: str | None = None
    """Slug, also a former one."""
    state: PullState | None = None
    except_state: PullState | None = None
    """In any state but this."""
    author: str | None = None
    """Login, whole, in any case."""
    organisation: str | None = None
    """Of the author when it was opened; the word unknown: of those of whom none is known."""
    text: str | None = None
    """Part of the title, in any case."""
    number: int | None = None
    since: datetime | None = None
    """Created at or after."""
    until: datetime | None = None
    """Created before."""
    verdict: Verdict | None = None
    """Of its landing where it stands, else of its head; likewise below."""
    mechanism: Mechanism | None = None
    area: Area | None = None
    vendor: str | None = None
    """Among the vendors of the neutral sites it changes."""
    stale_before: datetime | None = None
    """What is open and was not updated since is stale; None: nothing is."""


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
    organisation: str | None
    """Of the author when it was opened; None: unknown."""
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
    judged_by: JudgementSource | None
    """What its verdict is of; None: nothing was judged, and no number of sites is known."""
    verdict: Verdict | None
    mechanism: Mechanism | None
    area: Area | None
    vendors: tuple[str, ...]
    removed: int | None
    """Neutral sites, moved and edited ones excluded."""
    added: int | None
    let_in: int | None
    """Neutral sites that come because a place is broadened to admit others."""

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
    # What is shown beside each one is looked up for the page only, not for all that are sorted.
    page = _selected(session, wanted, PullRequestRow.id)
    if before_key is not None:
        page = page.where(_older_than(before_key))
    page = page.order_by(*_NEWEST_FIRST).limit(limit + 1)
    summaries = pull_summaries(wanted.stale_before).where(PullRequestRow.id.in_(page))
    found = session.execute(summaries.order_by(*_NEWEST_FIRST)).all()
    last = found[limit - 1][0] if len(found) > limit else None
    return PullPage(
        rows=tuple(pull_summary(row) for row in found[:limit]),
        next_key=_key(last) if last is not None else None,
    )


def read_latest_pulls(
    session: Session, lists: Sequence[PullFilter], *, stale_before: datetime | None = None, limit: int
) -> tuple[tuple[PullSummary, ...], ...]:
    """Return the newest pull requests of each of several lists; one statement.

    Args:
        stale_before: as in a filter, for all that are shown.
    """
    parts = []
    for number, wanted in enumerate(lists):
        newest = _selected(session, wanted, literal(number).label("list"), PullRequestRow.id.label("pull_id"))
        parts.append(select(newest.order_by(*_NEWEST_FIRST).limit(limit).subquery()))
    chosen = union_all(*parts).subquery()
    query = pull_summaries(stale_before).join(chosen, chosen.c.pull_id == PullRequestRow.id).add_columns(chosen.c.list)
    found = [(row.list, pull_summary(row[:-1])) for row in session.execute(query.order_by(*_NEWEST_FIRST))]
    return tuple(tuple(line for place, line in found if place == number) for number in range(len(lists)))


def read_largest_proposals(session: Session, wanted: PullFilter, *, limit: int) -> tuple[PullSummary, ...]:
    """Return the open pull requests of a repository whose heads would change most sites of neutral code, largest first.

    Of the filter, only repository, vendor, area and `stale_before` restrict.
    """
    if wanted.repository is None:
        return ()
    judged = judged_so(JudgementFilter(vendor=wanted.vendor, area=wanted.area))
    query = pull_summaries(wanted.stale_before).where(
        PullRequestRow.repository_id == read_repository_id(session, wanted.repository),
        PullRequestRow.state == PullRequestState.OPEN,
        effect() > 0,
        shown_state() != PullState.LANDED.value,
        *judged,
    )
    found = session.execute(query.order_by(effect().desc(), PullRequestRow.number.desc()).limit(limit))
    return tuple(pull_summary(row) for row in found)


def count_pulls(session: Session, *, stale_before: datetime | None = None) -> dict[str, dict[PullState, int]]:
    """Return how many pull requests of each repository stand in each state, zeros included.

    A repository of which none is stored is absent.
    """
    state = shown_state(stale_before).label("state")
    shown = select(RepositoryRow.slug, state).join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id)
    each = shown.subquery()
    grouped = select(each.c.slug, each.c.state, func.count()).group_by(each.c.slug, each.c.state)
    counts: dict[str, dict[PullState, int]] = {}
    for slug, state_word, count in session.execute(grouped):
        counts.setdefault(slug, dict.fromkeys(PullState, 0))[PullState(state_word)] = count
    return counts


def pull_summaries(stale_before: datetime | None = None) -> Select[*SummaryColumns]:
    """Return the query whose rows `pull_summary` reads."""
    state = shown_state(stale_before)
    columns = (PullRequestRow, RepositoryRow.slug, PersonRow, state, first_landing(), PullVerdictRow, VerdictRow)
    return with_judgements(_joined(select(*columns)))


def _selected(
    session: Session, wanted: PullFilter, *columns: ColumnElement[Any] | InstrumentedAttribute[Any]
) -> Select[*tuple[Any, ...]]:
    """Return a query of the pull requests that are wanted, in no order."""
    judged = judged_so(_judgement_filter(wanted))
    query: Select[*tuple[Any, ...]] = _joined(select(*columns).select_from(PullRequestRow))
    query = (with_judgements(query) if judged else query).where(*_conditions(wanted), *judged)
    if wanted.repository is not None:
        query = query.where(PullRequestRow.repository_id == read_repository_id(session, wanted.repository))
    return query


def _joined(query: Select[*Columns]) -> Select[*Columns]:
    return query.join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id).outerjoin(
        PersonRow, PersonRow.id == PullRequestRow.author_id
    )


def _conditions(wanted: PullFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.state is not None:
        conditions.append(shown_state(wanted.stale_before) == wanted.state.value)
    if wanted.except_state is not None:
        conditions.append(shown_state(wanted.stale_before) != wanted.except_state.value)
    if wanted.author is not None:
        conditions.append(func.lower(PersonRow.login) == wanted.author.lower())
    if wanted.organisation is not None:
        known = wanted.organisation != UNKNOWN
        conditions.append(PullRequestRow.organisation == (wanted.organisation if known else None))
    if wanted.text is not None:
        conditions.append(func.lower(PullRequestRow.title).contains(wanted.text.lower(), autoescape=True))
    if wanted.number is not None:
        conditions.append(PullRequestRow.number == wanted.number)
    if wanted.since is not None:
        conditions.append(PullRequestRow.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(PullRequestRow.created_at < wanted.until)
    return conditions


def _judgement_filter(wanted: PullFilter) -> JudgementFilter:
    return JudgementFilter(verdict=wanted.verdict, mechanism=wanted.mechanism, area=wanted.area, vendor=wanted.vendor)


def _key(row: PullRequestRow) -> str:
    return f"{row.created_at.replace(tzinfo=None).isoformat(timespec='seconds')}Z~{row.id}"


def _older_than(key: str) -> ColumnElement[bool]:
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)~(\d{1,9})", key, re.ASCII)
    if found is None:
        raise ValueError(f"no key of a page of pull requests: {key}")
    at, last = datetime.fromisoformat(found[1]), int(found[2])
    return or_(PullRequestRow.created_at < at, and_(PullRequestRow.created_at == at, PullRequestRow.id < last))


def pull_summary(found: Row[*SummaryColumns] | SummaryColumns) -> PullSummary:
    """Return the line of one row of `pull_summaries`."""
    row, slug, author, state, landed_at, head, landing = found
    judged = judgement_of(PullState(state), head, landing)
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
        organisation=row.organisation,
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
        judged_by=judged.source if judged is not None else None,
        verdict=judged.verdict if judged is not None else None,
        mechanism=judged.mechanism if judged is not None else None,
        area=judged.area if judged is not None else None,
        vendors=judged.vendors if judged is not None else (),
        removed=judged.removed if judged is not None else None,
        added=judged.added if judged is not None else None,
        let_in=judged.let_in if judged is not None else None,
    )
