import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs.processes import descendants
from tests.jobs.services import ROOT
from tests.repositories import Repository


@pytest.mark.slow
def test_an_interrupted_command_ends_with_130_and_one_line(tmp_path: Path) -> None:
    upstream = Repository(tmp_path / "upstream.git")
    upstream.commit({"a.py": "import torch\ntorch.cuda.synchronize()\n"})
    process = subprocess.Popen(
        [sys.executable, "-m", "jobs.cli", "classify", "--repo", "o/n", "--mirror", str(upstream.path), "--stdin"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b"main\n" * 64)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not descendants(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err.decode()) == (130, "tracker: interrupted\n")
    assert b"Traceback" not in out
