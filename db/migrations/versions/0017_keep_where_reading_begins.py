"""Keep with a repository where reading begins, and for how long its upstream may be quiet.

Compatibility: the previous version of the product may still run while this revision is applied; it leaves both columns
empty, which means what it does.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | None = "0016"


def upgrade() -> None:
    op.add_column(
        "repository",
        sa.Column(
            "since",
            sa.Date(),
            nullable=True,
            comment="reading begins with the first commit of this day (UTC) or later; null: with the first of all",
        ),
    )
    op.add_column(
        "repository",
        sa.Column(
            "quiet_days",
            sa.Double(),
            nullable=True,
            comment="how old the newest commit may be before it counts as unmoved; null: as the settings say",
        ),
    )


def downgrade() -> None:
    op.drop_column("repository", "quiet_days")
    op.drop_column("repository", "since")
