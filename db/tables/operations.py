"""How the service itself is doing: cursors, job runs, dead letters, HTTP cache, audits, alerts."""

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText


class CursorRow(Base):
    __tablename__ = "cursor"
    __table_args__ = ({"comment": "where a crawl of one stream stopped; moves in the transaction of what it has read"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    stream: Mapped[str] = mapped_column(String(30), primary_key=True, comment="commits, pulls-backfill, pulls-updates")
    value: Mapped[str] = mapped_column(CleanText, comment="JSON, of the stream's own form")
    moved_at: Mapped[datetime]


class JobRunRow(Base):
    __tablename__ = "job_run"
    __table_args__ = (
        Index("ix_job_run_repository_job_started", "repository", "job", "started_at"),
        Index("ix_job_run_started", "started_at"),
        {"comment": "one run of one job"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    job: Mapped[str] = mapped_column(String(40))
    repository: Mapped[str] = mapped_column(String(140), comment="slug; empty for a job over all repositories")
    started_at: Mapped[datetime]
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
    url: Mapped[str] = mapped_column(CleanText)
    etag: Mapped[str | None] = mapped_column(CleanText)
    last_modified: Mapped[str | None] = mapped_column(CleanText)
    link: Mapped[str | None] = mapped_column(CleanText)
    body: Mapped[bytes] = mapped_column(LargeBinary)
    fetched_at: Mapped[datetime]


class DeadLetterRow(Base):
    __tablename__ = "dead_letter"
    __table_args__ = (
        UniqueConstraint("repository_id", "stream", "key"),
        {"comment": "one thing upstream could not serve; shown, and tried again"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    stream: Mapped[str] = mapped_column(String(30))
    key: Mapped[str] = mapped_column(String(100), comment="a pull request's number or node id, a sha")
    reason: Mapped[str] = mapped_column(CleanText)
    attempts: Mapped[int]
    first_at: Mapped[datetime]
    last_at: Mapped[datetime]


class AuditRow(Base):
    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_repository_at", "repository_id", "at"),
        {"comment": "one comparison of the ledger's balance with a full scan of the tree at a commit"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    ruleset: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime]
    paths: Mapped[int] = mapped_column(comment="paths compared")
    sites: Mapped[int] = mapped_column(comment="sites found in the tree")
    differences: Mapped[int] = mapped_column(comment="paths whose balance differs")
    details: Mapped[str] = mapped_column(CleanText, comment="JSON list of the first 100 differences")


class AlertRow(Base):
    __tablename__ = "alert"
    __table_args__ = ({"comment": "the present state of one alert, per label set"},)

    fingerprint: Mapped[str] = mapped_column(String(64), primary_key=True, comment="digest of rule and labels")
    rule: Mapped[str] = mapped_column(String(80), index=True)
    severity: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(16), comment="inactive, pending or firing")
    labels: Mapped[str] = mapped_column(CleanText, comment="JSON object")
    annotations: Mapped[str] = mapped_column(CleanText, comment="JSON object: summary, runbook, evidence")
    value: Mapped[float | None] = mapped_column(comment="null: no data")
    active_at: Mapped[datetime | None] = mapped_column(comment="since when the condition holds")
    fired_at: Mapped[datetime | None]
    resolved_at: Mapped[datetime | None]
    evaluated_at: Mapped[datetime]


class AlertEventRow(Base):
    __tablename__ = "alert_event"
    __table_args__ = (
        Index("ix_alert_event_fingerprint_at", "fingerprint", "at"),
        {"comment": "a transition of an alert's state"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    at: Mapped[datetime]
    from_state: Mapped[str] = mapped_column(String(16))
    to_state: Mapped[str] = mapped_column(String(16))
    value: Mapped[float | None]
