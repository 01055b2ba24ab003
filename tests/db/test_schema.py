from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, MetaData, inspect, text
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.base import Base, open_database, session_factory
from db.pull_details import read_pull
from db.repositories import add_repository, read_repositories
from tests.builders import A_DAY
from tests.databases import empty_postgres_database
from tracker.errors import DatabaseUnavailable, TrackerError


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


def test_an_sqlite_database_is_backed_up_while_a_writer_holds_it(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    schema.upgrade(engine)
    with Session(engine) as session:
        add_repository(session, "pytorch/pytorch", now=A_DAY)
        session.commit()
        add_repository(session, "pytorch/vision", now=A_DAY)  # not committed
        schema.backup(engine, tmp_path / "copies" / "backup.db")
    copy = open_database(f"sqlite:///{tmp_path / 'copies' / 'backup.db'}", read_only=True)
    with Session(copy) as session:
        assert [row.slug for row in read_repositories(session)] == ["pytorch/pytorch"]
    assert not list((tmp_path / "copies").glob("*.partial"))
    engine.dispose()
    copy.dispose()


def test_a_backup_never_overwrites_a_file(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    schema.upgrade(engine)
    (tmp_path / "backup.db").write_text("precious")
    with pytest.raises(TrackerError, match="exists already"):
        schema.backup(engine, tmp_path / "backup.db")
    assert (tmp_path / "backup.db").read_text() == "precious"
    engine.dispose()


@pytest.mark.postgres
def test_a_postgres_database_is_backed_up_by_its_own_tool(postgres_engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(TrackerError, match="pg_dump --format=custom"):
        schema.backup(postgres_engine, tmp_path / "backup.db")
