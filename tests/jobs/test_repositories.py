"""The clone that is read is the one that was named, else our mirror of upstream; a token goes to upstream only."""

from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from db.tables import RepositoryRow
from jobs.repositories import open_repository
from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.settings import Secret, Settings

TOKEN = "a-token"


def a_row(mirror: str | None = None) -> RepositoryRow:
    return RepositoryRow(id=1, slug="example/upstream", mirror=mirror, added_at=datetime(2026, 1, 1, tzinfo=UTC))


def authorization(row: RepositoryRow, settings: Settings, *, fetching: bool) -> str | None:
    with open_repository(row, settings, fetching=fetching) as mirror:
        return mirror._authorization


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(var_folder=tmp_path, git_url="https://git.example.com", github_token=Secret(TOKEN))


def test_a_named_clone_is_read_in_place(tmp_path: Path, settings: Settings) -> None:
    upstream = Repository(tmp_path / "upstream.git")
    with open_repository(a_row(str(upstream.path)), settings) as mirror:
        assert (mirror.location, mirror.path) == (str(upstream.path), upstream.path)
    with pytest.raises(RepositoryError):
        open_repository(a_row(str(tmp_path / "missing")), settings)


def test_without_one_it_is_a_mirror_of_upstream(tmp_path: Path, settings: Settings) -> None:
    with open_repository(a_row(), settings) as mirror:
        assert mirror.location == "https://git.example.com/example/upstream.git"
        assert mirror.path == tmp_path / "mirrors/example/upstream.git"


def test_a_token_goes_along_where_upstream_is_fetched_and_nowhere_else(settings: Settings) -> None:
    basic = f"Basic {b64encode(f'x-access-token:{TOKEN}'.encode()).decode()}"
    assert authorization(a_row(), settings, fetching=True) == basic
    assert authorization(a_row(), settings, fetching=False) is None
    for elsewhere in ("https://other.example.com/x.git", "https://git.example.com.evil.example/x.git"):
        assert authorization(a_row(elsewhere), settings, fetching=True) is None


def test_without_a_token_a_public_repository_can_be_fetched_all_the_same(tmp_path: Path) -> None:
    assert authorization(a_row(), Settings(var_folder=tmp_path), fetching=True) is None
