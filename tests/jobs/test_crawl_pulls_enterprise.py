"""GitHub Enterprise: REST under /api/v3, GraphQL beside it at /api/graphql, and nothing at github.com's addresses."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import stamina
from sqlalchemy import Engine

from db.base import session_factory
from db.releases import read_releases as read_stored
from db.repositories import add_repository
from jobs.crawl_pulls import crawl_pulls
from jobs.read_releases import read_releases
from jobs.reconcile_pulls import reconcile_pulls
from tests.jobs.pull_crawler import SLUG
from tests.pull_builders import A_TIME, pulls
from tests.standin.github import TOKEN, StandinGitHub
from tracker.settings import Secret, Settings


@pytest.fixture
def enterprise(git_dir: Path) -> Iterator[StandinGitHub]:
    with (
        stamina.set_testing(True, attempts=2, cap=True),
        StandinGitHub(git_dir, SLUG, pulls(70), enterprise=True) as github,
    ):
        yield github
    assert github.problems == []


def test_everything_is_read_from_the_addresses_of_enterprise(sqlite_engine: Engine, enterprise: StandinGitHub) -> None:
    assert enterprise.api_url.endswith("/api/v3")
    sessions = session_factory(sqlite_engine)
    with sessions.begin() as session:
        row = add_repository(session, SLUG, now=A_TIME)
    settings = Settings(github_url=enterprise.api_url, github_token=Secret(TOKEN))
    assert crawl_pulls(sessions, row, settings)["stored"] == 70
    assert reconcile_pulls(sessions, row, settings)["missing"] == 0
    assert read_releases(sessions, row, settings)["new"] == 1
    with sessions() as session:
        assert [release.name for release in read_stored(session, SLUG)] == ["v1.0"]


def test_at_the_addresses_of_github_com_there_is_nothing(enterprise: StandinGitHub) -> None:
    root = enterprise.api_url.removesuffix("/api/v3")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert httpx.get(f"{root}/repos/{SLUG}", headers=headers).status_code == 404
    assert httpx.get(f"{enterprise.api_url}/repos/{SLUG}", headers=headers).status_code == 200
