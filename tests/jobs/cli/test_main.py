import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobs.cli.main import build_parser
from tests.jobs.cli.conftest import Tracker

ROOT = Path(__file__).parents[3]
COMMANDS = ["run", "web", "schedule", "demo", "crawl", "backfill", "audit", "export", "alerts", "rules", "repos", "db"]
GROUPED: list[tuple[str, ...]] = [
    ("rules", "list"),
    ("rules", "show"),
    ("rules", "check"),
    ("repos", "add"),
    ("repos", "list"),
]
GROUPED += [("repos", "remove"), ("db", "upgrade"), ("db", "check"), ("db", "backup")]


def test_the_version_is_said(tracker: Tracker) -> None:
    outcome = tracker("--version")
    assert (outcome.code, outcome.out.split()[0], outcome.err) == (0, "tracker", "")


def test_help_names_every_command_and_the_exit_codes(tracker: Tracker) -> None:
    outcome = tracker("--help")
    assert outcome.code == 0
    assert [command for command in COMMANDS if f"    {command} " not in outcome.out] == []
    assert "exit codes" in outcome.out


@pytest.mark.parametrize("words", [*((command,) for command in COMMANDS), *GROUPED])
def test_help_of_each_command_has_an_example_that_its_parser_accepts(tracker: Tracker, words: tuple[str, ...]) -> None:
    outcome = tracker(*words, "--help")
    assert outcome.code == 0
    example = outcome.out.rpartition("example:\n")[2].strip()
    spoken = example.partition(" | ")[0].split()
    arguments = spoken[spoken.index("tracker") + 1 :]
    assert arguments[: len(words)] == list(words)
    if words not in (("rules",), ("repos",), ("db",)):
        build_parser().parse_args(arguments)


@pytest.mark.parametrize(
    "argv",
    [(), ("fly",), ("crawl",), ("crawl", "stars"), ("export", "ledger", "--format", "xml"), ("run", "--port", "x")],
)
def test_wrong_usage_is_2_and_says_what_is_right(tracker: Tracker, argv: tuple[str, ...]) -> None:
    outcome = tracker(*argv)
    assert (outcome.code, outcome.out) == (2, "")
    assert "usage: tracker" in outcome.err


def test_every_problem_of_the_settings_is_one_line(tracker: Tracker) -> None:
    outcome = tracker("repos", "list", TRACKER_PROT="1", TRACKER_STALE_HOURS="never")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        "tracker: TRACKER_STALE_HOURS: 'never' is no number",
        "tracker: TRACKER_PROT is no setting; did you mean TRACKER_PORT?",
    ]


def test_a_failure_is_one_sentence_without_a_traceback(tracker: Tracker) -> None:
    outcome = tracker("repos", "list")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "tracker: there is no database at var/tracker.db yet; `tracker run` makes it and fills it\n"


def test_a_traceback_is_there_for_who_asks(tracker: Tracker) -> None:
    outcome = tracker("repos", "list", TRACKER_DEBUG="1")
    assert outcome.code == 1
    assert "Traceback (most recent call last):" in outcome.err
    assert outcome.err.splitlines()[-1].startswith("tracker: there is no database")


def test_a_database_out_of_reach_does_not_show_its_password(tracker: Tracker) -> None:
    url = "postgresql://me:hunter2@127.0.0.1:1/db"
    for debug in ("0", "1"):
        outcome = tracker("db", "check", TRACKER_DATABASE_URL=url, TRACKER_DEBUG=debug)
        assert outcome.code == 1
        assert "127.0.0.1" in outcome.err
        assert "hunter2" not in outcome.out + outcome.err


def test_a_file_in_place_of_the_var_folder_is_said_with_the_remedy(tracker: Tracker, tmp_path: Path) -> None:
    (tmp_path / "var").touch()
    outcome = tracker("crawl", "commits")
    assert outcome.code == 2
    assert "cannot be written" in outcome.err
    assert "TRACKER_VAR_FOLDER" in outcome.err


def test_output_that_nobody_reads_ends_quietly(tmp_path: Path) -> None:
    command = f"{sys.executable} -m jobs.cli rules list | head -c 1; echo ${{PIPESTATUS[0]}}"
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, env=environ, cwd=tmp_path
    )
    assert done.stdout.splitlines()[0][1:] in ("141", "0")
    assert done.stderr == ""
