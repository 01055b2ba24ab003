"""Copies an SQLite database into a file and back, whole, while others use it; PostgreSQL has its own tools."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine

from tracker.errors import DatabaseUnavailable, TrackerError

PAGES_AT_ONCE = 4096


def backup(engine: Engine, path: Path) -> None:
    """Copy an SQLite database into a new file, consistently, while others read and write.

    Raises:
        TrackerError: the file exists already, or the database is PostgreSQL.
    """
    source_path = _file_of(engine, f"pg_dump --format=custom --file={path}", "back it up")
    if path.exists():
        raise TrackerError(f"{path} exists already; name a new file for the backup")
    if not source_path.is_file():
        raise DatabaseUnavailable(f"there is no database at {source_path}; nothing was copied")
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with closing(sqlite3.connect(source_path)) as source, closing(sqlite3.connect(partial)) as copy:
        source.backup(copy, pages=PAGES_AT_ONCE, sleep=0.01)
    partial.rename(path)


def restore(engine: Engine, path: Path, *, force: bool = False) -> None:
    """Put a backup in the place of an SQLite database: all of it or nothing, also while others have it open.

    Args:
        force: overwrite a database that holds a repository.

    Raises:
        TrackerError: the database is not empty, or is PostgreSQL; the file is no backup of one, or is damaged.
    """
    target_path = _file_of(engine, f"pg_restore --clean --if-exists --dbname=... {path}", "restore it")
    _check_backup(path)
    if not force and (slugs := _repositories(target_path)):
        raise TrackerError(
            f"{target_path} holds {', '.join(slugs)}; "
            "back it up with `tracker db backup`, then overwrite it with --force"
        )
    target_path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target_path)) as target:
        source.backup(target)


def _file_of(engine: Engine, command: str, what: str) -> Path:
    if engine.dialect.name != "sqlite":
        name = engine.url.render_as_string(hide_password=True)
        raise TrackerError(f"the database {name} is PostgreSQL: {what} with {command}")
    return Path(engine.url.database or "")


def _check_backup(path: Path) -> None:
    if not path.is_file():
        raise TrackerError(f"there is no file {path}")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source:
            (state,) = source.execute("PRAGMA integrity_check(1)").fetchone()
            if state != "ok":
                raise TrackerError(f"{path} is damaged ({state}); nothing was restored")
            source.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise TrackerError(f"{path} is no backup of this product's ({error}); nothing was restored") from error


def _repositories(path: Path) -> list[str]:
    """Return what a database holds; nothing where there is none, or one without tables."""
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(path)) as database:
            return [slug for (slug,) in database.execute("SELECT slug FROM repository ORDER BY slug")]
    except sqlite3.OperationalError:
        return []
