"""How much a page asks of the database: few statements, none of which reads the ledger from end to end."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.orm import Session, sessionmaker

from db.alert_facts import read_alert_facts
from db.alerts import read_alerts
from db.audits import read_audits
from db.base import open_database
from db.cells import read_flow, read_neutrality, read_stock, read_totals
from db.commit_details import read_commit
from db.commit_pages import CommitFilter, read_commits
from db.overview import read_coverage
from db.rejudging import read_outdated_counts
from db.repositories import read_repository
from db.runs import end_run, read_freshness, read_runs, start_run
from db.standing_sites import SiteFilter, read_standing_sites
from db.watched import read_data_version
from tests.builders import A_DAY, RULESET, a_judged_commit, a_sha, an_entry, some_trailers
from tests.db.test_landings import revert
from tests.stored import SLUG, a_repository, append
from tracker.sites import Area, Verdict

Statement = tuple[str, tuple[object, ...] | dict[str, object]]


@contextmanager
def recorded(engine: Engine) -> Iterator[list[Statement]]:
    """The statements that are sent, with their parameters."""
    statements: list[Statement] = []

    def record(
        _connection: object, _cursor: object, statement: str, parameters: tuple[object, ...], *_: object
    ) -> None:
        if statement.startswith(("SELECT", "WITH")):
            statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", record)
    yield statements
    event.remove(engine, "before_cursor_execute", record)


READS: dict[str, tuple[int, Callable[[Session], object]]] = {
    "the stock by vendor": (2, lambda session: read_stock(session, repository=SLUG)),
    "the flow by mechanism": (2, lambda session: read_flow(session, repository=SLUG)),
    "neutrality": (4, lambda session: read_neutrality(session, repository=SLUG)),
    "totals": (2, lambda session: read_totals(session, repository=SLUG)),
    "commits of all repositories": (2, lambda session: read_commits(session, CommitFilter())),
    "commits filtered": (
        3,
        lambda session: read_commits(
            session, CommitFilter(repository=SLUG, verdict=Verdict.COUPLING, area=Area.CORE, text="fix", vendor="amd")
        ),
    ),
    "standing sites": (4, lambda session: read_standing_sites(session, SiteFilter(repository=SLUG, vendor="amd"))),
    "one commit": (8, lambda session: read_commit(session, SLUG, a_sha("first"))),
    "runs": (1, lambda session: read_runs(session, 50)),
    "freshness": (4, read_freshness),
    "alerts": (1, read_alerts),
    "facts for alerts": (12, lambda session: read_alert_facts(session, timedelta(days=7))),
}


@pytest.mark.parametrize("name", READS)
def test_a_read_sends_few_statements_however_much_is_stored(
    engine: Engine, sessions: sessionmaker[Session], name: str
) -> None:
    most, read = READS[name]
    with sessions.begin() as session:
        repository = a_repository(session)
        many = [
            a_judged_commit(
                f"c{index}", [an_entry(f"{index}.py")], at=A_DAY, trailers=some_trailers(pull_request=index + 1)
            )
            for index in range(30)
        ]
        first = a_judged_commit("first", trailers=some_trailers(pull_request=99))
        append(session, repository, [*many, first, revert("r", of="first")])
    with sessions() as session, recorded(engine) as statements:
        read(session)
    assert 0 < len(statements) <= most


@pytest.mark.parametrize("name", READS)
def test_no_read_of_a_page_goes_through_the_ledger_from_end_to_end(
    sqlite_template: Path, tmp_path: Path, name: str
) -> None:
    shutil.copyfile(sqlite_template, tmp_path / "tracker.db")
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    with Session(engine) as session:
        append(session, a_repository(session), [a_judged_commit("first", [an_entry()])])
        session.commit()
    with Session(engine) as session, recorded(engine) as statements:
        READS[name][1](session)
    with engine.connect() as connection:
        for statement, parameters in statements:
            assert isinstance(parameters, tuple)
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            details = [row.detail for row in plan]
            assert not [detail for detail in details if detail.startswith("SCAN ledger_entry")], details
    engine.dispose()


def steps(engine: Engine, read: Callable[[Session], object]) -> int:
    """How many steps SQLite's machine takes for a read: its cost, without a clock."""
    taken = 0

    def tick() -> int:
        nonlocal taken
        taken += 1
        return 0

    with Session(engine) as session:
        connection = session.connection().connection.driver_connection
        assert isinstance(connection, sqlite3.Connection)
        connection.set_progress_handler(tick, 1)
        read(session)
        connection.set_progress_handler(None, 1)
    return taken


CHEAP: dict[str, Callable[[Session], object]] = {
    "the version of the data": read_data_version,
    "freshness": read_freshness,
    "the latest runs": lambda session: read_runs(session, 20),
    "the runs of one job": lambda session: read_runs(session, 20, job="crawl_commits", repository=SLUG),
    "coverage": read_coverage,
    "commits of other rules": lambda session: read_outdated_counts(session, RULESET),
    "the latest audits": lambda session: read_audits(session, limit=20),
    "alerts": read_alerts,
}


@pytest.mark.parametrize("name", CHEAP)
def test_a_read_costs_the_same_however_many_crawls_there_were(sqlite_template: Path, tmp_path: Path, name: str) -> None:
    shutil.copyfile(sqlite_template, tmp_path / "tracker.db")
    engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    costs = []
    for more in (100, 1500):
        with Session(engine) as session:
            if read_repository(session, SLUG) is None:
                append(session, a_repository(session), [a_judged_commit("first", [an_entry()])])
            for number in range(more):
                job = ("crawl_commits", "crawl_pulls", "roll_up", "audit")[number % 4]
                outcome = "failed" if number % 10 == 0 else "ok"
                end_run(session, start_run(session, job, SLUG, A_DAY), outcome, {}, "", A_DAY)
            session.commit()
        costs.append(steps(engine, CHEAP[name]))
    engine.dispose()
    assert costs[1] <= 1.2 * costs[0] + 100, costs
