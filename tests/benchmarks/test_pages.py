"""How long the database takes for each page; `pytest tests/benchmarks/test_pages.py -m slow -s` prints the figures.

A made-up history of PyTorch's size, or a copy of the SQLite file that TRACKER_BENCHMARK_DATABASE names. Measured is the
processor's time of each statement in turn, fetched to its last row, with nothing remembered: p95 of twenty.
"""

import os
import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, select

from dashboards.app import create_app
from dashboards.reading import Remembered
from db import schema
from db.base import open_database, session_factory
from db.identities import Identities
from db.tables import CommitRow, RepositoryRow, VerdictRow
from tests.benchmarks.test_store import history
from tests.dashboards.serving import asked
from tests.stored import a_repository, append
from tracker.settings import Settings

pytestmark = pytest.mark.slow

COMMITS = 37_500
BATCH = 1_500
TIMES = 20


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A database with a whole history, opened for reading."""
    path = tmp_path_factory.mktemp("pages") / "tracker.db"
    given = os.environ.get("TRACKER_BENCHMARK_DATABASE")
    if given:
        shutil.copyfile(given, path)
    writer = open_database(f"sqlite:///{path}")
    schema.upgrade(writer)
    if not given:
        identities, sessions = Identities(), session_factory(writer)
        with sessions.begin() as session:
            repository = a_repository(session)
        for first in range(0, COMMITS, BATCH):
            with sessions.begin() as session:
                append(
                    session,
                    repository,
                    history(first, BATCH, entries=4, apart=timedelta(hours=2)),
                    identities=identities,
                )
    writer.dispose()
    reader = open_database(f"sqlite:///{path}", read_only=True)
    yield reader
    reader.dispose()


def addresses(engine: Engine) -> list[str]:
    """The pages, with the commit that removes most sites for one."""
    largest = (
        select(RepositoryRow.slug, CommitRow.sha)
        .join(CommitRow, CommitRow.repository_id == RepositoryRow.id)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .order_by(VerdictRow.removed.desc())
    )
    with session_factory(engine)() as session:
        slug, sha = session.execute(largest.limit(1)).one()
    lists = ["/commits", "/commits?verdict=decoupling", "/commits?text=fix", "/pulls", "/alerts", "/runs", "/method"]
    return ["/", "/vendors", "/areas", "/organisations", "/ecosystem", *lists, f"/commits/{slug}/{sha}", "/metrics"]


def p95_milliseconds(engine: Engine, statement: str, parameters: tuple[object, ...]) -> float:
    """The 95th percentile of the processor's time for a statement."""
    with engine.connect() as connection:
        cursor = connection.connection.cursor()
        taken = []
        for _ in range(TIMES):
            began = time.thread_time()
            cursor.execute(statement, parameters)
            cursor.fetchall()
            taken.append(time.thread_time() - began)
    return sorted(taken)[int(TIMES * 0.95) - 1] * 1000


def test_every_statement_of_every_page_is_measured(database: Engine, tmp_path: Path) -> None:
    sent: list[tuple[str, tuple[object, ...]]] = []

    def note(_connection: object, _cursor: object, text: str, parameters: tuple[object, ...], *_: object) -> None:
        if text.startswith(("SELECT", "WITH")):
            sent.append((text, parameters))

    app = create_app(Settings(var_folder=tmp_path), database)
    event.listen(database, "before_cursor_execute", note)
    lines = []
    with asked(app) as client:
        for address in addresses(database):
            app.state.dashboard.remembered.__dict__.update(vars(Remembered()))
            sent.clear()
            assert client.get(address).status_code == 200, address
            taken = [p95_milliseconds(database, *each) for each in list(sent)]
            lines.append(
                f"{address[:40]:40} {len(taken):3} statements, slowest {max(taken):6.1f} ms, all {sum(taken):6.1f} ms"
            )
    event.remove(database, "before_cursor_execute", note)
    print("\n" + "\n".join(lines))
    assert len(lines) == len(addresses(database))
