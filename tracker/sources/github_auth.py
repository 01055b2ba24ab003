"""Who asks GitHub, and PyGithub made fit for the few questions that it answers well: facts, tags and releases.

PyGithub's objects end here. What it does wrongly and silently is kept from happening: it drops the query when a
repository was renamed (so lists are asked for at the address that the repository itself gives), takes an unfollowed
redirect or an HTML page for data (so the fields are checked), fetches what is read late (so only what a list holds is
read), sleeps for up to an hour (so it may not retry), and pickles its token (so these objects refuse to be pickled).
"""

import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Never

import requests
from github import Auth, Github, GithubIntegration
from github.GithubException import BadAttributeException, GithubException
from github.Repository import Repository
from jwt import PyJWTError

from tracker.errors import (
    AuthenticationFailed,
    NotConfigured,
    NotServed,
    PayloadError,
    RateLimited,
    UpstreamUnavailable,
)
from tracker.settings import Secret, Settings
from tracker.sources.github_answers import parse_repository
from tracker.sources.github_limits import seconds_to_wait
from tracker.sources.github_transport import API_VERSION, USER_AGENT, Credentials
from tracker.upstream import RepositoryFacts

MISSING = "GitHub answers GraphQL only with a token: set TRACKER_GITHUB_TOKEN or TRACKER_GITHUB_TOKEN_FILE"
_TIMEOUT_SECONDS = 10
_RENEW_BEFORE = timedelta(minutes=5)
"""A token that ends within this time is renewed, so that it does not end under a request."""


class TokenCredentials:
    """A personal access token, or whatever else is one token."""

    def __init__(self, token: Secret) -> None:
        """Take the token.

        Raises:
            AuthenticationFailed: it holds what no token does, a line break for instance.
        """
        # An illegal header would be quoted, token and all, in the error of the HTTP library.
        if not re.fullmatch(r"[\x21-\x7e]+", token.reveal()):
            raise AuthenticationFailed("TRACKER_GITHUB_TOKEN holds blanks or signs that no token has")
        self._token = token

    @property
    def scope(self) -> str:
        return f"token {sha256(self._token.reveal().encode()).hexdigest()}"

    def token(self) -> str:
        return self._token.reveal()

    def __repr__(self) -> str:
        return "TokenCredentials(***)"

    def __reduce__(self) -> Never:
        raise TypeError("credentials are not pickled")


class AppCredentials:
    """A GitHub App's installation: its tokens live for an hour and are renewed in time."""

    def __init__(self, api_url: str, app_id: str, installation: int, key: Secret) -> None:
        """Ask nothing yet.

        Args:
            key: the App's private key, PEM.
        """
        self._api_url = api_url
        self._app_id = app_id
        self._installation = installation
        self._key = key
        self._issued: tuple[Secret, datetime] | None = None

    @property
    def scope(self) -> str:
        return f"app {self._app_id} installation {self._installation}"

    def token(self) -> str:
        """Return a token that is valid for minutes at least.

        Raises:
            AuthenticationFailed: the App, its key or its installation is refused.
            RateLimited, UpstreamUnavailable: as they say.
        """
        if self._issued is None or self._issued[1] - _RENEW_BEFORE <= datetime.now(UTC):
            self._issued = self._renewed()
        return self._issued[0].reveal()

    def _renewed(self) -> tuple[Secret, datetime]:
        try:
            signer = Auth.AppAuth(self._app_id, self._key.reveal())
            signer.create_jwt()
        except (PyJWTError, ValueError, TypeError, AttributeError):
            # The key itself stays out of the message and of the traceback.
            raise AuthenticationFailed("TRACKER_GITHUB_APP_KEY is no private key in PEM form") from None
        integration = GithubIntegration(
            auth=signer, base_url=self._api_url, timeout=_TIMEOUT_SECONDS, retry=None, user_agent=USER_AGENT
        )
        with translated(), closing(integration):
            issued = integration.get_access_token(self._installation)
            return Secret(issued.token), aware(issued.expires_at)

    def __repr__(self) -> str:
        return f"AppCredentials({self._app_id!r}, {self._installation!r})"

    def __reduce__(self) -> Never:
        raise TypeError("credentials are not pickled")


def credentials_from(settings: Settings) -> Credentials:
    """Return the credentials that the settings name.

    Raises:
        NotConfigured: there are none.
        AuthenticationFailed: they are incomplete.
    """
    if settings.github_app_id is not None and settings.github_app_key is not None:
        installation = settings.github_app_installation
        if installation is None:
            raise AuthenticationFailed("set TRACKER_GITHUB_APP_INSTALLATION: the number of the App's installation")
        return AppCredentials(settings.github_url, settings.github_app_id, installation, settings.github_app_key)
    if settings.github_token is not None:
        return TokenCredentials(settings.github_token)
    raise NotConfigured(MISSING)


def git_authorization(credentials: Credentials) -> str:
    """Return the Authorization header for git over HTTP: anonymous clones are throttled, and no helper is asked."""
    return f"Basic {b64encode(f'x-access-token:{credentials.token()}'.encode()).decode()}"


def fetch_repository_facts(api_url: str, credentials: Credentials, slug: str) -> RepositoryFacts:
    """Return what GitHub says of a repository; a former name gives the present one.

    Raises:
        NotServed: there is none, or the credentials may not see it.
        AuthenticationFailed, RateLimited, PayloadError, UpstreamUnavailable: as they say.
    """
    with translated(), closing(opened(api_url, credentials)) as github:
        return facts_of(github.get_repo(slug))


def opened(api_url: str, credentials: Credentials) -> Github:
    """Return PyGithub's client, without its retries, its pauses and its small pages; close it."""
    return Github(
        auth=Auth.Token(credentials.token()),
        base_url=api_url,
        timeout=_TIMEOUT_SECONDS,
        retry=None,
        per_page=100,
        seconds_between_requests=None,
        user_agent=USER_AGENT,
        api_version=API_VERSION,
    )


def facts_of(repository: Repository) -> RepositoryFacts:
    """Return what a repository that was fetched whole says of itself; what is no repository raises PayloadError."""
    # `raw_data` of an object that was fetched whole sends nothing; the payload's own reader checks the fields.
    return parse_repository(repository.raw_data)


def aware(at: datetime) -> datetime:
    """Return a time of PyGithub's as an aware one, UTC."""
    # A date without a time comes naive.
    return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what PyGithub and requests raise into this product's errors."""
    try:
        yield
    except GithubException as error:
        raise _meaning(error) from error
    except BadAttributeException as error:
        raise PayloadError("GitHub's answer", error.actual_value) from error
    except requests.RequestException as error:
        raise UpstreamUnavailable("GitHub is not reachable or broke off its answer") from error
    except AssertionError as error:
        # Addresses in an answer must be those that were asked: PyGithub asserts it.
        raise UpstreamUnavailable(
            f"GitHub answers with addresses of another server ({error}); set TRACKER_GITHUB_URL to the API's own"
        ) from error
    except (TypeError, AttributeError, ValueError) as error:
        raise UpstreamUnavailable("GitHub answers with something that is not its API's form") from error


def _meaning(error: GithubException) -> Exception:
    status, headers = error.status, {name.lower(): value for name, value in (error.headers or {}).items()}
    message = (
        error.message or (error.data.get("message") if isinstance(error.data, dict) else None) or "no reason given"
    )
    wait = seconds_to_wait(status, headers, message)
    if wait is not None:
        return RateLimited(datetime.now(UTC) + timedelta(seconds=wait))
    if status in (401, 403):
        return AuthenticationFailed(f"GitHub refuses the credentials ({status}: {message[:300]})")
    if 400 <= status < 500:
        return NotServed(status, "GitHub", message[:300])
    return UpstreamUnavailable(f"GitHub answers {status}")
