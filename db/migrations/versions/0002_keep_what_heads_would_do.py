"""Keep what the heads of open pull requests would do.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"


def upgrade() -> None:
    op.create_table(
        "pull_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pull_request_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("territory", sa.String(length=24), nullable=False),
        sa.Column("area", sa.String(length=24), nullable=False),
        sa.Column("subsystem", sa.String(length=60), nullable=False),
        sa.Column("construct", sa.String(length=24), nullable=False),
        sa.Column(
            "vendor", sa.String(length=30), nullable=False, comment="whose word it is; empty for a neutral construct"
        ),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("rule", sa.String(length=80), nullable=False),
        sa.Column("delta", sa.Integer(), nullable=False),
        sa.Column("mechanism", sa.String(length=24), nullable=False),
        sa.Column(
            "lines",
            sa.Text(),
            nullable=False,
            comment="comma-separated line numbers: in the merge base's file if delta < 0, else in the head's",
        ),
        sa.Column("replaced_by", sa.Text(), nullable=True, comment="what visibly took its place, if anything did"),
        sa.ForeignKeyConstraint(
            ["pull_request_id"], ["pull_request.id"], name=op.f("fk_pull_entry_pull_request_id_pull_request")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_entry")),
        comment="+n or -n sites of one identity in one path by the head of a pull request; replaced with it",
    )
    with op.batch_alter_table("pull_entry", schema=None) as batch_op:
        batch_op.create_index("ix_pull_entry_pull_request", ["pull_request_id"], unique=False)

    op.create_table(
        "pull_verdict",
        sa.Column("pull_request_id", sa.Integer(), nullable=False),
        sa.Column(
            "asked_sha", sa.String(length=40), nullable=False, comment="the head that GitHub's description named then"
        ),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False, comment="updated_at of that description"),
        sa.Column(
            "head_sha", sa.String(length=40), nullable=True, comment="the head that was judged; null: none was there"
        ),
        sa.Column("base_sha", sa.String(length=40), nullable=True, comment="the merge base it was compared with"),
        sa.Column("base_ref", sa.Text(), nullable=False, comment="the branch whose merge base that is"),
        sa.Column("ruleset", sa.String(length=64), nullable=False, comment="digest of the ruleset that judged"),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("problem", sa.String(length=24), nullable=True, comment="why it was not judged"),
        sa.Column("detail", sa.Text(), nullable=False, comment="of the problem, in words"),
        sa.Column("files", sa.Integer(), nullable=False, comment="changed against the merge base"),
        sa.Column("skipped", sa.Text(), nullable=False, comment="JSON object: files that were not read, by reason"),
        sa.Column(
            "entries",
            sa.Integer(),
            nullable=False,
            comment="how many entries there are; fewer are stored of a huge one",
        ),
        sa.Column("verdict", sa.String(length=24), nullable=True, comment="null: it was not judged"),
        sa.Column("mechanism", sa.String(length=24), nullable=True, comment="the dominant one"),
        sa.Column("area", sa.String(length=24), nullable=True, comment="where most of its neutral sites stand"),
        sa.Column("vendors", sa.Text(), nullable=False, comment="comma-separated, dominant first"),
        sa.Column(
            "removed", sa.Integer(), nullable=False, comment="neutral sites removed, moved and edited ones excluded"
        ),
        sa.Column("added", sa.Integer(), nullable=False, comment="neutral sites added, moved and edited ones excluded"),
        sa.Column("generalised", sa.Integer(), nullable=False),
        sa.Column("broadened", sa.Integer(), nullable=False, comment="includes exclusivities lost whose site stays"),
        sa.Column("relocated", sa.Integer(), nullable=False),
        sa.Column("dropped", sa.Integer(), nullable=False),
        sa.Column("retired", sa.Integer(), nullable=False),
        sa.Column("introduced", sa.Integer(), nullable=False, comment="includes exclusivities gained whose site stays"),
        sa.Column("moved", sa.Integer(), nullable=False),
        sa.Column("edited", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pull_request_id"], ["pull_request.id"], name=op.f("fk_pull_verdict_pull_request_id_pull_request")
        ),
        sa.PrimaryKeyConstraint("pull_request_id", name=op.f("pk_pull_verdict")),
        comment="what the head of a pull request would do to neutral code, by the ruleset named",
    )
    with op.batch_alter_table("pull_verdict", schema=None) as batch_op:
        batch_op.create_index("ix_pull_verdict_verdict", ["verdict"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("pull_verdict", schema=None) as batch_op:
        batch_op.drop_index("ix_pull_verdict_verdict")

    op.drop_table("pull_verdict")
    with op.batch_alter_table("pull_entry", schema=None) as batch_op:
        batch_op.drop_index("ix_pull_entry_pull_request")

    op.drop_table("pull_entry")
