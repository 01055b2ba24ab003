"""Every column says what it holds, and the document that collects them is current."""

from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect

from db.base import Base
from db.dictionary import meaning_of, render_dictionary
from db.export_columns import COLUMNS, Export

DOCUMENT = Path(__file__).parents[2] / "docs" / "data.md"


def test_every_table_says_what_it_holds() -> None:
    assert [table.name for table in Base.metadata.tables.values() if not table.comment] == []


def test_every_column_says_what_it_holds() -> None:
    columns = [column for table in Base.metadata.tables.values() for column in table.columns]
    silent = [f"{column.table.name}.{column.name}" for column in columns if not meaning_of(column)]
    assert silent == [], "give these a comment, and PostgreSQL the same comment in a revision"


def test_every_column_of_an_export_says_what_it_holds() -> None:
    assert [column.name for what in Export for column in COLUMNS[what] if not column.meaning] == []


def test_the_document_is_what_the_command_writes() -> None:
    assert DOCUMENT.read_text() == render_dictionary(), "run `tracker db dictionary > docs/data.md`"


def test_a_document_has_a_line_for_each_column() -> None:
    lines = render_dictionary().splitlines()
    tables, exports = Base.metadata.tables.values(), COLUMNS.values()
    expected = sum(len(table.columns) for table in tables) + sum(len(columns) for columns in exports)
    assert len([line for line in lines if line.startswith("| `")]) == expected


@pytest.mark.postgres
def test_postgres_keeps_the_comments_with_the_columns(postgres_engine: Engine) -> None:
    found = {column["name"]: column["comment"] for column in inspect(postgres_engine).get_columns("commit")}
    assert found["subject"] == "first line of the message"
    kept = {"text": Base.metadata.tables["lease"].comment}
    assert inspect(postgres_engine).get_table_comment("lease") == kept
