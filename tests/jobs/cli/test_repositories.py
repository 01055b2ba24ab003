from pathlib import Path

from tests.jobs.cli.conftest import Tracker


def test_a_repository_is_added_listed_and_removed(tracker: Tracker, tmp_path: Path) -> None:
    assert tracker("repos", "add", "o/n", "--mirror", "clone", "--ref", "main").code == 0
    outcome = tracker("repos", "list")
    assert outcome.lines[1:] == [f"o/n\twatched\t{tmp_path / 'clone'}\tmain\t0"]
    assert tracker("repos", "remove", "o/n").out == "o/n is no longer under watch; its history stays\n"
    assert tracker("repos", "list").lines[1:] == []
    assert tracker("repos", "list", "--all").lines[1:] == [f"o/n\tremoved\t{tmp_path / 'clone'}\tmain\t0"]


def test_the_form_of_the_settings_is_understood_too(tracker: Tracker) -> None:
    outcome = tracker("repos", "add", "o/n=https://example.com/n.git@dev")
    assert outcome.out == "o/n is under watch, read from https://example.com/n.git\n"


def test_what_is_no_repository_is_wrong_usage(tracker: Tracker) -> None:
    outcome = tracker("repos", "add", "pytorch")
    assert (outcome.code, outcome.out) == (2, "")
    assert "write owner/name" in outcome.err


def test_removing_what_is_not_there_is_an_error(tracker: Tracker) -> None:
    assert tracker("repos", "add", "o/n").code == 0
    outcome = tracker("repos", "remove", "o/other")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("tracker: o/other was never under watch")
