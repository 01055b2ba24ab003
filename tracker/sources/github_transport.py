"""One exchange over HTTP with GitHub: redirects followed, bodies bounded while they arrive, kept answers replayed.

What the answer means is not decided here. Redirects keep method, query and body (GitHub answers a renamed repository
with 301, and elsewhere with 302, 307 and 308), but never leave the server they started on, which alone gets the token.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from ssl import SSLContext
from time import monotonic
from typing import Protocol, Self

import httpx

from tracker.errors import NotServed, UpstreamUnavailable
from tracker.upstream import CachedAnswer

USER_AGENT = "decoupling-tracker"
API_VERSION = "2022-11-28"
ACCEPT = "application/vnd.github+json"
MOST_REDIRECTS = 5
_REDIRECTS = {
    HTTPStatus.MOVED_PERMANENTLY,
    HTTPStatus.FOUND,
    HTTPStatus.TEMPORARY_REDIRECT,
    HTTPStatus.PERMANENT_REDIRECT,
}


class Credentials(Protocol):
    """Who asks."""

    @property
    def scope(self) -> str:
        """For whose eyes an answer is kept: a name that does not reveal the token."""

    def token(self) -> str:
        """Return a token that is valid now, renewed where needed."""


class AnswerStore(Protocol):
    """Where answers are kept between runs."""

    def read(self, key: str) -> CachedAnswer | None:
        """Return the answer kept under a key."""

    def write(self, key: str, answer: CachedAnswer) -> None:
        """Keep an answer in place of the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long the client waits, how often it tries, and how much it takes in."""

    connect_seconds: float = 5.0
    read_seconds: float = 20.0
    """For the next bytes; GitHub gives up by itself after 10."""
    body_seconds: float = 60.0
    """For one whole answer, however slowly it drips."""
    longest_wait_seconds: float = 5.0
    """A longer one is not waited for but raised as RateLimited."""
    attempts: int = 4
    """At one question that fails for a passing reason."""
    first_pause_seconds: float = 0.5
    total_seconds: float = 90.0
    """No further attempt after these."""
    largest_body_bytes: int = 32 * 2**20
    reserve: int = 50
    """Points and requests of the hour that are left to others who share the credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A response read to its end."""

    url: str
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)
    link: str | None
    replayed: bool = False
    """Kept from an earlier answer; `status` is then the earlier 200."""
    redirects: int = 0


class PassingFailure(UpstreamUnavailable):
    """What the next attempt may not meet again."""

    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds
        """As the server asks; None: back off."""


class SlowAnswer(PassingFailure):
    """The server was reached and did not finish its answer in time."""


class HugeAnswer(UpstreamUnavailable):
    """The server sends more than is taken in."""


class Transport:
    """An HTTP connection to one GitHub server, used by one thread."""

    def __init__(self, root: str, credentials: Credentials, answers: AnswerStore | None, patience: Patience) -> None:
        self._root = httpx.URL(root)
        self._credentials = credentials
        self._answers = answers
        self._patience = patience
        timeouts = httpx.Timeout(patience.read_seconds, connect=patience.connect_seconds)
        headers = {"User-Agent": USER_AGENT, "Accept": ACCEPT, "X-GitHub-Api-Version": API_VERSION}
        self._http = httpx.Client(timeout=timeouts, headers=headers, follow_redirects=False, verify=_trust())

    def __repr__(self) -> str:
        return f"Transport({str(self._root)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def exchange(self, method: str, url: str, body: bytes | None = None) -> Received:
        """Ask one question and return what came at the end of its redirects.

        Raises:
            NotServed: a redirect names no place to go to.
            UpstreamUnavailable: the server is not reachable, or redirects elsewhere or in a circle.
            PassingFailure: the connection broke, or the answer was too slow or is not what HTTP allows.
        """
        target = httpx.URL(url)
        for redirects in range(MOST_REDIRECTS + 1):
            received = self._exchange_once(method, target, body, redirects)
            if received.status not in _REDIRECTS:
                return received
            target = self._redirected(target, received)
        raise UpstreamUnavailable(f"GitHub redirects {url} in a circle")

    def keep(self, received: Received, body: bytes) -> None:
        """Keep `body` as a good answer to GET, when the server gave it a name to ask again with."""
        etag, modified = received.headers.get("etag"), received.headers.get("last-modified")
        if self._answers is None or received.replayed or (etag is None and modified is None):
            return
        answer = CachedAnswer(
            url=received.url,
            etag=etag,
            last_modified=modified,
            link=received.link,
            body=body,
            fetched_at=datetime.now(UTC),
        )
        self._answers.write(self._key(received.url), answer)

    def _exchange_once(self, method: str, target: httpx.URL, body: bytes | None, redirects: int) -> Received:
        kept = self._answers.read(self._key(str(target))) if self._answers is not None and method == "GET" else None
        headers = {"Authorization": f"Bearer {self._credentials.token()}"} | _conditions(kept)
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            with self._http.stream(method, target, content=body, headers=headers) as response:
                content = self._read_bounded(response)
        except httpx.ConnectTimeout as error:
            raise UpstreamUnavailable(f"{self._server} does not answer: is the network up?") from error
        except httpx.ConnectError as error:
            raise PassingFailure(f"{self._server} is not reachable: {error}") from error
        except httpx.TimeoutException as error:
            raise SlowAnswer(f"{self._server} did not finish its answer in time") from error
        except (httpx.RequestError, httpx.InvalidURL) as error:
            raise PassingFailure(f"the connection to {self._server} broke: {error}") from error
        given = {name.lower(): value for name, value in response.headers.items()}
        if response.status_code == HTTPStatus.NOT_MODIFIED and kept is not None:
            status, content, link = int(HTTPStatus.OK), kept.body, kept.link
        else:
            status, link, kept = response.status_code, given.get("link"), None
        return Received(
            url=str(target),
            status=status,
            headers=given,
            body=content,
            link=link,
            replayed=kept is not None,
            redirects=redirects,
        )

    def _read_bounded(self, response: httpx.Response) -> bytes:
        deadline, size, chunks = monotonic() + self._patience.body_seconds, 0, []
        for chunk in response.iter_bytes():
            size += len(chunk)
            chunks.append(chunk)
            if size > self._patience.largest_body_bytes:
                raise HugeAnswer(f"{self._server} sends more than {self._patience.largest_body_bytes} bytes")
            if monotonic() > deadline:
                raise SlowAnswer(f"{self._server} sends its answer too slowly")
        return b"".join(chunks)

    def _redirected(self, target: httpx.URL, received: Received) -> httpx.URL:
        location = received.headers.get("location", "")
        if not location:
            # A transferred issue or pull request can answer 301 without a place to go to.
            raise NotServed(received.status, received.url, "moved, but it does not say where")
        try:
            moved = target.join(location)
        except httpx.InvalidURL as error:
            raise UpstreamUnavailable(f"{self._server} redirects to no valid address") from error
        if (moved.scheme, moved.host, moved.port) != (self._root.scheme, self._root.host, self._root.port):
            raise UpstreamUnavailable(
                f"{self._server} redirects to {moved.host}: set TRACKER_GITHUB_URL to the API's own address"
            )
        return moved if moved.query else moved.copy_with(query=target.query or None)

    def _key(self, url: str) -> str:
        return sha256("\n".join((url, ACCEPT, self._credentials.scope)).encode()).hexdigest()

    @property
    def _server(self) -> str:
        return f"{self._root.scheme}://{self._root.netloc.decode()}"


@cache
def _trust() -> SSLContext:
    """Read the authorities once: it takes longer than a request."""
    return httpx.create_ssl_context()


def _conditions(kept: CachedAnswer | None) -> dict[str, str]:
    if kept is None:
        return {}
    named = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified}
    return {name: value for name, value in named.items() if value is not None}
