"""Exports onto a real terminal command nothing; into a file or a pipe they are exact."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.jobs.cli.conftest import COUPLED, Tracker
from tests.jobs.services import ROOT
from tests.repositories import Repository


def test_a_title_with_control_signs_is_written_out_on_a_terminal_and_exact_in_a_pipe(
    tracker: Tracker, tmp_path: Path
) -> None:
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"torch/a.py": COUPLED}, message="\x1b]0;mine\x07 clear\x1b[2J")
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "jobs.cli", "export", "verdicts"]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(terminal)
    with os.fdopen(screen, "rb") as shown:
        seen = shown.read1(1 << 16)
    assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0)
    assert b"\x1b" not in seen
    assert rb"\u001b]0;mine\u0007 clear\u001b[2J" in seen
    assert "\x1b]0;mine\x07 clear\x1b[2J" in tracker("export", "verdicts").out
