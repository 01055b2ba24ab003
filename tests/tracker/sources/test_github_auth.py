"""Credentials that do not leak, and PyGithub kept from what it does wrongly."""

import pickle
import socket
from base64 import b64decode
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import TOKEN, StandinGitHub
from tracker.errors import AuthenticationFailed, NotServed, RateLimited, UpstreamError, UpstreamUnavailable
from tracker.settings import Secret, Settings
from tracker.sources.github_auth import (
    AppCredentials,
    TokenCredentials,
    credentials_from,
    fetch_repository_facts,
    git_authorization,
)
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_releases import fetch_releases
from tracker.upstream import RepositoryFacts

CREDENTIALS = TokenCredentials(Secret(TOKEN))


@pytest.fixture(scope="module")
def app_key() -> Secret:
    """A private key as GitHub gives one for an App."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return Secret(pem.decode())


def hit_by(standin: StandinGitHub, kind: FaultKind) -> None:
    standin.faults = FaultScript(faults=(Fault(kind=kind, times=0),))


def test_a_repository_is_known_by_its_number_its_name_and_its_branch(standin: StandinGitHub) -> None:
    facts = fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/engine")
    assert facts == RepositoryFacts(github_id=standin.facts.github_id, slug="octo/engine", default_branch="main")
    assert standin.log == ["GET /repos/octo/engine"]


def test_a_former_name_gives_the_present_one(standin: StandinGitHub) -> None:
    standin.rename("octo/motor")
    assert fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/engine").slug == "octo/motor"


def test_a_name_that_nobody_has_is_not_served(standin: StandinGitHub) -> None:
    with pytest.raises(NotServed):
        fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/nothing")


@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.FOUND_302,
        FaultKind.MOVED_307,
        FaultKind.MOVED_308,
        FaultKind.HTML_200,
        FaultKind.EMPTY_200,
        FaultKind.TRUNCATED,
    ],
)
def test_what_is_no_repository_is_never_taken_for_one(standin: StandinGitHub, kind: FaultKind) -> None:
    hit_by(standin, kind)
    with pytest.raises(UpstreamError):
        fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/engine")


@pytest.mark.parametrize("kind", [FaultKind.UNAVAILABLE, FaultKind.BAD_GATEWAY, FaultKind.RESET])
def test_a_failing_github_is_unavailable_and_asked_once(standin: StandinGitHub, kind: FaultKind) -> None:
    hit_by(standin, kind)
    with pytest.raises(UpstreamUnavailable):
        fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/engine")
    assert len(standin.log) == 1


@pytest.mark.parametrize(
    "kind", [FaultKind.PRIMARY_403, FaultKind.PRIMARY_429, FaultKind.SECONDARY_LONG, FaultKind.TOO_MANY_SILENT]
)
def test_limits_are_handed_back_and_never_slept_for(standin: StandinGitHub, kind: FaultKind) -> None:
    hit_by(standin, kind)
    with pytest.raises(RateLimited):
        fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/engine")
    assert len(standin.log) == 1


@pytest.mark.parametrize("kind", [FaultKind.UNAUTHORIZED, FaultKind.FORBIDDEN])
def test_refused_credentials_are_said_so(standin: StandinGitHub, kind: FaultKind) -> None:
    hit_by(standin, kind)
    with pytest.raises(AuthenticationFailed):
        fetch_repository_facts(standin.api_url, CREDENTIALS, "octo/engine")


def test_a_server_that_gives_addresses_of_another_one_is_named(standin: StandinGitHub) -> None:
    other = standin.api_url.replace("127.0.0.1", "localhost")
    with pytest.raises(UpstreamUnavailable, match="TRACKER_GITHUB_URL"):
        fetch_releases(other, CREDENTIALS, "octo/engine", ())


def test_github_out_of_reach_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UpstreamUnavailable, match="not reachable"):
            fetch_repository_facts(url, CREDENTIALS, "octo/engine")


def test_without_credentials_the_message_says_what_to_set() -> None:
    with pytest.raises(AuthenticationFailed, match="set TRACKER_GITHUB_TOKEN or TRACKER_GITHUB_TOKEN_FILE"):
        credentials_from(Settings())


def test_a_token_from_the_settings_is_used() -> None:
    assert credentials_from(Settings(github_token=Secret("ghp_x"))).token() == "ghp_x"


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "ünïcode"])
def test_what_is_no_token_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(AuthenticationFailed) as caught:
        TokenCredentials(Secret(token))
    assert not token or token not in str(caught.value)


def test_git_gets_the_token_as_basic_authorization() -> None:
    kind, _, value = git_authorization(CREDENTIALS).partition(" ")
    assert (kind, b64decode(value).decode()) == ("Basic", f"x-access-token:{TOKEN}")


def test_credentials_show_no_secret_and_are_not_pickled(app_key: Secret) -> None:
    app = AppCredentials("https://api.example.com", "7", 70, app_key)
    for credentials in (CREDENTIALS, app):
        assert TOKEN not in repr(credentials)
        assert TOKEN not in credentials.scope
        assert "PRIVATE KEY" not in f"{credentials!r} {credentials.scope} {vars(credentials)}"
        with pytest.raises(TypeError, match="not pickled"):
            pickle.dumps(credentials)


def test_an_app_asks_with_a_token_of_its_installation(standin: StandinGitHub, app_key: Secret) -> None:
    app = AppCredentials(standin.api_url, "7", 70, app_key)
    with GitHubClient(standin.api_url, app) as client:
        client.get("/repos/octo/engine")
        client.get("/repos/octo/engine/pulls")
    assert standin.log[0] == "POST /app/installations/70/access_tokens"
    assert standin.installation_tokens == 1


def test_an_apps_token_is_renewed_before_it_ends(standin: StandinGitHub, app_key: Secret) -> None:
    standin.clock = lambda: datetime.now(UTC) - timedelta(minutes=56)  # the token given now ends in 4 minutes
    app = AppCredentials(standin.api_url, "7", 70, app_key)
    assert (app.token(), app.token()) == ("ghs_installation_1", "ghs_installation_2")


def test_a_key_that_is_none_is_refused_without_being_shown(standin: StandinGitHub) -> None:
    app = AppCredentials(standin.api_url, "7", 70, Secret("no key at all"))
    with pytest.raises(AuthenticationFailed, match="TRACKER_GITHUB_APP_KEY") as caught:
        app.token()
    assert "no key at all" not in str(caught.value)


def test_settings_of_an_app_give_its_credentials(app_key: Secret) -> None:
    settings = Settings(github_app_id="7", github_app_installation=70, github_app_key=app_key)
    assert credentials_from(settings).scope == "app 7 installation 70"
