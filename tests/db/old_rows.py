"""Rows in databases of earlier revisions, made from what the database itself says of its tables."""

from datetime import date, datetime

from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Date, DateTime, LargeBinary, MetaData, String, Table

from db import schema

OLD_REVISIONS = sorted(
    revision.revision
    for revision in ScriptDirectory.from_config(schema.migration_config()).walk_revisions()
    if not revision.is_head
)

KINDS = {"state": "open", "stream": "commits", "kind": "User", "construct": "api", "verdict": "none"}
"""Values of columns that hold one of a few words."""


def fill(connection: Connection) -> None:
    """Put one row into every table, with a value in every column."""
    for table in _tables(connection):
        connection.execute(table.insert(), {column.name: _value(column) for column in table.columns})


def rows_of(connection: Connection) -> dict[str, list[dict[str, object]]]:
    """Return the rows of every table by column."""
    return {
        table.name: [dict(row._mapping) for row in connection.execute(table.select())] for table in _tables(connection)
    }


def _tables(connection: Connection) -> list[Table]:
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != "alembic_version"]


def _value(column: Column[object]) -> object:
    match column.type:
        case DateTime():
            return datetime(2020, 1, 6, 12)  # noqa: DTZ001 - as SQLite keeps it; PostgreSQL runs in UTC
        case Date():
            return date(2020, 1, 6)
        case LargeBinary():
            return b"bytes"
        case String():
            return KINDS.get(column.name, column.name)[: column.type.length]
        case _:
            return column.type.python_type(7)
