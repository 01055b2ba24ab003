"""Keep who works where with its source, and who asked to be forgotten.

What commits were attributed to by their mail domains stays, with that as its source; the next roll-up derives the rest.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"

SOURCE = "what says so; null: unknown"


def upgrade() -> None:
    op.create_table(
        "affiliation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column(
            "author_key",
            sa.String(length=64),
            nullable=True,
            comment="keyed HMAC-SHA256 of a mail address of the operator's file",
        ),
        sa.Column("domain", sa.Text(), nullable=True, comment="of the operator's file"),
        sa.Column(
            "organisation",
            sa.String(length=60),
            nullable=True,
            comment="null: the operator says that none is known, and weaker sources are not asked",
        ),
        sa.Column(
            "begins_at", sa.DateTime(timezone=True), nullable=True, comment="null: as far back as anything reaches"
        ),
        sa.Column(
            "ends_at", sa.DateTime(timezone=True), nullable=True, comment="it held before this time; null: it holds"
        ),
        sa.Column("source", sa.String(length=24), nullable=False, comment="what says so"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_affiliation_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_affiliation")),
        comment="an employment of an account, of a mail address or of a whole domain (derived from evidence)",
    )
    with op.batch_alter_table("affiliation", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_affiliation_person_id"), ["person_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_affiliation_author_key"), ["author_key"], unique=False)
    op.create_table(
        "forgotten_author",
        sa.Column(
            "digest",
            sa.String(length=64),
            nullable=False,
            comment="SHA-256 of the keyed digest that commits had of it",
        ),
        sa.Column("forgotten_at", sa.DateTime(timezone=True), nullable=False, comment="by this machine's clock"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_forgotten_author")),
        comment="a mail address whose digest is never to be stored again",
    )
    with op.batch_alter_table("person", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "forgotten_at",
                sa.DateTime(timezone=True),
                nullable=True,
                comment="erased since: of the account its number alone is kept, and nothing is stored of it again",
            )
        )
    with op.batch_alter_table("commit", schema=None) as batch_op:
        batch_op.add_column(sa.Column("organisation_source", sa.String(length=10), nullable=True, comment=SOURCE))
    with op.batch_alter_table("pull_request", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column(
                "organisation",
                sa.String(length=60),
                nullable=True,
                comment="of the author when it was opened; null: unknown",
            )
        )
        batch_op.add_column(sa.Column("organisation_source", sa.String(length=10), nullable=True, comment=SOURCE))
    _comment_organisation("of the author at that time; null: unknown", "from the mail domain; null: unknown")
    op.execute("UPDATE \"commit\" SET organisation_source = 'mail' WHERE organisation IS NOT NULL")


def downgrade() -> None:
    _comment_organisation("from the mail domain; null: unknown", "of the author at that time; null: unknown")
    # Not in batches: SQLite would make tables anew that others refer to.
    op.drop_column("pull_request", "organisation_source")
    op.drop_column("pull_request", "organisation")
    op.drop_column("commit", "organisation_source")
    op.drop_column("person", "forgotten_at")
    op.drop_table("forgotten_author")
    with op.batch_alter_table("affiliation", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_affiliation_author_key"))
        batch_op.drop_index(batch_op.f("ix_affiliation_person_id"))
    op.drop_table("affiliation")


def _comment_organisation(comment: str, existing: str) -> None:
    """SQLite keeps no comments, and would make the whole table anew for one."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column(
            "commit",
            "organisation",
            existing_type=sa.String(length=60),
            existing_nullable=True,
            comment=comment,
            existing_comment=existing,
        )
