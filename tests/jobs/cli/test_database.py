import sqlite3
from pathlib import Path

from tests.jobs.cli.conftest import Tracker


def test_the_tables_are_made_and_checked(tracker: Tracker) -> None:
    assert tracker("db", "check").code == 1
    assert tracker("db", "upgrade").out == "sqlite:///var/tracker.db is up to date\n"
    assert tracker("db", "check").code == 0
    assert tracker("db", "upgrade").code == 0


def test_a_file_that_is_no_database_is_said_so(tracker: Tracker, tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "tracker.db").write_bytes(b"not a database at all" * 100)
    outcome = tracker("db", "check")
    assert (outcome.code, outcome.out) == (1, "")
    assert "not a database" in outcome.err


def test_a_backup_is_a_whole_database(tracker: Tracker, tmp_path: Path) -> None:
    tracker("repos", "add", "o/n")
    assert tracker("db", "backup", "copy.db").code == 0
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        assert copy.execute("SELECT slug FROM repository").fetchall() == [("o/n",)]
    copy.close()


def test_a_backup_overwrites_nothing(tracker: Tracker, tmp_path: Path) -> None:
    tracker("db", "upgrade")
    (tmp_path / "copy.db").write_text("precious")
    outcome = tracker("db", "backup", "copy.db")
    assert (outcome.code, (tmp_path / "copy.db").read_text()) == (1, "precious")
    assert "exists already" in outcome.err
