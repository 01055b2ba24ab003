"""Running the real command line in this process, in a folder of the test's own, with no other settings than given."""

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs import progress
from jobs.cli import console
from tests.repositories import Repository


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Tracker = Callable[..., Outcome]


@pytest.fixture
def tracker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Tracker]:
    """`tracker("repos", "list", TRACKER_PORT="1")` runs a command and returns its exit code and what it printed."""
    for name in os.environ:
        if name.startswith("TRACKER_") and not name.startswith("TRACKER_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    # A slow machine must not add lines to what a command prints on standard error.
    monkeypatch.setattr(progress, "SECONDS_TO_FIRST_LINE", 3600.0)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level

    def run(*argv: str, **environ: str) -> Outcome:
        with monkeypatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            capfd.readouterr()
            code = console(argv)
        printed = capfd.readouterr()
        return Outcome(code, printed.out, printed.err)

    yield run
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


COUPLED = "import torch\n\n\ndef wait():\n    torch.cuda.synchronize()\n"
NEUTRAL = "import torch\n\n\ndef wait():\n    torch.accelerator.synchronize()\n"


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    """Three commits: one that couples, one that says nothing of hardware, one that decouples."""
    repository = Repository(tmp_path / "upstream.git")
    repository.commit({"torch/waiting.py": COUPLED}, "Add wait (#1)")
    repository.commit({"README.md": "Hello\n"}, "Say hello (#2)")
    repository.commit({"torch/waiting.py": NEUTRAL}, "Make wait device-agnostic (#3)")
    return repository
