"""Read the pull requests of one repository that webhooks say have changed, ahead of the next crawl.

A webhook only says where to look: what is stored is what GitHub answers. The crawl reads the same once more at its own
time, so that nothing depends on deliveries, which GitHub does not repeat.
"""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.dirty_pulls import DirtyPull, clear_dirty_pulls, read_dirty_pulls
from db.http_cache import HttpCache
from db.tables import RepositoryRow
from jobs.progress import Progress, no_progress
from jobs.pull_store import PullStore
from jobs.runner import utc_now
from tracker.settings import Settings
from tracker.sources.github_auth import credentials_from
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_pulls import Unserved, read_one, read_opening

MOST_AT_ONCE = 100


def read_dirty(
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    settings: Settings,
    *,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> dict[str, int | str]:
    """Read what is marked and return what was done, by name; marks go as their pull requests are stored.

    Raises: as `jobs.crawl_pulls.crawl_pulls`.
    """
    credentials = credentials_from(settings)
    with GitHubClient(settings.github_url, credentials, answers=HttpCache(sessions)) as client:
        return read_marked(client, sessions, repository, progress=progress, now=now)


def read_marked(
    client: GitHubClient,
    sessions: sessionmaker[Session],
    repository: RepositoryRow,
    *,
    progress: Progress = no_progress,
    now: Callable[[], datetime] = utc_now,
) -> dict[str, int | str]:
    """Do what `read_dirty` does, with a client at hand."""
    with in_transaction(sessions) as session:
        dirty = read_dirty_pulls(session, repository.id, MOST_AT_ONCE)
    if not dirty:
        return {"marked": 0}
    store = PullStore(sessions, repository, now)
    facts = read_opening(client, store.slug).repository
    if facts is not None and store.github_id not in (None, facts.github_id):
        return {"marked": len(dirty), "waits_for": "the crawl of pull requests, which finds the repository's new name"}
    for done, one in enumerate(dirty, start=1):
        _read(client, store, one)
        with in_transaction(sessions) as session:
            clear_dirty_pulls(session, repository.id, [one])
        progress("reading changed pull requests", done, len(dirty))
    return {"marked": len(dirty), **{name: store.counts[name] for name in ("read", "new", "changed", "unserved")}}


def _read(client: GitHubClient, store: PullStore, one: DirtyPull) -> None:
    found = read_one(client, store.slug, one.number)
    if isinstance(found, Unserved):
        store.keep_letter(str(one.number), (), (found,))
    else:
        store.keep_letter(str(one.number), (found,), ())
