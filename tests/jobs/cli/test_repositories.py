from pathlib import Path

import pytest

from db.base import in_transaction, open_database, session_factory
from db.repositories import read_repositories
from tests.jobs.cli.conftest import Tracker
from tests.repositories import Repository
from tests.standin.github import TOKEN, StandinGitHub


def test_a_repository_is_added_listed_and_removed(tracker: Tracker, tmp_path: Path) -> None:
    Repository(tmp_path / "clone").commit({"a.py": "x = 1\n"})
    assert tracker("repos", "add", "o/n", "--mirror", "clone", "--ref", "main").code == 0
    outcome = tracker("repos", "list")
    assert outcome.lines[1:] == [f"o/n\twatched\t{tmp_path / 'clone'}\tmain\t0\t\t"]
    assert tracker("repos", "remove", "o/n").out == "o/n is no longer under watch; its history stays\n"
    assert tracker("repos", "list").lines[1:] == []
    assert tracker("repos", "list", "--all").lines[1:] == [f"o/n\tremoved\t{tmp_path / 'clone'}\tmain\t0\t\t"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("o/n", "--mirror", "nowhere"), "nowhere is no folder: name a clone's folder or a URL"),
        (("o/n=nowhere@main",), "nowhere is no folder: name a clone's folder or a URL"),
        (("o/n", "--mirror", "plain"), "plain is no git repository"),
        (("o/n", "--mirror", "clone", "--ref", "dev"), "clone has no commit dev"),
    ],
)
def test_what_is_no_clone_or_lacks_the_branch_is_not_added(
    tracker: Tracker, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "plain").mkdir()
    Repository(tmp_path / "clone").commit({"a.py": "x = 1\n"})
    outcome = tracker("repos", "add", *arguments)
    assert (outcome.code, outcome.out, outcome.err) == (1, "", f"tracker: {tmp_path}/{said}\n")
    assert not (tmp_path / "var").exists()


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


def test_a_former_name_on_github_is_added_by_its_present_one_with_its_numeric_id(
    tracker: Tracker, standin: StandinGitHub, tmp_path: Path
) -> None:
    former = standin.facts.slug
    standin.rename("octo/renamed")
    asked = {"TRACKER_GITHUB_URL": standin.api_url, "TRACKER_GITHUB_TOKEN": TOKEN}
    assert tracker("repos", "add", former, **asked).out == "octo/renamed is under watch\n"
    with in_transaction(session_factory(open_database(f"sqlite:///{tmp_path}/var/tracker.db"))) as session:
        (row,) = read_repositories(session)
        known = (row.slug, row.github_id, row.default_branch)
    assert known == ("octo/renamed", standin.facts.github_id, "main")


def test_a_name_that_github_does_not_know_is_not_added(tracker: Tracker, standin: StandinGitHub) -> None:
    asked = {"TRACKER_GITHUB_URL": standin.api_url, "TRACKER_GITHUB_TOKEN": TOKEN}
    outcome = tracker("repos", "add", "octo/typo", **asked)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("tracker: GitHub has no repository octo/typo, or hides it from this token")


def test_without_github_in_reach_a_name_is_added_as_it_is(tracker: Tracker) -> None:
    unreachable = {"TRACKER_GITHUB_URL": "http://127.0.0.1:9", "TRACKER_GITHUB_TOKEN": TOKEN}
    assert tracker("repos", "add", "o/n", **unreachable).out == "o/n is under watch\n"
