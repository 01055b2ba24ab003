"""Keep how many lines of code stand in each place, and by how many each commit changes them.

What was judged before this revision has no lines: a null in `verdict.lines_changed` says so, until it is judged anew.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0015"
down_revision: str | None = "0014"

NOT_COUNTED = sa.text("lines_changed IS NULL")


def upgrade() -> None:
    op.create_table(
        "line_entry",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("territory", sa.String(length=24), nullable=False, comment="of the files' paths: docs/guide.md"),
        sa.Column("area", sa.String(length=24), nullable=False, comment="what the paths are for: docs/guide.md"),
        sa.Column("subsystem", sa.String(length=60), nullable=False, comment="finer than the area"),
        sa.Column("delta", sa.Integer(), nullable=False, comment="lines, signed; never zero"),
        sa.Column(
            "baseline",
            sa.Boolean(),
            nullable=False,
            comment="stood there already at the first commit that was read",
        ),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_line_entry_commit_id_commit")),
        sa.PrimaryKeyConstraint("commit_id", "territory", "area", "subsystem", name=op.f("pk_line_entry")),
        comment="+n or -n lines of files in languages that are scanned, in one place by one commit; append-only",
    )
    op.create_table(
        "weekly_lines",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("week", sa.Date(), nullable=False, comment="the Monday of the ISO week, UTC"),
        sa.Column("territory", sa.String(length=24), nullable=False, comment="of the files' paths: docs/guide.md"),
        sa.Column("area", sa.String(length=24), nullable=False, comment="what the paths are for: docs/guide.md"),
        sa.Column("subsystem", sa.String(length=60), nullable=False, comment="finer than the area"),
        sa.Column("found", sa.Integer(), nullable=False, comment="lines that stood there already when reading began"),
        sa.Column("added", sa.Integer(), nullable=False, comment="lines, by commits after which there are more"),
        sa.Column(
            "removed",
            sa.Integer(),
            nullable=False,
            comment="lines, by commits after which there are fewer; as a positive number",
        ),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_weekly_lines_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint(
            "repository_id", "week", "territory", "area", "subsystem", name=op.f("pk_weekly_lines")
        ),
        comment="lines of one ISO week (UTC) in one place; derived from line_entry, absent = zero",
    )
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "lines_changed",
                sa.Integer(),
                nullable=True,
                comment="lines that it adds to files in languages that are scanned, less those it takes away; null: "
                "judged before lines were counted",
            )
        )
    op.create_index(
        "ix_verdict_lines_not_counted",
        "verdict",
        ["commit_id"],
        sqlite_where=NOT_COUNTED,
        postgresql_where=NOT_COUNTED,
    )
    with op.batch_alter_table("audit", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "lines",
                sa.Integer(),
                nullable=True,
                comment="lines counted in the tree, of files in languages that are scanned; null: not compared then",
            )
        )
    _comment_differences("paths whose balance differs, and places whose lines do", "paths whose balance differs")


def downgrade() -> None:
    _comment_differences("paths whose balance differs", "paths whose balance differs, and places whose lines do")
    # Not in batches: SQLite would make tables anew that others refer to.
    op.drop_column("audit", "lines")
    op.drop_index("ix_verdict_lines_not_counted", table_name="verdict")
    op.drop_column("verdict", "lines_changed")
    op.drop_table("weekly_lines")
    op.drop_table("line_entry")


def _comment_differences(comment: str, existing: str) -> None:
    """SQLite keeps no comments, and would make the whole table anew for one."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column(
            "audit",
            "differences",
            existing_type=sa.Integer(),
            existing_nullable=False,
            comment=comment,
            existing_comment=existing,
        )
