"""Around every answer: security headers, caching headers, and HEAD answered as GET without its body.

The content security policy allows nothing that is not served by this application, no inline script and no inline
style; browser tests fail on any violation.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class AnswerHeaders:
    """ASGI middleware; `state["etag"]` of a request, where a handler's dependency set it, becomes the ETag."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and its answer back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        inner: Scope = {**scope, "method": "GET"} if is_head else scope
        inner.setdefault("state", {})

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                _set_headers(MutableHeaders(scope=message), message["status"], inner["state"].get("etag"))
            elif message["type"] == "http.response.body" and is_head:
                message = {**message, "body": b""}
            await send(message)

        await self._app(inner, receive, send_on)


def _set_headers(headers: MutableHeaders, status: int, etag: str | None) -> None:
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    if etag is not None and status in (200, 304):
        headers.setdefault("etag", etag)
    # Ask again each time, at the price of one cheap query where nothing changed.
    headers.setdefault("cache-control", "no-cache" if status in (200, 304) else "no-store")
