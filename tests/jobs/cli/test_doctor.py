import json

from tests.jobs.cli.conftest import Tracker

CLOSED = "http://127.0.0.1:1"


def test_each_thing_is_one_line_and_notes_are_no_failure(tracker: Tracker) -> None:
    outcome = tracker("doctor", TRACKER_GITHUB_URL=CLOSED, TRACKER_PORT="0")
    assert (outcome.code, outcome.err) == (0, "")
    assert [line.split(":")[0] for line in outcome.lines] == [
        "ok   python",
        "ok   git",
        "ok   folder",
        "ok   database",
        "ok   rules",
        "ok   clones",
        "note token",
        "note upstream",
        "ok   port",
    ]


def test_what_is_bad_is_exit_1_and_no_secret_is_told_to_programs_either(tracker: Tracker) -> None:
    outcome = tracker(
        "doctor", "--json", TRACKER_GITHUB_URL=CLOSED, TRACKER_PORT="0", TRACKER_GITHUB_TOKEN="hunter2hunter2"
    )
    found = {each["name"]: each["health"] for each in map(json.loads, outcome.lines)}
    assert (outcome.code, found["token"], found["git"]) == (1, "bad", "ok")
    assert "hunter2" not in outcome.out + outcome.err


def test_settings_that_are_wrong_are_what_is_bad(tracker: Tracker) -> None:
    outcome = tracker("doctor", TRACKER_PORT="many", TRACKER_WORKER="1")
    assert (outcome.code, len(outcome.lines)) == (1, 2)
    assert outcome.lines[0].startswith("bad  settings: TRACKER_PORT")
