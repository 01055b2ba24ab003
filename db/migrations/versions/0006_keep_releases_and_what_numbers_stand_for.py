"""Keep releases, what numbers of repositories stand for, and how pull requests compare with them.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"


def upgrade() -> None:
    op.create_table(
        "number",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_number_repository_id_repository")),
        sa.PrimaryKeyConstraint("repository_id", "number", name=op.f("pk_number")),
        comment="a number that is no stored pull request, and what GitHub shows under it",
    )
    op.create_table(
        "pull_coverage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("highest", sa.Integer(), nullable=False, comment="the highest number given out"),
        sa.Column("pulls_on_github", sa.Integer(), nullable=False, comment="as GitHub counts"),
        sa.Column("pulls", sa.Integer(), nullable=False, comment="stored"),
        sa.Column(
            "unserved", sa.Integer(), nullable=False, comment="dead letters of pull requests that are not stored"
        ),
        sa.Column("issues", sa.Integer(), nullable=False),
        sa.Column("discussions", sa.Integer(), nullable=False),
        sa.Column("deleted", sa.Integer(), nullable=False, comment="410 or 404"),
        sa.Column("transferred", sa.Integer(), nullable=False),
        sa.Column("unchecked", sa.Integer(), nullable=False, comment="numbers not asked about yet"),
        sa.Column("missing", sa.Integer(), nullable=False, comment="counted by GitHub, neither stored nor unserved"),
        sa.Column(
            "unread_lists", sa.Integer(), nullable=False, comment="of stored pull requests, not read to their end"
        ),
        sa.Column("gaps", sa.Text(), nullable=False, comment="JSON list of the first 100 numbers missing or unchecked"),
        sa.ForeignKeyConstraint(
            ["repository_id"], ["repository.id"], name=op.f("fk_pull_coverage_repository_id_repository")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pull_coverage")),
        comment="one comparison of the stored pull requests with the numbers that GitHub gave out",
    )
    with op.batch_alter_table("pull_coverage", schema=None) as batch_op:
        batch_op.create_index("ix_pull_coverage_repository_at", ["repository_id", "at"], unique=False)

    op.create_table(
        "release",
        sa.Column("repository_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False, comment="of the tag"),
        sa.Column(
            "sha", sa.String(length=40), nullable=False, comment="the commit, which may stand on a release branch"
        ),
        sa.Column(
            "at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="published; else when the tag or its commit was made",
        ),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.ForeignKeyConstraint(["repository_id"], ["repository.id"], name=op.f("fk_release_repository_id_repository")),
        sa.PrimaryKeyConstraint("repository_id", "name", name=op.f("pk_release")),
        comment="a tag that marks a version",
    )


def downgrade() -> None:
    op.drop_table("release")
    with op.batch_alter_table("pull_coverage", schema=None) as batch_op:
        batch_op.drop_index("ix_pull_coverage_repository_at")

    op.drop_table("pull_coverage")
    op.drop_table("number")
