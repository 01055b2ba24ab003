"""A watched repository's row -> its clone, opened for reading: the one that was named, or our mirror of upstream."""

from db.tables import RepositoryRow
from tracker.errors import (
    AuthenticationFailed,
    NotConfigured,
    NotServed,
    RateLimited,
    RepositoryError,
    UpstreamUnavailable,
)
from tracker.settings import Settings
from tracker.sources.git_mirror import Mirror, open_mirror
from tracker.sources.github_auth import credentials_from, fetch_repository_facts, git_authorization
from tracker.upstream import RepositoryFacts


def open_repository(repository: RepositoryRow, settings: Settings, *, fetching: bool = False) -> Mirror:
    """Open a repository's clone.

    Args:
        fetching: take credentials along, for the server that the settings name and for no other.

    Raises:
        RepositoryError: there is no git repository at the path.
        AuthenticationFailed, RateLimited, UpstreamUnavailable: a GitHub App's token could not be had.
    """
    location = repository.mirror or settings.clone_url(repository.slug)
    authorization = None
    if fetching and location.startswith(f"{settings.git_url}/"):
        authorization = _authorization(settings)
    return open_mirror(location, folder=settings.mirrors_folder, slug=repository.slug, authorization=authorization)


def ask_github(slug: str, settings: Settings) -> RepositoryFacts | None:
    """Return what GitHub says of a repository by this name; None where it cannot be asked now, or not without a token.

    Raises:
        RepositoryError: there is none.
        AuthenticationFailed: the credentials are refused.
    """
    try:
        return fetch_repository_facts(settings.github_url, credentials_from(settings), slug)
    except NotServed as error:
        raise RepositoryError(f"GitHub has no repository {slug}, or hides it from this token") from error
    except (NotConfigured, RateLimited, UpstreamUnavailable):
        return None


def _authorization(settings: Settings) -> str | None:
    try:
        credentials = credentials_from(settings)
    except AuthenticationFailed:
        # Public repositories can be fetched without; GitHub only serves them more slowly.
        return None
    return git_authorization(credentials)
