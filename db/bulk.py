"""Inserts of many rows past SQLAlchemy's work on each: a prepared statement in SQLite, COPY in PostgreSQL.

The values must be what the drivers take as they are: text that has been cleaned, plain numbers, None.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection
from sqlalchemy.orm import Session

Plain = str | int | None


def insert_plain(session: Session, table: str, columns: Sequence[str], rows: Iterable[Sequence[Plain]]) -> None:
    """Insert rows in the session's transaction; the names of table and columns are the code's own, not from outside."""
    connection = session.connection()
    names = ", ".join(f'"{column}"' for column in columns)
    if connection.dialect.name == "postgresql":
        _copy(connection, f'COPY "{table}" ({names}) FROM STDIN', rows)
        return
    values = ", ".join("?" for _ in columns)
    parameters = [tuple(row) for row in rows]
    if parameters:
        connection.exec_driver_sql(f'INSERT INTO "{table}" ({names}) VALUES ({values})', parameters)  # noqa: S608


def _copy(connection: Connection, statement: str, rows: Iterable[Sequence[Plain]]) -> None:
    with connection.connection.cursor() as cursor, cursor.copy(statement) as copy:  # type: ignore[attr-defined]
        for row in rows:
            copy.write_row(row)
