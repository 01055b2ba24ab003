"""A role that may only read reads every page and can change nothing, whatever it tries."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from db import schema
from db.base import open_database, session_factory
from db.cells import read_totals
from db.commit_pages import CommitFilter, read_commits
from db.grants import grant_reading, reading_grants
from db.overview import read_coverage
from db.runs import read_freshness
from db.watched import read_data_version
from tests.builders import a_judged_commit, an_entry
from tests.databases import empty_postgres_database
from tests.stored import SLUG, a_repository, append
from tracker.errors import TrackerError

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def owned(postgres_server: URL) -> Iterator[Engine]:
    """A database with a history, opened as its owner."""
    with empty_postgres_database(postgres_server, f"tracker_test_{uuid4().hex[:12]}") as url:
        engine = open_database(url.render_as_string(hide_password=False))
        schema.upgrade(engine)
        with session_factory(engine).begin() as session:
            append(session, a_repository(session), [a_judged_commit("first", [an_entry()])])
        yield engine
        engine.dispose()


@pytest.fixture
def role(owned: Engine) -> Iterator[str]:
    """A role of the server that owns nothing, with a name that needs quotes."""
    name = f'web "{uuid4().hex[:8]}"'
    quoted = owned.dialect.identifier_preparer.quote_identifier(name)
    with owned.begin() as connection:
        connection.execute(text(f"CREATE ROLE {quoted} LOGIN"))
    yield name
    with owned.begin() as connection:
        connection.execute(text(f"DROP OWNED BY {quoted}"))
        connection.execute(text(f"DROP ROLE {quoted}"))


@pytest.fixture
def reader(owned: Engine, role: str) -> Iterator[Engine]:
    """The database as the role sees it, without the guard of a read-only engine: only the grants protect it."""
    engine = create_engine(owned.url.set(username=role))
    yield engine
    engine.dispose()


def test_without_grants_the_role_reads_nothing(reader: Engine) -> None:
    with reader.connect() as connection, pytest.raises(ProgrammingError, match="permission denied"):
        connection.execute(text("SELECT * FROM repository"))


def test_with_grants_the_role_reads_what_pages_read(owned: Engine, role: str, reader: Engine) -> None:
    grant_reading(owned, role)
    schema.check(reader)
    with Session(reader) as session:
        assert read_data_version(session)
        assert [coverage.commits for coverage in read_coverage(session)] == [1]
        assert [row.sha for row in read_commits(session, CommitFilter()).rows]
        assert read_totals(session, repository=SLUG).sites == {"nvidia": 1}
        assert read_freshness(session)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO repository (slug, demo, added_at) VALUES ('o/n', false, now())",
        "UPDATE commit SET subject = ''",
        "DELETE FROM ledger_entry",
        "TRUNCATE weekly_cell",
        "DROP TABLE verdict",
        "ALTER TABLE verdict ADD COLUMN mine INTEGER",
        "CREATE TABLE mine (id INTEGER)",
        "UPDATE lease SET fence = 99",
        "UPDATE alembic_version SET version_num = '9999'",
        "SELECT setval('commit_id_seq', 1)",
        "COPY repository FROM STDIN",
    ],
)
def test_the_role_changes_nothing(owned: Engine, role: str, reader: Engine, statement: str) -> None:
    grant_reading(owned, role)
    with reader.connect() as connection, pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        connection.execute(text(statement))


def test_tables_of_a_later_version_can_be_read_too(owned: Engine, role: str, reader: Engine) -> None:
    grant_reading(owned, role)
    with owned.begin() as connection:
        connection.execute(text("CREATE TABLE later (id INTEGER)"))
    with reader.connect() as connection:
        assert connection.execute(text("SELECT * FROM later")).all() == []
    with owned.begin() as connection:
        connection.execute(text("DROP TABLE later"))


def test_granting_twice_changes_nothing(owned: Engine, role: str) -> None:
    assert grant_reading(owned, role) == grant_reading(owned, role) == reading_grants(owned, role)


def test_a_role_that_does_not_exist_is_said_so_and_how_to_make_it(owned: Engine) -> None:
    with pytest.raises(TrackerError, match=r"no role nobody; make it first: CREATE ROLE \"nobody\" LOGIN"):
        grant_reading(owned, "nobody")


def test_sqlite_has_no_roles(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    with pytest.raises(TrackerError, match="SQLite has no roles"):
        reading_grants(engine, "web")
    engine.dispose()
