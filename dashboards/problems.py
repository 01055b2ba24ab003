"""What the web application says when a request cannot be answered: the question was wrong, or there is no such thing.

Bodies of the API are problem details (RFC 9457); pages show the same words. Raised by filters and views, turned into
answers by `dashboards.app` alone.
"""

from dataclasses import dataclass

from tracker.errors import TrackerError


class BadParameter(TrackerError):
    """A query parameter is unknown, repeated or has no usable value; `valid` lists what would do."""

    def __init__(self, name: str, value: str, problem: str, valid: tuple[str, ...] = ()) -> None:
        hint = f"; valid: {', '.join(valid)}" if valid else ""
        super().__init__(f"{name}={value!r:.100}: {problem}{hint}")
        self.name = name
        self.valid = valid


class NothingThere(TrackerError):
    """The address names something that is not stored; the message says what to do."""


class NotModified(TrackerError):
    """What the caller holds is still what we would send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One failed request, for people and programs."""

    status: int
    title: str
    detail: str
    """What happened and what to do."""
    parameter: str | None = None
    valid: tuple[str, ...] = ()

    def body(self, instance: str) -> dict[str, object]:
        """Return the problem+json object."""
        body: dict[str, object] = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        }
        if self.parameter is not None:
            body |= {"parameter": self.parameter, "valid": list(self.valid)}
        return body

    def prometheus_body(self) -> dict[str, object]:
        """Return the same in the shape of Prometheus's HTTP API."""
        kind = "bad_data" if self.status == 400 else "not_found" if self.status == 404 else "unavailable"
        return {"status": "error", "errorType": kind, "error": self.detail}
