"""GitHub's rate limits, read from an answer; pure, with the server's own time as the clock.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api and the best practices beside it:
Retry-After where it is given; else until the reset where nothing remains; else a minute. Limits may come as 403, as 429
or, from GraphQL, inside an answer of 200 (`RATE_LIMITED`, and `RATE_LIMIT` with the code `graphql_rate_limit`).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tracker.sources.github_answers import GraphQLError

SECONDARY_WAIT_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 3_700.0
"""Limits are by the hour; what asks for more is a mistake of a proxy or a clock."""

_LIMIT_MESSAGE = re.compile(r"rate limit|abuse detection", re.IGNORECASE)
_LIMIT_KINDS = {"RATE_LIMITED", "RATE_LIMIT", "GRAPHQL_RATE_LIMIT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What is left of one bucket (`core`, `graphql`) in the hour, as an answer says it."""

    bucket: str
    remaining: int
    reset_in_seconds: float
    """From the time of the answer, by the server's clock; at least 1."""


def server_time(headers: Mapping[str, str]) -> datetime | None:
    """Return the Date header, UTC; None where it is missing or malformed."""
    return _http_date(headers.get("date", ""))


def read_budget(headers: Mapping[str, str], bucket: str) -> Budget | None:
    """Return the budget that an answer's headers state; None where they do not (Enterprise without limits).

    Args:
        headers: with names in lower case.
        bucket: the one that was asked, where the answer names none.
    """
    remaining, reset = _number(headers.get("x-ratelimit-remaining")), _number(headers.get("x-ratelimit-reset"))
    served_at = server_time(headers)
    if remaining is None or reset is None or served_at is None:
        return None
    return Budget(
        bucket=headers.get("x-ratelimit-resource") or bucket,
        remaining=int(remaining),
        reset_in_seconds=_bounded(reset - served_at.timestamp()),
    )


def seconds_to_wait(status: int, headers: Mapping[str, str], message: str) -> float | None:
    """Return how long an answer of 403 or 429 asks to wait, in seconds from now; None when it is no rate limit.

    Args:
        message: the answer's text, or its beginning.
    """
    limited = status == 429 or (status == 403 and _speaks_of_limits(headers, message))
    return _asked_wait(headers) if limited else None


def seconds_to_wait_in_errors(errors: Iterable[GraphQLError], headers: Mapping[str, str]) -> float | None:
    """Return how long a GraphQL answer of 200 with errors asks to wait; None when none of them is a rate limit."""
    limited = any(
        error.kind in _LIMIT_KINDS or (not error.kind and _LIMIT_MESSAGE.search(error.message)) for error in errors
    )
    return _asked_wait(headers) if limited else None


def _speaks_of_limits(headers: Mapping[str, str], message: str) -> bool:
    # The headers of a 403 often do not say that anything is spent (hub4j/github-api#1805).
    return (
        "retry-after" in headers
        or _number(headers.get("x-ratelimit-remaining")) == 0
        or _LIMIT_MESSAGE.search(message) is not None
    )


def _asked_wait(headers: Mapping[str, str]) -> float:
    after = _retry_after(headers)
    if after is not None:
        return _bounded(after)
    budget = read_budget(headers, "")
    if budget is not None and budget.remaining == 0:
        return _bounded(budget.reset_in_seconds + 1)
    return SECONDARY_WAIT_SECONDS


def _retry_after(headers: Mapping[str, str]) -> float | None:
    given = headers.get("retry-after", "")
    seconds = _number(given)
    if seconds is not None:
        return seconds
    until, served_at = _http_date(given), server_time(headers)
    return (until - served_at).total_seconds() if until is not None and served_at is not None else None


def _number(text: str | None) -> float | None:
    """A figure may come as a float (PyGithub#2697), or as nonsense, which is none."""
    if text is None or not re.fullmatch(r"\d{1,15}(\.\d{1,9})?", text.strip(), re.ASCII):
        return None
    return float(text)


def _bounded(seconds: float) -> float:
    # A reset that has passed by the server's clock must not become a loop without a wait.
    return min(max(seconds, 1.0), LONGEST_WAIT_SECONDS)


def _http_date(text: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)
