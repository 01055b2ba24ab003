"""Keep leases, and with each run the lease of the process that runs it.

Compatibility: the previous version of the product may still run while this revision is applied: it writes runs without
a lease, which a scheduler of this version closes when it starts.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"


def upgrade() -> None:
    op.create_table(
        "lease",
        sa.Column(
            "name",
            sa.String(length=80),
            nullable=False,
            comment="schedule, or the word command and a name of its own",
        ),
        sa.Column(
            "fence",
            sa.BigInteger(),
            nullable=False,
            comment="rises with every taking; a transaction under an older one is refused",
        ),
        sa.Column("holder", sa.Text(), nullable=False, comment="folder, host and process; empty: given back"),
        sa.Column(
            "beat",
            sa.BigInteger(),
            nullable=False,
            comment="rises while the holder lives; who waits watches it",
        ),
        sa.Column(
            "taken_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="by the database's clock, for people",
        ),
        sa.Column(
            "beaten_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="by the database's clock, for people",
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
        comment="who may do what one process at a time may do; decided by counting, not by a clock",
    )
    op.add_column(
        "job_run",
        sa.Column(
            "lease",
            sa.String(length=80),
            nullable=True,
            comment="the lease of the process that runs it; null: a run of an earlier version",
        ),
    )
    op.add_column(
        "job_run",
        sa.Column(
            "fence",
            sa.BigInteger(),
            nullable=True,
            comment="the lease's fence; a running run of another is dead",
        ),
    )


def downgrade() -> None:
    with op.batch_alter_table("job_run") as batch_op:
        batch_op.drop_column("fence")
        batch_op.drop_column("lease")
    op.drop_table("lease")
