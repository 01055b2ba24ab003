"""What GitHub does wrong, or seems to: which request is hit, with what, how often; by script or by chance."""

import random
import re
from dataclasses import dataclass, field
from enum import StrEnum
from threading import Lock


class FaultKind(StrEnum):
    """One way an answer differs from a good one."""

    MOVED_301 = "301"
    FOUND_302 = "302"
    MOVED_307 = "307"
    MOVED_308 = "308"
    PRIMARY_403 = "403, nothing remains"
    PRIMARY_429 = "429, nothing remains"
    SECONDARY_SHORT = "403 with Retry-After: 1"
    SECONDARY_LONG = "403 with Retry-After: 90"
    SECONDARY_SILENT = "403 that only its message explains"
    TOO_MANY_SILENT = "429 without any header"
    FORBIDDEN = "403, resource not accessible"
    UNAUTHORIZED = "401"
    GONE = "410"
    EMPTY_REPOSITORY = "409"
    TOO_LARGE = "406, the diff exceeds the maximum number of lines"
    UNPROCESSABLE = "422"
    NOT_FOUND = "404"
    MOVED_NOWHERE = "301 without a Location"
    SERVER_ERROR = "500 with HTML"
    BAD_GATEWAY = "502 with HTML"
    UNAVAILABLE = "503 with HTML"
    GATEWAY_TIMEOUT = "504"
    SLOW = "a body that stops in the middle"
    RESET = "a connection cut in the middle of the body"
    TRUNCATED = "JSON cut off, with the length of what is sent"
    HTML_200 = "200 with HTML"
    EMPTY_200 = "200 without a body"
    HUGE = "a body without end"
    RATE_LIMITED = "200, error RATE_LIMITED"
    RATE_LIMIT = "200, error RATE_LIMIT"
    RESOURCE_LIMITS = "200, error RESOURCE_LIMITS_EXCEEDED, data null"
    WENT_WRONG = "200, something went wrong while executing the query"
    NULL_NODES = "200, every item null"
    SOME_NULL_NODES = "200, some items null and named by errors"
    LAST_POINT = "200 with good data, and nothing remains"
    CLOCK_AHEAD = "200 with a Date a day ahead"
    CLOCK_BEHIND = "200 with a Date a day behind"


GRAPHQL_ONLY = {
    FaultKind.RATE_LIMITED,
    FaultKind.RATE_LIMIT,
    FaultKind.RESOURCE_LIMITS,
    FaultKind.WENT_WRONG,
    FaultKind.NULL_NODES,
    FaultKind.SOME_NULL_NODES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What hits requests."""

    kind: FaultKind
    on: str = ""
    """Regular expression, searched in `METHOD path?query operation`."""
    after: int = 0
    """How many matching requests pass first."""
    times: int = 1
    """How many are hit then; 0: all."""


@dataclass(slots=True)
class FaultScript:
    """The faults of a server: each request is hit by the first that wants it."""

    faults: tuple[Fault, ...] = ()
    chance: float = 0.0
    """Share of requests that are hit by one of `kinds`, beside the script."""
    kinds: tuple[FaultKind, ...] = ()
    seed: int = 0
    _seen: dict[int, int] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _random: random.Random | None = None

    def hit(self, description: str, *, graphql: bool) -> FaultKind | None:
        """Return what hits the request that is described; None: nothing."""
        with self._lock:
            for index, fault in enumerate(self.faults):
                if not re.search(fault.on, description):
                    continue
                seen = self._seen[index] = self._seen.get(index, 0) + 1
                if seen > fault.after and (not fault.times or seen <= fault.after + fault.times):
                    return fault.kind
            return self._by_chance(graphql=graphql)

    def _by_chance(self, *, graphql: bool) -> FaultKind | None:
        self._random = self._random or random.Random(self.seed)  # noqa: S311 - a schedule, not a secret
        if self._random.random() >= self.chance:
            return None
        return self._random.choice([kind for kind in self.kinds if graphql or kind not in GRAPHQL_ONLY])
