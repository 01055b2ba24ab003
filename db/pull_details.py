"""One pull request with all that is kept of it: its landings, reviews, files, and what merge bots said."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, Row, Text, cast, literal, null, select, union_all
from sqlalchemy.orm import Session

from db.commit_pages import CommitSummary, lines_of, summaries
from db.pull_verdicts import HeadVerdict, read_head_verdict
from db.pulls import PullSummary, pull_summaries, pull_summary
from db.remembered import once
from db.tables import (
    CommitRow,
    LandingRow,
    MergeNoticeRow,
    PersonRow,
    PullFileRow,
    PullRequestRow,
    ReviewRow,
)
from db.watched import read_repository_id
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
class PullCommits:
    """The commits of the default branch that belong to a pull request."""

    landings: tuple[PullLanding, ...]
    """In the order of the line."""
    commits: tuple[CommitSummary, ...]
    """That name it in their message, newest first."""


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
    repository_id = read_repository_id(session, slug)
    one = (PullRequestRow.repository_id == repository_id, PullRequestRow.number == number)
    found = session.execute(pull_summaries(stale_before).where(*one)).one_or_none()
    if found is None:
        return None
    row: PullRequestRow = found[0]
    summary, (reviews, notices) = pull_summary(found), _said(session, row.id)
    by_others = [review.submitted_at for review in reviews if review.submitted_at and review.author != summary.author]
    return PullDetail(
        summary=summary,
        base_ref=row.base_ref,
        head_ref=row.head_ref,
        head_sha=row.head_sha,
        landings=read_pull_commits(session, slug, number).landings,
        reviews=reviews,
        hours_to_first_review=hours_from(row.created_at, min(by_others, default=None)),
        review_decision=row.review_decision,
        notices=notices,
        files=_files(session, row.id),
        linked_issues=tuple(json.loads(row.linked_issues)),
        stack=tuple(json.loads(row.stack)),
        differential=row.differential,
        picked_from=row.picked_from,
        seen_at=row.seen_at,
        head=read_head_verdict(session, row.id),
    )


def read_pull_commits(session: Session, slug: str, number: int) -> PullCommits:
    """Return the commits of the line that belong to a pull request, which need not be stored; two statements."""
    return once(session, ("commits of a pull request", slug, number), lambda: _read_commits(session, slug, number))


def _read_commits(session: Session, slug: str, number: int) -> PullCommits:
    repository_id = read_repository_id(session, slug)
    naming = select(CommitRow.id).where(CommitRow.repository_id == repository_id, CommitRow.pull_number == number)
    of_number = (LandingRow.repository_id == repository_id, LandingRow.number == number)
    query = (
        summaries()
        .outerjoin(LandingRow, (LandingRow.commit_id == CommitRow.id) & (LandingRow.number == number))
        .where(CommitRow.position.is_not(None))
        .where(CommitRow.id.in_(naming.union(select(LandingRow.commit_id).where(*of_number))))
        .order_by(CommitRow.position)
        .add_columns(LandingRow.kind, LandingRow.source)
    )
    found = session.execute(query).all()
    landings = (
        PullLanding(
            kind=LandingKind(kind),
            sha=commit.sha,
            subject=commit.subject,
            at=commit.committed_at,
            source=LandingSource(source),
        )
        for commit, _, _, kind, source in found
        if kind is not None
    )
    named = [(commit, verdict, name) for commit, verdict, name, *_ in found if commit.pull_number == number]
    newest_first = sorted(lines_of(session, named), key=lambda line: line.committed_at, reverse=True)
    return PullCommits(landings=tuple(landings), commits=tuple(newest_first))


def _said(session: Session, pull_request_id: int) -> tuple[tuple[PullReview, ...], tuple[PullNotice, ...]]:
    """Return what reviewers and what merge bots said of a pull request, by time; one statement for both."""
    no_text, no_number = cast(null(), Text), cast(null(), Integer)
    reviews = (
        select(
            literal("review").label("what"),
            ReviewRow.id.label("id"),
            ReviewRow.submitted_at.label("at"),
            PersonRow.login.label("who"),
            ReviewRow.state.label("word"),
            ReviewRow.association.label("association"),
            no_text.label("sha"),
            no_number.label("number"),
            no_text.label("reason"),
        )
        .select_from(ReviewRow)
        .outerjoin(PersonRow, PersonRow.id == ReviewRow.author_id)
        .where(ReviewRow.pull_request_id == pull_request_id)
    )
    row = MergeNoticeRow
    notices = select(
        literal("notice"), row.id, row.at, row.bot, cast(row.kind, Text), no_text, row.sha, row.number, row.reason
    ).where(row.pull_request_id == pull_request_id)
    found: list[Row[*tuple[Any, ...]]] = sorted(session.execute(union_all(reviews, notices)).all(), key=_when)
    return (
        tuple(
            PullReview(author=one.who, state=one.word, submitted_at=one.at, association=one.association)
            for one in found
            if one.what == "review"
        ),
        tuple(
            PullNotice(
                kind=NoticeKind(one.word), at=one.at, bot=one.who, sha=one.sha, number=one.number, reason=one.reason
            )
            for one in found
            if one.what == "notice"
        ),
    )


def _when(said: Row[*tuple[Any, ...]]) -> tuple[bool, datetime | None, str]:
    """What has no time comes last."""
    return said.at is None, said.at, said.id


def _files(session: Session, pull_request_id: int) -> tuple[str, ...]:
    query = (
        select(PullFileRow.path).where(PullFileRow.pull_request_id == pull_request_id).order_by(PullFileRow.position)
    )
    return tuple(session.scalars(query))
