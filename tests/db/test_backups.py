"""A backup is the whole database at one moment; restoring one never costs data that nobody agreed to lose."""

import shutil
import subprocess
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from db import schema
from db.backups import backup, restore
from db.base import open_database, session_factory
from db.exports import Export, export_rows
from db.repositories import add_repository, read_repositories
from db.tables import LedgerEntryRow
from tests.builders import A_DAY, a_judged_commit, an_entry
from tests.databases import PROGRAMS, empty_postgres_database
from tests.stored import a_repository, append
from tracker.errors import TrackerError


def test_an_sqlite_database_is_backed_up_while_a_writer_holds_it(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    schema.upgrade(engine)
    with Session(engine) as session:
        add_repository(session, "pytorch/pytorch", now=A_DAY)
        session.commit()
        add_repository(session, "pytorch/vision", now=A_DAY)  # not committed
        backup(engine, tmp_path / "copies" / "backup.db")
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
        backup(engine, tmp_path / "backup.db")
    assert (tmp_path / "backup.db").read_text() == "precious"
    engine.dispose()


@pytest.mark.postgres
def test_a_postgres_database_is_backed_up_by_its_own_tool(postgres_engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(TrackerError, match="pg_dump --format=custom"):
        backup(postgres_engine, tmp_path / "backup.db")


def a_database(path: Path, slug: str | None = "pytorch/pytorch") -> Engine:
    engine = open_database(f"sqlite:///{path}")
    schema.upgrade(engine)
    if slug is not None:
        with session_factory(engine).begin() as session:
            append(session, a_repository(session, slug), [a_judged_commit("first", [an_entry()])])
    return engine


def watched(engine: Engine) -> list[str]:
    with session_factory(engine)() as session:
        return [row.slug for row in read_repositories(session)]


@pytest.fixture
def backed_up(tmp_path: Path) -> Path:
    engine = a_database(tmp_path / "source.db")
    backup(engine, tmp_path / "backup.db")
    engine.dispose()
    return tmp_path / "backup.db"


def test_a_backup_is_restored_where_there_is_no_database(tmp_path: Path, backed_up: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'new' / 'tracker.db'}")
    restore(engine, backed_up)
    schema.check(engine)
    assert watched(engine) == ["pytorch/pytorch"]
    engine.dispose()


def test_a_backup_is_restored_into_an_empty_database(tmp_path: Path, backed_up: Path) -> None:
    engine = a_database(tmp_path / "tracker.db", slug=None)
    restore(engine, backed_up)
    assert watched(engine) == ["pytorch/pytorch"]
    engine.dispose()


def test_a_database_that_holds_something_is_overwritten_only_by_force(tmp_path: Path, backed_up: Path) -> None:
    engine = a_database(tmp_path / "tracker.db", "o/precious")
    with pytest.raises(TrackerError, match=r"holds o/precious; .* overwrite it with --force"):
        restore(engine, backed_up)
    assert watched(engine) == ["o/precious"]
    restore(engine, backed_up, force=True)
    assert watched(engine) == ["pytorch/pytorch"]
    engine.dispose()


def test_who_has_the_database_open_sees_all_of_the_backup(tmp_path: Path, backed_up: Path) -> None:
    engine = a_database(tmp_path / "tracker.db", "o/precious")
    reader = open_database(f"sqlite:///{tmp_path / 'tracker.db'}", read_only=True)
    with session_factory(reader)() as session:
        assert session.scalar(select(func.count(LedgerEntryRow.id))) == 1
        session.rollback()
        restore(engine, backed_up, force=True)
        assert [row[0] for row in export_rows(session, Export.LEDGER)] == ["pytorch/pytorch"]
    engine.dispose()
    reader.dispose()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(None, "there is no file"), (b"no database" * 500, "is no backup"), (b"", "is no backup")],
)
def test_what_is_no_backup_changes_nothing(tmp_path: Path, content: bytes | None, complaint: str) -> None:
    engine = a_database(tmp_path / "tracker.db", "o/precious")
    if content is not None:
        (tmp_path / "backup.db").write_bytes(content)
    with pytest.raises(TrackerError, match=complaint):
        restore(engine, tmp_path / "backup.db", force=True)
    assert watched(engine) == ["o/precious"]
    engine.dispose()


def test_a_damaged_backup_changes_nothing(tmp_path: Path, backed_up: Path) -> None:
    engine = a_database(tmp_path / "tracker.db", "o/precious")
    whole = bytearray(backed_up.read_bytes())
    whole[8192:12288] = b"\xff" * 4096
    backed_up.write_bytes(whole)
    with pytest.raises(TrackerError, match="nothing was restored"):
        restore(engine, backed_up, force=True)
    assert watched(engine) == ["o/precious"]
    engine.dispose()


@pytest.mark.postgres
def test_a_postgres_database_is_restored_by_its_own_tool(postgres_engine: Engine, backed_up: Path) -> None:
    with pytest.raises(TrackerError, match="pg_restore"):
        restore(postgres_engine, backed_up, force=True)


@pytest.mark.slow
@pytest.mark.postgres
def test_what_pg_dump_writes_pg_restore_brings_back(postgres_server: URL, tmp_path: Path) -> None:
    folders = sorted(PROGRAMS.glob("*/bin"), key=lambda folder: int(folder.parts[-2]))
    tools = str(folders[-1]) if folders else None
    dump, bring_back = (shutil.which(name, path=tools) or name for name in ("pg_dump", "pg_restore"))
    with (
        empty_postgres_database(postgres_server, f"tracker_test_{uuid4().hex[:12]}") as first,
        empty_postgres_database(postgres_server, f"tracker_test_{uuid4().hex[:12]}") as second,
    ):
        exports = []
        for url in (first, second):
            engine = open_database(url.render_as_string(hide_password=False))
            plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
            if url is first:
                schema.upgrade(engine)
                with session_factory(engine).begin() as session:
                    append(session, a_repository(session), [a_judged_commit("first", [an_entry()])])
                subprocess.run([dump, "--format=custom", f"--file={tmp_path / 'dump'}", plain], check=True)
            else:
                subprocess.run([bring_back, f"--dbname={plain}", str(tmp_path / "dump")], check=True)
                schema.check(engine)
            with session_factory(engine)() as session:
                exports.append({what: list(export_rows(session, what)) for what in Export})
            engine.dispose()
    assert exports[0] == exports[1]
    assert len(exports[1][Export.LEDGER]) == 1
