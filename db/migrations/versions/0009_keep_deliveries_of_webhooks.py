"""Keep deliveries of webhooks, and which pull requests they say have changed.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"


def upgrade() -> None:
    op.create_table(
        "webhook_delivery",
        sa.Column("id", sa.String(length=100), nullable=False, comment="X-GitHub-Delivery"),
        sa.Column("event", sa.String(length=60), nullable=False, comment="X-GitHub-Event"),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False, comment="by this machine's clock"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_delivery")),
        comment="a delivery that was taken, so that it counts once however often it comes",
    )
    op.create_table(
        "dirty_pull",
        sa.Column("id", sa.Integer(), nullable=False, comment="in the order of marking"),
        sa.Column("repository_id", sa.Integer(), nullable=False, comment="which repository"),
        sa.Column("number", sa.Integer(), nullable=False, comment="of the pull request"),
        sa.Column("marked_at", sa.DateTime(timezone=True), nullable=False, comment="by this machine's clock"),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_dirty_pull_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dirty_pull")),
        comment="a pull request to be read anew, by a webhook's word; gone once it was read",
    )
    with op.batch_alter_table("dirty_pull", schema=None) as batch_op:
        batch_op.create_index("ix_dirty_pull_repository_number", ["repository_id", "number"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("dirty_pull", schema=None) as batch_op:
        batch_op.drop_index("ix_dirty_pull_repository_number")

    op.drop_table("dirty_pull")
    op.drop_table("webhook_delivery")
