"""Answers to our queries, and how each says what it lacks."""

from datetime import UTC, datetime

import pytest

from jobs.demo_upstream.payloads import Json, graphql_pull_request
from jobs.demo_upstream.rest_payloads import rest_pull_request
from tests.pull_builders import A_TIME, a_pull
from tracker.errors import PayloadError
from tracker.sources.github_answers import (
    Edge,
    EdgesAnswer,
    GraphQLError,
    NumbersAnswer,
    Opening,
    PullRequestsAnswer,
    parse_cost,
    parse_edges,
    parse_errors,
    parse_numbers,
    parse_one_pull_request,
    parse_opening,
    parse_pull_requests,
    parse_repository,
)
from tracker.upstream import RepositoryFacts

ENGINE = RepositoryFacts(github_id=42, slug="octo/engine", default_branch="main")


def an_answer(page: Json | None, errors: list[Json] | None = None, **repository: object) -> Json:
    facts: Json = {"databaseId": 42, "nameWithOwner": "octo/engine", "defaultBranchRef": {"name": "main"}}
    return {"data": {"repository": facts | {"pullRequests": page} | repository}} | (
        {"errors": errors} if errors is not None else {}
    )


def a_page(nodes: list[Json | None] | None, *, total: int = 9, end: str | None = "end", more: bool = True) -> Json:
    return {"totalCount": total, "pageInfo": {"hasNextPage": more, "endCursor": end}, "nodes": nodes}


def nodes(*numbers: int) -> list[Json | None]:
    return [graphql_pull_request(a_pull(number)) for number in numbers]


def an_error(*path: str | int, message: str = "timed out", **more: object) -> Json:
    return {"message": message, "path": list(path)} | more


def test_a_good_page_has_no_holes() -> None:
    assert parse_pull_requests(an_answer(a_page(nodes(1, 2)))) == PullRequestsAnswer(
        repository=ENGINE, pulls=(a_pull(1), a_pull(2)), holes=(), total=9, end_cursor="end", has_next=True
    )


def test_a_null_item_is_a_hole() -> None:
    page = parse_pull_requests(an_answer(a_page([*nodes(1), None])))
    assert (page.pulls, len(page.holes)) == ((a_pull(1),), 1)


def test_a_malformed_item_is_a_hole_that_says_what_is_wrong() -> None:
    broken = graphql_pull_request(a_pull(2)) | {"createdAt": None}
    page = parse_pull_requests(an_answer(a_page([*nodes(1), broken])))
    assert page.pulls == (a_pull(1),)
    assert page.holes == ("unexpected value at answer.data.repository.pullRequests.nodes[1].createdAt: None",)


def test_an_item_that_an_error_names_is_a_hole_though_it_looks_whole() -> None:
    error = an_error("repository", "pullRequests", "nodes", 0, "reviews")
    page = parse_pull_requests(an_answer(a_page(nodes(1, 2)), [error]))
    assert (page.pulls, page.holes) == ((a_pull(2),), ("timed out",))


def test_an_error_without_a_place_leaves_nothing_to_be_trusted() -> None:
    page = parse_pull_requests(an_answer(a_page(nodes(1, 2)), [{"message": "partly unavailable"}]))
    assert (page.pulls, page.holes) == ((), ("partly unavailable",))


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"data": None},
        {"data": {"repository": None}},
        an_answer(None),
        an_answer(a_page(None)),
        an_answer(a_page([]) | {"pageInfo": None}),
        an_answer(a_page([]) | {"totalCount": None}),
        an_answer(a_page([]), nameWithOwner="no slug"),
        an_answer(a_page([]), databaseId=None),
        [],
        "Unicorn",
        None,
    ],
)
def test_a_page_that_is_cut_off_or_malformed_is_refused_as_a_whole(answer: object) -> None:
    with pytest.raises(PayloadError):
        parse_pull_requests(answer)


def test_the_last_page_of_a_list_may_have_no_cursor() -> None:
    page = parse_pull_requests(an_answer(a_page([], end=None, more=False)))
    assert (page.end_cursor, page.has_next) == (None, False)


def test_an_empty_repository_has_no_default_branch() -> None:
    page = parse_pull_requests(an_answer(a_page([]), defaultBranchRef=None))
    assert page.repository == RepositoryFacts(github_id=42, slug="octo/engine", default_branch=None)


def test_numbers_are_given_in_their_order_and_nulls_are_counted() -> None:
    answer = an_answer(a_page([{"number": 3}, None, {"number": 1}]))
    assert parse_numbers(answer) == NumbersAnswer(
        repository=ENGINE, numbers=(3, 1), nulls=1, total=9, end_cursor="end", has_next=True
    )


def test_edges_keep_their_cursor_when_their_item_is_null() -> None:
    page = {
        "pageInfo": {"hasPreviousPage": True, "startCursor": "a"},
        "edges": [{"cursor": "a", "node": None}, None, {"cursor": "b", "node": {"updatedAt": "2024-05-06T12:00:00Z"}}],
    }
    assert parse_edges(an_answer(page)) == EdgesAnswer(
        edges=(Edge(cursor="a", updated_at=None), Edge(cursor="b", updated_at=A_TIME)),
        start_cursor="a",
        has_previous=True,
    )


def test_one_pull_request_is_read_and_a_null_one_refused() -> None:
    assert parse_one_pull_request(an_answer(None, pullRequest=graphql_pull_request(a_pull(5)))) == a_pull(5)
    with pytest.raises(PayloadError):
        parse_one_pull_request(an_answer(None, pullRequest=None))


def test_errors_give_their_kind_from_either_place() -> None:
    answer = {
        "errors": [
            an_error("repository", type="NOT_FOUND"),
            {"message": " slow down ", "extensions": {"code": "graphql_rate_limit"}},
            {"message": None},
            {},
            None,
        ]
    }
    assert parse_errors(answer) == (
        GraphQLError(kind="NOT_FOUND", message="timed out", path=("repository",)),
        GraphQLError(kind="GRAPHQL_RATE_LIMIT", message="slow down"),
        GraphQLError(kind="", message=""),
        GraphQLError(kind="", message=""),
    )


def test_an_answer_without_errors_has_none() -> None:
    assert parse_errors({"data": {}}) == ()
    assert parse_errors({"errors": None}) == ()


@pytest.mark.parametrize(
    ("answer", "points"),
    [
        ({"data": {"rateLimit": {"cost": 2}}}, 2),
        ({"data": {"rateLimit": {"cost": 2.0}}}, 2),
        ({"data": {"rateLimit": None}}, 0),
        ({"data": None}, 0),
        ({}, 0),
    ],
)
def test_the_cost_of_a_query_is_what_its_answer_says(answer: object, points: int) -> None:
    assert parse_cost(answer) == points


def test_the_opening_names_the_repository_and_what_was_updated_last() -> None:
    served = datetime(2024, 5, 7, tzinfo=UTC)
    answer = [rest_pull_request(a_pull(3), ENGINE, "https://api.example.com")]
    assert parse_opening(answer, served) == Opening(
        repository=ENGINE, newest=(3, a_pull(3).updated_at), served_at=served
    )


@pytest.mark.parametrize("head", [None, {"label": None, "ref": "x", "sha": "0" * 40, "repo": None, "user": None}])
def test_the_opening_needs_nothing_of_a_head_whose_repository_was_deleted(head: object) -> None:
    answer = [rest_pull_request(a_pull(3, author=None), ENGINE, "https://api.example.com") | {"head": head}]
    assert parse_opening(answer, None).newest == (3, a_pull(3).updated_at)


def test_a_linked_issue_that_may_not_be_seen_leaves_its_pull_request_whole() -> None:
    path = ("repository", "pullRequests", "nodes", 0, "closingIssuesReferences", "nodes", 0)
    node = graphql_pull_request(a_pull(1))
    node["closingIssuesReferences"] = {"totalCount": 1, "pageInfo": {"hasNextPage": False}, "nodes": [None]}
    page = parse_pull_requests(an_answer(a_page([node]), [an_error(*path, type="FORBIDDEN")]))
    assert (page.pulls, page.holes) == ((a_pull(1),), ())
    page = parse_pull_requests(an_answer(a_page([node]), [an_error(*path)]))
    assert (page.pulls, len(page.holes)) == ((), 1)


def test_the_opening_of_a_repository_without_pull_requests_names_nothing() -> None:
    assert parse_opening([], None) == Opening(repository=None, newest=None, served_at=None)


@pytest.mark.parametrize("answer", [None, {}, {"message": "Moved"}, [None], [{}], "Unicorn"])
def test_an_opening_of_another_form_is_refused(answer: object) -> None:
    with pytest.raises(PayloadError):
        parse_opening(answer, None)


@pytest.mark.parametrize(
    "answer", [{"message": "Moved Permanently", "url": "https://api.example.com/repositories/42"}, {"id": 1}, "<html>"]
)
def test_what_is_no_repository_is_never_taken_for_one(answer: object) -> None:
    with pytest.raises(PayloadError):
        parse_repository(answer)
