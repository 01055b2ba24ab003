"""Who works where, as derived from evidence, and who asked to be forgotten."""

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base, CleanText, kind_column
from tracker.affiliation import AffiliationSource


class AffiliationRow(Base):
    __tablename__ = "affiliation"
    __table_args__ = (
        {"comment": "an employment of an account, of a mail address or of a whole domain (derived from evidence)"},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"), index=True)
    author_key: Mapped[str | None] = mapped_column(
        String(64), index=True, comment="keyed HMAC-SHA256 of a mail address of the operator's file"
    )
    domain: Mapped[str | None] = mapped_column(CleanText, comment="of the operator's file")
    organisation: Mapped[str | None] = mapped_column(
        String(60), comment="null: the operator says that none is known, and weaker sources are not asked"
    )
    begins_at: Mapped[datetime | None] = mapped_column(comment="null: as far back as anything reaches")
    ends_at: Mapped[datetime | None] = mapped_column(comment="it held before this time; null: it holds")
    source: Mapped[AffiliationSource] = mapped_column(kind_column(AffiliationSource), comment="what says so")


class ForgottenAuthorRow(Base):
    __tablename__ = "forgotten_author"
    __table_args__ = ({"comment": "a mail address whose digest is never to be stored again"},)

    digest: Mapped[str] = mapped_column(
        String(64), primary_key=True, comment="SHA-256 of the keyed digest that commits had of it"
    )
    forgotten_at: Mapped[datetime] = mapped_column(comment="by this machine's clock")
