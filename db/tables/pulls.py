"""What GitHub said of pull requests: themselves, their reviews and files, what merge bots said, and what is unread."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.upstream import NoticeKind, PullItems, PullRequestState


class PullRequestRow(Base):
    __tablename__ = "pull_request"
    __table_args__ = (
        UniqueConstraint("repository_id", "number"),
        Index("ix_pull_request_repository_updated", "repository_id", "updated_at"),
        Index("ix_pull_request_repository_created", "repository_id", "created_at"),
        Index("ix_pull_request_created_id", "created_at", "id"),
        {"comment": "a pull request as GitHub last described it"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    number: Mapped[int]
    node_id: Mapped[str] = mapped_column(String(100))
    title: Mapped[str] = mapped_column(CleanText)
    state: Mapped[PullRequestState] = mapped_column(
        kind_column(PullRequestState), comment="GitHub's word; a landed PyTorch pull request is closed, not merged"
    )
    draft: Mapped[bool]
    author_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), comment="null: the account was deleted")
    association: Mapped[str] = mapped_column(String(30))
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]
    merged_at: Mapped[datetime | None]
    base_ref: Mapped[str] = mapped_column(CleanText)
    head_ref: Mapped[str] = mapped_column(CleanText)
    head_sha: Mapped[str] = mapped_column(String(40))
    additions: Mapped[int] = mapped_column(comment="lines")
    deletions: Mapped[int] = mapped_column(comment="lines")
    changed_files: Mapped[int]
    labels: Mapped[str] = mapped_column(CleanText, comment="JSON list of names")
    reviews_total: Mapped[int] = mapped_column(
        comment="as GitHub counts; more than stored reviews when its list was cut"
    )
    review_decision: Mapped[str | None] = mapped_column(
        String(30), comment="APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED; null: no review is asked for"
    )
    linked_issues: Mapped[str] = mapped_column(
        CleanText, server_default="[]", comment="JSON list of owner/name#number that it closes"
    )
    stack: Mapped[str] = mapped_column(
        CleanText, server_default="[]", comment="JSON list of the numbers of its ghstack, oldest first, itself included"
    )
    differential: Mapped[str | None] = mapped_column(String(20), comment="Phabricator revision, D123")
    picked_from: Mapped[str | None] = mapped_column(String(40), comment="commit of which it is a cherry-pick")
    seen_at: Mapped[datetime] = mapped_column(comment="the server's time of the answer this row comes from")


class ReviewRow(Base):
    __tablename__ = "review"
    __table_args__ = ({"comment": "a review of a pull request"},)

    id: Mapped[str] = mapped_column(String(100), primary_key=True, comment="GitHub's node id")
    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), index=True)
    author_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    state: Mapped[str] = mapped_column(String(30))
    submitted_at: Mapped[datetime | None]
    association: Mapped[str | None] = mapped_column(
        String(30), comment="of the reviewer to the repository; null: read by an earlier version"
    )


class PullFileRow(Base):
    __tablename__ = "pull_file"
    __table_args__ = ({"comment": "a file that a pull request changes, as GitHub lists it; at most 3,000 of each"},)

    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, comment="in GitHub's list, from 0")
    path: Mapped[str] = mapped_column(CleanText)
    change: Mapped[str] = mapped_column(String(20), comment="ADDED, DELETED, MODIFIED, RENAMED, COPIED, CHANGED")
    additions: Mapped[int] = mapped_column(comment="lines")
    deletions: Mapped[int] = mapped_column(comment="lines")


class MergeNoticeRow(Base):
    __tablename__ = "merge_notice"
    __table_args__ = ({"comment": "what a merge bot said of a pull request in a comment"},)

    id: Mapped[str] = mapped_column(String(100), primary_key=True, comment="GitHub's node id of the comment")
    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), index=True)
    kind: Mapped[NoticeKind] = mapped_column(kind_column(NoticeKind))
    at: Mapped[datetime]
    bot: Mapped[str] = mapped_column(String(100), comment="login")
    sha: Mapped[str | None] = mapped_column(String(40), comment="the commit it names, maybe abbreviated")
    number: Mapped[int | None] = mapped_column(comment="another pull request of the repository that it names")
    reason: Mapped[str | None] = mapped_column(CleanText, comment="in the bot's words, one line")


class PullRemainderRow(Base):
    __tablename__ = "pull_remainder"
    __table_args__ = ({"comment": "a list of a pull request that has not been read to its end yet"},)

    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), primary_key=True)
    items: Mapped[PullItems] = mapped_column(kind_column(PullItems), primary_key=True)
    after: Mapped[str] = mapped_column(CleanText, comment="GitHub's cursor behind what was read")
