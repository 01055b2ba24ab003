"""The declarative base, the column types every table shares, and how a database is opened.

SQLite runs in WAL mode with a busy timeout, so that readers never wait for the crawler; PostgreSQL is opened as it is.
Nothing is opened at import. Sessions of a writing engine hold SQLite's one write lock while
they live: keep them short, and read through a `read_only` engine.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from sqlalchemy import Connection, DateTime, Dialect, Engine, Enum, MetaData, Text, TypeDecorator, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.pool import QueuePool

from tracker.errors import SettingsError

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

LETTING_GO = {
    "idle_in_transaction_session_timeout": 25_000,
    "tcp_keepalives_idle": 10,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""Sooner than a silent scheduler is replaced (jobs.leases), so that its successor finds no lock of it."""

SECONDS_OF_PATIENCE = 30.0
"""How long a transaction waits for others."""

READ_ONLY = "tracker_read_only"
"""Execution option of the engines that were opened so."""

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

Kind = TypeVar("Kind", bound=StrEnum)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time; SQLite, which keeps no zone, holds it naive. A naive value is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value}")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def clean_text(value: str) -> str:
    """Return the text with U+FFFD for what a database refuses: NUL (PostgreSQL) and lone surrogates (both)."""
    if value.isascii():
        return value.replace("\0", REPLACEMENT) if "\0" in value else value
    return value.replace("\0", REPLACEMENT).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class CleanText(TypeDecorator[str]):
    """Text of any length that came from outside; it is cleaned on its way in, also where it is compared."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        return None if value is None else clean_text(value)


def kind_column(kind: type[Kind]) -> Enum:
    """Return a column type that holds a `StrEnum` by value, as text, in either database."""
    return Enum(
        kind,
        native_enum=False,
        create_constraint=False,
        length=24,
        values_callable=lambda members: [member.value for member in members],
    )


class Base(DeclarativeBase):
    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: UtcDateTime()}


def open_database(
    url: str, *, read_only: bool = False, connections: int | None = None, patience: float = SECONDS_OF_PATIENCE
) -> Engine:
    """Return an engine for an SQLite or PostgreSQL URL; the folder of an SQLite file is made.

    Args:
        read_only: every transaction refuses writes (SQLite `query_only`, PostgreSQL read-only transactions).
        connections: how many there are at most at a time; None: as many as usual.
        patience: seconds to wait for a connection, and for SQLite's write lock.

    Raises:
        SettingsError: the URL is malformed or names another database system.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise SettingsError(("TRACKER_DATABASE_URL is no database URL, e.g. sqlite:///var/tracker.db",)) from error
    match parsed.get_backend_name():
        case "sqlite":
            return _open_sqlite(parsed, _pool(connections, patience), read_only=read_only, patience=patience)
        case "postgresql":
            return _open_postgresql(parsed, _pool(connections, patience), read_only=read_only)
        case other:
            raise SettingsError((f"TRACKER_DATABASE_URL names {other}; use sqlite:///FILE or postgresql://...",))


def _pool(connections: int | None, patience: float) -> dict[str, Any]:
    if connections is None:
        return {}
    return {"poolclass": QueuePool, "pool_size": connections, "max_overflow": 0, "pool_timeout": patience}


def _open_sqlite(url: URL, pool: Mapping[str, Any], *, read_only: bool, patience: float) -> Engine:
    if url.database and url.database != ":memory:" and not read_only:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, execution_options={READ_ONLY: read_only}, **pool)

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        # The driver's own implicit BEGIN leaves DDL outside transactions; `begin` below emits it for every one.
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={round(patience * 1000)}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "cache_size=-65536",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if read_only:
            connection.execute("PRAGMA query_only=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer takes the write lock at once: a read that is upgraded later fails under WAL instead of waiting.
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _open_postgresql(url: URL, pool: Mapping[str, Any], *, read_only: bool) -> Engine:
    options = {"postgresql_readonly": True, READ_ONLY: True} if read_only else {}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, execution_options=options, **pool
    )
    if not read_only:
        event.listen(engine, "connect", _let_go_of_locks)
    return engine


def _let_go_of_locks(connection: DBAPIConnection, _record: object) -> None:
    """Have the server end a writer's transaction when the writer's process or machine stands still.

    Without it the locks of a process that was stopped, or cut off, would outlive it and keep every other one waiting.
    """
    cursor = connection.cursor()
    for name, value in LETTING_GO.items():
        cursor.execute(f"SET SESSION {name} = {value}")
    cursor.close()
    connection.commit()


def session_factory(engine: Engine) -> sessionmaker[Session]:
    """Return the factory that jobs and pages take their sessions from."""
    return sessionmaker(engine, expire_on_commit=False)


@contextmanager
def in_transaction(sessions: sessionmaker[Session]) -> Iterator[Session]:
    """Yield a session whose work is committed as a whole, or not at all."""
    with sessions.begin() as session:
        yield session


def insert_into(session: Session, table: type[Base]) -> postgresql.Insert | sqlite.Insert:
    """Return the session's dialect's INSERT, which knows ON CONFLICT."""
    if session.get_bind().dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
