"""Databases for tests: an SQLite file, and a database on a PostgreSQL server that lives as long as the test session.

A folder of tests that needs one imports the fixtures in its `conftest.py`:
`from tests.databases import engine, open_empty, postgres_engine, postgres_server, sessions, sqlite_template`
Every test starts from the migrated, empty schema. TRACKER_TEST_POSTGRES_URL names a server of the developer's own (its
role must be allowed to create databases); else one of /usr/lib/postgresql/*/bin is started, and where there
is none the tests for PostgreSQL are skipped.
"""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.base import Base, open_database, session_factory

PROGRAMS = Path("/usr/lib/postgresql")
OPTIONS = "-c listen_addresses=127.0.0.1 -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite file to copy."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"
    engine = open_database(f"sqlite:///{path}")
    schema.upgrade(engine)
    engine.dispose()  # the last connection of a WAL database writes everything into its file
    return path


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[URL]:
    """The URL of a PostgreSQL server's administrative database."""
    given = os.environ.get("TRACKER_TEST_POSTGRES_URL")
    if given:
        yield make_url(given).set(drivername="postgresql+psycopg")
        return
    programs = sorted(PROGRAMS.glob("*/bin/initdb"), key=lambda program: int(program.parts[-3]))
    if not programs:
        pytest.skip(f"PostgreSQL is not installed under {PROGRAMS} and TRACKER_TEST_POSTGRES_URL names no server")
    with _started(programs[-1].parent) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_engine(postgres_server: URL) -> Iterator[Engine]:
    """An engine on a migrated database of this test session's own; `engine` empties it before each test."""
    name = f"tracker_test_{uuid4().hex[:12]}"
    with empty_postgres_database(postgres_server, name) as url:
        engine = open_database(url.render_as_string(hide_password=False))
        schema.upgrade(engine)
        yield engine
        engine.dispose()


OpenEmpty = Callable[[], AbstractContextManager[Engine]]
"""Opens a migrated, empty database; opened again, it is empty again."""


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def open_empty(request: pytest.FixtureRequest) -> OpenEmpty:
    """The way to a migrated, empty database of each kind, for tests that need more than one in turn."""
    if request.param == "postgresql":
        served: Engine = request.getfixturevalue("postgres_engine")

        @contextmanager
        def emptied() -> Iterator[Engine]:
            _empty(served)
            yield served

        return emptied
    template: Path = request.getfixturevalue("sqlite_template")

    @contextmanager
    def copied() -> Iterator[Engine]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tracker.db"
            shutil.copyfile(template, path)
            engine = open_database(f"sqlite:///{path}")
            yield engine
            engine.dispose()

    return copied


@pytest.fixture
def engine(open_empty: OpenEmpty) -> Iterator[Engine]:
    """A migrated, empty database, once of each kind."""
    with open_empty() as engine:
        yield engine


@pytest.fixture
def sessions(engine: Engine) -> sessionmaker[Session]:
    """Sessions on `engine`."""
    return session_factory(engine)


@contextmanager
def empty_postgres_database(server: URL, name: str) -> Iterator[URL]:
    """A new database without any table; it is dropped at the end."""
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'"))
    try:
        yield server.set(database=name)
    finally:
        with admin.connect() as connection:
            connection.execute(text(f'DROP DATABASE "{name}" WITH (FORCE)'))
        admin.dispose()


def _empty(engine: Engine) -> None:
    tables = ", ".join(f'"{table.name}"' for table in Base.metadata.sorted_tables)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")


@contextmanager
def _started(programs: Path) -> Iterator[URL]:
    """Start a server of our own on a free port; as root, through the account that owns no other server's files."""
    folder = Path(tempfile.mkdtemp(prefix="tracker-postgres-"))
    prefix: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")  # the server refuses to run as root
        prefix = ["runuser", "-u", "postgres", "--"]
    folder.chmod(0o700)
    data, port = folder / "data", _free_port()
    control = [*prefix, str(programs / "pg_ctl"), "-D", str(data)]
    create = ["-A", "trust", "-U", "tracker", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]
    _run([*prefix, str(programs / "initdb"), "-D", str(data), *create], folder)
    _run([*control, "-w", "-l", str(folder / "log"), "-o", f"{OPTIONS} -p {port} -k {folder}", "start"], folder)
    try:
        yield URL.create("postgresql+psycopg", "tracker", host="127.0.0.1", port=port, database="postgres")
    finally:
        _run([*control, "-w", "-m", "immediate", "stop"], folder)
        shutil.rmtree(folder)


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
