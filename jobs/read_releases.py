"""Read the releases of one repository: from GitHub where a token is set, else from the tags of its clone."""

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.releases import read_release_names, upsert_releases
from db.tables import RepositoryRow
from jobs.repositories import open_repository
from tracker.errors import NotConfigured
from tracker.settings import Settings
from tracker.sources.git_releases import read_tag_releases
from tracker.sources.github_auth import credentials_from
from tracker.sources.github_releases import fetch_releases


def read_releases(
    sessions: sessionmaker[Session], repository: RepositoryRow, settings: Settings
) -> dict[str, int | str]:
    """Store what is new and return what was done, by name.

    Raises:
        AuthenticationFailed, NotServed, PayloadError, RateLimited, UpstreamUnavailable: GitHub's, as they say.
        RepositoryError: there is neither a token nor a clone.
    """
    with in_transaction(sessions) as session:
        known = read_release_names(session, repository.id)
    try:
        credentials = credentials_from(settings)
    except NotConfigured:
        source = "tags of the clone"
        with open_repository(repository, settings) as mirror:
            releases = read_tag_releases(mirror.git_dir)
    else:
        source = "GitHub"
        releases = fetch_releases(settings.github_url, credentials, repository.slug, known)
    with in_transaction(sessions) as session:
        new = upsert_releases(session, repository.id, releases)
    return {"new": new, "known": len(known), "source": source}
