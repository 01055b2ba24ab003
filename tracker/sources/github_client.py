"""One serial client of GitHub's REST and GraphQL APIs: a question in, an answer or one of tracker.errors out.

It repeats what fails in passing, waits out what asks for a few seconds, and hands every longer wait back as
RateLimited: a worker never sleeps for an hour. Which answer means what: github_limits, and the documentation named
there. It is not for use by several threads; GitHub asks for one request at a time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import urlencode, urlsplit

import httpx
import stamina

from tracker.errors import AuthenticationFailed, NotServed, RateLimited, UpstreamUnavailable
from tracker.sources.github_answers import GraphQLError, parse_cost, parse_errors
from tracker.sources.github_limits import (
    Budget,
    read_budget,
    seconds_to_wait,
    seconds_to_wait_in_errors,
    server_time,
)
from tracker.sources.github_queries import Query
from tracker.sources.github_transport import (
    AnswerStore,
    Credentials,
    HugeAnswer,
    PassingFailure,
    Patience,
    Received,
    SlowAnswer,
    Transport,
)
from tracker.sources.mail_addresses import without_mails

_TOO_HEAVY = {HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}
"""GitHub stops a query after 10 seconds with one of these, and takes extra points for it."""
_TOO_HEAVY_KINDS = {"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED", "TIMEOUT"}
_FORBIDDEN_KINDS = {"FORBIDDEN", "INSUFFICIENT_SCOPES", "UNAUTHORIZED"}
_HEAVY_MESSAGE = "something went wrong while executing your query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What GitHub said, decoded."""

    payload: object
    errors: tuple[GraphQLError, ...] = ()
    """Of GraphQL: the answer is partial, or empty. Rate limits, heavy queries and refusals are raised instead."""
    next_url: str | None = None
    """The Link header's rel=next."""
    served_at: datetime | None = None
    """The server's time; None where it gives none."""
    replayed: bool = False
    """It has not changed since it was kept, and cost nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a client has used so far."""

    requests: int = 0
    """Sent, with redirects and repetitions."""
    free: int = 0
    """Of these, answered with 304."""
    points: int = 0
    """Of GraphQL, as its answers say."""


class QueryTooHeavy(UpstreamUnavailable):
    """GitHub could not answer this GraphQL query within its time or resources; a smaller page may pass."""


class ServerFailure(PassingFailure):
    """The server was reached, and answered with a failure or with what is no answer."""


class GitHubClient:
    """Ask GitHub, one question at a time. Use it as a context manager."""

    def __init__(
        self,
        api_url: str,
        credentials: Credentials,
        *,
        answers: AnswerStore | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Open nothing yet.

        Args:
            api_url: https://api.github.com, or https://HOST/api/v3 of GitHub Enterprise.
        """
        self._api_url = api_url.rstrip("/")
        self._patience = patience or Patience()
        self._transport = Transport(self._api_url, credentials, answers, self._patience)
        self._budgets: dict[str, tuple[int, datetime]] = {}
        self._usage = Usage()

    def __repr__(self) -> str:
        return f"GitHubClient({self._api_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._transport.__exit__(kind, error, traceback)

    @property
    def usage(self) -> Usage:
        return self._usage

    def get(self, path_or_url: str, parameters: Mapping[str, str | int] | None = None, *, keep: bool = True) -> Answer:
        """Return what REST says; an answer that has not changed since it was kept is replayed with its Link.

        Args:
            path_or_url: a path from the API's root, or a whole URL that an answer named.
            keep: the answer will be asked for again.

        Raises:
            NotServed: 404, 409, 410, 422, 451 or another refusal of this one thing.
            AuthenticationFailed, RateLimited, UpstreamUnavailable: as they say.
        """
        url = path_or_url if "://" in path_or_url else f"{self._api_url}{path_or_url}"
        if parameters:
            url = f"{url}?{urlencode(parameters)}"
        received, payload = self._ask("GET", url, None, "core")
        payload = without_mails(payload)
        if keep:
            self._transport.keep(received, json.dumps(payload).encode())
        return Answer(
            payload=payload,
            next_url=_next_url(received.link),
            served_at=server_time(received.headers),
            replayed=received.replayed,
        )

    def ask(self, query: Query, variables: Mapping[str, str | int | None]) -> Answer:
        """Return what GraphQL answers, which may be partial: `errors` says so.

        Raises:
            QueryTooHeavy: a timeout or a resource limit.
            AuthenticationFailed, RateLimited, UpstreamUnavailable: as they say.
        """
        question = {"query": query.document, "operationName": query.operation, "variables": dict(variables)}
        received, payload = self._ask("POST", graphql_url(self._api_url), json.dumps(question).encode(), "graphql")
        self._usage = replace(self._usage, points=self._usage.points + parse_cost(payload))
        return Answer(payload=payload, errors=parse_errors(payload), served_at=server_time(received.headers))

    def _ask(self, method: str, url: str, body: bytes | None, bucket: str) -> tuple[Received, object]:
        patience = self._patience
        for attempt in stamina.retry_context(
            on=_pause,
            attempts=patience.attempts,
            wait_initial=patience.first_pause_seconds,
            wait_max=patience.longest_wait_seconds,
            wait_jitter=patience.first_pause_seconds,
            timeout=patience.total_seconds,
        ):
            with attempt:
                self._guard(bucket)
                return self._ask_once(method, url, body, bucket)
        raise AssertionError("a retry context returns or raises")

    def _ask_once(self, method: str, url: str, body: bytes | None, bucket: str) -> tuple[Received, object]:
        self._usage = replace(self._usage, requests=self._usage.requests + 1)
        try:
            received = self._transport.exchange(method, url, body)
        except (SlowAnswer, HugeAnswer) as error:
            if bucket == "graphql":
                raise QueryTooHeavy(str(error)) from error
            raise
        self._count(received)
        self._note(read_budget(received.headers, bucket))
        return received, self._judge(received, bucket)

    def _count(self, received: Received) -> None:
        self._usage = replace(
            self._usage,
            requests=self._usage.requests + received.redirects,
            free=self._usage.free + received.replayed,
        )

    def _judge(self, received: Received, bucket: str) -> object:
        """Return the decoded body of a good answer, or raise what the answer means."""
        status, text = received.status, received.body[:2_000].decode("utf-8", "replace")
        self._refuse_when_limited(seconds_to_wait(status, received.headers, text))
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise AuthenticationFailed(_refusal(status, _message(received.body)))
        if status in _TOO_HEAVY and bucket == "graphql":
            raise QueryTooHeavy(f"GitHub could not answer in time ({status})")
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ServerFailure(f"GitHub answers {status}")
        if status >= HTTPStatus.BAD_REQUEST:
            raise NotServed(status, received.url, _message(received.body))
        payload = _decoded(received.body)
        if bucket == "graphql":
            self._judge_errors(parse_errors(payload), received.headers)
        return payload

    def _judge_errors(self, errors: tuple[GraphQLError, ...], headers: Mapping[str, str]) -> None:
        if not errors:
            return
        self._refuse_when_limited(seconds_to_wait_in_errors(errors, headers))
        first = errors[0]
        if any(error.kind in _TOO_HEAVY_KINDS or _HEAVY_MESSAGE in error.message.lower() for error in errors):
            raise QueryTooHeavy(f"GitHub could not answer the query: {first.message[:200]}")
        if first.kind in _FORBIDDEN_KINDS and len(first.path) <= 1:
            # With a longer path it is one item that these credentials may not see, in an answer that is good otherwise.
            raise AuthenticationFailed(_refusal(HTTPStatus.FORBIDDEN, first.message))

    def _refuse_when_limited(self, wait_seconds: float | None) -> None:
        if wait_seconds is None:
            return
        if wait_seconds <= self._patience.longest_wait_seconds:
            raise PassingFailure("GitHub asks to wait a little", wait_seconds)
        raise RateLimited(datetime.now(UTC) + timedelta(seconds=wait_seconds))

    def _note(self, budget: Budget | None) -> None:
        if budget is not None:
            until = datetime.now(UTC) + timedelta(seconds=budget.reset_in_seconds)
            self._budgets[budget.bucket] = (budget.remaining, until)

    def _guard(self, bucket: str) -> None:
        """Stop before the hour's budget is spent, not after: others may live on the same credentials."""
        remaining, until = self._budgets.get(bucket, (self._patience.reserve + 1, datetime.min.replace(tzinfo=UTC)))
        if remaining <= self._patience.reserve and until > datetime.now(UTC):
            raise RateLimited(until, f"{remaining} {bucket} requests are left of GitHub's hourly budget, a reserve")


def graphql_url(api_url: str) -> str:
    """Return where GraphQL is asked: beside REST on github.com, at /api/graphql on GitHub Enterprise."""
    root = api_url.rstrip("/")
    return f"{root.removesuffix('/v3')}/graphql" if urlsplit(root).path.endswith("/api/v3") else f"{root}/graphql"


def _pause(error: Exception) -> bool | float:
    """Say whether, and after how many seconds, to try again; stamina's hook."""
    if not isinstance(error, PassingFailure):
        return False
    return error.wait_seconds if error.wait_seconds is not None else True


def _decoded(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        # An HTML page with status 200, a body cut off in the middle, an empty one: all met, all passing.
        raise ServerFailure("GitHub answers with something that is not JSON") from error


def _message(body: bytes) -> str:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return "no reason given"
    message = payload.get("message") if isinstance(payload, dict) else None
    return message[:300] if isinstance(message, str) else "no reason given"


def _refusal(status: int, message: str) -> str:
    return (
        f"GitHub refuses the credentials ({status}: {message}); "
        "check TRACKER_GITHUB_TOKEN, TRACKER_GITHUB_TOKEN_FILE or the GitHub App"
    )


def _next_url(link: str | None) -> str | None:
    return httpx.Response(200, headers={"Link": link}).links.get("next", {}).get("url") if link is not None else None
