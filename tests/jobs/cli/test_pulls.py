"""Pull requests on the command line, against a stand-in GitHub: limits are said and not waited for, gaps are shown."""

import re
from dataclasses import replace

from tests.jobs.cli.conftest import Tracker
from tests.pull_builders import a_pull, pulls
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import TOKEN, StandinGitHub
from tracker.numbers import NumberKind

SLUG = "octo/engine"


def settings(github: StandinGitHub) -> dict[str, str]:
    return {"TRACKER_GITHUB_URL": github.api_url, "TRACKER_GITHUB_TOKEN": TOKEN}


def test_a_spent_budget_ends_the_crawl_at_once_and_says_until_when(tracker: Tracker, standin: StandinGitHub) -> None:
    standin.faults = FaultScript(faults=(Fault(kind=FaultKind.PRIMARY_403, times=0),))
    outcome = tracker("crawl", "pulls", "--repo", SLUG, **settings(standin))
    assert outcome.code == 1
    assert re.search(r"it can be asked again at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", outcome.err)
    assert len(standin.log) == 1


def test_pull_requests_are_crawled_and_compared_with_their_numbers(tracker: Tracker, standin: StandinGitHub) -> None:
    for pull in pulls(3):
        standin.pulls.put(pull)
    standin.numbers[4] = NumberKind.ISSUE
    standin.pulls.put(replace(a_pull(5)))
    assert tracker("crawl", "pulls", "--repo", SLUG, **settings(standin)).code == 0
    outcome = tracker("reconcile", "--repo", SLUG, **settings(standin))
    assert (outcome.code, outcome.err) == (0, "")
    assert [line.split("\t") for line in outcome.lines if line.startswith(SLUG)] == [
        [SLUG, "5", "4", "1", "0", "0", "0", "0", "0"]
    ]


def test_a_gap_is_1(tracker: Tracker, standin: StandinGitHub) -> None:
    for pull in pulls(3):
        standin.pulls.put(pull)
    standin.spoilt = {2: lambda _node: TimeoutError("timed out")}
    tracker("crawl", "pulls", "--repo", SLUG, **settings(standin))
    outcome = tracker("reconcile", "--repo", SLUG, **settings(standin))
    assert outcome.code == 1
    assert [SLUG, "3", "2", "0", "0", "0", "1", "0", "0"] in [line.split("\t") for line in outcome.lines]


def test_numbers_are_compared_only_once_all_pull_requests_were_read(tracker: Tracker, standin: StandinGitHub) -> None:
    tracker("repos", "add", SLUG)
    outcome = tracker("reconcile", "--repo", SLUG, **settings(standin))
    assert outcome.code == 1
    assert "were not read to the end yet; `tracker crawl pulls` does it" in outcome.err


def test_releases_are_read(tracker: Tracker, standin: StandinGitHub) -> None:
    more = {**settings(standin), "TRACKER_REPOSITORIES": f"{SLUG}={standin.git_dir}"}
    tracker("crawl", "commits", **more)
    outcome = tracker("crawl", "releases", "--repo", SLUG, **more)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines[0].startswith(f"read_releases {SLUG}: new 1, known 0, source GitHub")
