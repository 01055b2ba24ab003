"""Pull requests as they were received, and sites by mechanism, for figures by organisation."""

from datetime import datetime

from sqlalchemy import ColumnElement, case, func, or_, select
from sqlalchemy.orm import Session, aliased

from db.pull_judgements import with_judgements
from db.pull_states import first_landing, shown_state
from db.tables import (
    PersonRow,
    PullRequestRow,
    PullVerdictRow,
    RepositoryRow,
    ReviewRow,
    VerdictRow,
)
from db.verdict_sums import MECHANISMS, read_verdict_sums
from db.watched import read_repository_id
from tracker.reception import PullState, Received, hours_from
from tracker.sites import Mechanism


def read_received(
    session: Session,
    *,
    repository: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    stale_before: datetime | None = None,
) -> dict[str | None, list[Received]]:
    """Return the pull requests of one repository, or of all under watch, that were opened in a period.

    Returns:
        By the author's organisation when it was opened; None: unknown.
    """
    reviewer, opened = aliased(PersonRow), aliased(PullRequestRow)
    reviews = (
        select(
            ReviewRow.pull_request_id,
            func.min(ReviewRow.submitted_at).label("first_at"),
            func.count(func.distinct(func.date(ReviewRow.submitted_at))).label("rounds"),
        )
        .join(opened, opened.id == ReviewRow.pull_request_id)
        .outerjoin(reviewer, reviewer.id == ReviewRow.author_id)
        .where(ReviewRow.submitted_at.is_not(None), or_(reviewer.kind.is_(None), reviewer.kind != "Bot"))
        .where(or_(opened.author_id.is_(None), ReviewRow.author_id.is_(None), ReviewRow.author_id != opened.author_id))
        .group_by(ReviewRow.pull_request_id)
        .subquery()
    )
    state = shown_state(stale_before)
    columns = (
        PullRequestRow.organisation,
        PullRequestRow.created_at,
        state,
        first_landing(),
        reviews.c.first_at,
        reviews.c.rounds,
        _dominant(state),
    )
    query = with_judgements(
        select(*columns)
        .select_from(PullRequestRow)
        .join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id)
        .outerjoin(reviews, reviews.c.pull_request_id == PullRequestRow.id)
        .where(RepositoryRow.removed_at.is_(None))
    )
    if repository is not None:
        query = query.where(PullRequestRow.repository_id == read_repository_id(session, repository))
    if since is not None:
        query = query.where(PullRequestRow.created_at >= since)
    if until is not None:
        query = query.where(PullRequestRow.created_at < until)
    found: dict[str | None, list[Received]] = {}
    for organisation, opened_at, shown, landed_at, reviewed_at, rounds, mechanism in session.execute(query):
        received = Received(
            state=PullState(shown),
            mechanism=mechanism,
            hours_to_first_review=hours_from(opened_at, reviewed_at),
            hours_to_landing=hours_from(opened_at, landed_at),
            rounds=rounds or 0,
        )
        found.setdefault(organisation, []).append(received)
    return found


def _dominant(state: ColumnElement[str]) -> ColumnElement[Mechanism | None]:
    """As `db.pull_judgements.judgement_of` decides, in the database: no row of a verdict is built for each."""
    return case(
        (VerdictRow.commit_id.is_not(None), VerdictRow.mechanism),
        (state == PullState.LANDED.value, None),
        (PullVerdictRow.verdict.is_not(None), PullVerdictRow.mechanism),
    )


def read_mechanisms(
    session: Session, *, repository: str | None = None, since: datetime | None = None, until: datetime | None = None
) -> dict[str | None, dict[Mechanism, int]]:
    """Return how many sites of neutral code each organisation's commits of a period moved, by mechanism, net.

    Net: those of changes that stand, each once, under the commit that first brought them. Zeros are included; an
    organisation whose commits touch no neutral code is absent.
    """
    found: dict[str | None, dict[Mechanism, int]] = {}
    for one in read_verdict_sums(session, since=since, until=until):
        if repository in (None, one.repository):
            sums = found.setdefault(one.organisation, dict.fromkeys(MECHANISMS, 0))
            for mechanism, count in one.mechanisms.items() if one.counts else ():
                sums[mechanism] += count
    return found
