"""The stand-in against independent witnesses: PyGithub, git itself, and GitHub's own schema."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from github import Auth, Github
from graphql import GraphQLSchema

from tests.repositories import Repository
from tests.standin.git_pulls import landed_numbers, numstat, pulls_of
from tests.standin.github import TOKEN, StandinGitHub
from tests.standin.schema import cut_schema
from tracker.settings import Secret
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_pulls import Order, read_page
from tracker.upstream import PullRequest, PullRequestState


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with five pull requests, of which 2 and 4 were squashed onto `main`, and a merge ref."""
    repository = Repository(tmp_path_factory.mktemp("standin") / "engine.git")
    repository.commit({"engine.py": "import torch\n", "setup.py": "VERSION = 1\n"})
    for number in range(1, 6):
        base = repository.tip("main")
        assert base is not None
        change = {f"part{number}.py": "x = 1\n" * number, "setup.py": f"VERSION = {number + 1}\n"}
        head = repository.commit(change, f"Work on part {number}", parents=[base])
        repository.set_branch("main", base)
        repository.set_reference(f"refs/pull/{number}/head", head)
        if number in (2, 4):
            repository.commit(change, f"Part {number} (#{number})", parents=[base])
    repository.set_reference("refs/pull/1/merge", repository.tip("main") or "")
    return repository


@pytest.fixture
def served(upstream: Repository) -> Iterator[StandinGitHub]:
    merged = {number: {"state": PullRequestState.MERGED} for number in landed_numbers(upstream.path)}
    with StandinGitHub(upstream.path, pulls=pulls_of(upstream.path, merged)) as github:
        yield github


def by_graphql(served: StandinGitHub) -> dict[int, PullRequest]:
    with GitHubClient(served.api_url, TokenCredentials(Secret(TOKEN))) as client:
        page = read_page(client, served.facts.slug, Order.CREATED, None, 50)
    return {pull.number: pull for pull in page.pulls}


@pytest.fixture
def pygithub(served: StandinGitHub) -> Iterator[Github]:
    github = Github(
        auth=Auth.Token(TOKEN), base_url=served.api_url, per_page=2, retry=None, seconds_between_requests=None
    )
    with closing(github):
        yield github


def test_rest_graphql_and_git_list_the_same_pull_requests(
    served: StandinGitHub, upstream: Repository, pygithub: Github
) -> None:
    refs = upstream.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/pull/*/head").split()
    of_git = {int(ref.split("/")[2]): sha for ref, sha in zip(refs[::2], refs[1::2], strict=True)}
    of_rest = {pull.number: pull.head.sha for pull in pygithub.get_repo("octo/engine").get_pulls(state="all")}
    of_graphql = {pull.number: pull.head_sha for pull in by_graphql(served).values()}
    assert of_rest == of_graphql == of_git
    assert len(of_git) == 5


def test_what_landed_is_what_mains_commits_name(served: StandinGitHub) -> None:
    merged = {number for number, pull in by_graphql(served).items() if pull.state is PullRequestState.MERGED}
    assert merged == set(landed_numbers(served.git_dir)) == {2, 4}


def test_files_and_lines_are_those_of_git_diff(served: StandinGitHub, pygithub: Github) -> None:
    pull = by_graphql(served)[3]
    files = pygithub.get_repo("octo/engine").get_pull(3).get_files()
    of_rest = [(file.additions, file.deletions, file.filename) for file in files]
    assert of_rest == numstat(served.git_dir, pull.head_sha) == [(3, 0, "part3.py"), (1, 1, "setup.py")]
    assert (pull.additions, pull.deletions, pull.changed_files) == (4, 1, 2)


def test_git_fetches_pull_requests_over_http(served: StandinGitHub, tmp_path: Path) -> None:
    url = f"{served.git_url}/octo/engine.git"
    clone = tmp_path / "clone.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", url, str(clone)], check=True)
    fetch = ["git", "-C", str(clone), "fetch", "--quiet", "origin", "refs/pull/*/head:refs/pull/*/head"]
    subprocess.run(fetch, check=True)
    read = ["git", "-C", str(clone), "rev-parse", "refs/pull/3/head"]
    head = subprocess.run(read, check=True, capture_output=True, text=True).stdout.strip()
    assert head == by_graphql(served)[3].head_sha


def test_only_who_has_a_token_is_answered(served: StandinGitHub) -> None:
    assert httpx.get(f"{served.api_url}/repos/octo/engine").status_code == 401
    assert httpx.post(f"{served.api_url}/graphql", json={"query": "{", "operationName": "X"}).status_code == 401


def test_a_question_that_the_schema_does_not_know_is_refused_as_github_does(served: StandinGitHub) -> None:
    question = {"query": "query X { repository(owner: 1) { stars } }", "operationName": "X", "variables": {}}
    answer = httpx.post(f"{served.api_url}/graphql", json=question, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert any("stars" in error["message"] for error in answer.json()["errors"])


def test_the_servers_clock_is_what_a_test_says(served: StandinGitHub) -> None:
    served.clock = lambda: datetime(2031, 1, 1, tzinfo=UTC)
    answer = httpx.get(f"{served.api_url}/rate_limit", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.headers["date"] == "Wed, 01 Jan 2031 00:00:00 GMT"


def test_pull_requests_come_through_our_cut_of_the_schema_as_they_are(upstream: Repository) -> None:
    check_that_pulls_come_through(upstream, cut_schema())


@pytest.mark.slow
def test_pull_requests_come_through_githubs_schema_as_they_are(
    upstream: Repository, github_schema: GraphQLSchema
) -> None:
    check_that_pulls_come_through(upstream, github_schema)


def check_that_pulls_come_through(upstream: Repository, schema: GraphQLSchema) -> None:
    given = {pull.number: pull for pull in pulls_of(upstream.path)}
    with StandinGitHub(upstream.path, pulls=given.values(), schema=schema) as github:
        assert by_graphql(github) == given
