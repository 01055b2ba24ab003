"""Databases for the tests of jobs: SQLite, and PostgreSQL where a test takes `engine`."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from db.base import open_database
from tests.databases import engine, open_empty, postgres_engine, postgres_server, sessions, sqlite_template
from tests.jobs.pull_crawler import crawler
from tests.standin.fixtures import git_dir, quick_retries, standin

__all__ = [
    "crawler",
    "engine",
    "git_dir",
    "open_empty",
    "postgres_engine",
    "postgres_server",
    "quick_retries",
    "sessions",
    "sqlite_engine",
    "sqlite_template",
    "standin",
]


@pytest.fixture
def sqlite_engine(sqlite_template: Path, tmp_path: Path) -> Iterator[Engine]:
    """A migrated, empty SQLite database at var/tracker.db in the test's folder."""
    path = tmp_path / "var" / "tracker.db"
    path.parent.mkdir()
    shutil.copyfile(sqlite_template, path)
    engine = open_database(f"sqlite:///{path}")
    yield engine
    engine.dispose()
