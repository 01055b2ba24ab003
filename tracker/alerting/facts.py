"""What the alert rules look at: commits that landed, how the jobs are doing, audits, and what could not be read."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tracker.sites import Area, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedRepository:
    """A repository under watch."""

    slug: str
    added_at: datetime
    commits_read_at: datetime | None
    """End of the last crawl of commits that went well; None: there was none."""
    newest_at: datetime | None = None
    """Committer date of the newest commit read; None: none was."""
    quiet_after: timedelta | None = None
    """How old the newest commit may be; None: as old as it likes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedCommit:
    """A commit on the default branch that changes how tied neutral code is."""

    repository: str
    sha: str
    subject: str
    committed_at: datetime
    verdict: Verdict
    area: Area | None
    removed: int
    added: int
    undone_by: str | None = None
    """Sha of the revert that undid it and was not followed by a reland; None: it stands."""
    undone_at: datetime | None = None
    """Committer date of that revert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFact:
    """How one job over one repository is doing."""

    job: str
    repository: str
    """Slug; empty for a job over all repositories."""
    last_success_at: datetime | None
    consecutive_failures: int
    message: str
    """What went wrong last; empty when nothing did."""
    outcome: str | None = None
    """Of the latest run: ok, failed, unavailable, unconfigured ..."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFact:
    """The latest comparison of the ledger with a full scan at one commit."""

    repository: str
    sha: str
    at: datetime
    differences: int
    """Paths whose balance differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterFact:
    """How many things of one stream upstream could not serve."""

    repository: str
    stream: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFacts:
    """Everything one evaluation looks at."""

    repositories: tuple[WatchedRepository, ...] = ()
    commits: tuple[LandedCommit, ...] = ()
    """Those that landed, or were undone, within the longest window of the rules."""
    jobs: tuple[JobFact, ...] = ()
    audits: tuple[AuditFact, ...] = ()
    dead_letters: tuple[DeadLetterFact, ...] = ()
