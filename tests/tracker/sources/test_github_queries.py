"""What our queries cost by GitHub's documented formula, and that GitHub's schema knows all they ask for."""

from collections.abc import Sequence
from math import ceil

import pytest
from graphql import GraphQLSchema, parse, specified_rules, validate
from graphql.validation import NoDeprecatedCustomRule

from tests.standin.cost import cost_of
from tests.standin.schema import cut_schema
from tracker.sources.github_numbers import NUMBERS_AT_ONCE
from tracker.sources.github_queries import (
    EDGES,
    EDGES_BEFORE,
    ITEMS,
    LARGEST_PAGE,
    NODE_LIMIT,
    NUMBERS_AFTER,
    PULL_REQUEST,
    PULL_REQUESTS,
    REMAINDERS_AT_ONCE,
    TOTALS,
    Connection,
    Query,
    kinds_of,
    more_items,
    nodes_of,
    one_connections,
    page_connection,
    points_of,
    requests_of,
)
from tracker.upstream import PullItems

QUERIES = {
    PULL_REQUESTS: (page_connection(LARGEST_PAGE),),
    PULL_REQUEST: one_connections(),
    NUMBERS_AFTER: (Connection("pullRequests", LARGEST_PAGE),),
    EDGES_BEFORE: (Connection("pullRequests", EDGES),),
    TOTALS: tuple(Connection(name, 1) for name in ("pullRequests", "issues", "discussions")),
    kinds_of(NUMBERS_AT_ONCE): (),
    more_items([*PullItems] * (REMAINDERS_AT_ONCE // len(PullItems))): tuple(
        Connection(items, ITEMS) for items in [*PullItems] * (REMAINDERS_AT_ONCE // len(PullItems))
    ),
}
PAGE_SIZES = {"first": LARGEST_PAGE, "last": EDGES}
POINTS_PER_QUERY = 1


def by_operation(query: Query) -> str:
    return query.operation


def test_githubs_own_example_costs_51_points() -> None:
    labels = Connection("labels", 60)
    issues = Connection("issues", 50, (labels,))
    repositories = Connection("repositories", 100, (issues,))
    assert (requests_of(repositories), points_of(repositories)) == (5_101, 51)


def test_githubs_own_example_of_nodes_has_22_060() -> None:
    issues = Connection("issues", 20, (Connection("comments", 10),))
    pulls = Connection("pullRequests", 20, (Connection("comments", 10),))
    repositories = Connection("repositories", 50, (pulls, issues))
    followers = Connection("followers", 10)
    assert nodes_of(repositories) + nodes_of(followers) == 22_060


def test_the_least_query_costs_one_point() -> None:
    assert points_of(Connection("pullRequests", 1)) == 1
    assert points_of() == 1


@pytest.mark.parametrize(("query", "connections"), QUERIES.items(), ids=map(by_operation, QUERIES))
def test_each_document_asks_for_what_is_stated_beside_it(query: Query, connections: Sequence[Connection]) -> None:
    cost = cost_of(parse(query.document), PAGE_SIZES)
    assert cost.requests == sum(map(requests_of, connections))
    assert cost.nodes == sum(map(nodes_of, connections))
    assert cost.points == points_of(*connections)


@pytest.mark.parametrize("query", QUERIES, ids=by_operation)
def test_no_query_exceeds_its_points_or_its_nodes(query: Query) -> None:
    cost = cost_of(parse(query.document), PAGE_SIZES)
    assert cost.points <= POINTS_PER_QUERY
    assert cost.nodes <= NODE_LIMIT // 30


def test_a_page_is_as_large_as_one_point_pays_for() -> None:
    assert points_of(page_connection(LARGEST_PAGE)) == 1
    assert points_of(page_connection(LARGEST_PAGE + 1)) == 2


def test_the_backfill_costs_at_most_45_points_for_1000_pull_requests() -> None:
    pages = ceil(1_000 / LARGEST_PAGE)
    # One in ten has a list of more than 100 items: far more than any repository that was looked at.
    remainders = ceil(100 / REMAINDERS_AT_ONCE) * points_of(*[Connection("reviews", ITEMS)] * REMAINDERS_AT_ONCE)
    assert pages * points_of(page_connection(LARGEST_PAGE)) + remainders <= 45


def test_an_idle_increment_costs_at_most_3_requests_and_2_points() -> None:
    # One conditional request to REST; where it says that there is news, the places and one page.
    assert points_of(Connection("pullRequests", EDGES)) + points_of(page_connection(LARGEST_PAGE)) == 2


@pytest.mark.parametrize("query", QUERIES, ids=by_operation)
def test_our_cut_of_the_schema_knows_each_query(query: Query) -> None:
    assert problems(cut_schema(), query) == []


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES, ids=by_operation)
def test_githubs_schema_knows_each_query_and_calls_nothing_in_it_deprecated(
    query: Query, github_schema: GraphQLSchema
) -> None:
    assert problems(github_schema, query) == []


@pytest.mark.parametrize("query", QUERIES, ids=by_operation)
@pytest.mark.parametrize("word", ["email", "patch", "diff", "mergeable", "potentialMergeCommit", "search("])
def test_no_query_asks_for_mail_addresses_nor_for_what_github_cuts_off_or_makes_up(query: Query, word: str) -> None:
    assert word.lower() not in query.document.lower()


def problems(schema: GraphQLSchema, query: Query) -> list[str]:
    errors = validate(schema, parse(query.document), [*specified_rules, NoDeprecatedCustomRule])
    return [error.message for error in errors]
