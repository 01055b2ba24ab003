"""Upgrades of databases with rows: what was kept stays, and what it lacks is read again."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from alembic import command
from sqlalchemy import Engine, text

from db import schema
from db.base import open_database
from tests.databases import empty_postgres_database

STATEMENTS_0001 = (
    "INSERT INTO repository (id, slug, demo, added_at) VALUES (1, 'octo/engine', false, '2024-05-06 12:00:00')",
    (
        "INSERT INTO person (id, github_id, login, kind, company, seen_at) "
        "VALUES (1, 7, 'ada', 'User', 'Example', '2024-05-06 12:00:00')"
    ),
    (
        "INSERT INTO pull_request (id, repository_id, number, node_id, title, state, draft, author_id, association, "
        "created_at, updated_at, base_ref, head_ref, head_sha, additions, deletions, changed_files, labels, "
        "reviews_total, seen_at) VALUES (1, 1, 12, 'PR_12', 'Generalise', 'closed', false, 1, 'MEMBER', "
        "'2024-05-06 12:00:00', '2024-05-06 12:00:00', 'main', 'branch', '0123456789012345678901234567890123456789', "
        "1, 2, 3, '[\"Merged\"]', 1, '2024-05-06 12:00:00')"
    ),
    (
        "INSERT INTO review (id, pull_request_id, author_id, state, submitted_at) "
        "VALUES ('PRR_1', 1, 1, 'APPROVED', '2024-05-06 12:00:00')"
    ),
    (
        "INSERT INTO cursor (repository_id, stream, value, moved_at) "
        "VALUES (1, 'pulls-backfill', '{\"done\": true}', '2024-05-06 12:00:00')"
    ),
    "INSERT INTO cursor (repository_id, stream, value, moved_at) VALUES (1, 'commits', '{}', '2024-05-06 12:00:00')",
)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database without any table, of each kind."""
    if request.param == "sqlite":
        engine = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
        yield engine
        engine.dispose()
        return
    server = request.getfixturevalue("postgres_server")
    with empty_postgres_database(server, f"tracker_test_{uuid4().hex[:12]}") as url:
        engine = open_database(url.render_as_string(hide_password=False))
        yield engine
        engine.dispose()


STATEMENTS_0012 = (
    "INSERT INTO repository (id, slug, demo, added_at) VALUES (1, 'octo/engine', false, '2024-05-06 12:00:00')",
    (
        'INSERT INTO "commit" (id, repository_id, sha, parents, position, committed_at, week, authored_at, subject, '
        "author_key, author_domain, is_revert, is_reland) VALUES (1, 1, '0123456789012345678901234567890123456789', 0, "
        "0, '2024-05-06 12:00:00', '2024-05-06', '2024-05-06 12:00:00', 'Admit others', 'key', '', false, false)"
    ),
    (
        "INSERT INTO verdict (commit_id, ruleset, verdict, vendors, removed, added, generalised, broadened, "
        "relocated, dropped, retired, introduced, moved, edited) "
        "VALUES (1, 'digest', 'coupling', '', 5, 4, 0, 0, 0, 5, 0, 4, 0, 1)"
    ),
    (
        "INSERT INTO path (id, repository_id, path, digest, territory, area, subsystem, ruleset) "
        "VALUES (1, 1, 'a.py', '1', 'neutral', 'core', 'core', 'digest')"
    ),
    *(
        "INSERT INTO site (id, construct, vendor, symbol, rule, digest) "  # noqa: S608 - literal words
        f"VALUES ({number}, '{construct}', 'v', 'x', 'y', '{number}')"
        for number, construct in enumerate(("api", "name", "neutral"), start=1)
    ),
    *(
        "INSERT INTO ledger_entry (id, commit_id, path_id, site_id, territory, delta, mechanism, lines) "  # noqa: S608 - literal words
        f"VALUES ({number}, 1, 1, {site}, '{territory}', {delta}, '{mechanism}', '')"
        for number, (site, territory, delta, mechanism) in enumerate(
            (
                (1, "neutral", 3, "introduced"),
                (1, "neutral", -1, "dropped"),
                (1, "neutral", 2, "broadened"),
                (1, "neutral", -1, "edited"),
                (2, "neutral", 1, "introduced"),
                (2, "neutral", -4, "dropped"),
                (2, "neutral", 2, "moved"),
                (3, "neutral", 9, "outside"),
                (1, "vendor", 9, "outside"),
                (1, "neutral", 9, "baseline"),
            ),
            start=1,
        )
    ),
)


def test_what_commits_change_about_the_stock_is_told_by_the_ledger_that_is_stored(bare: Engine) -> None:
    with bare.begin() as connection:
        command.upgrade(schema.migration_config(connection), "0012")
        for statement in STATEMENTS_0012:
            connection.execute(text(statement.replace(":", r"\:")))
    schema.upgrade(bare)
    with bare.connect() as connection:
        columns = "added, removed, let_in, staying, names_removed, names_added, names_net"
        assert connection.execute(text(f"SELECT {columns} FROM verdict")).all() == [(4, 5, 2, 1, 4, 1, -1)]  # noqa: S608 - literal words
    schema.check(bare)


def test_pull_requests_of_the_first_version_stay_and_are_read_from_the_first_again(bare: Engine) -> None:
    with bare.begin() as connection:
        command.upgrade(schema.migration_config(connection), "0001")
        for statement in STATEMENTS_0001:
            connection.execute(text(statement.replace(":", r"\:")))
    schema.upgrade(bare)
    with bare.connect() as connection:
        pull = connection.execute(
            text("SELECT number, title, labels, stack, linked_issues, differential FROM pull_request")
        ).all()
        assert [tuple(row) for row in pull] == [(12, "Generalise", '["Merged"]', "[]", "[]", None)]
        reviews = connection.execute(text("SELECT id, state, association FROM review")).all()
        assert [tuple(row) for row in reviews] == [("PRR_1", "APPROVED", None)]
        assert connection.execute(text("SELECT stream FROM cursor")).scalars().all() == ["commits"]
        assert connection.execute(text("SELECT company FROM person")).scalars().all() == ["Example"]
    schema.check(bare)
