"""A good reply -> the faulty one that stands in its place."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any

from jobs.demo_upstream.server import Reply, Request
from tests.standin.faults import FaultKind

UNICORN = b"<!DOCTYPE html><html><body><h1>Unicorn!</h1></body></html>"
STALL_SECONDS = 1.5
"""How long a slow body rests in the middle; clients under test wait for less."""

_STATUSES = {
    FaultKind.MOVED_301: 301,
    FaultKind.FOUND_302: 302,
    FaultKind.MOVED_307: 307,
    FaultKind.MOVED_308: 308,
    FaultKind.SERVER_ERROR: 500,
    FaultKind.BAD_GATEWAY: 502,
    FaultKind.UNAVAILABLE: 503,
    FaultKind.GATEWAY_TIMEOUT: 504,
}
_REFUSALS = {
    FaultKind.PRIMARY_403: (403, "API rate limit exceeded for user ID 1.", {"X-RateLimit-Remaining": "0"}),
    FaultKind.PRIMARY_429: (429, "API rate limit exceeded for user ID 1.", {"X-RateLimit-Remaining": "0"}),
    FaultKind.SECONDARY_SHORT: (403, "You have exceeded a secondary rate limit.", {"Retry-After": "1"}),
    FaultKind.SECONDARY_LONG: (403, "You have exceeded a secondary rate limit.", {"Retry-After": "90"}),
    FaultKind.SECONDARY_SILENT: (403, "You have exceeded a secondary rate limit. Please wait a few minutes.", {}),
    FaultKind.TOO_MANY_SILENT: (429, "Too many requests", {}),
    FaultKind.FORBIDDEN: (403, "Resource not accessible by personal access token", {}),
    FaultKind.UNAUTHORIZED: (401, "Bad credentials", {}),
    FaultKind.GONE: (410, "This was deleted", {}),
    FaultKind.EMPTY_REPOSITORY: (409, "Git Repository is empty.", {}),
    FaultKind.TOO_LARGE: (406, "Sorry, the diff exceeded the maximum number of lines (20000)", {}),
    FaultKind.UNPROCESSABLE: (422, "Pagination with the page parameter is not supported for large datasets", {}),
    FaultKind.NOT_FOUND: (404, "Not Found", {}),
    FaultKind.MOVED_NOWHERE: (301, "Moved Permanently", {}),
}
_ERRORS = {
    FaultKind.RATE_LIMITED: {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."},
    FaultKind.RATE_LIMIT: {
        "type": "RATE_LIMIT",
        "code": "graphql_rate_limit",
        "message": "API rate limit already exceeded for user ID 1.",
    },
    FaultKind.RESOURCE_LIMITS: {
        "type": "RESOURCE_LIMITS_EXCEEDED",
        "message": "Resource limits for this query exceeded.",
    },
    FaultKind.WENT_WRONG: {
        "message": "Something went wrong while executing your query. This may be the result of a timeout, or it could "
        "be a GitHub bug. Please include `ABCD:1234` when reporting this issue."
    },
}


def spoil(fault: FaultKind, request: Request, good: Reply, url: str) -> Reply:
    """Return what is sent in place of a good reply; `url` is the server's own."""
    body = b"".join(good.chunks)
    if 301 <= _STATUSES.get(fault, 0) < 400:
        query = f"?{request.query_string}" if request.query_string else ""
        location = f"{url}{request.path}{query}"
        return _json(good, _STATUSES[fault], {"message": "Moved", "url": location}, {"Location": location})
    if fault in _STATUSES:
        return _html(good, _STATUSES[fault])
    if fault in _REFUSALS:
        status, message, headers = _REFUSALS[fault]
        return _json(good, status, {"message": message}, headers)
    if fault in _ERRORS:
        spent = {"X-RateLimit-Remaining": "0"} if "RATE_LIMIT" in _ERRORS[fault].get("type", "") else {}
        return _json(good, 200, {"data": None, "errors": [_ERRORS[fault]]}, spent)
    return _spoilt_body(fault, good, body)


def _spoilt_body(fault: FaultKind, good: Reply, body: bytes) -> Reply:
    spoilt = {
        FaultKind.SLOW: lambda: Reply(headers=good.headers, chunks=_stalling(body), length=len(body)),
        FaultKind.RESET: lambda: Reply(headers=good.headers, chunks=_breaking(body), length=len(body) + 1),
        FaultKind.HUGE: lambda: Reply(headers=good.headers, chunks=_endless()),
        FaultKind.TRUNCATED: lambda: _with_body(good, body[: len(body) // 2]),
        FaultKind.EMPTY_200: lambda: _with_body(good, b""),
        FaultKind.HTML_200: lambda: _html(good, 200),
        FaultKind.LAST_POINT: lambda: _with_headers(good, body, {"X-RateLimit-Remaining": "0"}),
        FaultKind.CLOCK_AHEAD: lambda: _with_headers(good, body, {"Date": _shifted(good.headers["Date"], 1)}),
        FaultKind.CLOCK_BEHIND: lambda: _with_headers(good, body, {"Date": _shifted(good.headers["Date"], -1)}),
        FaultKind.NULL_NODES: lambda: _with_holes(good, body, every=1),
        FaultKind.SOME_NULL_NODES: lambda: _with_holes(good, body, every=3),
    }
    return spoilt[fault]()


def _with_holes(good: Reply, body: bytes, *, every: int) -> Reply:
    """Make every n-th item of a page null, and say so in errors unless all are."""
    if good.status != 200 or not good.headers["Content-Type"].startswith("application/json"):
        return good
    answer: dict[str, Any] = json.loads(body)
    repository = (answer.get("data") or {}).get("repository") or {}
    nodes = (repository.get("pullRequests") or {}).get("nodes")
    if not nodes:
        return _with_body(good, body)
    for index in range(0, len(nodes), every):
        nodes[index] = None
        if every > 1:
            path = ["repository", "pullRequests", "nodes", index]
            answer.setdefault("errors", []).append({"message": "timed out", "path": path})
    return _with_body(good, json.dumps(answer).encode())


def _json(good: Reply, status: int, payload: object, headers: dict[str, str]) -> Reply:
    body = json.dumps(payload).encode()
    return Reply(status=status, headers={**good.headers, **headers}, chunks=(body,), length=len(body))


def _html(good: Reply, status: int) -> Reply:
    headers = {**good.headers, "Content-Type": "text/html"}
    return Reply(status=status, headers=headers, chunks=(UNICORN,), length=len(UNICORN))


def _with_body(good: Reply, body: bytes) -> Reply:
    return Reply(status=good.status, headers=good.headers, chunks=(body,), length=len(body))


def _with_headers(good: Reply, body: bytes, headers: dict[str, str]) -> Reply:
    return Reply(status=good.status, headers={**good.headers, **headers}, chunks=(body,), length=len(body))


def _shifted(date: str, days: int) -> str:
    return format_datetime(parsedate_to_datetime(date) + timedelta(days=days), usegmt=True)


def _stalling(body: bytes) -> Iterator[bytes]:
    yield body[: len(body) // 2]
    time.sleep(STALL_SECONDS)
    yield body[len(body) // 2 :]


def _breaking(body: bytes) -> Iterator[bytes]:
    yield body[: len(body) // 2]
    raise ConnectionResetError


def _endless() -> Iterator[bytes]:
    chunk = b" " * 65_536
    while True:
        yield chunk
