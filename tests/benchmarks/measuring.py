"""Runs a command to its end and says what it took: time, processor time, and the memory of all its processes."""

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs.processes import descendants

_SECONDS_BETWEEN_LOOKS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run of one command."""

    seconds: float
    processor_seconds: float
    """Of the command and of all processes it waited for."""
    peak_megabytes: float
    """The most that all its processes held at one look, pages that they share counted once."""
    seen: Mapping[str, Any]
    """What the command printed last, where that is JSON."""


def measured(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Measured:
    """Run a command and measure it.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    with tempfile.TemporaryFile() as output:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=output, env=environment)
        watch = _Watch(process.pid)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        watch.done.set()
        watch.join()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        output.seek(max(0, output.seek(0, os.SEEK_END) - 4_096))
        seen = _last_line(output.read())
    return Measured(
        seconds=seconds,
        processor_seconds=usage.ru_utime + usage.ru_stime,
        peak_megabytes=watch.peak / 1024,
        seen=seen,
    )


def _last_line(output: bytes) -> Mapping[str, Any]:
    line = output.rstrip().rpartition(b"\n")[2]
    if not line.startswith(b"{"):
        return {}
    found: dict[str, Any] = json.loads(line)
    return found


class _Watch(threading.Thread):
    """Looks at what a process and those below it hold, again and again."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.done = threading.Event()
        self.peak = 0
        """In kilobytes."""

    def run(self) -> None:
        while not self.done.wait(_SECONDS_BETWEEN_LOOKS):
            self.peak = max(self.peak, sum(_held(pid) for pid in (self._pid, *descendants(self._pid))))


def _held(pid: int) -> int:
    # A process may end while it is looked at.
    with suppress(OSError, ValueError, IndexError):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        return int(rollup.split("\nPss:")[1].split()[0])
    return 0
