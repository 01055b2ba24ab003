"""Locks that belong to what is written: the var folder's, so that two schedulers never crawl into the same mirrors, and
an SQLite file's, so that it is not replaced while it is in use. The folder also has an id of its own.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from tracker.errors import SettingsError, TrackerError

LOCK_FILE = "schedule.lock"
ID_FILE = "folder.id"
IN_USE = ".in-use"
"""What is appended to the name of an SQLite file: the lock of those who write into it."""


def prepare_folder(folder: Path) -> None:
    """Make the var folder, and see that files can be made in it.

    Raises:
        SettingsError: they cannot.
    """
    probe = folder / f".writable.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SettingsError(
            (f"{folder.absolute()} cannot be written ({error.strerror}); set TRACKER_VAR_FOLDER to a folder that can",)
        ) from error


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; the operating system gives it back when the process ends, however it ends.

    Raises:
        TrackerError: another process holds it.
    """
    path = folder / LOCK_FILE
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise TrackerError(
                f"another tracker (process {holder}) runs on {folder.absolute()}; "
                "stop it first, or give this one a folder of its own with TRACKER_VAR_FOLDER"
            ) from error
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


@contextmanager
def using_database(url: str) -> Iterator[None]:
    """Say to others that this process writes into an SQLite file, as any number may; nothing for PostgreSQL.

    Raises:
        TrackerError: the file is being replaced.
    """
    with _database_lock(url, fcntl.LOCK_SH, "{name} is being replaced by a backup; try again in a moment"):
        yield


@contextmanager
def replacing_database(url: str) -> Iterator[None]:
    """Hold an SQLite file alone; nothing for PostgreSQL.

    Raises:
        TrackerError: a tracker writes into it.
    """
    problem = "another tracker is writing into {name}; stop it first, or overwrite what it uses with --force"
    with _database_lock(url, fcntl.LOCK_EX, problem):
        yield


@contextmanager
def _database_lock(url: str, kind: int, problem: str) -> Iterator[None]:
    path = _sqlite_file(url)
    if path is None:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_name(path.name + IN_USE).open("a") as file:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TrackerError(problem.format(name=path.absolute())) from error
        yield


def file_identity(url: str) -> tuple[int, int] | None:
    """Return what tells an SQLite file from another that takes its name; None: it is gone, or the database is no file.

    A process that has a file open goes on writing into it when its name is gone, and nobody will ever read that.
    """
    path = _sqlite_file(url)
    if path is None:
        return None
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    return state.st_dev, state.st_ino


def _sqlite_file(url: str) -> Path | None:
    """Return the file of an SQLite database; None for any other, and for what is no URL, which others refuse."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return None
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        return None
    return Path(str(parsed.database))


def folder_id(folder: Path) -> str:
    """Return the id of a folder whose lock is held, made once: whoever bore it before and held the lock is dead."""
    path = folder / ID_FILE
    known = path.read_text(encoding="ascii").strip() if path.exists() else ""
    if known:
        return known
    # Whole or not at all: a full disk must not leave an empty one.
    made, partial = uuid4().hex, folder / f"{ID_FILE}.{os.getpid()}"
    try:
        partial.write_text(f"{made}\n", encoding="ascii")
        partial.rename(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        problem = f"{path.absolute()} cannot be written ({error.strerror}); make room there, or set TRACKER_VAR_FOLDER"
        raise SettingsError((problem,)) from error
    return made
