"""The empty repository through which another is read leaves nothing behind, not even after a kill."""

import subprocess
import sys
from pathlib import Path

import pytest

from tracker.sources.git_borrower import Borrower
from tracker.sources.git_process import reading_environment, run_git


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def test_git_takes_it_for_a_repository(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "objects").mkdir()
    borrower = Borrower(["2" * 40, "1" * 40])
    environment = reading_environment(git_dir=borrower.path, objects=tmp_path / "objects")
    asked = run_git(["rev-parse", "--is-shallow-repository", "--git-path", "objects"], environment=environment)
    assert asked.decode().split() == ["true", str(tmp_path / "objects")]
    assert (borrower.path / "shallow").read_text() == "1" * 40 + "\n" + "2" * 40 + "\n"
    borrower.close()
    assert list(temporary.iterdir()) == []


def test_one_in_use_is_left_alone_and_one_of_a_killed_process_is_removed(temporary: Path) -> None:
    living = Borrower([])
    script = (
        "import os, sys, tempfile; tempfile.tempdir = sys.argv[1]; from tracker.sources.git_borrower import Borrower"
    )
    killed = subprocess.run(
        [sys.executable, "-c", f"{script}; left = Borrower([]); os.kill(os.getpid(), 9)", str(temporary)],
        cwd=Path(__file__).parents[3],
        check=False,
    )
    assert killed.returncode == -9
    assert len(list(temporary.iterdir())) == 2
    (temporary / "tracker-git-other").mkdir()
    next_one = Borrower([])
    assert set(temporary.iterdir()) == {living.path, next_one.path, temporary / "tracker-git-other"}
    living.close()
    next_one.close()
