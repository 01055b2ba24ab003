"""Releases of a repository under watch: from GitHub with a token, from its clone without one."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from db.base import session_factory
from db.releases import read_releases as read_stored
from db.repositories import add_repository
from jobs.read_releases import read_releases
from tests.pull_builders import A_TIME
from tests.standin.github import TOKEN, StandinGitHub
from tracker.errors import AuthenticationFailed
from tracker.settings import Secret, Settings

SLUG = "octo/engine"


def test_with_a_token_they_come_from_github_and_once(sqlite_engine: Engine, standin: StandinGitHub) -> None:
    sessions = session_factory(sqlite_engine)
    with sessions.begin() as session:
        row = add_repository(session, SLUG, now=A_TIME)
    settings = Settings(github_url=standin.api_url, github_token=Secret(TOKEN))
    assert read_releases(sessions, row, settings) == {"new": 1, "known": 0, "source": "GitHub"}
    assert read_releases(sessions, row, settings) == {"new": 0, "known": 1, "source": "GitHub"}
    with sessions() as session:
        assert [release.name for release in read_stored(session, SLUG)] == ["v1.0"]
    with pytest.raises(AuthenticationFailed):
        read_releases(sessions, row, replace(settings, github_token=Secret("wrong")))


def test_without_a_token_they_come_from_the_tags_of_the_clone(sqlite_engine: Engine, git_dir: Path) -> None:
    sessions = session_factory(sqlite_engine)
    with sessions.begin() as session:
        row = add_repository(session, SLUG, mirror=str(git_dir), now=A_TIME)
    assert read_releases(sessions, row, Settings()) == {"new": 1, "known": 0, "source": "tags of the clone"}
    with sessions() as session:
        assert [release.name for release in read_stored(session, SLUG)] == ["v1.0"]
