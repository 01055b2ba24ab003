"""A small HTTP server on the loopback interface: a function from request to reply, served by threads on a free port."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str]
    query_string: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] = ()
    """The body in pieces. ConnectionError, raised between them, cuts the connection."""
    length: int | None = None
    """Of the body, in bytes; None: the body ends with the connection."""


class LoopbackServer:
    """Serves a function from entering the context to leaving it."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self._answer = answer
        self.url = ""
        """Its address while it serves."""

    def __enter__(self) -> Self:
        self._server = _Server(self._answer)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    """A client may keep its connection open for long; closing does not wait for it."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            query_string=parts.query,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self._body(),
        )
        self._send(self.server.answer(request))

    do_POST = do_GET  # noqa: N815 - the name http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing: the one who asks logs."""

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = bytearray()
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return bytes(body)

    def _send(self, reply: Reply) -> None:
        # `send_response` would add a Date of its own.
        self.send_response_only(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.length is not None:
            self.send_header("Content-Length", str(reply.length))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        for chunk in reply.chunks:
            self.wfile.write(chunk)
