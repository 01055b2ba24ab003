"""The demonstration's GitHub answers what this product asks exactly as GitHub's schema would."""

from pathlib import Path
from typing import Any

import pytest

from jobs.demo_upstream import DemoGitHub
from jobs.demo_upstream.payloads import Json
from tests.pull_builders import a_person, a_pull, a_review, pulls
from tests.standin.github import StandinGitHub
from tracker.numbers import NumberKind
from tracker.settings import Secret
from tracker.sources.github_auth import TokenCredentials, fetch_repository_facts
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_numbers import read_kinds, read_totals
from tracker.sources.github_pulls import Order, read_one, read_page
from tracker.sources.github_queries import EDGES_BEFORE, NUMBERS_AFTER, PULL_REQUEST, PULL_REQUESTS, Query
from tracker.sources.github_releases import fetch_releases
from tracker.sources.github_remainders import read_more
from tracker.upstream import ListPart, PullRequest

SLUG = "octo/engine"
TOKEN = TokenCredentials(Secret("demonstration"))
ODD = a_pull(
    1,
    author=a_person("robot[bot]", id=9, kind="Bot"),
    labels=("Merged",),
    reviews=[a_review(author=None), a_review("PRR_2", author=a_person(company="Example"), submitted_at=None)],
)
GIVEN = [ODD, a_pull(2, author=None), *pulls(6)[2:]]


@pytest.mark.parametrize(
    ("query", "variables"),
    [
        (PULL_REQUESTS, {"field": "CREATED_AT", "first": 4, "after": None}),
        (PULL_REQUESTS, {"field": "UPDATED_AT", "first": 50, "after": None}),
        (PULL_REQUEST, {"number": 1}),
        (NUMBERS_AFTER, {"field": "CREATED_AT", "first": 2, "after": None}),
        (EDGES_BEFORE, {"last": 3, "before": None}),
    ],
    ids=lambda value: value.operation if isinstance(value, Query) else "",
)
def test_each_query_is_answered_with_all_that_the_schema_would_give(
    git_dir: Path, query: Query, variables: dict[str, Any]
) -> None:
    question = {
        "query": query.document,
        "operationName": query.operation,
        "variables": {"owner": "octo", "name": "engine"} | variables,
    }
    _, by_schema = StandinGitHub(git_dir, SLUG, GIVEN).graphql(question)
    _, by_name = DemoGitHub(git_dir, SLUG, GIVEN).graphql(question)
    assert isinstance(by_schema, dict)
    assert isinstance(by_name, dict)
    assert "errors" not in by_schema
    assert contained(by_schema["data"]["repository"], by_name["data"]["repository"])


def test_a_list_and_one_pull_request_are_served_over_http(git_dir: Path) -> None:
    with DemoGitHub(git_dir, SLUG, GIVEN) as github, GitHubClient(github.api_url, TOKEN) as client:
        assert read_page(client, SLUG, Order.CREATED, None, 50).pulls == tuple(GIVEN)
        assert read_one(client, SLUG, 1) == ODD
        assert not isinstance(read_one(client, SLUG, 99), PullRequest)


def test_pull_requests_may_change_while_they_are_served(git_dir: Path) -> None:
    with DemoGitHub(git_dir, SLUG, GIVEN) as github, GitHubClient(github.api_url, TOKEN) as client:
        github.pulls.put(a_pull(7))
        assert read_page(client, SLUG, Order.CREATED, None, 50).total == 7


def test_the_repository_and_its_tags_are_served(git_dir: Path) -> None:
    with DemoGitHub(git_dir, SLUG) as github:
        assert fetch_repository_facts(github.api_url, TOKEN, SLUG) == github.facts
        assert [release.name for release in fetch_releases(github.api_url, TOKEN, SLUG, ())] == ["v1.0"]


def test_every_number_stands_for_a_pull_request(git_dir: Path) -> None:
    with DemoGitHub(git_dir, SLUG, pulls(3)) as github, GitHubClient(github.api_url, TOKEN) as client:
        totals = read_totals(client, SLUG)
        assert (totals.highest, totals.pulls, totals.issues, totals.discussions) == (3, 3, 0, 0)
        found = read_kinds(client, SLUG, [2, 3, 4])
        assert found == {2: NumberKind.PULL_REQUEST, 3: NumberKind.PULL_REQUEST, 4: None}


def test_lists_of_pull_requests_go_on(git_dir: Path) -> None:
    given = a_pull(1, reviews=[a_review(f"PRR_{n:03}") for n in range(130)])
    with DemoGitHub(git_dir, SLUG, [given]) as github, GitHubClient(github.api_url, TOKEN) as client:
        (pull,) = read_page(client, SLUG, Order.CREATED, None, 5).pulls
        (part,) = read_more(client, SLUG, pull.remainders)
        assert isinstance(part, ListPart)
        assert (*pull.reviews, *part.reviews) == given.reviews


def test_an_operation_that_is_not_known_is_said_so(git_dir: Path) -> None:
    question = {"query": "", "operationName": "Issues", "variables": {}}
    _, answer = DemoGitHub(git_dir, SLUG).graphql(question)
    assert answer == {"errors": [{"message": "the demonstration does not know the operation Issues"}]}


def contained(asked: object, given: object) -> bool:
    """Whether everything that was asked for stands in what was given."""
    if isinstance(asked, dict) and isinstance(given, dict):
        return all(name in given and contained(value, given[name]) for name, value in asked.items())
    if isinstance(asked, list) and isinstance(given, list):
        return len(asked) == len(given) and all(map(contained, asked, given))
    return asked == given


def test_what_is_missing_is_noticed() -> None:
    whole: Json = {"a": [{"b": 1}]}
    assert contained(whole, whole | {"c": 2})
    assert not contained(whole, {"a": [{"b": 2}]})
    assert not contained(whole, {"a": []})
    assert not contained(whole, {})
