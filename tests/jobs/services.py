"""The service as a real process: started, asked over HTTP, told to stop; it never outlives its test."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs.processes import descendants

ROOT = Path(__file__).parents[2]
CLOSED = "http://127.0.0.1:1"
"""Nobody listens there."""
SECONDS_TO_START = 90.0
"""On a machine that does other things too."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running `tracker run`, `web`, `schedule` or `demo`."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def events(self) -> list[dict[str, Any]]:
        """What it logged, one object for each event."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    @property
    def url(self) -> str:
        (event,) = [event for event in self.events if "port" in event]
        return f"http://127.0.0.1:{event['port']}"

    def get(self, path: str) -> tuple[int, str]:
        """Return the status and the text of an answer."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def wait_for(self, condition: Callable[[], object], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, f"it ended: {self.log.read_text()}"
            assert time.monotonic() < deadline, f"it did not happen in time: {self.log.read_text()}"
            time.sleep(0.1)

    def stop(self, number: signal.Signals = signal.SIGTERM, seconds: float = 15) -> tuple[int, list[int]]:
        """Send a signal; return the exit code, and which of its processes are left behind."""
        below = descendants(self.process.pid)
        self.process.send_signal(number)
        code = self.process.wait(seconds)
        deadline = time.monotonic() + 3
        while (left := [pid for pid in below if _lives(pid)]) and time.monotonic() < deadline:
            # The process that Python keeps beside workers ends a moment after the process it was started for.
            time.sleep(0.05)
        return code, left


@contextmanager
def service(folder: Path, *argv: str, **environ: str) -> Iterator[Service]:
    """Run a command in a folder until the test ends."""
    log = folder / "log"
    settings = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "error::ResourceWarning",
        "TRACKER_GITHUB_URL": CLOSED,
        "TRACKER_GIT_URL": CLOSED,
    }
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "jobs.cli", *argv], cwd=folder, env=settings | environ, stdout=file, stderr=file
        )
    running = Service(process, log)
    try:
        running.wait_for(lambda: re.search("Ctrl-C stops", log.read_text()), SECONDS_TO_START)
        yield running
    finally:
        below = descendants(process.pid)
        for pid in (process.pid, *below):
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGKILL)
        process.wait(10)


def _lives(pid: int) -> bool:
    """Whether the process runs, and does not only wait to be buried."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
