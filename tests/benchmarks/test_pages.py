"""How long the database and a whole answer take; `pytest tests/benchmarks/test_pages.py -m slow -s` prints the figures.

A made-up history of PyTorch's size, or a copy of the SQLite file that TRACKER_BENCHMARK_DATABASE names. Measured is the
processor's time: of each statement in turn, fetched to its last row, with nothing remembered (p95 of twenty), and of
each answer to all pages and all addresses for programs, with nothing remembered and then with all of it.
"""

import os
import shutil
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

import httpx
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


def addresses(engine: Engine, paths: Iterable[str]) -> list[str]:
    """The pages and their twins, with the commit that removes most sites for one."""
    largest = (
        select(RepositoryRow.slug, CommitRow.sha, CommitRow.pull_number, CommitRow.organisation)
        .join(CommitRow, CommitRow.repository_id == RepositoryRow.id)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .where(CommitRow.pull_number.is_not(None))
        .order_by(VerdictRow.removed.desc())
    )
    with session_factory(engine)() as session:
        slug, sha, number, organisation = session.execute(largest.limit(1)).one()
    named = {"{owner}/{name}": slug, "{sha}": sha, "{number}": str(number), "{name}": organisation or "unknown"}
    twins = [path for path in paths if path.startswith("/api/v1/")]
    for name, value in named.items():
        twins = [path.replace(name, value) for path in twins]
    lists = ["/commits", "/commits?verdict=decoupling", "/commits?text=fix", "/pulls", "/alerts", "/runs", "/method"]
    single = [f"/commits/{slug}/{sha}", f"/pulls/{slug}/{number}", f"/organisations/{named['{name}']}"]
    return ["/", "/vendors", "/areas", "/organisations", "/ecosystem", *lists, *single, "/metrics", *twins]


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
        asked_for = addresses(database, app.openapi()["paths"])
        for address in asked_for:
            app.state.dashboard.remembered.__dict__.update(vars(Remembered()))
            sent.clear()
            whole = [milliseconds(client, address) for _ in range(2)]
            taken = [p95_milliseconds(database, *each) for each in list(sent)]
            lines.append(
                f"{address[:48]:48} {len(taken):3} statements, slowest {max(taken):6.1f} ms, all {sum(taken):6.1f} ms, "
                f"answer {whole[0]:6.0f} ms, again {whole[1]:4.0f} ms"
            )
    event.remove(database, "before_cursor_execute", note)
    print("\n" + "\n".join(lines))
    assert len(lines) == len(asked_for)


def milliseconds(client: httpx.Client, address: str) -> float:
    """The processor's time of one answer, client and server together."""
    began = time.process_time()
    assert client.get(address).status_code == 200, address
    return (time.process_time() - began) * 1000
