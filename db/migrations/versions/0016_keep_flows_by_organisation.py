"""Keep weekly flows by organisation, gross and net of reverts.

The table begins empty and is derived by the next roll-up, as every week in it is found to be stale.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"

KEY = (
    "repository_id",
    "week",
    "territory",
    "area",
    "subsystem",
    "vendor",
    "construct",
    "mechanism",
    "organisation",
)


def upgrade() -> None:
    op.create_table(
        "weekly_flow",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False, comment="the Monday of the ISO week, UTC"),
        _word("territory", 24, "where the sites stood: docs/guide.md"),
        _word("area", 24, "what the path is for: docs/guide.md"),
        _word("subsystem", 60, "finer than the area"),
        _word("vendor", 30, "empty for neutral constructs"),
        _word("construct", 24, "the kind of the site: docs/guide.md"),
        _word("mechanism", 24, "what became of the sites: docs/guide.md"),
        _word("organisation", 60, "of the commits' authors; empty: unknown"),
        sa.Column("added", sa.Integer(), nullable=False, comment="sites"),
        sa.Column("removed", sa.Integer(), nullable=False, comment="sites, as a positive number"),
        sa.Column("net_added", sa.Integer(), nullable=False, comment="sites, of changes that stand, each counted once"),
        sa.Column(
            "net_removed",
            sa.Integer(),
            nullable=False,
            comment="as net_added, of sites removed; as a positive number",
        ),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_weekly_flow_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint(*KEY, name=op.f("pk_weekly_flow")),
        comment="flows of one ISO week (UTC) in one cell by one organisation, gross and net of reverts; "
        "derived, absent = zero",
    )


def downgrade() -> None:
    op.drop_table("weekly_flow")


def _word(name: str, length: int, comment: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=length), nullable=False, comment=comment)
