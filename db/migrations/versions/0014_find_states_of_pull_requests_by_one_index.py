"""Find the states of pull requests, and who has how many commits, by one index each; drop two that nothing reads.

Landings of commits that are on the line no longer, which no version shows, go.

Compatibility: the previous version of the product may still run while this revision is applied. Add in one release,
fill in the next, remove in a third.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"

_OF_COMMIT = '(SELECT position FROM "commit" WHERE "commit".id = landing.commit_id)'


def upgrade() -> None:
    op.add_column(
        "landing",
        sa.Column(
            "position", sa.Integer(), nullable=True, comment="the commit's, on the line; null: not filled in yet"
        ),
    )
    op.execute(f"UPDATE landing SET position = {_OF_COMMIT}")  # noqa: S608 - no text from outside
    op.execute("DELETE FROM landing WHERE position IS NULL")
    op.drop_index("ix_landing_repository_number", table_name="landing")
    op.create_index(
        "ix_landing_repository_number", "landing", ["repository_id", "number", "position", "kind", "commit_id"]
    )
    op.create_index(
        "ix_commit_repository_organisation", "commit", ["repository_id", "organisation", "position", "committed_at"]
    )
    op.drop_index("ix_pull_request_repository_updated", table_name="pull_request")
    op.drop_index("ix_site_vendor_construct", table_name="site")


def downgrade() -> None:
    op.create_index("ix_site_vendor_construct", "site", ["vendor", "construct"])
    op.create_index("ix_pull_request_repository_updated", "pull_request", ["repository_id", "updated_at"])
    op.drop_index("ix_commit_repository_organisation", table_name="commit")
    op.drop_index("ix_landing_repository_number", table_name="landing")
    op.create_index("ix_landing_repository_number", "landing", ["repository_id", "number"])
    op.drop_column("landing", "position")
