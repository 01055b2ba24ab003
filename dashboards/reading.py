"""What one request reads with: a session, the moment, the valid words, and the version of what it will see.

A request that holds the present version already is answered 304 before anything is computed. What a view computed is
remembered for as long as the data version stands.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeVar, cast

from fastapi import Depends, Request
from sqlalchemy.orm import Session, sessionmaker

from dashboards.drawings import ChartLibrary, Drawings
from dashboards.filters import Vocabulary
from dashboards.problems import NotModified
from db.watched import WatchedRepository, read_beginning
from tracker.affiliation import BOTS, OTHER
from tracker.ruleset import Ruleset
from tracker.settings import Settings

Computed = TypeVar("Computed")

_REMEMBERED = 200
_SPOKEN = {"from": "since", "to": "until"}
"""Parameters by the names that the fields of forms have for people."""


class Remembered:
    """Values computed from the latest version of the data; the least recently used are dropped."""

    def __init__(self) -> None:
        self._version = ""
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.Lock()

    def value(self, version: str, key: Hashable, compute: Callable[[], Computed]) -> Computed:
        """Return what was computed from this version under the key before, or compute it now."""
        with self._lock:
            if version == self._version and key in self._values:
                self._values.move_to_end(key)
                return cast("Computed", self._values[key])
        computed = compute()
        with self._lock:
            if version != self._version:
                self._version = version
                self._values.clear()
            self._values[key] = computed
            while len(self._values) > _REMEMBERED:
                self._values.popitem(last=False)
        return computed


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """What all requests share."""

    settings: Settings
    sessions: sessionmaker[Session]
    ruleset: Ruleset
    drawings: Drawings
    library: ChartLibrary
    clock: Callable[[], datetime]
    version: str
    """Of this software and its static files."""
    remembered: Remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one request reads with."""

    dashboard: Dashboard
    session: Session
    now: datetime
    data_version: str
    repositories: tuple[WatchedRepository, ...]
    path: str
    parameters: tuple[tuple[str, str], ...]
    """The query string, in order."""

    @property
    def vocabulary(self) -> Vocabulary:
        ruleset = self.dashboard.ruleset
        return Vocabulary(
            repositories=tuple(repository.slug for repository in self.repositories),
            vendors=tuple(vendor.name for vendor in ruleset.vendors),
            organisations=(*(organisation.name for organisation in ruleset.organisations), OTHER, BOTS),
        )

    def remember(self, key: Hashable, compute: Callable[[], Computed]) -> Computed:
        """Return what was computed from this version of the data under the key before, or compute it now."""
        return self.dashboard.remembered.value(self.data_version, key, compute)

    def is_demo(self, *slugs: str) -> bool:
        """Return whether any of the repositories named (of all, where none is) holds generated data."""
        return any(repository.demo for repository in self.repositories if not slugs or repository.slug in slugs)


def dashboard_of(request: Request) -> Dashboard:
    """Return what `dashboards.app.create_app` put there."""
    return cast("Dashboard", request.app.state.dashboard)


def read_page(request: Request) -> Iterator[Reading]:
    """Yield what a page reads with; its version changes with the minute too, for it shows how old the data is."""
    yield from _read(request, with_minute=True)


def read_data(request: Request) -> Iterator[Reading]:
    """Yield what twins, charts and metrics read with; the version is the data's alone, so that polling costs little."""
    yield from _read(request, with_minute=False)


PageReading = Annotated[Reading, Depends(read_page)]
DataReading = Annotated[Reading, Depends(read_data)]


def _read(request: Request, *, with_minute: bool) -> Iterator[Reading]:
    dashboard = dashboard_of(request)
    now = dashboard.clock()
    with dashboard.sessions() as session:
        beginning = read_beginning(session)
        etag = _etag(request, dashboard.version, beginning.version, f"{now:%Y-%m-%dT%H:%M}" if with_minute else "")
        request.scope["state"]["etag"] = etag
        if etag in _held(request):
            raise NotModified(etag)
        yield Reading(
            dashboard=dashboard,
            session=session,
            now=now,
            data_version=beginning.version,
            repositories=beginning.repositories,
            path=request.url.path,
            parameters=tuple((_SPOKEN.get(name, name), value) for name, value in request.query_params.multi_items()),
        )


def _etag(request: Request, *marks: str) -> str:
    address = f"{request.url.path}?{request.url.query}"
    return f'W/"{hashlib.sha256(chr(0).join((address, *marks)).encode()).hexdigest()[:24]}"'


def _held(request: Request) -> tuple[str, ...]:
    return tuple(part.strip() for part in request.headers.get("if-none-match", "").split(","))
