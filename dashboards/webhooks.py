"""The one address that takes something: deliveries of GitHub's webhooks, where a secret for them is set.

A body is read up to a limit and within a time, its signature checked over the bytes as they came, and only then looked
into. All that follows from it is a mark that a pull request is to be read anew, made by the function that was handed
in: this package has no database that it could write to.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.requests import ClientDisconnect

from db.dirty_pulls import Marked
from tracker.settings import Secret
from tracker.webhooks import MOST_BYTES, Delivery, NotADelivery, is_signed, parse_delivery

ADDRESS = "/webhooks/github"
SECONDS_TO_SEND = 10.0
"""How long a delivery may take to arrive; GitHub gives up after as many seconds."""
SECONDS_TO_MARK = 5.0
"""How long the mark may take, waiting for other deliveries and other writers included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookReceiver:
    """What deliveries are checked with, and what takes them."""

    secret: Secret
    mark: Callable[[Delivery], Marked]
    seconds_to_send: float = SECONDS_TO_SEND
    seconds_to_mark: float = SECONDS_TO_MARK


class _Refused(Exception):
    """A delivery that is not taken."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def webhook_router(receiver: WebhookReceiver) -> APIRouter:
    """Return the route of the deliveries that this receiver takes."""
    router = APIRouter()
    # One at a time, in a thread of their own: pages do not wait where deliveries do.
    turns = CapacityLimiter(1)

    @router.post(ADDRESS, include_in_schema=False)
    async def take(request: Request) -> JSONResponse:
        try:
            return await _take(request, receiver, turns)
        except _Refused as refused:
            return _answer(refused.status, "refused", str(refused))

    return router


async def _take(request: Request, receiver: WebhookReceiver, turns: CapacityLimiter) -> JSONResponse:
    body = await _body(request, receiver.seconds_to_send)
    signatures = request.headers.getlist("x-hub-signature-256")
    signature = signatures[0] if len(signatures) == 1 else ""
    if not is_signed(body, signature.encode("latin-1", "replace"), receiver.secret.reveal()):
        raise _Refused(401, "the signature is missing or wrong: is the webhook's secret the one that is set here?")
    try:
        delivery = parse_delivery(
            request.headers.get("x-github-event", ""), request.headers.get("x-github-delivery", ""), body
        )
    except NotADelivery as error:
        raise _Refused(400, str(error)) from error
    if delivery is None:
        return _answer(202, "ignored", "this event says nothing of a pull request")
    try:
        async with asyncio.timeout(receiver.seconds_to_mark):
            marked = await to_thread.run_sync(receiver.mark, delivery, limiter=turns, abandon_on_cancel=True)
    except (TimeoutError, DBAPIError, PoolTimeout) as error:
        raise _Refused(503, "the database is busy or away; the next crawl reads what this would have told") from error
    return _answer(202, marked.value, f"pull request {delivery.number} of {delivery.repository}")


async def _body(request: Request, seconds: float) -> bytes:
    """Return the bytes of a request, of which no more is kept than a delivery can have."""
    told = request.headers.get("content-length", "0")
    if not told.isascii() or not told.isdigit() or int(told[:12]) > MOST_BYTES:
        raise _Refused(413, f"more than {MOST_BYTES:,} bytes are not taken")
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                body += piece
                if len(body) > MOST_BYTES:
                    raise _Refused(413, f"more than {MOST_BYTES:,} bytes are not taken")
    except TimeoutError as error:
        raise _Refused(408, f"the delivery did not arrive within {seconds:g} seconds") from error
    except ClientDisconnect as error:
        raise _Refused(400, "the delivery broke off") from error
    return bytes(body)


def _answer(status: int, outcome: str, detail: str) -> JSONResponse:
    return JSONResponse({"outcome": outcome, "detail": detail}, status_code=status)
