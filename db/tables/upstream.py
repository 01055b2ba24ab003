"""What upstream said of repositories, commits and people, and how they belong together; pull requests stand apart."""

from datetime import date, datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.releases import ReleaseKind


class RepositoryRow(Base):
    __tablename__ = "repository"
    __table_args__ = ({"comment": "a repository under watch"},)

    id: Mapped[int] = mapped_column(primary_key=True)
    github_id: Mapped[int | None] = mapped_column(
        BigInteger, unique=True, comment="GitHub's numeric id; null until the API was reached"
    )
    slug: Mapped[str] = mapped_column(String(140), unique=True, comment="owner/name as last seen")
    mirror: Mapped[str | None] = mapped_column(
        CleanText, comment="path or URL of a clone to read instead of the upstream URL"
    )
    ref: Mapped[str | None] = mapped_column(CleanText, comment="branch or revision to follow; null: the default branch")
    default_branch: Mapped[str | None] = mapped_column(CleanText, comment="as GitHub or the clone says")
    demo: Mapped[bool] = mapped_column(default=False, comment="generated for the demonstration, not real")
    since: Mapped[date | None] = mapped_column(
        comment="reading begins with the first commit of this day (UTC) or later; null: with the first of all"
    )
    quiet_days: Mapped[float | None] = mapped_column(
        comment="how old the newest commit may be before it counts as unmoved; null: as the settings say"
    )
    added_at: Mapped[datetime] = mapped_column(comment="when it was first put under watch")
    removed_at: Mapped[datetime | None] = mapped_column(comment="no longer crawled since; its history stays")


class RepositorySlugRow(Base):
    __tablename__ = "repository_slug"
    __table_args__ = ({"comment": "names a repository has had"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    slug: Mapped[str] = mapped_column(String(140), primary_key=True, comment="owner/name")
    seen_at: Mapped[datetime] = mapped_column(comment="first seen under this name")


class PersonRow(Base):
    __tablename__ = "person"
    __table_args__ = ({"comment": "a GitHub account"},)

    id: Mapped[int] = mapped_column(primary_key=True)
    github_id: Mapped[int | None] = mapped_column(
        BigInteger, unique=True, comment="GitHub's numeric id; null: it gives none"
    )
    login: Mapped[str] = mapped_column(String(100), index=True, comment="as last seen; the numeric id is the key")
    kind: Mapped[str] = mapped_column(String(30), comment="User, Bot, Mannequin, ...")
    company: Mapped[str | None] = mapped_column(CleanText, comment="as the person wrote it; current only, see seen_at")
    seen_at: Mapped[datetime] = mapped_column(comment="time of the answer this row comes from")
    forgotten_at: Mapped[datetime | None] = mapped_column(
        comment="erased since: of the account its number alone is kept, and nothing is stored of it again"
    )


class PersonLoginRow(Base):
    __tablename__ = "person_login"
    __table_args__ = ({"comment": "what a GitHub account has been called"},)

    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    login: Mapped[str] = mapped_column(String(100), primary_key=True, comment="without @")
    seen_at: Mapped[datetime] = mapped_column(comment="first seen under this name, the server's time")


class CompanyStatementRow(Base):
    __tablename__ = "company_statement"
    __table_args__ = ({"comment": "what a person wrote in the company field, and between which days it was seen"},)

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    company: Mapped[str | None] = mapped_column(CleanText, comment="null: the field was empty")
    first_seen_at: Mapped[datetime] = mapped_column(comment="the server's time")
    last_seen_at: Mapped[datetime] = mapped_column(comment="last time it was seen so")


class CommitRow(Base):
    __tablename__ = "commit"
    __table_args__ = (
        UniqueConstraint("repository_id", "sha"),
        UniqueConstraint("repository_id", "position"),
        Index("ix_commit_repository_committed", "repository_id", "committed_at", "position"),
        Index("ix_commit_committed", "committed_at", "position"),
        Index("ix_commit_repository_week", "repository_id", "week"),
        Index("ix_commit_repository_organisation", "repository_id", "organisation", "position", "committed_at"),
        Index("ix_commit_repository_pull", "repository_id", "pull_number"),
        Index("ix_commit_repository_source", "repository_id", "source_id"),
        Index("ix_commit_repository_differential", "repository_id", "differential"),
        {"comment": "a commit of the default branch's first-parent line"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    sha: Mapped[str] = mapped_column(String(40), comment="git's object id")
    parent_sha: Mapped[str | None] = mapped_column(String(40), comment="first parent")
    parents: Mapped[int] = mapped_column(comment="how many parents git records")
    position: Mapped[int | None] = mapped_column(
        comment="index on the first-parent line from the oldest, 0-based; null: no longer on it (rewritten)"
    )
    committed_at: Mapped[datetime] = mapped_column(comment="committer date, UTC")
    week: Mapped[date] = mapped_column(comment="the Monday of the ISO week of committed_at, UTC")
    authored_at: Mapped[datetime] = mapped_column(comment="author date, UTC; may precede by years")
    subject: Mapped[str] = mapped_column(CleanText, comment="first line of the message")
    author_key: Mapped[str] = mapped_column(String(64), comment="keyed HMAC-SHA256 of the author's mail address")
    author_domain: Mapped[str] = mapped_column(CleanText, comment="domain of the author's mail address; may be empty")
    organisation: Mapped[str | None] = mapped_column(String(60), comment="of the author at that time; null: unknown")
    organisation_source: Mapped[str | None] = mapped_column(String(10), comment="what says so; null: unknown")
    pull_number: Mapped[int | None] = mapped_column(comment="the pull request this commit lands, by its trailers")
    is_revert: Mapped[bool] = mapped_column(default=False, comment="says that it undoes an earlier commit")
    is_reland: Mapped[bool] = mapped_column(default=False, comment="says that it lands an earlier commit again")
    differential: Mapped[str | None] = mapped_column(String(20), comment="Phabricator revision, D123")
    source_id: Mapped[str | None] = mapped_column(String(40), comment="fbshipit-source-id")


class CommitLinkRow(Base):
    __tablename__ = "commit_link"
    __table_args__ = (
        Index("ix_commit_link_commit", "commit_id"),
        Index("ix_commit_link_target_commit", "target_commit_id"),
        {"comment": "what a commit says it reverts or relands"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    kind: Mapped[str] = mapped_column(String(10), comment="reverts or relands")
    target: Mapped[str] = mapped_column(
        CleanText, comment="as written: a sha, a revision, a changeset, a number, a title"
    )
    method: Mapped[str] = mapped_column(String(20), comment="sha, changeset, differential, pull or title")
    target_commit_id: Mapped[int | None] = mapped_column(
        ForeignKey("commit.id"), comment="null: not resolved to a stored commit"
    )


class LandingRow(Base):
    __tablename__ = "landing"
    __table_args__ = (
        # All that the state of a pull request is made of: thousands are shown and counted together.
        Index("ix_landing_repository_number", "repository_id", "number", "position", "kind", "commit_id"),
        {"comment": "a commit of the default branch that lands, or undoes, a pull request (derived from trailers)"},
    )

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, comment="of the pull request")
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    kind: Mapped[str] = mapped_column(String(10), comment="landed or reverted")
    source: Mapped[str] = mapped_column(
        String(20), server_default="message", comment="what says so: message, bot, differential or github"
    )
    position: Mapped[int | None] = mapped_column(comment="the commit's, on the line; null: not filled in yet")


class ReleaseRow(Base):
    __tablename__ = "release"
    __table_args__ = ({"comment": "a tag that marks a version"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), primary_key=True, comment="of the tag")
    sha: Mapped[str] = mapped_column(String(40), comment="the commit, which may stand on a release branch")
    at: Mapped[datetime] = mapped_column(comment="published; else when the tag or its commit was made")
    kind: Mapped[ReleaseKind] = mapped_column(kind_column(ReleaseKind), comment="what the version is")
