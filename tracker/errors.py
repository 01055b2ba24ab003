"""The errors this product raises, by meaning.

Each carries its evidence as attributes and says in its message what the user can do. They are caught at the edges only:
`jobs.runner`, the command line and the web application.
"""

from datetime import datetime


class TrackerError(Exception):
    """Root of every error this product raises on purpose."""


class SettingsError(TrackerError):
    """Settings are missing, unknown or malformed; `problems` holds one sentence for each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class RulesetError(TrackerError):
    """A rules file is invalid; `problems` holds every problem found, not only the first."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("the ruleset is invalid:\n" + "\n".join(f"  {problem}" for problem in problems))
        self.problems = problems


class UpstreamError(TrackerError):
    """Something upstream (a git repository or the GitHub API) could not give what was asked."""


class UpstreamUnavailable(UpstreamError):
    """Upstream did not answer or is not reachable; trying again later may help."""


class RepositoryError(UpstreamError):
    """A git repository is missing, is none, or lacks the branch or revision asked for."""


class NotServed(UpstreamError):
    """Upstream answers, but does not have or give this one thing; `status` is the HTTP status (404, 410, 422, 451)."""

    def __init__(self, status: int, url: str, message: str) -> None:
        super().__init__(f"{url} answers {status}: {message}")
        self.status = status


class AuthenticationFailed(UpstreamError):
    """Upstream refused the credentials; trying again does not help."""


class NotConfigured(AuthenticationFailed):
    """What upstream asks for was never set: nothing is broken, and nothing can be read until somebody sets it."""


class RateLimited(UpstreamError):
    """The budget is spent until `reset_at` (aware, UTC); nothing may be asked before."""

    def __init__(self, reset_at: datetime, message: str = "the GitHub rate limit is spent") -> None:
        super().__init__(f"{message}; it can be asked again at {reset_at:%Y-%m-%d %H:%M:%S} UTC")
        self.reset_at = reset_at


class PayloadError(UpstreamError):
    """An answer does not have the documented form; `path` says where, `value` what stood there (cut to 200 signs)."""

    def __init__(self, path: str, value: object) -> None:
        super().__init__(f"unexpected value at {path}: {value!r:.200}")
        self.path = path
        self.value = value


class DatabaseUnavailable(TrackerError):
    """The database cannot be opened, is locked for too long, or its schema is not the one this version needs."""


class LineBegun(TrackerError):
    """What is stored of a repository begins or ends elsewhere than is asked for; the message says what to do."""

    def __init__(self, slug: str, stored: str, asked: str) -> None:
        super().__init__(
            f"{slug} {stored}, which {asked} contradicts: leave the option out to go on with what is stored, or read "
            "it so into a database of its own, e.g. with TRACKER_DATABASE_URL=sqlite:///other.db"
        )
        self.slug = slug


class CursorMoved(TrackerError):
    """Another crawl of the same stream went on, or the line was rewritten, since the cursor was read."""


class LeaseLost(TrackerError):
    """Another process took over what this one did, whose transaction was not stored; `name`, `fence`: of the lease."""

    def __init__(self, name: str, fence: int) -> None:
        super().__init__(
            f"another process has taken over the {name} (this one held number {fence}); nothing was stored"
        )
        self.name = name
        self.fence = fence


class LedgerImbalance(TrackerError):
    """A ledger balance differs from a full scan of the tree."""

    def __init__(self, path: str, expected: int, found: int) -> None:
        super().__init__(f"{path}: the tree holds {expected} sites, the ledger says {found}")
        self.path = path
        self.expected = expected
        self.found = found
