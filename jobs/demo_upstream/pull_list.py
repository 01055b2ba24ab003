"""Pull requests in memory, ordered and paged as GitHub's GraphQL pages them: a cursor is a value, not a position.

So a pull request that is updated between two pages moves behind the reader and is met again, and none is skipped.
"""

from base64 import b64decode, b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock

from tracker.upstream import PullRequest

SortKey = tuple[str, str]
"""A time and the node id: the ids decide within one second."""

_KEYS: dict[str, Callable[[PullRequest], SortKey]] = {
    "CREATED_AT": lambda pull: (pull.created_at.isoformat(), pull.node_id),
    "UPDATED_AT": lambda pull: (pull.updated_at.isoformat(), pull.node_id),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A page of the list, in ascending order."""

    pulls: tuple[PullRequest, ...]
    total: int
    has_next: bool
    has_previous: bool
    cursors: tuple[str, ...]
    """One for each pull request."""


class PullList:
    """The pull requests of one repository; safe to change while it is served."""

    def __init__(self, pulls: Iterable[PullRequest] = ()) -> None:
        self._lock = Lock()
        self._pulls = {pull.number: pull for pull in pulls}

    def put(self, pull: PullRequest) -> None:
        """Add a pull request, or replace the one with its number."""
        with self._lock:
            self._pulls[pull.number] = pull

    def get(self, number: int) -> PullRequest | None:
        with self._lock:
            return self._pulls.get(number)

    def all(self) -> tuple[PullRequest, ...]:
        """Return every pull request by number."""
        with self._lock:
            return tuple(self._pulls[number] for number in sorted(self._pulls))

    def page_after(self, field: str, first: int, after: str | None) -> Stretch:
        """Return the `first` pull requests behind a cursor (None: from the start), by `CREATED_AT` or `UPDATED_AT`."""
        keyed = self._sorted(field)
        start = bisect_right(keyed, _decoded(after), key=_key_of) if after is not None else 0
        return _stretch(keyed, start, min(start + first, len(keyed)))

    def page_before(self, field: str, last: int, before: str | None) -> Stretch:
        """Return the `last` pull requests in front of a cursor (None: up to the end), still in ascending order."""
        keyed = self._sorted(field)
        end = bisect_left(keyed, _decoded(before), key=_key_of) if before is not None else len(keyed)
        return _stretch(keyed, max(0, end - last), end)

    def _sorted(self, field: str) -> list[tuple[SortKey, PullRequest]]:
        key = _KEYS[field]
        return sorted(((key(pull), pull) for pull in self.all()), key=_key_of)


def _key_of(pair: tuple[SortKey, PullRequest]) -> SortKey:
    return pair[0]


def _stretch(keyed: list[tuple[SortKey, PullRequest]], start: int, end: int) -> Stretch:
    chosen = keyed[start:end]
    return Stretch(
        pulls=tuple(pull for _, pull in chosen),
        total=len(keyed),
        has_next=end < len(keyed),
        has_previous=start > 0,
        cursors=tuple(_cursor(key) for key, _ in chosen),
    )


def _cursor(key: SortKey) -> str:
    return b64encode("\n".join(("cursor:v2:", *key)).encode()).decode()


def _decoded(cursor: str) -> SortKey:
    """Raise ValueError for what is no cursor."""
    head, time, node_id = b64decode(cursor, validate=True).decode().split("\n")
    if head != "cursor:v2:":
        raise ValueError(cursor)
    return (time, node_id)
