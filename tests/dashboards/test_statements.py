"""How much one answer asks of the database when nothing is remembered: few statements, whatever it shows."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, insert

from dashboards.app import create_app
from dashboards.reading import Remembered
from db.base import open_database, session_factory
from db.pull_writes import upsert_pulls
from db.tables import JobRunRow
from tests.builders import a_judged_commit, a_sha, an_entry
from tests.dashboards import story
from tests.dashboards.documents import PAGES
from tests.dashboards.serving import asked
from tests.pull_builders import a_pull
from tests.stored import SLUG, a_repository, append
from tracker.ruleset import Ruleset
from tracker.settings import Settings

MOST = 10
LARGE = "ledger_entry|site_account|commit|verdict|landing|merge_notice|path|pull_entry|pull_file|site"
"""Tables that grow with history, and that no answer may read from end to end."""
RUNS = 10_000

Plan = list[tuple[str, list[str]]]
"""What an answer asks, and how SQLite goes about it."""


@contextmanager
def disposed(engine: Engine) -> Iterator[None]:
    """Close what an engine has opened, also where a test fails."""
    try:
        yield
    finally:
        engine.dispose()


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """The statements that are sent."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip("( ").startswith(("SELECT", "WITH")):
            sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def addresses(description: dict[str, dict[str, object]]) -> list[str]:
    """Every page, every address of the interface for programs, and what monitoring asks."""
    names = {"{owner}/{name}": SLUG, "{sha}": a_sha("second"), "{number}": "7", "{name}": "meta"}
    twins = [path for path in description["paths"] if path.startswith("/api/")]
    for name, value in names.items():
        twins = [path.replace(name, value) for path in twins]
    return [*PAGES, *twins, "/metrics", "/readyz", "/livez"]


def test_every_answer_takes_few_statements(told: Engine, settings: Settings, shipped_ruleset: Ruleset) -> None:
    engine = open_database(told.url.render_as_string(hide_password=False), read_only=True)
    app = create_app(settings, engine, ruleset=shipped_ruleset, clock=lambda: story.NOW)
    counts: dict[str, int] = {}
    with disposed(engine), asked(app) as client, statements(engine) as sent:
        for address in addresses(app.openapi()):
            app.state.dashboard.remembered.__dict__.update(vars(Remembered()))
            sent.clear()
            assert client.get(address).status_code in (200, 503), address
            counts[address] = len(sent)
    assert {address: count for address, count in counts.items() if count > MOST} == {}
    assert counts["/vendors"] > 0


def test_more_repositories_take_no_more_statements(
    sqlite_template: Path, tmp_path: Path, settings: Settings, shipped_ruleset: Ruleset
) -> None:
    shutil.copyfile(sqlite_template, tmp_path / "tracker.db")
    writer = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}", read_only=True)
    app = create_app(settings, engine, ruleset=shipped_ruleset, clock=lambda: story.NOW)
    counts: list[dict[str, int]] = []
    with disposed(writer), disposed(engine), asked(app) as client, statements(engine) as sent:
        for slugs in (["a/first"], ["a/second", "a/third"]):
            with session_factory(writer).begin() as session:
                for slug in slugs:
                    repository = a_repository(session, slug)
                    append(session, repository, [a_judged_commit("first", [an_entry()])])
                    upsert_pulls(session, repository, [a_pull(1)], story.NOW)
            counts.append({})
            for address in ("/", "/ecosystem", "/organisations", "/pulls", "/runs", "/metrics"):
                app.state.dashboard.remembered.__dict__.update(vars(Remembered()))
                sent.clear()
                assert client.get(address).status_code == 200, address
                counts[-1][address] = len(sent)
    assert counts[1] == counts[0]


@pytest.fixture
def file_told(sqlite_template: Path, tmp_path: Path) -> Iterator[Engine]:
    """An SQLite file that holds the story, opened for writing."""
    shutil.copyfile(sqlite_template, tmp_path / "tracker.db")
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    with session_factory(engine).begin() as session:
        story.tell(session)
    with disposed(engine):
        yield engine


def plans(told: Engine, settings: Settings, ruleset: Ruleset) -> dict[str, Plan]:
    """The statements and plans of every answer over an SQLite file, with nothing remembered."""
    engine = open_database(told.url.render_as_string(hide_password=False), read_only=True)
    app = create_app(settings, engine, ruleset=ruleset, clock=lambda: story.NOW)
    found: dict[str, Plan] = {}
    sent: list[tuple[str, tuple[object, ...]]] = []

    def note(_connection: object, _cursor: object, text: str, parameters: tuple[object, ...], *_: object) -> None:
        if text.lstrip("( ").startswith(("SELECT", "WITH")):
            sent.append((text, parameters))

    event.listen(engine, "before_cursor_execute", note)
    with disposed(engine), asked(app) as client:
        for address in addresses(app.openapi()):
            app.state.dashboard.remembered.__dict__.update(vars(Remembered()))
            sent.clear()
            assert client.get(address).status_code in (200, 503), address
            with engine.connect() as connection:
                found[address] = [
                    (text, [row.detail for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)])
                    for text, parameters in list(sent)
                ]
    return found


def test_no_answer_reads_a_large_table_from_end_to_end(
    file_told: Engine, settings: Settings, shipped_ruleset: Ruleset
) -> None:
    found = plans(file_told, settings, shipped_ruleset)
    scans = {
        (address, detail)
        for address, plan in found.items()
        for _, details in plan
        for detail in details
        if re.fullmatch(f"SCAN ({LARGE})", detail)
    }
    assert scans == set()


@pytest.mark.slow
def test_thousands_of_runs_change_neither_statements_nor_plans(
    file_told: Engine, settings: Settings, shipped_ruleset: Ruleset
) -> None:
    before = plans(file_told, settings, shipped_ruleset)
    run = {"started_at": story.NOW, "ended_at": story.NOW, "counts": "{}", "message": ""}
    jobs = ("crawl_commits", "crawl_pulls", "roll_up", "audit")
    rows = [
        run | {"job": jobs[number % 4], "repository": SLUG, "outcome": "failed" if number % 10 == 0 else "ok"}
        for number in range(RUNS)
    ]
    with file_told.begin() as connection:
        connection.execute(insert(JobRunRow), rows)
    assert plans(file_told, settings, shipped_ruleset) == before


def test_what_is_remembered_is_not_asked_for_again(told: Engine, settings: Settings, shipped_ruleset: Ruleset) -> None:
    engine = open_database(told.url.render_as_string(hide_password=False), read_only=True)
    app = create_app(settings, engine, ruleset=shipped_ruleset, clock=lambda: story.NOW)
    with disposed(engine), asked(app) as client, statements(engine) as sent:
        for address in ("/", "/areas", "/vendors"):
            client.get(address)
            sent.clear()
            assert client.get(address).status_code == 200
            assert len(sent) <= 3, address
