"""The processes that this one started, and theirs: found through /proc (or ps), and ended, so that none is left."""

import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
BOOKKEEPER = b"multiprocessing.resource_tracker"
"""The process that Python keeps beside workers: it hears no signal, and ends with the process it was started for."""


def descendants(pid: int) -> tuple[int, ...]:
    """Return the ids of every process below this one, nearest first."""
    children: dict[int, list[int]] = defaultdict(list)
    for child, parent in _parents():
        children[parent].append(child)
    found: list[int] = []
    waiting = sorted(children[pid])
    while waiting:
        found.extend(waiting)
        waiting = [grandchild for child in waiting for grandchild in sorted(children[child])]
    return tuple(found)


def end_descendants(pid: int, seconds: float) -> int:
    """Ask every process below this one to end, kill what has not after so many seconds; return how many there were."""
    targets = tuple(target for target in descendants(pid) if not _is_bookkeeper(target))
    _send(targets, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while any(is_alive(target) for target in targets) and time.monotonic() < deadline:
        time.sleep(0.05)
    # What the ended ones had started since is found only now.
    later = {target for target in descendants(pid) if not _is_bookkeeper(target)}
    _send({*targets, *later}, signal.SIGKILL)
    return len(targets)


def _send(targets: Iterable[int], number: signal.Signals) -> None:
    for target in targets:
        if is_alive(target):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(target, number)


def _is_bookkeeper(pid: int) -> bool:
    try:
        return BOOKKEEPER in PROC.joinpath(str(pid), "cmdline").read_bytes()
    except OSError:
        return False


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits to be buried does not."""
    state = _stat(pid)
    if state is not None:
        return state[0] != "Z"
    if PROC.joinpath("self").exists():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _parents() -> Iterable[tuple[int, int]]:
    if not PROC.joinpath("self", "stat").exists():
        listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=False)
        rows = (line.split() for line in listing.stdout.splitlines())
        return [(int(row[0]), int(row[1])) for row in rows if len(row) == 2]
    pids = [int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit()]
    return [(pid, state[1]) for pid in pids if (state := _stat(pid)) is not None]


def _stat(pid: int) -> tuple[str, int] | None:
    """Return a process's state and parent; the name between them may hold anything, parentheses too (proc(5))."""
    try:
        text = PROC.joinpath(str(pid), "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, parent = text.rpartition(")")[2].split()[:2]
    return state, int(parent)
