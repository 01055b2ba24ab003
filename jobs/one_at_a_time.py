"""A lock on the var folder, so that two schedulers never crawl into the same mirrors and database file."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tracker.errors import SettingsError, TrackerError

LOCK_FILE = "schedule.lock"


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
