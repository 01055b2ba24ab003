"""What the product found: sites, the ledger of what each commit did to them and to lines of code, verdicts, sums."""

from datetime import date

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict
from tracker.upstream import SkipReason


class SiteRow(Base):
    __tablename__ = "site"
    __table_args__ = ({"comment": "a site's identity, shared by all repositories"},)

    id: Mapped[int] = mapped_column(primary_key=True)
    construct: Mapped[Construct] = mapped_column(kind_column(Construct), comment="the kind of the site: docs/guide.md")
    vendor: Mapped[str] = mapped_column(String(30), comment="whose word it is; empty for a neutral construct")
    symbol: Mapped[str] = mapped_column(CleanText, comment="the token run itself")
    rule: Mapped[str] = mapped_column(String(80), comment="id of the rule that matched: `tracker rules show`")
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
    path: Mapped[str] = mapped_column(CleanText, comment="of the file, in the tree")
    digest: Mapped[str] = mapped_column(String(32), comment="of the path: an index cannot hold a path of any length")
    territory: Mapped[Territory] = mapped_column(kind_column(Territory), comment="by the ruleset named: docs/guide.md")
    area: Mapped[Area] = mapped_column(kind_column(Area), comment="what the path is for: docs/guide.md")
    subsystem: Mapped[str] = mapped_column(String(60), comment="finer than the area")
    ruleset: Mapped[str] = mapped_column(String(64), comment="digest of the ruleset that placed it")


class LedgerEntryRow(Base):
    __tablename__ = "ledger_entry"
    __table_args__ = (
        Index("ix_ledger_entry_commit", "commit_id"),
        # Holds all of what a balance adds up: the sites that stand under some paths are read from it alone.
        Index("ix_ledger_entry_path", "path_id", "territory", "site_id", "delta", "commit_id"),
        {"comment": "+n or -n sites of one identity in one path by one commit; append-only"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    path_id: Mapped[int] = mapped_column(ForeignKey("path.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("site.id"))
    territory: Mapped[Territory] = mapped_column(
        kind_column(Territory), comment="where the site stood when it was judged: docs/guide.md"
    )
    delta: Mapped[int] = mapped_column(comment="sites, signed; never zero")
    mechanism: Mapped[Mechanism] = mapped_column(
        kind_column(Mechanism), comment="what became of the sites: docs/guide.md"
    )
    lines: Mapped[str] = mapped_column(
        CleanText, comment="comma-separated line numbers: in the parent's file for a negative delta, else the commit's"
    )
    replaced_by: Mapped[str | None] = mapped_column(CleanText, comment="what visibly took its place, if anything did")


class LineEntryRow(Base):
    __tablename__ = "line_entry"
    __table_args__ = (
        {"comment": "+n or -n lines of files in languages that are scanned, in one place by one commit; append-only"},
    )

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    territory: Mapped[Territory] = mapped_column(
        kind_column(Territory), primary_key=True, comment="of the files' paths: docs/guide.md"
    )
    area: Mapped[Area] = mapped_column(
        kind_column(Area), primary_key=True, comment="what the paths are for: docs/guide.md"
    )
    subsystem: Mapped[str] = mapped_column(String(60), primary_key=True, comment="finer than the area")
    delta: Mapped[int] = mapped_column(comment="lines, signed; never zero")
    baseline: Mapped[bool] = mapped_column(comment="stood there already at the first commit that was read")


class VerdictRow(Base):
    __tablename__ = "verdict"
    __table_args__ = (
        Index("ix_verdict_verdict", "verdict"),
        Index("ix_verdict_ruleset", "ruleset"),
        # Empty as a rule: whether there is such a commit is asked each time lines are shown.
        Index(
            "ix_verdict_lines_not_counted",
            "commit_id",
            sqlite_where=text("lines_changed IS NULL"),
            postgresql_where=text("lines_changed IS NULL"),
        ),
        {"comment": "what a commit does to neutral code, by the ruleset named"},
    )

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    ruleset: Mapped[str] = mapped_column(String(64), comment="digest of the ruleset that judged")
    verdict: Mapped[Verdict] = mapped_column(
        kind_column(Verdict), comment="decoupling, removal, coupling, churn, vendor-internal, infrastructure or none"
    )
    mechanism: Mapped[Mechanism | None] = mapped_column(kind_column(Mechanism), comment="the dominant one")
    area: Mapped[Area | None] = mapped_column(kind_column(Area), comment="where most of its neutral sites stand")
    vendors: Mapped[str] = mapped_column(CleanText, comment="comma-separated, dominant first")
    removed: Mapped[int] = mapped_column(comment="neutral sites removed, moved and edited ones excluded")
    added: Mapped[int] = mapped_column(comment="neutral sites added, moved and edited ones excluded")
    generalised: Mapped[int] = mapped_column(default=0, comment="neutral sites by this mechanism")
    broadened: Mapped[int] = mapped_column(default=0, comment="includes exclusivities lost whose site stays")
    relocated: Mapped[int] = mapped_column(default=0, comment="neutral sites by this mechanism")
    dropped: Mapped[int] = mapped_column(default=0, comment="neutral sites by this mechanism")
    retired: Mapped[int] = mapped_column(default=0, comment="neutral sites by this mechanism")
    introduced: Mapped[int] = mapped_column(default=0, comment="includes exclusivities gained whose site stays")
    moved: Mapped[int] = mapped_column(default=0, comment="neutral sites by this mechanism")
    edited: Mapped[int] = mapped_column(default=0, comment="neutral sites by this mechanism")
    let_in: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="neutral sites that came because a place was broadened; in no tally"
    )
    staying: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="neutral sites moved or edited: those that came less those that went"
    )
    names_removed: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="of removed, identifiers that merely contain a vendor's word"
    )
    names_added: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="of added, identifiers that merely contain a vendor's word"
    )
    names_net: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="how many more such identifiers stand in neutral code after the commit"
    )
    accounts_left_out: Mapped[int | None] = mapped_column(
        comment="accounts beyond the most that are kept of one commit; null: judged before any were"
    )
    lines_changed: Mapped[int | None] = mapped_column(
        comment="lines that it adds to files in languages that are scanned, less those it takes away; null: judged "
        "before lines were counted"
    )


class VerdictBeforeRow(Base):
    __tablename__ = "verdict_before"
    __table_args__ = (
        {"comment": "what a commit was judged to be before other rules judged it differently; goes with its verdict"},
    )

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    ruleset: Mapped[str] = mapped_column(String(64), comment="digest of the ruleset that judged so")
    verdict: Mapped[Verdict] = mapped_column(kind_column(Verdict), comment="what was judged then")
    mechanism: Mapped[Mechanism | None] = mapped_column(kind_column(Mechanism), comment="the dominant one")
    removed: Mapped[int] = mapped_column(comment="neutral sites")
    added: Mapped[int] = mapped_column(comment="neutral sites")


class ReasonRow(Base):
    __tablename__ = "reason"
    __table_args__ = ({"comment": "why sites are judged as they are: a few sentences, shared by all repositories"},)

    id: Mapped[int] = mapped_column(primary_key=True)
    words: Mapped[str] = mapped_column(String(160), unique=True, comment="the sentence that many sites share")


class SiteAccountRow(Base):
    __tablename__ = "site_account"
    __table_args__ = (
        {"comment": "why one neutral site was judged as it was, or one place's exclusivity; with its lines"},
    )

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, comment="from 0 within the commit, in the order to show")
    path_id: Mapped[int] = mapped_column(ForeignKey("path.id"))
    site_id: Mapped[int] = mapped_column(ForeignKey("site.id"))
    exclusivity: Mapped[str | None] = mapped_column(
        String(30),
        comment="whose place admits others now, or no others any more; null: it is of the site itself",
    )
    gone: Mapped[bool] = mapped_column(comment="whether the site stood in the parent's file, and not in the commit's")
    mechanism: Mapped[Mechanism] = mapped_column(
        kind_column(Mechanism), comment="what became of the sites: docs/guide.md"
    )
    reason_id: Mapped[int] = mapped_column(ForeignKey("reason.id"))
    about: Mapped[str | None] = mapped_column(CleanText, comment="the definition that the reason speaks of")
    replaced_by: Mapped[str | None] = mapped_column(CleanText, comment="what visibly took its place, if anything did")
    line: Mapped[int] = mapped_column(comment="from 1: in the parent's file where it is gone, else in the commit's")
    text: Mapped[str] = mapped_column(CleanText, comment="of that line, at most 240 signs; empty: it was not read")
    span: Mapped[int | None] = mapped_column(comment="where in the text the site stands: 1000 * begin + end, from 0")
    cut: Mapped[int] = mapped_column(comment="1: the line begins before the text, 2: it goes on behind it, 3: both")
    opposite_path: Mapped[str | None] = mapped_column(CleanText, comment="null: the same path")
    opposite_line: Mapped[int | None] = mapped_column(comment="on the other side of the change; null: none is known")
    opposite_text: Mapped[str | None] = mapped_column(
        CleanText, comment="of the line on the other side; null: none is known"
    )
    opposite_span: Mapped[int | None] = mapped_column(comment="where what took the place stands")
    opposite_cut: Mapped[int | None] = mapped_column(comment="as cut, of that line; null: none is known")


class SkippedFileRow(Base):
    __tablename__ = "skipped_file"
    __table_args__ = (
        Index("ix_skipped_file_commit", "commit_id"),
        {"comment": "one side of a file change that was not read, and why; nothing is skipped silently"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    path: Mapped[str] = mapped_column(CleanText, comment="of the file, in the tree")
    blob: Mapped[str] = mapped_column(String(40), comment="the object not read")
    reason: Mapped[SkipReason] = mapped_column(
        kind_column(SkipReason), comment="binary, too large, missing, ...: why it was not read"
    )


class WeeklyCellRow(Base):
    __tablename__ = "weekly_cell"
    __table_args__ = ({"comment": "flows of one ISO week (UTC) in one cell; derived from the ledger, absent = zero"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    week: Mapped[date] = mapped_column(primary_key=True, comment="the Monday of the ISO week, UTC")
    territory: Mapped[Territory] = mapped_column(
        kind_column(Territory), primary_key=True, comment="where the sites stood: docs/guide.md"
    )
    area: Mapped[Area] = mapped_column(
        kind_column(Area), primary_key=True, comment="what the path is for: docs/guide.md"
    )
    subsystem: Mapped[str] = mapped_column(String(60), primary_key=True, comment="finer than the area")
    vendor: Mapped[str] = mapped_column(String(30), primary_key=True, comment="empty for neutral constructs")
    construct: Mapped[Construct] = mapped_column(
        kind_column(Construct), primary_key=True, comment="the kind of the site: docs/guide.md"
    )
    mechanism: Mapped[Mechanism] = mapped_column(
        kind_column(Mechanism), primary_key=True, comment="what became of the sites: docs/guide.md"
    )
    added: Mapped[int] = mapped_column(comment="sites")
    removed: Mapped[int] = mapped_column(comment="sites, as a positive number")


class WeeklyLinesRow(Base):
    __tablename__ = "weekly_lines"
    __table_args__ = ({"comment": "lines of one ISO week (UTC) in one place; derived from line_entry, absent = zero"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    week: Mapped[date] = mapped_column(primary_key=True, comment="the Monday of the ISO week, UTC")
    territory: Mapped[Territory] = mapped_column(
        kind_column(Territory), primary_key=True, comment="of the files' paths: docs/guide.md"
    )
    area: Mapped[Area] = mapped_column(
        kind_column(Area), primary_key=True, comment="what the paths are for: docs/guide.md"
    )
    subsystem: Mapped[str] = mapped_column(String(60), primary_key=True, comment="finer than the area")
    found: Mapped[int] = mapped_column(comment="lines that stood there already when reading began")
    added: Mapped[int] = mapped_column(comment="lines, by commits after which there are more")
    removed: Mapped[int] = mapped_column(comment="lines, by commits after which there are fewer; as a positive number")


class WeeklyFlowRow(Base):
    __tablename__ = "weekly_flow"
    __table_args__ = (
        {
            "comment": "flows of one ISO week (UTC) in one cell by one organisation, gross and net of reverts; "
            "derived, absent = zero"
        },
    )

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    week: Mapped[date] = mapped_column(primary_key=True, comment="the Monday of the ISO week, UTC")
    territory: Mapped[Territory] = mapped_column(
        kind_column(Territory), primary_key=True, comment="where the sites stood: docs/guide.md"
    )
    area: Mapped[Area] = mapped_column(
        kind_column(Area), primary_key=True, comment="what the path is for: docs/guide.md"
    )
    subsystem: Mapped[str] = mapped_column(String(60), primary_key=True, comment="finer than the area")
    vendor: Mapped[str] = mapped_column(String(30), primary_key=True, comment="empty for neutral constructs")
    construct: Mapped[Construct] = mapped_column(
        kind_column(Construct), primary_key=True, comment="the kind of the site: docs/guide.md"
    )
    mechanism: Mapped[Mechanism] = mapped_column(
        kind_column(Mechanism), primary_key=True, comment="what became of the sites: docs/guide.md"
    )
    organisation: Mapped[str] = mapped_column(
        String(60), primary_key=True, comment="of the commits' authors; empty: unknown"
    )
    added: Mapped[int] = mapped_column(comment="sites")
    removed: Mapped[int] = mapped_column(comment="sites, as a positive number")
    net_added: Mapped[int] = mapped_column(comment="sites, of changes that stand, each counted once")
    net_removed: Mapped[int] = mapped_column(comment="as net_added, of sites removed; as a positive number")
