"""What Alembic runs for every command: the revisions are applied over the connection that `db.schema` hands in."""

from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import DateTime, Enum, String, Text

import db.tables  # noqa: F401 - importing them fills the metadata
from db.base import Base, CleanText, UtcDateTime


def plain_type(kind: str, item: object, _context: AutogenContext) -> str | Literal[False]:
    """Write our column types as what the database holds: a revision must not change when the code does."""
    match kind, item:
        case "type", UtcDateTime():
            return "sa.DateTime(timezone=True)"
        case "type", CleanText():
            return "sa.Text()"
        case "type", Enum():
            return f"sa.String(length={item.length})"
        case _:
            return False


def differs(_context: object, _reflected: object, _declared: object, held: object, wanted: object) -> bool | None:
    """Compare a type of ours by what the database holds; None leaves the others to Alembic."""
    match wanted:
        case UtcDateTime():
            return not isinstance(held, DateTime)
        case CleanText():
            return not isinstance(held, Text)
        case Enum():
            return not isinstance(held, String) or held.length != wanted.length
        case _:
            return None


def run() -> None:
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=Base.metadata,
        render_as_batch=True,  # SQLite alters by copying the table
        transactional_ddl=True,  # in SQLite too: `db.base` begins its transactions itself
        transaction_per_migration=False,
        compare_type=differs,
        render_item=plain_type,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
