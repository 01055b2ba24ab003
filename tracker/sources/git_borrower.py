"""An empty repository in the temporary folder, through which another one's objects are read.

What the other one configures (hooks, filters, replacements, promisors) has no say here, and nothing is written to it.
The folder is removed at the end; one that was left by a process that was killed is known by its free lock, and removed
by the next.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_PREFIX = "tracker-git-"
_LOCK = "held"


class Borrower:
    """The empty repository; its lock is held as long as this object is open."""

    def __init__(self, boundary: Iterable[str]) -> None:
        """Make the repository.

        Args:
            boundary: commits at which the other repository's history ends, because it is a shallow clone.
        """
        _remove_left_ones(Path(tempfile.gettempdir()))
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        # Locked before it has its name: nobody ever sees a lock that is free while the process lives.
        self._lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        (self.path / "lock").rename(self.path / _LOCK)
        (self.path / "refs").mkdir()
        (self.path / "HEAD").write_text("ref: refs/heads/none\n")
        shas = sorted(boundary)
        if shas:
            (self.path / "shallow").write_text("".join(f"{sha}\n" for sha in shas))

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _remove_left_ones(folder: Path) -> None:
    for lock in folder.glob(f"{_PREFIX}*/{_LOCK}"):
        # Another user's, or gone meanwhile: not ours to care for.
        with suppress(OSError):
            _remove_if_left(lock)


def _remove_if_left(lock: Path) -> None:
    handle = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(lock.parent, ignore_errors=True)
    finally:
        os.close(handle)
