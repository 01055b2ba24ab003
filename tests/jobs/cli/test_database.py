import sqlite3
from pathlib import Path

from jobs.one_at_a_time import only_one, using_database
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


def test_a_backup_is_restored_once_the_database_may_be_overwritten(tracker: Tracker, tmp_path: Path) -> None:
    tracker("repos", "add", "o/n")
    tracker("db", "backup", "copy.db")
    tracker("repos", "add", "o/later")
    refused = tracker("db", "restore", "copy.db")
    assert (refused.code, "holds o/later, o/n" in refused.err) == (1, True)
    assert tracker("db", "restore", "copy.db", "--force").out == "sqlite:///var/tracker.db is what copy.db holds\n"
    assert tracker("repos", "list").out.count("o/") == 1
    (tmp_path / "var" / "tracker.db").unlink()
    assert tracker("db", "restore", "copy.db").code == 0


def test_a_backup_is_not_restored_while_a_tracker_runs(tracker: Tracker, tmp_path: Path) -> None:
    tracker("db", "upgrade")
    tracker("db", "backup", "copy.db")
    with using_database(f"sqlite:///{tmp_path}/var/tracker.db"):
        refused = tracker("db", "restore", "copy.db")
    written = tmp_path / "var" / "tracker.db"
    assert (refused.code, refused.err) == (
        1,
        f"tracker: another tracker is writing into {written}; stop it first, or overwrite what it uses with --force\n",
    )
    assert tracker("db", "restore", "copy.db").code == 0


def test_a_tracker_that_runs_on_the_folder_with_another_database_is_no_hindrance(
    tracker: Tracker, tmp_path: Path
) -> None:
    tracker("repos", "add", "o/n")
    tracker("db", "backup", "copy.db")
    with only_one(tmp_path / "var"), using_database(f"sqlite:///{tmp_path}/var/tracker.db"):
        restored = tracker("db", "restore", "copy.db", TRACKER_DATABASE_URL="sqlite:///other.db")
    assert (restored.code, restored.out) == (0, "sqlite:///other.db is what copy.db holds\n")
    listed = tracker("repos", "list", TRACKER_DATABASE_URL="sqlite:///other.db")
    assert [line.split("\t")[0] for line in listed.lines[1:]] == ["o/n"]


def test_what_is_derived_is_derived_anew(tracker: Tracker) -> None:
    tracker("repos", "add", "o/n")
    assert tracker("db", "rebuild").out == "o/n: 0 weekly cells, 0 landings, as before\n"
    assert tracker("db", "rebuild", "--repo", "O/N").code == 0
    refused = tracker("db", "rebuild", "--repo", "o/none")
    assert (refused.code, "o/none is not in the database" in refused.err) == (1, True)


def test_sqlite_has_nothing_to_grant(tracker: Tracker) -> None:
    tracker("db", "upgrade")
    refused = tracker("db", "grants", "web")
    assert (refused.code, refused.out) == (1, "")
    assert "SQLite has no roles" in refused.err


def test_the_dictionary_is_printed_without_a_database(tracker: Tracker) -> None:
    printed = tracker("db", "dictionary")
    assert (printed.code, printed.out.splitlines()[0]) == (0, "# Data")
