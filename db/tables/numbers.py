"""What the numbers of a repository stand for, and how complete the stored pull requests are by them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.numbers import NumberKind


class NumberRow(Base):
    __tablename__ = "number"
    __table_args__ = ({"comment": "a number that is no stored pull request, and what GitHub shows under it"},)

    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, comment="as in the address of an issue or a pull request")
    kind: Mapped[NumberKind] = mapped_column(kind_column(NumberKind), comment="what GitHub shows under it")
    checked_at: Mapped[datetime] = mapped_column(comment="when GitHub was asked")


class PullCoverageRow(Base):
    __tablename__ = "pull_coverage"
    __table_args__ = (
        Index("ix_pull_coverage_repository_at", "repository_id", "at"),
        {"comment": "one comparison of the stored pull requests with the numbers that GitHub gave out"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"))
    at: Mapped[datetime] = mapped_column(comment="when they were compared")
    highest: Mapped[int] = mapped_column(comment="the highest number given out")
    pulls_on_github: Mapped[int] = mapped_column(comment="as GitHub counts")
    pulls: Mapped[int] = mapped_column(comment="stored")
    unserved: Mapped[int] = mapped_column(comment="dead letters of pull requests that are not stored")
    issues: Mapped[int] = mapped_column(comment="numbers that stand for issues")
    discussions: Mapped[int] = mapped_column(comment="numbers that stand for discussions")
    deleted: Mapped[int] = mapped_column(comment="410 or 404")
    transferred: Mapped[int] = mapped_column(comment="numbers that stand in another repository now")
    unchecked: Mapped[int] = mapped_column(comment="numbers not asked about yet")
    missing: Mapped[int] = mapped_column(comment="counted by GitHub, neither stored nor unserved")
    unread_lists: Mapped[int] = mapped_column(comment="of stored pull requests, not read to their end")
    gaps: Mapped[str] = mapped_column(CleanText, comment="JSON list of the first 100 numbers missing or unchecked")
