"""Keep what says that a commit lands a pull request, and the commit by which GitHub says it was merged.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"


def upgrade() -> None:
    with op.batch_alter_table("landing", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "source",
                sa.String(length=20),
                server_default="message",
                nullable=False,
                comment="what says so: message, bot, differential or github",
            )
        )
    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "merge_commit",
                sa.String(length=40),
                nullable=True,
                comment="the commit by which GitHub says it was merged; null: not merged there, or not told",
            )
        )


def downgrade() -> None:
    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.drop_column("merge_commit")
    with op.batch_alter_table("landing", schema=None) as batch_op:
        batch_op.drop_column("source")
