"""What open pull requests would do if they landed: verdicts and entries of heads, apart from the ledger.

No sum of sites reads these tables: what they hold stands in no tree of the default branch.
"""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.classify import HeadProblem
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict


class PullVerdictRow(Base):
    __tablename__ = "pull_verdict"
    __table_args__ = (
        Index("ix_pull_verdict_verdict", "verdict"),
        Index("ix_pull_verdict_judged", "judged_at"),
        {"comment": "what the head of a pull request would do to neutral code, by the ruleset named"},
    )

    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"), primary_key=True)
    asked_sha: Mapped[str] = mapped_column(String(40), comment="the head that GitHub's description named then")
    asked_at: Mapped[datetime] = mapped_column(comment="updated_at of that description")
    head_sha: Mapped[str | None] = mapped_column(String(40), comment="the head that was judged; null: none was there")
    base_sha: Mapped[str | None] = mapped_column(String(40), comment="the merge base it was compared with")
    base_ref: Mapped[str] = mapped_column(CleanText, comment="the branch whose merge base that is")
    ruleset: Mapped[str] = mapped_column(String(64), comment="digest of the ruleset that judged")
    judged_at: Mapped[datetime] = mapped_column(comment="when the head was judged")
    problem: Mapped[HeadProblem | None] = mapped_column(kind_column(HeadProblem), comment="why it was not judged")
    detail: Mapped[str] = mapped_column(CleanText, comment="of the problem, in words")
    files: Mapped[int] = mapped_column(comment="changed against the merge base")
    skipped: Mapped[str] = mapped_column(CleanText, comment="JSON object: files that were not read, by reason")
    entries: Mapped[int] = mapped_column(comment="how many entries there are; fewer are stored of a huge one")
    verdict: Mapped[Verdict | None] = mapped_column(kind_column(Verdict), comment="null: it was not judged")
    mechanism: Mapped[Mechanism | None] = mapped_column(kind_column(Mechanism), comment="the dominant one")
    area: Mapped[Area | None] = mapped_column(kind_column(Area), comment="where most of its neutral sites stand")
    vendors: Mapped[str] = mapped_column(CleanText, comment="comma-separated, dominant first")
    removed: Mapped[int] = mapped_column(comment="neutral sites removed, moved and edited ones excluded")
    added: Mapped[int] = mapped_column(comment="neutral sites added, moved and edited ones excluded")
    generalised: Mapped[int] = mapped_column(comment="neutral sites by this mechanism")
    broadened: Mapped[int] = mapped_column(comment="includes exclusivities lost whose site stays")
    relocated: Mapped[int] = mapped_column(comment="neutral sites by this mechanism")
    dropped: Mapped[int] = mapped_column(comment="neutral sites by this mechanism")
    retired: Mapped[int] = mapped_column(comment="neutral sites by this mechanism")
    introduced: Mapped[int] = mapped_column(comment="includes exclusivities gained whose site stays")
    moved: Mapped[int] = mapped_column(comment="neutral sites by this mechanism")
    edited: Mapped[int] = mapped_column(comment="neutral sites by this mechanism")
    let_in: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="neutral sites that came because a place was broadened; in no tally"
    )
    staying: Mapped[int] = mapped_column(
        default=0, server_default="0", comment="neutral sites moved or edited: those that came less those that went"
    )


class PullEntryRow(Base):
    __tablename__ = "pull_entry"
    __table_args__ = (
        Index("ix_pull_entry_pull_request", "pull_request_id"),
        {"comment": "+n or -n sites of one identity in one path by the head of a pull request; replaced with it"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    pull_request_id: Mapped[int] = mapped_column(ForeignKey("pull_request.id"))
    path: Mapped[str] = mapped_column(CleanText, comment="of the file, in the tree")
    territory: Mapped[Territory] = mapped_column(
        kind_column(Territory), comment="where the site stood when it was judged: docs/guide.md"
    )
    area: Mapped[Area] = mapped_column(kind_column(Area), comment="what the path is for: docs/guide.md")
    subsystem: Mapped[str] = mapped_column(String(60), comment="finer than the area")
    construct: Mapped[Construct] = mapped_column(kind_column(Construct), comment="the kind of the site: docs/guide.md")
    vendor: Mapped[str] = mapped_column(String(30), comment="whose word it is; empty for a neutral construct")
    symbol: Mapped[str] = mapped_column(CleanText, comment="the token run itself")
    rule: Mapped[str] = mapped_column(String(80), comment="id of the rule that matched: `tracker rules show`")
    delta: Mapped[int] = mapped_column(comment="sites, signed; never zero")
    mechanism: Mapped[Mechanism] = mapped_column(
        kind_column(Mechanism), comment="what became of the sites: docs/guide.md"
    )
    lines: Mapped[str] = mapped_column(
        CleanText,
        comment="comma-separated line numbers: in the merge base's file if delta < 0, else in the head's",
    )
    replaced_by: Mapped[str | None] = mapped_column(CleanText, comment="what visibly took its place, if anything did")
