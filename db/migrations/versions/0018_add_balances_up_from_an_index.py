"""Add the balance of paths up from an index alone: pages list the sites that stand, path by path.

Compatibility: the previous version of the product may still run while this revision is applied.
"""

from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"


def upgrade() -> None:
    op.drop_index("ix_ledger_entry_path", table_name="ledger_entry")
    op.create_index("ix_ledger_entry_path", "ledger_entry", ["path_id", "territory", "site_id", "delta", "commit_id"])


def downgrade() -> None:
    op.drop_index("ix_ledger_entry_path", table_name="ledger_entry")
    op.create_index("ix_ledger_entry_path", "ledger_entry", ["path_id"])
