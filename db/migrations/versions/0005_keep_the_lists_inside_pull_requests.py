"""Keep the files, merge notices, stacks and unread lists of pull requests, and what people wrote as their company.

What is stored lacks all of this: pull requests are read from the first again, and those that are there stay meanwhile.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"


def upgrade() -> None:
    cursor = sa.table("cursor", sa.column("stream", sa.String))
    op.execute(cursor.delete().where(cursor.c.stream == "pulls-backfill"))
    op.create_table(
        "company_statement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("company", sa.Text(), nullable=True, comment="null: the field was empty"),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False, comment="the server's time"),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_company_statement_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_company_statement")),
        comment="what a person wrote in the company field, and between which days it was seen",
    )
    with op.batch_alter_table("company_statement", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_company_statement_person_id"), ["person_id"], unique=False)

    op.create_table(
        "merge_notice",
        sa.Column("id", sa.String(length=100), nullable=False, comment="GitHub's node id of the comment"),
        sa.Column("pull_request_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bot", sa.String(length=100), nullable=False, comment="login"),
        sa.Column("sha", sa.String(length=40), nullable=True, comment="the commit it names, maybe abbreviated"),
        sa.Column(
            "number", sa.Integer(), nullable=True, comment="another pull request of the repository that it names"
        ),
        sa.Column("reason", sa.Text(), nullable=True, comment="in the bot's words, one line"),
        sa.ForeignKeyConstraint(
            ["pull_request_id"], ["pull_request.id"], name=op.f("fk_merge_notice_pull_request_id_pull_request")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merge_notice")),
        comment="what a merge bot said of a pull request in a comment",
    )
    with op.batch_alter_table("merge_notice", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_merge_notice_pull_request_id"), ["pull_request_id"], unique=False)

    op.create_table(
        "pull_file",
        sa.Column("pull_request_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="in GitHub's list, from 0"),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column(
            "change", sa.String(length=20), nullable=False, comment="ADDED, DELETED, MODIFIED, RENAMED, COPIED, CHANGED"
        ),
        sa.Column("additions", sa.Integer(), nullable=False, comment="lines"),
        sa.Column("deletions", sa.Integer(), nullable=False, comment="lines"),
        sa.ForeignKeyConstraint(
            ["pull_request_id"], ["pull_request.id"], name=op.f("fk_pull_file_pull_request_id_pull_request")
        ),
        sa.PrimaryKeyConstraint("pull_request_id", "position", name=op.f("pk_pull_file")),
        comment="a file that a pull request changes, as GitHub lists it; at most 3,000 of each",
    )
    op.create_table(
        "pull_remainder",
        sa.Column("pull_request_id", sa.Integer(), nullable=False),
        sa.Column("items", sa.String(length=24), nullable=False),
        sa.Column("after", sa.Text(), nullable=False, comment="GitHub's cursor behind what was read"),
        sa.ForeignKeyConstraint(
            ["pull_request_id"], ["pull_request.id"], name=op.f("fk_pull_remainder_pull_request_id_pull_request")
        ),
        sa.PrimaryKeyConstraint("pull_request_id", "items", name=op.f("pk_pull_remainder")),
        comment="a list of a pull request that has not been read to its end yet",
    )
    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "review_decision",
                sa.String(length=30),
                nullable=True,
                comment="APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED; null: no review is asked for",
            )
        )
        batch_op.add_column(
            sa.Column(
                "linked_issues",
                sa.Text(),
                server_default="[]",
                nullable=False,
                comment="JSON list of owner/name#number that it closes",
            )
        )
        batch_op.add_column(
            sa.Column(
                "stack",
                sa.Text(),
                server_default="[]",
                nullable=False,
                comment="JSON list of the numbers of its ghstack, oldest first, itself included",
            )
        )
        batch_op.add_column(
            sa.Column("differential", sa.String(length=20), nullable=True, comment="Phabricator revision, D123")
        )
        batch_op.add_column(
            sa.Column("picked_from", sa.String(length=40), nullable=True, comment="commit of which it is a cherry-pick")
        )

    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "association",
                sa.String(length=30),
                nullable=True,
                comment="of the reviewer to the repository; null: read by an earlier version",
            )
        )


def downgrade() -> None:
    with op.batch_alter_table("review", schema=None) as batch_op:
        batch_op.drop_column("association")

    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.drop_column("picked_from")
        batch_op.drop_column("differential")
        batch_op.drop_column("stack")
        batch_op.drop_column("linked_issues")
        batch_op.drop_column("review_decision")

    op.drop_table("pull_remainder")
    op.drop_table("pull_file")
    op.drop_table("merge_notice")
    op.drop_table("company_statement")
