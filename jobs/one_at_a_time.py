"""A lock on the var folder, so that two schedulers never crawl into the same mirrors, and the folder's own id."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from tracker.errors import SettingsError, TrackerError

LOCK_FILE = "schedule.lock"
ID_FILE = "folder.id"


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


def folder_id(folder: Path) -> str:
    """Return the id of a folder whose lock is held, made once: whoever bore it before and held the lock is dead."""
    path = folder / ID_FILE
    if not path.exists():
        path.write_text(f"{uuid4().hex}\n", encoding="ascii")
    return path.read_text(encoding="ascii").strip()
