"""The data dictionary: every table and every export, column by column, as a document; `docs/data.md` is what it writes.

Meanings and units are the comments of the columns (`db.tables`), which PostgreSQL keeps as well, and those of the
exports (`db.export_columns`). Nothing is read from a database.
"""

from collections.abc import Iterator

from sqlalchemy import Column, Enum, Table

import db.tables  # noqa: F401 - importing them fills the metadata
from db.base import Base
from db.export_columns import COLUMNS, Export

HEAD = """# Data

Every table and every export, column by column. Written by `tracker db dictionary`; a test compares this file with what
it writes. The words (site, territory, construct, mechanism, verdict ...) are defined in [guide.md](guide.md).

Times are UTC: text without a zone in SQLite, `timestamp with time zone` in PostgreSQL. Weeks are ISO weeks, named by
their Monday. Numbers of sites are numbers of places in code; a delta is signed, everything else is not. Facts (commits,
entries, pull requests, reviews, runs) are kept; `weekly_cell`, `weekly_flow`, `weekly_lines` and `landing` are derived
from them, and `tracker db rebuild` derives them anew. A commit whose `position` is null is no longer on the line: its
history was rewritten, its rows stay, and no sum counts them.
"""

EXPORTS = """
## Exports

`tracker export WHAT` writes these columns, as CSV, JSON lines or Parquet. Rows come in an order that upstream decides,
without row numbers of a database: equal histories give equal files, from SQLite and from PostgreSQL.
"""

KINDS = {"text": "text", "integer": "integer", "flag": "flag", "time": "time, `YYYY-MM-DDTHH:MM:SSZ`", "day": "day"}

TYPES = {
    "BigInteger": "integer",
    "Boolean": "flag",
    "CleanText": "text",
    "Date": "day",
    "Double": "number",
    "Float": "number",
    "Integer": "integer",
    "LargeBinary": "bytes",
    "String": "text",
    "Text": "text",
    "UtcDateTime": "time",
}
"""What a column's type is called in the document."""


def render_dictionary() -> str:
    """Return the document, in Markdown; a table is a section, tables and columns in the order of their names."""
    return "\n".join((*_tables(), *_exports(), ""))


def meaning_of(column: Column[object]) -> str:
    """Return what a column holds; empty where nothing says so, which a test refuses."""
    if column.comment:
        return column.comment
    for key in column.foreign_keys:
        return f"the row of `{key.column.table.name}`" + ("; null: none" if column.nullable else "")
    return "number of the row in this database alone" if column.name == "id" else ""


def _tables() -> Iterator[str]:
    yield HEAD.rstrip("\n")
    yield "\n## Tables"
    for table in sorted(Base.metadata.tables.values(), key=lambda table: table.name):
        yield f"\n### {table.name}\n\n{_sentence(table.comment or '')}\n"
        yield "| column | type | what it holds |\n|---|---|---|"
        for column in table.columns:
            yield f"| `{column.name}`{_key(table, column)} | {_type(column)} | {meaning_of(column)} |"


def _exports() -> Iterator[str]:
    yield EXPORTS.rstrip("\n")
    for export in Export:
        yield f"\n### export {export.value}\n\n| column | type | what it holds |\n|---|---|---|"
        for column in COLUMNS[export]:
            yield f"| `{column.name}` | {KINDS[column.kind.value]} | {column.meaning} |"


def _key(table: Table, column: Column[object]) -> str:
    return " (key)" if column in table.primary_key.columns.values() else ""


def _type(column: Column[object]) -> str:
    if isinstance(column.type, Enum):
        words = ", ".join(f"`{word}`" for word in column.type.enums)
        return f"one of {words}" + (", or null" if column.nullable else "")
    return TYPES[type(column.type).__name__] + (", or null" if column.nullable else "")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
