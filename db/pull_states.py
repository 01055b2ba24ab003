"""What became of a pull request, as SQL: its landings and reverts on the default branch's first-parent line.

GitHub's own state does not say whether a pull request landed (tracker.reception), so the commits decide.
"""

from datetime import datetime
from typing import TypeVar

from sqlalchemy import ColumnElement, ScalarSelect, and_, case, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from db.tables import CommitRow, LandingRow, PullRequestRow, RepositoryRow
from tracker.reception import LandingKind, PullState
from tracker.upstream import PullRequestState

Value = TypeVar("Value")


STALE_LABEL = "stale"
"""In any case: what the bots that look after forgotten pull requests put on them, which counts as an update itself."""


def shown_state(stale_before: datetime | None = None) -> ColumnElement[str]:
    """Return a `PullState` for the pull request and the repository of the query around it.

    Args:
        stale_before: what is open and was not updated since this time is stale, as is what is labelled so; None: what
            is open is open.

    Without a commit that names it, GitHub's `merged` counts where the default branch was the base: a branch that was
    merged by rebasing leaves no trace in the messages.
    """
    latest = _landing(LandingRow.kind, newest=True)
    merged_into_default = and_(
        PullRequestRow.state == PullRequestState.MERGED,
        or_(RepositoryRow.default_branch.is_(None), RepositoryRow.default_branch == PullRequestRow.base_ref),
    )
    stale = [(_is_stale(stale_before), PullState.STALE.value)] if stale_before is not None else []
    of_github = case(
        *stale,
        (PullRequestRow.state == PullRequestState.OPEN, PullState.OPEN.value),
        (merged_into_default, PullState.LANDED.value),
        else_=PullState.CLOSED.value,
    )
    of_line = {
        LandingKind.LANDED.value: PullState.LANDED.value,
        LandingKind.REVERTED.value: PullState.REVERTED.value,
    }
    return case(of_line, value=latest, else_=of_github)


def standing_commit() -> ScalarSelect[int | None]:
    """Return the row of the commit that landed the pull request of the query around it last; null if it was undone."""
    landed: ColumnElement[int | None] = case((LandingRow.kind == LandingKind.LANDED, LandingRow.commit_id))
    return _landing(landed, newest=True)


def first_landing() -> ScalarSelect[datetime]:
    """Return the time of the commit that first landed the pull request of the query around it; null without one."""
    first = _landing(LandingRow.commit_id, only=LandingKind.LANDED, newest=False)
    return select(CommitRow.committed_at).where(CommitRow.id == first).correlate(PullRequestRow).scalar_subquery()


def _is_stale(before: datetime) -> ColumnElement[bool]:
    labelled = func.lower(PullRequestRow.labels).contains(f'"{STALE_LABEL}"', autoescape=True)
    return and_(PullRequestRow.state == PullRequestState.OPEN, or_(PullRequestRow.updated_at < before, labelled))


def _landing(
    column: ColumnElement[Value] | InstrumentedAttribute[Value], *, only: LandingKind | None = None, newest: bool
) -> ScalarSelect[Value]:
    """Return a column of the first or latest landing or revert of the pull request, along the default branch.

    One look into an index: landings of commits that a rewritten history no longer holds are not kept.
    """
    query = select(column).where(
        LandingRow.repository_id == PullRequestRow.repository_id,
        LandingRow.number == PullRequestRow.number,
        LandingRow.position.is_not(None),
    )
    if only is not None:
        query = query.where(LandingRow.kind == only)
    order = LandingRow.position.desc() if newest else LandingRow.position
    return query.order_by(order).limit(1).correlate(PullRequestRow).scalar_subquery()
