"""Read a repository's whole history into the ledger, with every processor, and say how it went.

It is the crawl of commits and nothing else: interrupted, it goes on; done, it has nothing to do. What it adds is that
the repository is put under watch, with the clone to read, the day to begin with and the revision to end with: a service
that reads it afterwards, or before, begins and ends there too.
"""

import resource
import sys
import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.repositories import add_repository
from db.stored_lines import count_read
from db.tables import RepositoryRow
from jobs.crawl_commits import crawl_commits
from jobs.progress import Progress, no_progress
from jobs.repositories import open_repository
from jobs.runner import utc_now
from tracker.ruleset import Ruleset
from tracker.settings import Settings
from tracker.settings.repositories import is_revision
from tracker.sources.git_remote import is_url


def backfill(  # noqa: PLR0913 - the contract of the crawlers
    sessions: sessionmaker[Session],
    slug: str,
    settings: Settings,
    ruleset: Ruleset,
    *,
    mirror: str | None = None,
    since: date | None = None,
    until: str | None = None,
    workers: int | None = None,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> dict[str, int | str]:
    """Put a repository under watch, read its history and return what was done, by name.

    Args:
        mirror: path or URL of the clone to read; None: the one it is watched with, else upstream's own.
        since: begin with the first commit of this day (UTC) or later, with what stands before it as the opening stock.
        until: revision to end with, which is the one that is followed from now on; an expression is kept as its commit.
        workers: processes that read; None: as the settings say, 0: one for each processor.

    Raises:
        LineBegun: what is stored of the repository begins or ends elsewhere.
        RepositoryError, AuthenticationFailed, UpstreamUnavailable: as `crawl_commits`.
    """
    started = time.monotonic()
    if mirror is not None and not is_url(mirror):
        mirror = str(Path(mirror).expanduser().resolve())
    with in_transaction(sessions) as session:
        repository = add_repository(session, slug, mirror=mirror, since=since, now=now())
    counts = crawl_commits(
        sessions,
        repository,
        settings,
        ruleset,
        workers=settings.workers if workers is None else workers,
        until=until,
        progress=progress,
        now=now,
    )
    with in_transaction(sessions) as session:
        if until is not None:
            add_repository(session, slug, ref=_kept(repository, settings, until), now=now())
        counts["commits on record"] = count_read(session, repository.id)
    return counts | pace(int(counts["commits"]), time.monotonic() - started)


def pace(commits: int, seconds: float) -> dict[str, int | str]:
    """Return, by name, how long it took to judge so many commits, and what memory that needed."""
    return {
        "seconds": round(seconds),
        "commits per second": round(commits / seconds) if commits else 0,
        "peak memory of the largest process in MB": peak_memory_megabytes(),
    }


def peak_memory_megabytes() -> int:
    """Return the most memory that this process, or one of those it waited for, has held at a time."""
    used = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    # Linux counts in kilobytes, macOS in bytes.
    return used // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _kept(repository: RepositoryRow, settings: Settings, revision: str) -> str:
    """Return what is kept of a revision: its name, or of an expression such as main~1, which moves, its commit."""
    if is_revision(revision):
        return revision
    with open_repository(repository, settings) as mirror:
        return mirror.resolve(revision)
