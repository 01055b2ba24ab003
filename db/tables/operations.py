"""How the service itself is doing: cursors, job runs, dead letters, HTTP cache, audits, alerts."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.upstream import RangeState


class CursorRow(Base):
    __tablename__ = "cursor"
    __table_args__ = ({"comment": "where a crawl of one stream stopped; moves in the transaction of what it has read"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    stream: Mapped[str] = mapped_column(String(30), primary_key=True, comment="commits, pulls-backfill, pulls-updates")
    value: Mapped[str] = mapped_column(CleanText, comment="JSON, of the stream's own form")
    moved_at: Mapped[datetime] = mapped_column(comment="when it last moved, or what stands behind it changed")


class CoverageRow(Base):
    __tablename__ = "coverage"
    __table_args__ = ({"comment": "ranges of a repository's line of commits, and whether they were read"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    first_position: Mapped[int] = mapped_column(primary_key=True, comment="index on the line, 0 for the oldest commit")
    state: Mapped[RangeState] = mapped_column(
        kind_column(RangeState), primary_key=True, comment="what became of the range"
    )
    last_position: Mapped[int] = mapped_column(comment="included")
    reason: Mapped[str] = mapped_column(CleanText, comment="why it was skipped; empty otherwise")
    attempts: Mapped[int] = mapped_column(comment="how often it was begun; 0: never meant to be read")
    first_at: Mapped[datetime] = mapped_column(comment="when this was first so")
    last_at: Mapped[datetime] = mapped_column(comment="when it was last read, begun or skipped")


class JobRunRow(Base):
    __tablename__ = "job_run"
    __table_args__ = (
        Index("ix_job_run_repository_job_id", "repository", "job", "id"),
        Index("ix_job_run_started", "started_at"),
        {"comment": "one run of one job"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    job: Mapped[str] = mapped_column(String(40), comment="crawl_commits, crawl_pulls, roll_up, audit, ...")
    repository: Mapped[str] = mapped_column(String(140), comment="slug; empty for a job over all repositories")
    started_at: Mapped[datetime] = mapped_column(comment="when it began")
    ended_at: Mapped[datetime | None] = mapped_column(comment="null: running, or killed")
    outcome: Mapped[str] = mapped_column(
        String(16), comment="running, ok, failed, unavailable, rate_limited, unconfigured, killed"
    )
    counts: Mapped[str] = mapped_column(CleanText, comment="JSON object: what was done, by name")
    message: Mapped[str] = mapped_column(CleanText, comment="the error's text; empty when ok")
    retry_at: Mapped[datetime | None] = mapped_column(comment="not to be tried again before")
    lease: Mapped[str | None] = mapped_column(
        String(80), comment="the lease of the process that runs it; null: a run of an earlier version"
    )
    fence: Mapped[int | None] = mapped_column(BigInteger, comment="the lease's fence; a running run of another is dead")


class LeaseRow(Base):
    __tablename__ = "lease"
    __table_args__ = ({"comment": "who may do what one process at a time may do; decided by counting, not by a clock"},)

    name: Mapped[str] = mapped_column(
        String(80), primary_key=True, comment="schedule, or the word command and a name of its own"
    )
    fence: Mapped[int] = mapped_column(
        BigInteger, comment="rises with every taking; a transaction under an older one is refused"
    )
    holder: Mapped[str] = mapped_column(CleanText, comment="folder, host and process; empty: given back")
    beat: Mapped[int] = mapped_column(BigInteger, comment="rises while the holder lives; who waits watches it")
    taken_at: Mapped[datetime] = mapped_column(comment="by the database's clock, for people")
    beaten_at: Mapped[datetime] = mapped_column(comment="by the database's clock, for people")


class HttpCacheRow(Base):
    __tablename__ = "http_cache"
    __table_args__ = ({"comment": "answers kept to be replayed on a 304"},)

    key: Mapped[str] = mapped_column(String(64), primary_key=True, comment="digest of URL, Accept and credential scope")
    url: Mapped[str] = mapped_column(CleanText, comment="what was asked")
    etag: Mapped[str | None] = mapped_column(CleanText, comment="to ask with again; null: none was given")
    last_modified: Mapped[str | None] = mapped_column(CleanText, comment="to ask with again; null: none was given")
    link: Mapped[str | None] = mapped_column(
        CleanText, comment="the header that names other pages; null: none was given"
    )
    body: Mapped[bytes] = mapped_column(LargeBinary, comment="bytes of the answer")
    fetched_at: Mapped[datetime] = mapped_column(comment="when the answer came, or was last confirmed")


class DeadLetterRow(Base):
    __tablename__ = "dead_letter"
    __table_args__ = (
        UniqueConstraint("repository_id", "stream", "key"),
        {"comment": "one thing upstream could not serve; shown, and tried again"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    stream: Mapped[str] = mapped_column(String(30), comment="pulls or commits")
    key: Mapped[str] = mapped_column(String(100), comment="a pull request's number or node id, a sha")
    reason: Mapped[str] = mapped_column(CleanText, comment="what upstream answered")
    attempts: Mapped[int] = mapped_column(comment="how often it was asked for")
    first_at: Mapped[datetime] = mapped_column(comment="first failure")
    last_at: Mapped[datetime] = mapped_column(comment="latest failure")


class AuditRow(Base):
    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_repository_at", "repository_id", "at"),
        {"comment": "one comparison of the ledger's balance with a full scan of the tree at a commit"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    ruleset: Mapped[str] = mapped_column(String(64), comment="digest of the ruleset in use")
    at: Mapped[datetime] = mapped_column(comment="when it was made")
    paths: Mapped[int] = mapped_column(comment="paths compared")
    sites: Mapped[int] = mapped_column(comment="sites found in the tree")
    lines: Mapped[int | None] = mapped_column(
        comment="lines counted in the tree, of files in languages that are scanned; null: not compared then"
    )
    differences: Mapped[int] = mapped_column(comment="paths whose balance differs, and places whose lines do")
    details: Mapped[str] = mapped_column(CleanText, comment="JSON list of the first 100 differences")


class AlertRow(Base):
    __tablename__ = "alert"
    __table_args__ = ({"comment": "the present state of one alert, per label set"},)

    fingerprint: Mapped[str] = mapped_column(String(64), primary_key=True, comment="digest of rule and labels")
    rule: Mapped[str] = mapped_column(String(80), index=True, comment="id of the alert rule: `tracker rules show`")
    severity: Mapped[str] = mapped_column(String(16), comment="info, warning or critical")
    state: Mapped[str] = mapped_column(String(16), comment="inactive, pending or firing")
    labels: Mapped[str] = mapped_column(CleanText, comment="JSON object")
    annotations: Mapped[str] = mapped_column(CleanText, comment="JSON object: summary, runbook, evidence")
    value: Mapped[float | None] = mapped_column(comment="null: no data")
    active_at: Mapped[datetime | None] = mapped_column(comment="since when the condition holds")
    fired_at: Mapped[datetime | None] = mapped_column(comment="when it last began to fire; null: never")
    resolved_at: Mapped[datetime | None] = mapped_column(comment="when it last ceased to fire; null: never")
    evaluated_at: Mapped[datetime] = mapped_column(comment="when its rule was last evaluated")


class AlertEventRow(Base):
    __tablename__ = "alert_event"
    __table_args__ = (
        Index("ix_alert_event_fingerprint_at", "fingerprint", "at"),
        {"comment": "a transition of an alert's state"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64), comment="of the alert")
    at: Mapped[datetime] = mapped_column(comment="when the state changed")
    from_state: Mapped[str] = mapped_column(String(16), comment="inactive, pending or firing")
    to_state: Mapped[str] = mapped_column(String(16), comment="inactive, pending or firing")
    value: Mapped[float | None] = mapped_column(comment="of the alert then; null: no data")
