"""One question to GitHub and what comes of it, over real HTTP, with the faults that GitHub is known for."""

import logging
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

from jobs.demo_upstream.server import Reply, Request
from tests.pull_builders import a_pull, pulls
from tests.standin.execution import Complaint
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.fixtures import IMPATIENT, PATIENCE, Answers
from tests.standin.github import TOKEN, StandinGitHub
from tracker.errors import AuthenticationFailed, NotServed, RateLimited, UpstreamUnavailable
from tracker.settings import Secret
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import Answer, GitHubClient, QueryTooHeavy, Usage, graphql_url
from tracker.sources.github_queries import NUMBERS_AFTER, PULL_REQUEST
from tracker.sources.github_transport import Patience

PULLS = "/repos/octo/engine/pulls"
ALL: dict[str, str | int] = {"state": "all", "per_page": 2}
FIRST: dict[str, str | int | None] = {
    "owner": "octo",
    "name": "engine",
    "field": "CREATED_AT",
    "first": 1,
    "after": None,
}


def hit_by(standin: StandinGitHub, kind: FaultKind, *, times: int = 1) -> None:
    standin.faults = FaultScript(faults=(Fault(kind=kind, times=times),))


def numbers(answer: Answer) -> list[int]:
    assert isinstance(answer.payload, list)
    return [pull["number"] for pull in answer.payload]


def fill(standin: StandinGitHub, count: int) -> None:
    for pull in pulls(count):
        standin.pulls.put(pull)


def all_pages(client: GitHubClient) -> list[int]:
    answer = client.get(PULLS, ALL)
    found = numbers(answer)
    while answer.next_url is not None:
        answer = client.get(answer.next_url)
        found += numbers(answer)
    return found


def test_a_list_is_read_by_its_links_to_the_end(standin: StandinGitHub, client: GitHubClient) -> None:
    fill(standin, 5)
    assert all_pages(client) == [5, 4, 3, 2, 1]
    assert client.usage == Usage(requests=3, free=0, points=0)


def test_what_has_not_changed_is_replayed_with_its_links_and_costs_nothing(
    standin: StandinGitHub, client: GitHubClient
) -> None:
    fill(standin, 5)
    first = all_pages(client)
    left = standin.remaining("core")
    assert all_pages(client) == first
    assert client.usage == Usage(requests=6, free=3, points=0)
    assert standin.remaining("core") == left


def test_what_has_changed_is_read_anew(standin: StandinGitHub, client: GitHubClient) -> None:
    fill(standin, 1)
    assert numbers(client.get(PULLS, ALL)) == [1]
    fill(standin, 2)
    answer = client.get(PULLS, ALL)
    assert (numbers(answer), answer.replayed) == ([2, 1], False)


def test_answers_are_kept_apart_by_who_asked(standin: StandinGitHub, answers: Answers) -> None:
    standin.tokens.add("another")
    for token in (TOKEN, "another"):
        with GitHubClient(standin.api_url, TokenCredentials(Secret(token)), answers=answers) as client:
            assert not client.get(PULLS, ALL).replayed
    assert len(answers) == 2


def test_an_answer_that_was_not_good_is_not_kept(
    standin: StandinGitHub, client: GitHubClient, answers: Answers
) -> None:
    hit_by(standin, FaultKind.HTML_200, times=4)
    with pytest.raises(UpstreamUnavailable):
        client.get(PULLS, ALL)
    assert answers == {}
    assert numbers(client.get(PULLS, ALL)) == []


@pytest.mark.parametrize("kind", [FaultKind.MOVED_301, FaultKind.FOUND_302, FaultKind.MOVED_307, FaultKind.MOVED_308])
def test_redirects_keep_the_query_and_the_question(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind
) -> None:
    fill(standin, 3)
    hit_by(standin, kind)
    assert numbers(client.get(PULLS, ALL)) == [3, 2]
    hit_by(standin, kind)
    assert client.ask(NUMBERS_AFTER, FIRST).errors == ()
    assert client.usage.requests == 4


def test_a_renamed_repository_is_read_under_its_number_with_the_same_query(
    standin: StandinGitHub, client: GitHubClient
) -> None:
    fill(standin, 3)
    standin.rename("octo/motor")
    assert numbers(client.get(PULLS, ALL)) == [3, 2]
    assert standin.log[-1] == f"GET /repositories/{standin.facts.github_id}/pulls?state=all&per_page=2"


def test_redirects_in_a_circle_end(standin: StandinGitHub, client: GitHubClient) -> None:
    hit_by(standin, FaultKind.MOVED_301, times=0)
    with pytest.raises(UpstreamUnavailable, match="circle"):
        client.get(PULLS)
    assert len(standin.log) == 6


def test_a_redirect_to_another_server_is_not_followed(standin: StandinGitHub) -> None:
    standin.rename("octo/motor")
    other = standin.api_url.replace("127.0.0.1", "localhost")
    with (
        GitHubClient(other, TokenCredentials(Secret(TOKEN)), patience=PATIENCE) as elsewhere,
        pytest.raises(UpstreamUnavailable, match="TRACKER_GITHUB_URL"),
    ):
        elsewhere.get(PULLS)
    assert len(standin.log) == 1


@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.SERVER_ERROR,
        FaultKind.UNAVAILABLE,
        FaultKind.BAD_GATEWAY,
        FaultKind.GATEWAY_TIMEOUT,
        FaultKind.RESET,
        FaultKind.TRUNCATED,
        FaultKind.HTML_200,
        FaultKind.EMPTY_200,
        FaultKind.SECONDARY_SHORT,
    ],
)
def test_what_fails_in_passing_is_asked_again(standin: StandinGitHub, client: GitHubClient, kind: FaultKind) -> None:
    fill(standin, 1)
    hit_by(standin, kind)
    assert numbers(client.get(PULLS, ALL)) == [1]
    assert len(standin.log) == 2


def test_a_slow_answer_is_asked_for_again_and_a_slow_query_is_too_heavy(standin: StandinGitHub) -> None:
    with GitHubClient(standin.api_url, TokenCredentials(Secret(TOKEN)), patience=IMPATIENT) as client:
        hit_by(standin, FaultKind.SLOW)
        assert numbers(client.get(PULLS, ALL)) == []
        hit_by(standin, FaultKind.SLOW)
        with pytest.raises(QueryTooHeavy):
            client.ask(NUMBERS_AFTER, FIRST)


def test_an_answer_that_drips_is_cut_though_each_drop_comes_in_time(standin: StandinGitHub) -> None:
    patience = replace(PATIENCE, body_seconds=0.5, attempts=1)
    hit_by(standin, FaultKind.SLOW)
    with (
        GitHubClient(standin.api_url, TokenCredentials(Secret(TOKEN)), patience=patience) as client,
        pytest.raises(UpstreamUnavailable, match="too slowly"),
    ):
        client.get(PULLS, ALL)


def test_what_keeps_failing_is_given_up_after_four_attempts(standin: StandinGitHub, client: GitHubClient) -> None:
    hit_by(standin, FaultKind.UNAVAILABLE, times=0)
    with pytest.raises(UpstreamUnavailable, match="503"):
        client.get(PULLS)
    assert len(standin.log) == 4


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [
        (FaultKind.SECONDARY_LONG, 90),
        (FaultKind.SECONDARY_SILENT, 60),
        (FaultKind.TOO_MANY_SILENT, 60),
    ],
)
def test_a_longer_wait_is_handed_back_and_not_slept(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind, seconds: int
) -> None:
    hit_by(standin, kind)
    wait = timedelta(seconds=seconds)
    before = datetime.now(UTC)
    with pytest.raises(RateLimited) as caught:
        client.get(PULLS)
    assert before + wait <= caught.value.reset_at <= datetime.now(UTC) + wait
    assert len(standin.log) == 1


@pytest.mark.parametrize("kind", [FaultKind.PRIMARY_403, FaultKind.PRIMARY_429])
def test_a_spent_budget_waits_for_the_reset_by_the_servers_clock(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind
) -> None:
    standin.clock = lambda: datetime(2031, 1, 1, 10, 50, tzinfo=UTC)  # the hour ends in 10 minutes, wherever we are
    hit_by(standin, kind)
    with pytest.raises(RateLimited) as caught:
        client.get(PULLS)
    wait = (caught.value.reset_at - datetime.now(UTC)).total_seconds()
    assert 595 < wait <= 601


@pytest.mark.parametrize("kind", [FaultKind.RATE_LIMITED, FaultKind.RATE_LIMIT])
def test_graphql_states_a_spent_budget_with_status_200(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind
) -> None:
    hit_by(standin, kind)
    with pytest.raises(RateLimited):
        client.ask(NUMBERS_AFTER, FIRST)
    assert len(standin.log) == 1


def test_the_last_point_of_the_hour_still_brings_good_data_and_the_next_question_waits(
    standin: StandinGitHub, client: GitHubClient
) -> None:
    hit_by(standin, FaultKind.LAST_POINT)
    assert client.ask(NUMBERS_AFTER, FIRST).errors == ()
    with pytest.raises(RateLimited):
        client.ask(NUMBERS_AFTER, FIRST)
    assert len(standin.log) == 1


def test_a_reserve_of_the_budget_is_left_to_others(standin: StandinGitHub, client: GitHubClient) -> None:
    standin.budget["graphql"] = PATIENCE.reserve
    client.ask(NUMBERS_AFTER, FIRST)
    with pytest.raises(RateLimited, match="reserve"):
        client.ask(NUMBERS_AFTER, FIRST)
    assert len(standin.log) == 1


def test_the_budgets_of_rest_and_graphql_are_kept_apart(standin: StandinGitHub, client: GitHubClient) -> None:
    standin.budget["graphql"] = 0
    client.ask(NUMBERS_AFTER, FIRST)
    assert numbers(client.get(PULLS, ALL)) == []


@pytest.mark.parametrize("kind", [FaultKind.UNAUTHORIZED, FaultKind.FORBIDDEN])
def test_refused_credentials_are_said_so_and_not_tried_again(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind
) -> None:
    hit_by(standin, kind)
    with pytest.raises(AuthenticationFailed, match="TRACKER_GITHUB_TOKEN"):
        client.get(PULLS)
    assert len(standin.log) == 1


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (FaultKind.GONE, 410),
        (FaultKind.EMPTY_REPOSITORY, 409),
        (FaultKind.TOO_LARGE, 406),
        (FaultKind.UNPROCESSABLE, 422),
        (FaultKind.NOT_FOUND, 404),
        (FaultKind.MOVED_NOWHERE, 301),
    ],
)
def test_what_is_gone_or_not_given_is_not_served_and_not_asked_for_again(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind, status: int
) -> None:
    hit_by(standin, kind)
    with pytest.raises(NotServed) as caught:
        client.get(PULLS)
    assert (caught.value.status, len(standin.log)) == (status, 1)


def test_a_list_that_pages_by_cursor_and_names_no_last_page_is_read_to_its_end(
    standin: StandinGitHub, client: GitHubClient
) -> None:
    plain = standin.rest

    def by_cursor(request: Request) -> Reply:
        # /issues since 2025: `after=` in the Link, no rel="last", and 422 for a page number that a client makes up.
        assert "page" not in request.query
        after = int(request.query.get("after", "0"))
        more = {"Link": f'<{standin.api_url}{PULLS}?per_page=2&after={after + 2}>; rel="next"'} if after < 4 else {}
        return standin.list_reply([{"number": after + 1}, {"number": after + 2}], request, more)

    standin.rest = by_cursor  # type: ignore[method-assign]
    answer = client.get(PULLS, {"per_page": 2})
    found = numbers(answer)
    while answer.next_url is not None:
        answer = client.get(answer.next_url)
        found += numbers(answer)
    standin.rest = plain  # type: ignore[method-assign]
    standin.problems.clear()  # these items are cut down to their numbers
    assert found == [1, 2, 3, 4, 5, 6]


def test_mail_addresses_are_cut_before_an_answer_is_kept(
    standin: StandinGitHub, client: GitHubClient, answers: Answers
) -> None:
    standin.pulls.put(a_pull(1, title="Ask \\ada@example.com"))
    assert "ada@example.com" not in str(client.get(PULLS, ALL).payload)
    assert not any(b"ada@" in kept.body for kept in answers.values())
    assert client.get(PULLS, ALL).replayed


def test_one_item_that_may_not_be_seen_does_not_refuse_the_credentials(
    standin: StandinGitHub, client: GitHubClient
) -> None:
    fill(standin, 1)
    standin.spoilt = {1: lambda _node: Complaint("FORBIDDEN", "Resource not accessible by integration")}
    question = {**FIRST, "number": 1}
    del question["field"], question["first"], question["after"]
    answer = client.ask(PULL_REQUEST, question)
    assert [(error.kind, error.path) for error in answer.errors] == [("FORBIDDEN", ("repository", "pullRequest"))]


def test_an_answer_without_end_is_cut(standin: StandinGitHub, client: GitHubClient) -> None:
    hit_by(standin, FaultKind.HUGE)
    with pytest.raises(UpstreamUnavailable, match="more than 1048576 bytes"):
        client.get(PULLS)


@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.BAD_GATEWAY,
        FaultKind.GATEWAY_TIMEOUT,
        FaultKind.RESOURCE_LIMITS,
        FaultKind.WENT_WRONG,
    ],
)
def test_a_query_too_heavy_is_not_repeated_as_it_is(
    standin: StandinGitHub, client: GitHubClient, kind: FaultKind
) -> None:
    hit_by(standin, kind)
    with pytest.raises(QueryTooHeavy):
        client.ask(NUMBERS_AFTER, FIRST)
    assert len(standin.log) == 1


def test_points_are_counted_as_the_answers_say(client: GitHubClient) -> None:
    client.ask(NUMBERS_AFTER, FIRST)
    client.ask(NUMBERS_AFTER, FIRST)
    assert client.usage == Usage(requests=2, free=0, points=2)


def test_the_time_of_an_answer_is_the_servers(standin: StandinGitHub, client: GitHubClient) -> None:
    standin.clock = lambda: datetime(2031, 1, 1, tzinfo=UTC)
    assert client.get(PULLS, ALL).served_at == datetime(2031, 1, 1, tzinfo=UTC)


def test_a_server_that_is_not_there_is_unavailable_soon_and_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        start = monotonic()
        with (
            GitHubClient(url, TokenCredentials(Secret(TOKEN)), patience=Patience(first_pause_seconds=0.1)) as client,
            pytest.raises(UpstreamUnavailable) as caught,
        ):
            client.get(PULLS)
    assert monotonic() - start < 10
    assert "\n" not in str(caught.value)
    assert "is not reachable" in str(caught.value)


def test_the_token_is_in_no_message_representation_or_log(
    standin: StandinGitHub, client: GitHubClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    hit_by(standin, FaultKind.UNAUTHORIZED)
    with pytest.raises(AuthenticationFailed) as caught:
        client.get(PULLS)
    shown = f"{caught.value!r} {client!r} {client.__dict__!r} {client._transport!r} {caplog.text}"
    assert TOKEN not in shown


def test_who_asks_is_named_as_github_demands(standin: StandinGitHub, client: GitHubClient) -> None:
    client.get(PULLS)
    asked = standin.last_request.headers
    assert asked["user-agent"] == "decoupling-tracker"
    assert asked["x-github-api-version"] == "2022-11-28"
    assert asked["accept"] == "application/vnd.github+json"
    assert asked["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("api", "graphql"),
    [
        ("https://api.github.com", "https://api.github.com/graphql"),
        ("https://api.github.com/", "https://api.github.com/graphql"),
        ("https://github.example.com/api/v3", "https://github.example.com/api/graphql"),
        ("https://github.example.com/api/v3/", "https://github.example.com/api/graphql"),
        ("https://api.octo.ghe.com", "https://api.octo.ghe.com/graphql"),
    ],
)
def test_graphql_is_asked_beside_rest_and_on_enterprise_at_its_own_path(api: str, graphql: str) -> None:
    assert graphql_url(api) == graphql
