"""What GitHub's rate limits ask for, in whichever of their forms."""

import pytest

from tracker.sources.github_answers import GraphQLError
from tracker.sources.github_limits import Budget, read_budget, seconds_to_wait, seconds_to_wait_in_errors

DATE = "Tue, 01 Dec 2026 10:00:00 GMT"
NOW = 1_796_119_200
PRIMARY = "API rate limit exceeded for user ID 1."
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."


def headers(**given: str) -> dict[str, str]:
    return {"date": DATE} | {name.replace("_", "-"): value for name, value in given.items()}


def spent(reset: int | str = NOW + 600) -> dict[str, str]:
    return headers(x_ratelimit_remaining="0", x_ratelimit_reset=str(reset))


@pytest.mark.parametrize("status", [403, 429])
def test_retry_after_is_followed_exactly(status: int) -> None:
    assert seconds_to_wait(status, headers(retry_after="17"), SECONDARY) == 17


def test_retry_after_goes_before_the_reset() -> None:
    assert seconds_to_wait(403, spent() | {"retry-after": "17"}, PRIMARY) == 17


def test_retry_after_may_be_a_date_of_the_servers_clock() -> None:
    assert seconds_to_wait(429, headers(retry_after="Tue, 01 Dec 2026 10:01:30 GMT"), "") == 90


@pytest.mark.parametrize("status", [403, 429])
def test_when_nothing_remains_the_wait_ends_a_second_after_the_reset(status: int) -> None:
    assert seconds_to_wait(status, spent(), PRIMARY) == 601


def test_the_reset_is_measured_on_the_servers_clock() -> None:
    behind = spent() | {"date": "Tue, 01 Dec 2026 09:00:00 GMT"}
    assert seconds_to_wait(403, behind, PRIMARY) == 3_700  # 4,201 s, cut to the longest that limits by the hour give


def test_a_reset_that_has_passed_still_waits_a_moment() -> None:
    assert seconds_to_wait(403, spent(NOW - 3_600), PRIMARY) == 2


@pytest.mark.parametrize("message", [SECONDARY, "You have triggered an abuse detection mechanism", PRIMARY])
def test_a_limit_that_only_its_message_states_waits_a_minute(message: str) -> None:
    assert seconds_to_wait(403, headers(), message) == 60


def test_too_many_requests_without_any_word_waits_a_minute() -> None:
    assert seconds_to_wait(429, {}, "") == 60


@pytest.mark.parametrize("text", ["soon", "-5", "", "1e9", "99999999999999999"])
def test_a_retry_after_that_makes_no_sense_waits_a_minute(text: str) -> None:
    assert seconds_to_wait(429, headers(retry_after=text), "") == 60


def test_figures_may_be_floats() -> None:
    assert seconds_to_wait(403, spent(f"{NOW + 600}.0") | {"x-ratelimit-remaining": "0.0"}, PRIMARY) == 601


def test_a_wait_of_a_day_is_a_mistake_and_is_cut_to_an_hour() -> None:
    assert seconds_to_wait(429, headers(retry_after="86400"), "") == 3_700


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "Resource not accessible by personal access token"),
        (403, ""),
        (401, "Bad credentials"),
        (404, SECONDARY),
        (200, SECONDARY),
        (502, SECONDARY),
    ],
)
def test_other_refusals_are_no_limits(status: int, message: str) -> None:
    assert seconds_to_wait(status, headers(x_ratelimit_remaining="4000"), message) is None


@pytest.mark.parametrize(
    "error",
    [
        GraphQLError(kind="RATE_LIMITED", message=PRIMARY),
        GraphQLError(kind="RATE_LIMIT", message="API rate limit already exceeded for user ID 1."),
        GraphQLError(kind="GRAPHQL_RATE_LIMIT", message=""),
        GraphQLError(kind="", message=SECONDARY),
    ],
)
def test_graphql_states_limits_in_an_answer_of_200(error: GraphQLError) -> None:
    other = GraphQLError(kind="NOT_FOUND", message="")
    assert seconds_to_wait_in_errors((other, error), spent()) == 601
    assert seconds_to_wait_in_errors((error,), headers()) == 60


@pytest.mark.parametrize(
    "error",
    [
        GraphQLError(kind="NOT_FOUND", message="no rate limit for this one"),
        GraphQLError(kind="RESOURCE_LIMITS_EXCEEDED", message="Resource limits for this query exceeded."),
        GraphQLError(kind="", message="Something went wrong"),
    ],
)
def test_other_errors_of_graphql_are_no_limits(error: GraphQLError) -> None:
    assert seconds_to_wait_in_errors((error,), spent()) is None
    assert seconds_to_wait_in_errors((), spent()) is None


def test_a_budget_is_read_from_the_headers() -> None:
    given = headers(x_ratelimit_remaining="4999", x_ratelimit_reset=str(NOW + 3_000), x_ratelimit_resource="graphql")
    assert read_budget(given, "core") == Budget(bucket="graphql", remaining=4_999, reset_in_seconds=3_000)


def test_a_server_without_limits_states_no_budget() -> None:
    assert read_budget(headers(), "core") is None
    assert read_budget({"x-ratelimit-remaining": "1", "x-ratelimit-reset": str(NOW)}, "core") is None  # without a Date
    assert read_budget(headers(x_ratelimit_remaining="many", x_ratelimit_reset="soon"), "core") is None
