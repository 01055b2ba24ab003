"""Keep why each site was judged so.

Commits that were judged before stay without: their verdicts say so by a null.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"


def upgrade() -> None:
    op.create_table(
        "reason",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(length=160), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reason")),
        sa.UniqueConstraint("words", name=op.f("uq_reason_words")),
        comment="why sites are judged as they are: a few sentences, shared by all repositories",
    )
    op.create_table(
        "site_account",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="from 0 within the commit, in the order to show"),
        sa.Column("path_id", sa.Integer(), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column(
            "exclusivity",
            sa.String(length=30),
            nullable=True,
            comment="whose place admits others now, or no others any more; null: it is of the site itself",
        ),
        sa.Column(
            "gone",
            sa.Boolean(),
            nullable=False,
            comment="whether the site stood in the parent's file, and not in the commit's",
        ),
        sa.Column("mechanism", sa.String(length=24), nullable=False),
        sa.Column("reason_id", sa.Integer(), nullable=False),
        sa.Column("about", sa.Text(), nullable=True, comment="the definition that the reason speaks of"),
        sa.Column("replaced_by", sa.Text(), nullable=True, comment="what visibly took its place, if anything did"),
        sa.Column(
            "line",
            sa.Integer(),
            nullable=False,
            comment="from 1: in the parent's file where it is gone, else in the commit's",
        ),
        sa.Column("text", sa.Text(), nullable=False, comment="of that line, at most 240 signs; empty: it was not read"),
        sa.Column(
            "span", sa.Integer(), nullable=True, comment="where in the text the site stands: 1000 * begin + end, from 0"
        ),
        sa.Column(
            "cut",
            sa.Integer(),
            nullable=False,
            comment="1: the line begins before the text, 2: it goes on behind it, 3: both",
        ),
        sa.Column("opposite_path", sa.Text(), nullable=True, comment="null: the same path"),
        sa.Column(
            "opposite_line", sa.Integer(), nullable=True, comment="on the other side of the change; null: none is known"
        ),
        sa.Column("opposite_text", sa.Text(), nullable=True),
        sa.Column("opposite_span", sa.Integer(), nullable=True, comment="where what took the place stands"),
        sa.Column("opposite_cut", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name=op.f("fk_site_account_commit_id_commit")),
        sa.ForeignKeyConstraint(["path_id"], ["path.id"], name=op.f("fk_site_account_path_id_path")),
        sa.ForeignKeyConstraint(["reason_id"], ["reason.id"], name=op.f("fk_site_account_reason_id_reason")),
        sa.ForeignKeyConstraint(["site_id"], ["site.id"], name=op.f("fk_site_account_site_id_site")),
        sa.PrimaryKeyConstraint("commit_id", "number", name=op.f("pk_site_account")),
        comment="why one neutral site was judged as it was, or one place's exclusivity; with its lines",
    )
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "accounts_left_out",
                sa.Integer(),
                nullable=True,
                comment="accounts beyond the most that are kept of one commit; null: judged before any were",
            )
        )


def downgrade() -> None:
    with op.batch_alter_table("verdict", schema=None) as batch_op:
        batch_op.drop_column("accounts_left_out")

    op.drop_table("site_account")
    op.drop_table("reason")
