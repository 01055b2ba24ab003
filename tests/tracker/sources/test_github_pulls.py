"""Pages of pull requests: nothing between two of them is passed over, whatever GitHub cannot bear or give."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from jobs.demo_upstream.payloads import Json
from tests.pull_builders import A_TIME, a_pull, pulls
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import StandinGitHub
from tracker.errors import NotServed, RateLimited, UpstreamUnavailable
from tracker.sources.github_answers import Opening
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_pulls import (
    CursorRefused,
    Order,
    PullsPage,
    Unserved,
    check_alive,
    fetch_repository_by_id,
    find_start,
    read_one,
    read_opening,
    read_page,
)
from tracker.sources.github_queries import LARGEST_PAGE

SLUG = "octo/engine"


@pytest.fixture
def filled(standin: StandinGitHub) -> StandinGitHub:
    """The stand-in with pull requests 1 to 8."""
    for pull in pulls(8):
        standin.pulls.put(pull)
    return standin


def all_pages(client: GitHubClient, size: int, order: Order = Order.CREATED) -> list[PullsPage]:
    pages = [read_page(client, SLUG, order, None, size)]
    while pages[-1].has_next:
        pages.append(read_page(client, SLUG, order, pages[-1].end_cursor, pages[-1].next_size))
    return pages


def numbers_of(pages: list[PullsPage]) -> list[int]:
    return [pull.number for page in pages for pull in page.pulls]


def refuse(_node: Json) -> Exception:
    return TimeoutError("timed out")


def nothing(_node: Json) -> None:
    return None


def test_a_page_tells_of_itself(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.clock = lambda: datetime(2031, 1, 1, tzinfo=UTC)
    page = read_page(client, SLUG, Order.CREATED, None, 3)
    assert replace(page, end_cursor="cursor") == PullsPage(
        repository=filled.facts,
        pulls=(a_pull(1), a_pull(2), a_pull(3)),
        unserved=(),
        total=8,
        end_cursor="cursor",
        has_next=True,
        served_at=datetime(2031, 1, 1, tzinfo=UTC),
        next_size=4,
    )


def test_the_list_is_read_oldest_first_and_whole(filled: StandinGitHub, client: GitHubClient) -> None:
    assert numbers_of(all_pages(client, 3)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(filled.log) == 3  # of 3, 4 and 1: pages grow while all goes well


@pytest.mark.usefixtures("filled")
def test_pages_do_not_grow_over_what_one_point_pays_for(client: GitHubClient) -> None:
    assert read_page(client, SLUG, Order.CREATED, None, LARGEST_PAGE).next_size == LARGEST_PAGE


def test_what_is_updated_between_two_pages_is_met_again_at_the_end(filled: StandinGitHub, client: GitHubClient) -> None:
    first = read_page(client, SLUG, Order.UPDATED, None, 4)
    filled.pulls.put(replace(a_pull(2), updated_at=A_TIME + timedelta(days=1)))
    filled.pulls.put(replace(a_pull(6), updated_at=A_TIME + timedelta(days=2)))
    second = read_page(client, SLUG, Order.UPDATED, first.end_cursor, 9)
    assert numbers_of([first, second]) == [1, 2, 3, 4, 5, 7, 8, 2, 6]


def test_a_page_that_is_too_heavy_is_asked_for_by_halves(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.too_heavy_from = 3
    page = read_page(client, SLUG, Order.CREATED, None, 8)
    assert (numbers_of([page]), page.next_size) == ([1, 2], 3)
    assert filled.requests("PullRequests$") == ["POST /graphql PullRequests"] * 3  # 8, 4, 2


def test_a_page_of_more_than_is_taken_in_is_asked_for_by_halves(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.faults = FaultScript(faults=(Fault(kind=FaultKind.HUGE, on="PullRequests"),))
    page = read_page(client, SLUG, Order.CREATED, None, 6)
    assert (len(page.pulls), filled.sizes) == (3, [6, 3])


def test_a_page_of_nulls_is_asked_for_by_halves(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.faults = FaultScript(faults=(Fault(kind=FaultKind.NULL_NODES),))
    page = read_page(client, SLUG, Order.CREATED, None, 8)
    assert numbers_of([page]) == [1, 2, 3, 4]
    assert len(filled.log) == 2


def test_what_a_page_lacks_is_asked_for_one_by_one(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.faults = FaultScript(faults=(Fault(kind=FaultKind.SOME_NULL_NODES),))
    page = read_page(client, SLUG, Order.CREATED, None, 8)
    assert sorted(numbers_of([page])) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert page.unserved == ()
    assert [line.split()[-1] for line in filled.log] == ["PullRequests", "NumbersAfter", *["PullRequest"] * 3]


def test_a_pull_request_that_cannot_be_had_alone_either_is_said_to_be_unserved(
    filled: StandinGitHub, client: GitHubClient
) -> None:
    filled.spoilt = {3: refuse, 5: lambda node: node | {"createdAt": "yesterday"}}
    pages = all_pages(client, 8)
    assert sorted(numbers_of(pages)) == [1, 2, 4, 6, 7, 8]
    assert [one for page in pages for one in page.unserved] == [
        Unserved(key="3", reason="timed out"),
        Unserved(
            key="5",
            reason="unexpected value at answer.data.repository.pullRequest.createdAt: 'yesterday'",
        ),
    ]


def test_a_null_pull_request_without_any_error_is_no_less_unserved(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.spoilt = {3: nothing}
    pages = all_pages(client, 8)
    assert sorted(numbers_of(pages)) == [1, 2, 4, 5, 6, 7, 8]
    assert [one.key for page in pages for one in page.unserved] == ["3"]


def test_one_pull_request_that_breaks_every_page_is_found_and_passed(
    filled: StandinGitHub, client: GitHubClient
) -> None:
    filled.breaking = {3}
    pages = all_pages(client, 8)
    assert sorted(numbers_of(pages)) == [1, 2, 4, 5, 6, 7, 8]
    assert [one.key for page in pages for one in page.unserved] == ["3"]


def test_when_github_is_down_no_pull_request_is_blamed(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.faults = FaultScript(faults=(Fault(kind=FaultKind.UNAVAILABLE, times=0),))
    with pytest.raises(UpstreamUnavailable, match="503"):
        read_page(client, SLUG, Order.CREATED, None, 8)
    assert len(filled.log) == 8  # the page and the least question, four times each


def test_when_github_is_down_for_graphql_queries_the_page_fails_as_a_whole(
    filled: StandinGitHub, client: GitHubClient
) -> None:
    filled.faults = FaultScript(faults=(Fault(kind=FaultKind.GATEWAY_TIMEOUT, times=0),))
    with pytest.raises(UpstreamUnavailable):
        read_page(client, SLUG, Order.CREATED, None, 8)
    with pytest.raises(UpstreamUnavailable):
        read_one(client, SLUG, 3)


def test_a_spent_budget_in_the_middle_of_a_page_ends_the_page(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.faults = FaultScript(
        faults=(
            Fault(kind=FaultKind.SOME_NULL_NODES, on="PullRequests$"),
            Fault(kind=FaultKind.RATE_LIMITED, on="PullRequest$", after=1),
        )
    )
    with pytest.raises(RateLimited):
        read_page(client, SLUG, Order.CREATED, None, 8)


@pytest.mark.usefixtures("filled")
def test_a_cursor_that_github_does_not_know_is_refused(client: GitHubClient) -> None:
    with pytest.raises(CursorRefused):
        read_page(client, SLUG, Order.CREATED, "no cursor", 8)


@pytest.mark.usefixtures("filled")
def test_a_repository_that_is_not_there_is_not_served(client: GitHubClient) -> None:
    with pytest.raises(NotServed, match="octo/nothing"):
        read_page(client, "octo/nothing", Order.CREATED, None, 8)
    with pytest.raises(NotServed):
        read_opening(client, "octo/nothing")


def test_a_repository_without_pull_requests_has_one_empty_page(standin: StandinGitHub, client: GitHubClient) -> None:
    page = read_page(client, SLUG, Order.CREATED, None, 50)
    assert (page.pulls, page.total, page.end_cursor, page.has_next) == ((), 0, None, False)
    assert page.repository == standin.facts


@pytest.mark.usefixtures("filled")
def test_one_pull_request_is_read_by_its_number(client: GitHubClient) -> None:
    assert read_one(client, SLUG, 3) == a_pull(3)


@pytest.mark.usefixtures("filled")
def test_a_number_that_is_no_pull_request_is_unserved(client: GitHubClient) -> None:
    one = read_one(client, SLUG, 99)
    assert one == Unserved(key="99", reason="Could not resolve to a PullRequest with the number of 99.")


@pytest.mark.usefixtures("filled")
def test_a_lively_github_passes_the_check(client: GitHubClient) -> None:
    check_alive(client, SLUG)


@pytest.mark.parametrize("first", [1, 3, 8])
@pytest.mark.usefixtures("filled")
def test_reading_starts_before_everything_updated_since_a_time(client: GitHubClient, first: int) -> None:
    start = find_start(client, SLUG, a_pull(first).updated_at)
    page = read_page(client, SLUG, Order.UPDATED, start, 8)
    assert numbers_of([page]) == list(range(first, 9))


@pytest.mark.usefixtures("filled")
def test_a_time_after_everything_starts_at_the_end(client: GitHubClient) -> None:
    start = find_start(client, SLUG, A_TIME + timedelta(days=1))
    assert read_page(client, SLUG, Order.UPDATED, start, 8).pulls == ()


@pytest.mark.usefixtures("filled")
def test_a_time_before_everything_starts_at_the_beginning(client: GitHubClient) -> None:
    assert find_start(client, SLUG, A_TIME) is None


def test_a_flood_of_updates_in_one_second_is_walked_through(standin: StandinGitHub, client: GitHubClient) -> None:
    flood = A_TIME + timedelta(days=1)
    for pull in pulls(230):
        standin.pulls.put(replace(pull, updated_at=flood if pull.number > 5 else pull.updated_at))
    start = find_start(client, SLUG, flood)
    assert len(standin.requests("EdgesBefore")) == 3
    found: list[int] = []
    more = True
    while more:
        page = read_page(client, SLUG, Order.UPDATED, start, 50)
        found += [pull.number for pull in page.pulls]
        start, more = page.end_cursor, page.has_next
    assert sorted(found) == list(range(6, 231))


def test_the_opening_names_the_repository_and_the_last_update(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.clock = lambda: datetime(2031, 1, 1, tzinfo=UTC)
    filled.pulls.put(replace(a_pull(2), updated_at=A_TIME + timedelta(days=1)))
    assert read_opening(client, SLUG) == Opening(
        repository=filled.facts, newest=(2, A_TIME + timedelta(days=1)), served_at=datetime(2031, 1, 1, tzinfo=UTC)
    )


def test_a_renamed_repository_is_found_by_its_number(filled: StandinGitHub, client: GitHubClient) -> None:
    filled.rename("octo/motor")
    assert fetch_repository_by_id(client, filled.facts.github_id).slug == "octo/motor"
    assert read_page(client, SLUG, Order.CREATED, None, 8).repository.slug == "octo/motor"
