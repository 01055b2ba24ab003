"""What webhooks told: the deliveries that were taken, and the pull requests of which something changed."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from db.base import Base


class WebhookDeliveryRow(Base):
    __tablename__ = "webhook_delivery"
    __table_args__ = ({"comment": "a delivery that was taken, so that it counts once however often it comes"},)

    id: Mapped[str] = mapped_column(String(100), primary_key=True, comment="X-GitHub-Delivery")
    event: Mapped[str] = mapped_column(String(60), comment="X-GitHub-Event")
    received_at: Mapped[datetime] = mapped_column(comment="by this machine's clock")


class DirtyPullRow(Base):
    __tablename__ = "dirty_pull"
    __table_args__ = (
        Index("ix_dirty_pull_repository_number", "repository_id", "number"),
        {"comment": "a pull request to be read anew, by a webhook's word; gone once it was read"},
    )

    id: Mapped[int] = mapped_column(primary_key=True, comment="in the order of marking")
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.id"), comment="which repository")
    number: Mapped[int] = mapped_column(comment="of the pull request")
    marked_at: Mapped[datetime] = mapped_column(comment="by this machine's clock")
