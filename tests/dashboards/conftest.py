"""The application over a told story and over an empty database, on SQLite and PostgreSQL; nothing is written by it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime

import httpx
import pytest
from sqlalchemy import Engine

from dashboards.app import create_app
from db.base import open_database, session_factory
from tests.dashboards import story
from tests.dashboards.serving import asked
from tests.databases import OpenEmpty, engine, open_empty, postgres_engine, postgres_server, sessions, sqlite_template
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Settings

__all__ = ["engine", "open_empty", "postgres_engine", "postgres_server", "sessions", "sqlite_template"]

Ask = Callable[..., httpx.Client]


@pytest.fixture(scope="session")
def shipped_ruleset() -> Ruleset:
    """The rules that are shipped."""
    return load_ruleset(read_rules())


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Defaults, with a folder of the test session's own."""
    return Settings(var_folder=tmp_path_factory.mktemp("var"))


@pytest.fixture(scope="module")
def ask(shipped_ruleset: Ruleset, settings: Settings) -> Iterator[Ask]:
    """Serves the application over a database, read only, at a moment: the story's end unless said otherwise."""
    with ExitStack() as stack:

        def begin(engine: Engine, now: datetime = story.NOW) -> httpx.Client:
            reading = open_database(engine.url.render_as_string(hide_password=False), read_only=True)
            stack.callback(reading.dispose)
            app = create_app(settings, reading, ruleset=shipped_ruleset, clock=lambda: now)
            return stack.enter_context(asked(app))

        yield begin


@pytest.fixture(scope="module")
def told(open_empty: OpenEmpty) -> Iterator[Engine]:
    """A database that holds the story."""
    with open_empty() as engine:
        with session_factory(engine).begin() as session:
            story.tell(session)
        yield engine


@pytest.fixture(scope="module")
def client(told: Engine, ask: Ask) -> httpx.Client:
    """A client over the story."""
    return ask(told)


@pytest.fixture
def empty_client(engine: Engine, ask: Ask) -> httpx.Client:
    """A client over a database that holds nothing."""
    return ask(engine)
