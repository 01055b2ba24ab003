"""What is said of a pull request's effect, as SQL: what its landing did where it stands, else what its head would do.

A landed one is judged by the last commit that landed it, so that reverts and relands are counted out; one that only
GitHub's word calls landed has no judgement. Both kinds of verdict have the same columns.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVarTuple

from sqlalchemy import ColumnElement, Select, and_, or_, select, tuple_

from db.pull_states import shown_state, standing_commit
from db.tables import LandingRow, PullRequestRow, PullVerdictRow, VerdictRow
from tracker.reception import PullState
from tracker.sites import Area, Mechanism, Verdict

Columns = TypeVarTuple("Columns")


class JudgementSource(StrEnum):
    """What a pull request's effect was judged by."""

    LANDED = "landed"
    """The commit of the default branch that landed it last."""
    HEAD = "head"
    """Its head against the merge base: what it would do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullJudgement:
    """What a pull request does, or would do, to neutral code."""

    source: JudgementSource
    verdict: Verdict
    mechanism: Mechanism | None
    """The dominant one."""
    area: Area | None
    vendors: tuple[str, ...]
    """Dominant first."""
    removed: int
    """Neutral sites, moved and edited ones excluded."""
    added: int
    let_in: int
    """Neutral sites that came, or would come, because a place was broadened to admit others."""
    ruleset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementFilter:
    """Which judgements are wanted; what is None does not restrict."""

    verdict: Verdict | None = None
    mechanism: Mechanism | None = None
    area: Area | None = None
    vendor: str | None = None


def with_judgements(query: Select[*Columns]) -> Select[*Columns]:
    """Return a query of pull requests and their repositories with both kinds of verdict joined, where there are any."""
    return query.outerjoin(PullVerdictRow, PullVerdictRow.pull_request_id == PullRequestRow.id).outerjoin(
        VerdictRow, VerdictRow.commit_id == standing_commit()
    )


def judgement_of(state: PullState, head: PullVerdictRow | None, landing: VerdictRow | None) -> PullJudgement | None:
    """Return what is said of a pull request in a state, given its joined verdicts; None: nothing was judged."""
    if landing is not None:
        return _judgement(JudgementSource.LANDED, landing, landing.verdict)
    if state is PullState.LANDED or head is None or head.verdict is None:
        return None
    return _judgement(JudgementSource.HEAD, head, head.verdict)


def judged_so(wanted: JudgementFilter) -> list[ColumnElement[bool]]:
    """Return the conditions on a query of `with_judgements`; none where nothing restricts."""
    if wanted == JudgementFilter():
        return []
    landed, proposed = _fits(VerdictRow, wanted), _fits(PullVerdictRow, wanted)
    would = and_(VerdictRow.commit_id.is_(None), *proposed, shown_state() != PullState.LANDED.value)
    return [_maybe(landed, proposed), or_(and_(*landed), would)]


def effect() -> ColumnElement[int]:
    """Return how many sites of neutral code the head of a pull request would change, exclusivities included."""
    row = PullVerdictRow
    return row.generalised + row.broadened + row.relocated + row.dropped + row.retired + row.introduced


def _judgement(source: JudgementSource, row: PullVerdictRow | VerdictRow, verdict: Verdict) -> PullJudgement:
    return PullJudgement(
        source=source,
        verdict=verdict,
        mechanism=row.mechanism,
        area=row.area,
        vendors=tuple(row.vendors.split(",")) if row.vendors else (),
        removed=row.removed,
        added=row.added,
        let_in=row.let_in,
        ruleset=row.ruleset,
    )


def _fits(table: type[PullVerdictRow] | type[VerdictRow], wanted: JudgementFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.verdict is not None:
        conditions.append(table.verdict == wanted.verdict)
    if wanted.mechanism is not None:
        conditions.append(table.mechanism == wanted.mechanism)
    if wanted.area is not None:
        conditions.append(table.area == wanted.area)
    if wanted.vendor is not None:
        conditions.append(("," + table.vendors + ",").contains(f",{wanted.vendor},", autoescape=True))
    return conditions


def _maybe(landed: list[ColumnElement[bool]], proposed: list[ColumnElement[bool]]) -> ColumnElement[bool]:
    """Hold at least for those that fit: what is rare is found first, lest each pull request's landings be looked up."""
    heads = select(PullVerdictRow.pull_request_id).where(*proposed)
    numbers = select(LandingRow.repository_id, LandingRow.number).join(
        VerdictRow, VerdictRow.commit_id == LandingRow.commit_id
    )
    key = tuple_(PullRequestRow.repository_id, PullRequestRow.number)
    return or_(PullRequestRow.id.in_(heads), key.in_(numbers.where(*landed)))
