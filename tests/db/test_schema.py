from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, inspect, select, text
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.base import Base, open_database, session_factory
from db.people import read_logins
from db.pull_details import read_pull
from db.repositories import add_repository, read_repositories
from db.tables import CoverageRow
from tests.builders import A_DAY
from tests.databases import empty_postgres_database
from tests.db.old_rows import OLD_REVISIONS, fill, rows_of
from tracker.errors import DatabaseUnavailable


def test_the_migrations_make_exactly_the_tables_that_the_code_knows(engine: Engine) -> None:
    with engine.begin() as connection:
        command.check(schema.migration_config(connection))


def test_the_revisions_are_one_chain_and_their_files_are_named_by_their_place_in_it() -> None:
    chain = list(ScriptDirectory.from_config(schema.migration_config()).walk_revisions("base", "heads"))
    assert [revision.revision for revision in reversed(chain)] == [f"{place + 1:04}" for place in range(len(chain))]
    files = sorted(Path(revision.path).name for revision in chain)
    assert [name[:4] for name in files] == [revision.revision for revision in reversed(chain)]
    folder = Path(chain[0].path).parent
    assert files == sorted(path.name for path in folder.glob("*.py"))


def test_every_table_and_nothing_else_stands_in_a_migrated_database(engine: Engine) -> None:
    assert set(inspect(engine).get_table_names()) == {*Base.metadata.tables, "alembic_version"}


def test_a_migrated_database_passes_the_check(engine: Engine) -> None:
    schema.check(engine)


def test_a_second_upgrade_changes_nothing(engine: Engine, sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        add_repository(session, "pytorch/pytorch", now=A_DAY)
    schema.upgrade(engine)
    with sessions() as session:
        assert [row.slug for row in read_repositories(session)] == ["pytorch/pytorch"]


def test_an_empty_database_fails_the_check_with_what_to_do(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'empty.db'}")
    with pytest.raises(DatabaseUnavailable, match="holds no tables yet; run `tracker db upgrade`"):
        schema.check(engine)
    engine.dispose()


@pytest.mark.postgres
def test_an_empty_postgres_database_is_brought_up_and_taken_down(postgres_server: URL) -> None:
    with empty_postgres_database(postgres_server, f"tracker_test_{uuid4().hex[:12]}") as url:
        engine = open_database(url.render_as_string(hide_password=False))
        with pytest.raises(DatabaseUnavailable, match="holds no tables yet"):
            schema.check(engine)
        schema.upgrade(engine)
        schema.check(engine)
        with engine.begin() as connection:
            command.downgrade(schema.migration_config(connection), "base")
        assert inspect(engine).get_table_names() == ["alembic_version"]
        engine.dispose()


def test_an_upgrade_from_the_first_release_keeps_what_is_stored(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'old.db'}")
    with engine.begin() as connection:
        command.upgrade(schema.migration_config(connection), "0001")
        tables = MetaData()
        tables.reflect(connection)
        connection.execute(tables.tables["repository"].insert(), {"id": 7, "slug": "o/n", "demo": 0, "added_at": A_DAY})
        pull = {"repository_id": 7, "number": 12, "node_id": "PR", "title": "Change", "state": "open", "draft": False}
        pull |= {"association": "NONE", "created_at": A_DAY, "updated_at": A_DAY, "base_ref": "main", "labels": "[]"}
        pull |= {"head_ref": "work", "head_sha": "a" * 40, "additions": 1, "deletions": 2, "changed_files": 3}
        connection.execute(tables.tables["pull_request"].insert(), pull | {"reviews_total": 0, "seen_at": A_DAY})
    schema.upgrade(engine)
    schema.check(engine)
    with session_factory(engine)() as session:
        found = read_pull(session, "o/n", 12)
        assert found is not None
        assert (found.summary.title, found.head_sha) == ("Change", "a" * 40)
    engine.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def without_tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database of each kind without any table."""
    if request.param == "sqlite":
        engine = open_database(f"sqlite:///{tmp_path / 'old.db'}")
        yield engine
        engine.dispose()
        return
    server: URL = request.getfixturevalue("postgres_server")
    with empty_postgres_database(server, f"tracker_test_{uuid4().hex[:12]}") as url:
        engine = open_database(url.render_as_string(hide_password=False))
        yield engine
        engine.dispose()


@pytest.mark.parametrize("revision", OLD_REVISIONS)
def test_an_upgrade_from_any_revision_keeps_a_row_of_every_table_as_it_is(
    without_tables: Engine, revision: str
) -> None:
    with without_tables.begin() as connection:
        command.upgrade(schema.migration_config(connection), revision)
        fill(connection)
        before = rows_of(connection)
    schema.upgrade(without_tables)
    schema.check(without_tables)
    with without_tables.begin() as connection:
        after = rows_of(connection)
        command.check(schema.migration_config(connection))
    assert {table: len(rows) for table, rows in before.items()} == dict.fromkeys(before, 1)
    for table, (row,) in before.items():
        assert row.items() <= after[table][0].items(), table


def test_an_upgrade_records_what_was_read_and_how_accounts_are_called(without_tables: Engine) -> None:
    with without_tables.begin() as connection:
        command.upgrade(schema.migration_config(connection), "0001")
        fill(connection)
    schema.upgrade(without_tables)
    with session_factory(without_tables)() as session:
        ranges = session.scalars(select(CoverageRow).order_by(CoverageRow.first_position))
        found = [(one.first_position, one.last_position, one.state.value) for one in ranges]
        assert found == [(0, 6, "skipped"), (7, 7, "ok")]
        assert [login for login, _ in read_logins(session, 7)] == ["login"]


def test_a_database_of_a_newer_version_fails_the_check_and_is_not_touched(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'newer.db'}")
    schema.upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseUnavailable, match=r"has schema 9999, this version needs \d{4}"):
        schema.check(engine)
    with pytest.raises(DatabaseUnavailable, match="written by another version of this product"):
        schema.upgrade(engine)
    engine.dispose()


def test_an_upgrade_that_fails_leaves_an_empty_database_empty(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'half.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE weekly_cell (id INTEGER)"))  # in the way of the revision's last table
    with pytest.raises(DatabaseUnavailable, match="weekly_cell"):
        schema.upgrade(engine)
    assert inspect(engine).get_table_names() == ["weekly_cell"]
    engine.dispose()


def test_a_database_that_cannot_be_opened_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "tracker.db").write_bytes(b"this is no database, and long enough to be read as one" * 20)
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    with pytest.raises(DatabaseUnavailable, match="file is not a database"):
        schema.check(engine)
    engine.dispose()
