"""Keep what a commit was judged to be before the rules changed, where it is judged differently now.

What was judged anew before this revision cannot be told any more: the table begins empty.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"


def upgrade() -> None:
    op.create_table(
        "verdict_before",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("ruleset", sa.String(length=64), nullable=False, comment="digest of the ruleset that judged so"),
        sa.Column("verdict", sa.String(length=24), nullable=False, comment="what was judged then"),
        sa.Column("mechanism", sa.String(length=24), nullable=True, comment="the dominant one"),
        sa.Column("removed", sa.Integer(), nullable=False, comment="neutral sites"),
        sa.Column("added", sa.Integer(), nullable=False, comment="neutral sites"),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_verdict_before_commit_id_commit")),
        sa.PrimaryKeyConstraint("commit_id", name=op.f("pk_verdict_before")),
        comment="what a commit was judged to be before other rules judged it differently; goes with its verdict",
    )


def downgrade() -> None:
    op.drop_table("verdict_before")
