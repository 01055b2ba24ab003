"""Every answer of the stand-in's REST side is one that GitHub's own description of its API allows."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from github import Auth, Github

from jobs.demo_upstream.rest_payloads import rest_pull_request
from tests.pull_builders import a_person, a_pull
from tests.repositories import Repository
from tests.standin.github import TOKEN, StandinGitHub
from tests.standin.openapi import PATHS, problems
from tracker.numbers import NumberKind
from tracker.upstream import PullFile, PullRequestState

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("rest_description")]
PULLS = "/repos/octo/engine/pulls"


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[StandinGitHub]:
    """A repository with everything that the stand-in speaks of."""
    repository = Repository(tmp_path / "engine.git")
    repository.set_reference("refs/tags/v1.0.0", repository.commit({"a.py": "x = 1\n"}))
    repository.git("tag", "-a", "-m", "two", "v2.0.0", "main")
    odd = replace(
        a_pull(2, author=a_person("robot[bot]", kind="Bot"), state=PullRequestState.MERGED, labels=("Merged", "x")),
        files=tuple(
            PullFile(path=f"{n}.py", change=change, additions=1, deletions=2) for n, change in enumerate(CHANGES)
        ),
    )
    with StandinGitHub(repository.path, pulls=[a_pull(1), odd, a_pull(3, author=None)]) as github:
        github.numbers |= {4: NumberKind.ISSUE, 5: NumberKind.DELETED, 6: NumberKind.TRANSFERRED}
        yield github


CHANGES = ("ADDED", "DELETED", "MODIFIED", "RENAMED", "COPIED", "CHANGED")


def ask(github: StandinGitHub, path: str, method: str = "GET") -> int:
    answer = httpx.request(method, f"{github.api_url}{path}", headers={"Authorization": f"Bearer {TOKEN}"})
    return answer.status_code


def test_every_answer_is_one_that_github_may_give(filled: StandinGitHub, tmp_path: Path) -> None:
    git = Repository(tmp_path / "engine.git")
    tag, commit = git.git("rev-parse", "v2.0.0").strip(), git.git("rev-parse", "main").strip()
    repository = "/repos/octo/engine"
    asked = {
        repository: 200,
        f"/repositories/{filled.facts.github_id}": 200,
        f"{PULLS}?state=all&per_page=2": 200,
        f"{PULLS}?state=all&per_page=2&page=2": 200,
        **{f"{PULLS}/{number}": 200 for number in (1, 2, 3)},
        f"{PULLS}/9": 404,
        f"{PULLS}/2/files": 200,
        f"{repository}/releases": 200,
        f"{repository}/git/matching-refs/tags%2Fv": 200,
        f"{repository}/git/tags/{tag}": 200,
        f"{repository}/git/commits/{commit}": 200,
        f"{repository}/git/commits/{'0' * 40}": 404,
        **{f"{repository}/issues/{number}": status for number, status in ((1, 200), (4, 200), (5, 410), (7, 404))},
        f"{repository}/issues/6": 200,
        "/rate_limit": 200,
        "/repos/octo/nothing": 404,
    }
    assert {path: ask(filled, path) for path in asked} == asked
    assert ask(filled, "/app/installations/1/access_tokens", "POST") == 201
    filled.rename("octo/motor")
    assert ask(filled, repository) == 301
    assert filled.problems == []


def test_pygithub_reads_all_of_it(filled: StandinGitHub) -> None:
    with closing(Github(auth=Auth.Token(TOKEN), base_url=filled.api_url, retry=None)) as github:
        repository = github.get_repo("octo/engine")
        assert [pull.number for pull in repository.get_pulls(state="all", sort="created", direction="asc")] == [1, 2, 3]
        pull = repository.get_pull(2)
        assert (pull.merged, pull.user.type, pull.mergeable is None) == (True, "Bot", True)
        assert [label.name for label in pull.labels] == ["Merged", "x"]
        assert [file.status for file in pull.get_files()][:2] == ["added", "removed"]
        assert repository.get_issue(1).pull_request is not None
        assert github.get_rate_limit().resources.core.limit == 5_000
    assert filled.problems == []


@pytest.mark.parametrize(
    ("change", "wrong"),
    [({"number": "1"}, "number"), ({"created_at": "yesterday"}, "created_at"), ({"user": 3}, "user")],
)
def test_an_answer_that_github_would_not_give_is_found(
    filled: StandinGitHub, change: dict[str, object], wrong: str
) -> None:
    good = rest_pull_request(a_pull(1), filled.facts, filled.api_url)
    assert problems("GET", PULLS, 200, json.dumps([good]).encode()) == []
    (found,) = problems("GET", PULLS, 200, json.dumps([good | change]).encode())
    assert wrong in found
    del good["base"]
    assert "base" in problems("GET", PULLS, 200, json.dumps([good]).encode())[0]


def test_an_answer_that_is_not_described_is_found(filled: StandinGitHub) -> None:
    assert problems("GET", PULLS, 418, b"{}") == [f"GET {PULLS} is not described to answer 418"]
    assert problems("GET", f"{PULLS}/1/likes", 200, b"{}") == [f"GET {PULLS}/1/likes is not among what is described"]
    assert len(PATHS) == 11
    assert filled.problems == []
