"""Find verdicts of other rulesets by an index: every page asks whether there are any.

Compatibility: the previous version of the product may still run while this revision is applied.
"""

from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"


def upgrade() -> None:
    op.create_index("ix_verdict_ruleset", "verdict", ["ruleset"])


def downgrade() -> None:
    op.drop_index("ix_verdict_ruleset", table_name="verdict")
