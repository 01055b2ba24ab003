"""One pull request with all that is kept of it: its landings, reviews, files, and what merge bots said."""

import json
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.pull_verdicts import HeadVerdict, read_head_verdict
from db.pulls import PullSummary, pull_summaries, pull_summary
from db.repositories import read_repository
from db.tables import (
    CommitRow,
    LandingRow,
    MergeNoticeRow,
    PersonRow,
    PullFileRow,
    PullRequestRow,
    ReviewRow,
)
from tracker.reception import LandingKind, LandingSource, hours_from
from tracker.upstream import NoticeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class PullLanding:
    """One commit that landed or reverted the pull request."""

    kind: LandingKind
    sha: str
    subject: str
    at: datetime
    """Committer time."""
    source: LandingSource = LandingSource.MESSAGE
    """What says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullReview:
    author: str | None
    state: str
    submitted_at: datetime | None
    association: str | None = None
    """Of the reviewer to the repository; None: not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullNotice:
    """What a merge bot said."""

    kind: NoticeKind
    at: datetime
    bot: str
    sha: str | None
    number: int | None
    """Another pull request that it names."""
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PullDetail:
    """Everything kept of one pull request."""

    summary: PullSummary
    base_ref: str
    head_ref: str
    head_sha: str
    landings: tuple[PullLanding, ...]
    """In the order of the default branch."""
    reviews: tuple[PullReview, ...]
    """By time; fewer than `summary.reviews_total` where GitHub's list was cut."""
    hours_to_first_review: float | None
    """Reviews by the author do not count."""
    review_decision: str | None
    """APPROVED, CHANGES_REQUESTED or REVIEW_REQUIRED; None: GitHub asks for no review."""
    notices: tuple[PullNotice, ...]
    """What merge bots said, by time."""
    files: tuple[str, ...]
    """Paths as GitHub lists them; fewer than `summary.changed_files` beyond 3,000, and until they are read."""
    linked_issues: tuple[str, ...]
    """owner/name#number."""
    stack: tuple[int, ...]
    """Numbers of its ghstack, oldest first, itself included."""
    differential: str | None
    picked_from: str | None
    """The commit of which it is a cherry-pick."""
    seen_at: datetime
    head: HeadVerdict | None
    """What its head would do, or did when it was last open; None: it was never looked at."""


def read_pull(session: Session, slug: str, number: int, *, stale_before: datetime | None = None) -> PullDetail | None:
    """Return one pull request with its landings and reviews; None when none is stored.

    Args:
        stale_before: if open and not updated since this time, it is stale.
    """
    repository = read_repository(session, slug)
    if repository is None:
        return None
    one = (PullRequestRow.repository_id == repository.id, PullRequestRow.number == number)
    found = session.execute(pull_summaries(stale_before).where(*one)).one_or_none()
    if found is None:
        return None
    row: PullRequestRow = found[0]
    summary, reviews = pull_summary(found), _reviews(session, row.id)
    by_others = [review.submitted_at for review in reviews if review.submitted_at and review.author != summary.author]
    return PullDetail(
        summary=summary,
        base_ref=row.base_ref,
        head_ref=row.head_ref,
        head_sha=row.head_sha,
        landings=_landings(session, row),
        reviews=reviews,
        hours_to_first_review=hours_from(row.created_at, min(by_others, default=None)),
        review_decision=row.review_decision,
        notices=_notices(session, row.id),
        files=_files(session, row.id),
        linked_issues=tuple(json.loads(row.linked_issues)),
        stack=tuple(json.loads(row.stack)),
        differential=row.differential,
        picked_from=row.picked_from,
        seen_at=row.seen_at,
        head=read_head_verdict(session, row.id),
    )


def _landings(session: Session, row: PullRequestRow) -> tuple[PullLanding, ...]:
    query = (
        select(LandingRow.kind, CommitRow.sha, CommitRow.subject, CommitRow.committed_at, LandingRow.source)
        .join(CommitRow, CommitRow.id == LandingRow.commit_id)
        .where(LandingRow.repository_id == row.repository_id, LandingRow.number == row.number)
        .where(CommitRow.position.is_not(None))
        .order_by(CommitRow.position)
    )
    return tuple(
        PullLanding(kind=LandingKind(kind), sha=sha, subject=subject, at=at, source=LandingSource(source))
        for kind, sha, subject, at, source in session.execute(query)
    )


def _reviews(session: Session, pull_request_id: int) -> tuple[PullReview, ...]:
    query = (
        select(PersonRow.login, ReviewRow.state, ReviewRow.submitted_at, ReviewRow.association)
        .select_from(ReviewRow)
        .outerjoin(PersonRow, PersonRow.id == ReviewRow.author_id)
        .where(ReviewRow.pull_request_id == pull_request_id)
        .order_by(ReviewRow.submitted_at, ReviewRow.id)
    )
    return tuple(
        PullReview(author=login, state=state, submitted_at=at, association=association)
        for login, state, at, association in session.execute(query)
    )


def _notices(session: Session, pull_request_id: int) -> tuple[PullNotice, ...]:
    query = (
        select(MergeNoticeRow)
        .where(MergeNoticeRow.pull_request_id == pull_request_id)
        .order_by(MergeNoticeRow.at, MergeNoticeRow.id)
    )
    return tuple(
        PullNotice(kind=row.kind, at=row.at, bot=row.bot, sha=row.sha, number=row.number, reason=row.reason)
        for row in session.scalars(query)
    )


def _files(session: Session, pull_request_id: int) -> tuple[str, ...]:
    query = (
        select(PullFileRow.path).where(PullFileRow.pull_request_id == pull_request_id).order_by(PullFileRow.position)
    )
    return tuple(session.scalars(query))
