"""What the product found: sites, the ledger of what each commit did to them, verdicts, and weekly sums."""

from datetime import date

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict
from tracker.upstream import SkipReason


class SiteRow(Base):
    __tablename__ = "site"
    __table_args__ = (
        Index("ix_site_vendor_construct", "vendor", "construct"),
        {"comment": "a site's identity, shared by all repositories"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    construct: Mapped[Construct] = mapped_column(kind_column(Construct))
    vendor: Mapped[str] = mapped_column(String(30), comment="whose word it is; empty for a neutral construct")
    symbol: Mapped[str] = mapped_column(CleanText)
    rule: Mapped[str] = mapped_column(String(80))
    digest: Mapped[str] = mapped_column(
        String(32), unique=True, comment="of the four above: an index cannot hold a symbol of any length"
    )


class PathRow(Base):
    __tablename__ = "path"
    __table_args__ = (
        UniqueConstraint("repository_id", "digest"),
        {"comment": "a path that has held sites, and where it stands by the ruleset named"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    path: Mapped[str] = mapped_column(CleanText)
    digest: Mapped[str] = mapped_column(String(32), comment="of the path: an index cannot hold a path of any length")
    territory: Mapped[Territory] = mapped_column(kind_column(Territory))
    area: Mapped[Area] = mapped_column(kind_column(Area))
    subsystem: Mapped[str] = mapped_column(String(60))
    ruleset: Mapped[str] = mapped_column(String(64))


class LedgerEntryRow(Base):
    __tablename__ = "ledger_entry"
    __table_args__ = (
        Index("ix_ledger_entry_commit", "commit_id"),
        Index("ix_ledger_entry_path", "path_id"),
        {"comment": "+n or -n sites of one identity in one path by one commit; append-only"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    path_id: Mapped[int] = mapped_column(ForeignKey("path.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("site.id"))
    territory: Mapped[Territory] = mapped_column(kind_column(Territory))
    delta: Mapped[int]
    mechanism: Mapped[Mechanism] = mapped_column(kind_column(Mechanism))
    lines: Mapped[str] = mapped_column(
        CleanText, comment="comma-separated line numbers: in the parent's file for a negative delta, else the commit's"
    )
    replaced_by: Mapped[str | None] = mapped_column(CleanText, comment="what visibly took its place, if anything did")


class VerdictRow(Base):
    __tablename__ = "verdict"
    __table_args__ = (
        Index("ix_verdict_verdict", "verdict"),
        {"comment": "what a commit does to neutral code, by the ruleset named"},
    )

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    ruleset: Mapped[str] = mapped_column(String(64), comment="digest of the ruleset that judged")
    verdict: Mapped[Verdict] = mapped_column(kind_column(Verdict))
    mechanism: Mapped[Mechanism | None] = mapped_column(kind_column(Mechanism), comment="the dominant one")
    area: Mapped[Area | None] = mapped_column(kind_column(Area), comment="where most of its neutral sites stand")
    vendors: Mapped[str] = mapped_column(CleanText, comment="comma-separated, dominant first")
    removed: Mapped[int] = mapped_column(comment="neutral sites removed, moved and edited ones excluded")
    added: Mapped[int] = mapped_column(comment="neutral sites added, moved and edited ones excluded")
    generalised: Mapped[int] = mapped_column(default=0)
    broadened: Mapped[int] = mapped_column(default=0, comment="includes exclusivities lost whose site stays")
    relocated: Mapped[int] = mapped_column(default=0)
    dropped: Mapped[int] = mapped_column(default=0)
    retired: Mapped[int] = mapped_column(default=0)
    introduced: Mapped[int] = mapped_column(default=0, comment="includes exclusivities gained whose site stays")
    moved: Mapped[int] = mapped_column(default=0)
    edited: Mapped[int] = mapped_column(default=0)


class SkippedFileRow(Base):
    __tablename__ = "skipped_file"
    __table_args__ = (
        Index("ix_skipped_file_commit", "commit_id"),
        {"comment": "one side of a file change that was not read, and why; nothing is skipped silently"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    path: Mapped[str] = mapped_column(CleanText)
    blob: Mapped[str] = mapped_column(String(40), comment="the object not read")
    reason: Mapped[SkipReason] = mapped_column(kind_column(SkipReason))


class WeeklyCellRow(Base):
    __tablename__ = "weekly_cell"
    __table_args__ = ({"comment": "flows of one ISO week (UTC) in one cell; derived from the ledger, absent = zero"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    week: Mapped[date] = mapped_column(primary_key=True, comment="the Monday of the ISO week, UTC")
    territory: Mapped[Territory] = mapped_column(kind_column(Territory), primary_key=True)
    area: Mapped[Area] = mapped_column(kind_column(Area), primary_key=True)
    subsystem: Mapped[str] = mapped_column(String(60), primary_key=True)
    vendor: Mapped[str] = mapped_column(String(30), primary_key=True, comment="empty for neutral constructs")
    construct: Mapped[Construct] = mapped_column(kind_column(Construct), primary_key=True)
    mechanism: Mapped[Mechanism] = mapped_column(kind_column(Mechanism), primary_key=True)
    added: Mapped[int] = mapped_column(comment="sites")
    removed: Mapped[int] = mapped_column(comment="sites, as a positive number")
