"""Builders of pull requests, reviews and accounts for tests: each argument has a plain default."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from tracker.upstream import MergeNotice, NoticeKind, Person, PullRequest, PullRequestState, Review

A_TIME = datetime(2024, 5, 6, 12, tzinfo=UTC)
"""When pull request 1 was created; each later number a minute after its predecessor."""

ADA = Person(id=1, login="ada", kind="User")


def a_person(login: str = "ada", *, id: int | None = 1, kind: str = "User", company: str | None = None) -> Person:  # noqa: A002
    return Person(id=id, login=login, kind=kind, company=company)


def a_review(
    id: str = "PRR_1",  # noqa: A002 - the fact's own word
    *,
    author: Person | None = None,
    state: str = "APPROVED",
    submitted_at: datetime | None = A_TIME,
) -> Review:
    return Review(id=id, author=author, state=state, submitted_at=submitted_at)


_WITH_SHA = {NoticeKind.MERGED}
_WITH_NUMBER = {NoticeKind.CHERRY_PICKED}
_WITH_REASON = {NoticeKind.MERGE_FAILED, NoticeKind.REVERT_FAILED}


def a_notice(
    id: str = "IC_1",  # noqa: A002 - the fact's own word
    *,
    kind: NoticeKind = NoticeKind.MERGE_STARTED,
    at: datetime = A_TIME,
) -> MergeNotice:
    reason = "2 jobs have failed" if kind in _WITH_REASON else None
    return MergeNotice(
        id=id,
        kind=kind,
        at=at,
        bot="pytorchmergebot",
        sha="0123456789" * 4 if kind in _WITH_SHA else None,
        number=9 if kind in _WITH_NUMBER else None,
        reason="Can't merge closed PR #7" if kind is NoticeKind.MERGE_REFUSED else reason,
    )


def a_pull(
    number: int = 1,
    *,
    title: str | None = None,
    state: PullRequestState = PullRequestState.OPEN,
    author: Person | None = ADA,
    created_at: datetime | None = None,
    updated_at: datetime | None = None,
    base_ref: str = "main",
    labels: tuple[str, ...] = (),
    reviews: Sequence[Review] = (),
) -> PullRequest:
    created = created_at or A_TIME + timedelta(minutes=number - 1)
    closed = state is not PullRequestState.OPEN
    return PullRequest(
        number=number,
        node_id=f"PR_{number:06}",
        title=title if title is not None else f"Change {number}",
        state=state,
        draft=False,
        author=author,
        association="CONTRIBUTOR",
        created_at=created,
        updated_at=updated_at or created,
        closed_at=(updated_at or created) if closed else None,
        merged_at=(updated_at or created) if state is PullRequestState.MERGED else None,
        base_ref=base_ref,
        head_ref=f"branch-{number}",
        head_sha=f"{number:040x}",
        additions=10,
        deletions=2,
        changed_files=3,
        labels=labels,
        reviews=tuple(reviews),
        reviews_total=len(reviews),
    )


def pulls(count: int) -> list[PullRequest]:
    """Return pull requests 1 to `count`."""
    return [a_pull(number) for number in range(1, count + 1)]
