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
        Index("ix_pull_request_repository_created", "repository_id", "created_at"),
        Index("ix_pull_request_created_id", "created_at", "id"),
        {"comment": "a pull request as GitHub last described it"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    number: Mapped[int] = mapped_column(comment="in its repository")
    node_id: Mapped[str] = mapped_column(String(100), comment="GitHub's id for GraphQL")
    title: Mapped[str] = mapped_column(CleanText, comment="as last seen")
    state: Mapped[PullRequestState] = mapped_column(
        kind_column(PullRequestState), comment="GitHub's word; a landed PyTorch pull request is closed, not merged"
    )
    draft: Mapped[bool] = mapped_column(comment="not ready for review")
    author_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), comment="null: the account was deleted")
    organisation: Mapped[str | None] = mapped_column(
        String(60), comment="of the author when it was opened; null: unknown"
    )
    organisation_source: Mapped[str | None] = mapped_column(String(10), comment="what says so; null: unknown")
    association: Mapped[str] = mapped_column(
        String(30), comment="GitHub's word for the author's relation to the repository"
    )
    created_at: Mapped[datetime] = mapped_column(comment="opened")
    updated_at: Mapped[datetime] = mapped_column(comment="last changed on GitHub")
    closed_at: Mapped[datetime | None] = mapped_column(comment="null: open")
    merged_at: Mapped[datetime | None] = mapped_column(comment="null: GitHub did not merge it")
    base_ref: Mapped[str] = mapped_column(CleanText, comment="the branch it is to be merged into")
    head_ref: Mapped[str] = mapped_column(CleanText, comment="the branch it comes from")
    head_sha: Mapped[str] = mapped_column(String(40), comment="last commit of that branch")
    additions: Mapped[int] = mapped_column(comment="lines")
    deletions: Mapped[int] = mapped_column(comment="lines")
    changed_files: Mapped[int] = mapped_column(comment="files")
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
    merge_commit: Mapped[str | None] = mapped_column(
        String(40), comment="the commit by which GitHub says it was merged; null: not merged there, or not told"
    )
    seen_at: Mapped[datetime] = mapped_column(comment="the server's time of the answer this row comes from")


class ReviewRow(Base):
    __tablename__ = "review"
    __table_args__ = ({"comment": "a review of a pull request"},)

    id: Mapped[str] = mapped_column(String(100), primary_key=True, comment="GitHub's node id")
    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), index=True)
    author_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    state: Mapped[str] = mapped_column(String(30), comment="GitHub's word: APPROVED, CHANGES_REQUESTED, COMMENTED, ...")
    submitted_at: Mapped[datetime | None] = mapped_column(comment="null: not submitted yet")
    association: Mapped[str | None] = mapped_column(
        String(30), comment="of the reviewer to the repository; null: read by an earlier version"
    )


class PullFileRow(Base):
    __tablename__ = "pull_file"
    __table_args__ = ({"comment": "a file that a pull request changes, as GitHub lists it; at most 3,000 of each"},)

    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True, comment="in GitHub's list, from 0")
    path: Mapped[str] = mapped_column(CleanText, comment="of the file, in the tree")
    change: Mapped[str] = mapped_column(String(20), comment="ADDED, DELETED, MODIFIED, RENAMED, COPIED, CHANGED")
    additions: Mapped[int] = mapped_column(comment="lines")
    deletions: Mapped[int] = mapped_column(comment="lines")


class MergeNoticeRow(Base):
    __tablename__ = "merge_notice"
    __table_args__ = ({"comment": "what a merge bot said of a pull request in a comment"},)

    id: Mapped[str] = mapped_column(String(100), primary_key=True, comment="GitHub's node id of the comment")
    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), index=True)
    kind: Mapped[NoticeKind] = mapped_column(kind_column(NoticeKind), comment="what the bot said of it")
    at: Mapped[datetime] = mapped_column(comment="when it said so")
    bot: Mapped[str] = mapped_column(String(100), comment="login")
    sha: Mapped[str | None] = mapped_column(String(40), comment="the commit it names, maybe abbreviated")
    number: Mapped[int | None] = mapped_column(comment="another pull request of the repository that it names")
    reason: Mapped[str | None] = mapped_column(CleanText, comment="in the bot's words, one line")


class PullRemainderRow(Base):
    __tablename__ = "pull_remainder"
    __table_args__ = ({"comment": "a list of a pull request that has not been read to its end yet"},)

    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), primary_key=True)
    items: Mapped[PullItems] = mapped_column(
        kind_column(PullItems), primary_key=True, comment="which list is longer than what was stored"
    )
    after: Mapped[str] = mapped_column(CleanText, comment="GitHub's cursor behind what was read")
