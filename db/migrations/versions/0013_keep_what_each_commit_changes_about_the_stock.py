"""Keep with each verdict what its commit changes about the stock: what was let in, what stays, and names among them.

What is stored already gets it from the ledger, and heads of pull requests from their entries. A head with more entries
than were kept is judged anew.

Compatibility: the previous version of the product may still run while this revision is applied; what it judges in the
meantime has zeros until it is judged again.
"""

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"

MOST_ENTRIES_KEPT = 2000
BOTH = {
    "let_in": "neutral sites that came because a place was broadened; in no tally",
    "staying": "neutral sites moved or edited: those that came less those that went",
}
NAMES = {
    "names_removed": "of removed, identifiers that merely contain a vendor's word",
    "names_added": "of added, identifiers that merely contain a vendor's word",
    "names_net": "how many more such identifiers stand in neutral code after the commit",
}
_OUT = "mechanism IN ('generalised', 'broadened', 'relocated', 'dropped', 'retired')"
_COUNTED = "territory = 'neutral' AND mechanism <> 'baseline'"
_SUMS = {
    "let_in": "CASE WHEN delta > 0 AND mechanism = 'broadened' THEN delta ELSE 0 END",
    "staying": (
        f"CASE WHEN (delta < 0 AND {_OUT}) OR (delta > 0 AND mechanism IN ('introduced', 'broadened')) THEN 0 "
        "ELSE delta END"
    ),
    "names_removed": f"CASE WHEN construct = 'name' AND delta < 0 AND {_OUT} THEN -delta ELSE 0 END",
    "names_added": "CASE WHEN construct = 'name' AND delta > 0 AND mechanism = 'introduced' THEN delta ELSE 0 END",
    "names_net": "CASE WHEN construct = 'name' THEN delta ELSE 0 END",
}


def upgrade() -> None:
    for table, columns in (("verdict", BOTH | NAMES), ("pull_verdict", BOTH)):
        for name, comment in columns.items():
            op.add_column(table, sa.Column(name, sa.Integer(), server_default="0", nullable=False, comment=comment))
    ledger = (
        f"FROM ledger_entry JOIN site ON site.id = ledger_entry.site_id WHERE {_COUNTED} AND construct <> 'neutral' "
        "AND ledger_entry.commit_id = verdict.commit_id"
    )
    op.execute(
        f"UPDATE verdict SET {_filled(BOTH | NAMES, ledger)} "  # noqa: S608 - words of this module alone
        "WHERE commit_id IN (SELECT commit_id FROM ledger_entry)"
    )
    entries = (
        f"FROM pull_entry WHERE {_COUNTED} AND construct <> 'neutral' "
        "AND pull_entry.pull_request_id = pull_verdict.pull_request_id"
    )
    op.execute(f"UPDATE pull_verdict SET {_filled(BOTH, entries)}")  # noqa: S608 - words of this module alone
    op.execute(f"UPDATE pull_verdict SET ruleset = 'outdated' WHERE entries > {MOST_ENTRIES_KEPT}")  # noqa: S608 - as above


def _filled(columns: dict[str, str], source: str) -> str:
    return ", ".join(f"{name} = (SELECT coalesce(sum({_SUMS[name]}), 0) {source})" for name in columns)


def downgrade() -> None:
    # Not in batches: SQLite would make tables anew that others refer to.
    for table, columns in (("pull_verdict", BOTH), ("verdict", BOTH | NAMES)):
        for name in columns:
            op.drop_column(table, name)
