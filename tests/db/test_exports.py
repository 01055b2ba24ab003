from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.base import open_database, session_factory
from db.cells import rebuild_weeks
from db.commits import rewind_to
from db.exports import ColumnKind, Export, Value, export_columns, export_rows
from db.pull_writes import upsert_pulls
from tests.builders import (
    A_DAY,
    RULESET,
    a_judged_commit,
    a_judgement,
    a_place,
    a_sha,
    a_site,
    an_entry,
    some_lines,
    some_trailers,
)
from tests.databases import empty_postgres_database
from tests.db.test_landings import revert
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit, Tally
from tracker.sites import Area, Mechanism, Territory, Verdict
from tracker.upstream import Person, PullRequest, PullRequestState

OTHER = "huggingface/accelerate"


def rows(session: Session, what: Export, slug: str | None = None) -> list[tuple[Value, ...]]:
    return list(export_rows(session, what, slug))


def a_pull(number: int, **changes: object) -> PullRequest:
    values: dict[str, object] = {
        "number": number,
        "node_id": f"PR_{number}",
        "title": "Use DeviceGuard",
        "state": PullRequestState.CLOSED,
        "draft": False,
        "author": Person(id=1, login="ada", kind="User"),
        "association": "CONTRIBUTOR",
        "created_at": A_DAY,
        "updated_at": A_DAY + timedelta(hours=2),
        "closed_at": A_DAY + timedelta(hours=1),
        "merged_at": None,
        "base_ref": "main",
        "head_ref": "gh/ada/1/head",
        "head_sha": a_sha("head"),
        "additions": 10,
        "deletions": 4,
        "changed_files": 2,
    }
    return PullRequest(**(values | changes))  # type: ignore[arg-type]


def test_the_ledger_is_exported_entry_by_entry_in_the_order_of_the_line(sessions: sessionmaker[Session]) -> None:
    entries = [
        an_entry("b.py", delta=1, lines=(5,)),
        an_entry(
            "a.py",
            site=a_site("cuda:0"),
            delta=-2,
            mechanism=Mechanism.GENERALISED,
            lines=(3, 9),
            place=a_place(Territory.NEUTRAL, area=Area.TEST, subsystem="test"),
            replaced_by="device_type",
        ),
    ]
    with sessions.begin() as session:
        batch = [
            a_judged_commit("first", entries),
            a_judged_commit("second", [an_entry("a.py")], at=datetime.min.replace(tzinfo=UTC)),
        ]
        append(session, a_repository(session), batch)
        found = rows(session, Export.LEDGER)
    first, when = a_sha("first"), "2020-01-06T12:00:00Z"
    api = ("core", "core", "api", "nvidia", "torch.cuda.synchronize", "nvidia-api")
    assert found == [
        (
            *(SLUG, 0, first, when, "a.py", "neutral", "test", "test", "api", "nvidia", "cuda:0", "nvidia-api"),
            *(-2, "generalised", "3,9", "device_type"),
        ),
        (SLUG, 0, first, when, "b.py", "neutral", *api, 1, "introduced", "5", None),
        (
            SLUG,
            1,
            a_sha("second"),
            "0001-01-01T00:00:00Z",
            "a.py",
            "neutral",
            "test",
            "test",
            *api[2:],
            1,
            "introduced",
            "1",
            None,
        ),
    ]


def test_lines_are_exported_commit_by_commit_and_week_by_week(sessions: sessionmaker[Session]) -> None:
    tests = a_place(area=Area.TEST, subsystem="test")
    batch = [
        a_judged_commit("first", lines=(some_lines(5, tests), some_lines(90, baseline=True))),
        a_judged_commit("second", lines=(some_lines(-4),)),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), batch)
        commits, weeks = rows(session, Export.LINES), rows(session, Export.WEEKLY_LINES)
    when = "2020-01-06T12:00:00Z"
    assert commits == [
        (SLUG, 0, a_sha("first"), when, "neutral", "core", "core", 90, True),
        (SLUG, 0, a_sha("first"), when, "neutral", "test", "test", 5, False),
        (SLUG, 1, a_sha("second"), when, "neutral", "core", "core", -4, False),
    ]
    assert weeks == [
        (SLUG, "2020-01-06", "neutral", "core", "core", 90, 0, 4),
        (SLUG, "2020-01-06", "neutral", "test", "test", 0, 5, 0),
    ]


def test_verdicts_are_exported_commit_by_commit(sessions: sessionmaker[Session]) -> None:
    judgement = a_judgement(
        [an_entry(delta=-2)],
        verdict=Verdict.REMOVAL,
        mechanism=Mechanism.DROPPED,
        area=Area.CORE,
        vendors=("nvidia", "amd"),
        tally=Tally(dropped=2, edited=1),
    )
    trailers = some_trailers(pull_request=7, is_revert=True)
    commit = a_judged_commit(
        "first", message="Drop it (#7)", mail="a@intel.example.com", trailers=trailers, judgement=judgement
    )
    with sessions.begin() as session:
        append(session, a_repository(session), [commit])
        found = rows(session, Export.VERDICTS)
    assert found == [
        (
            *(SLUG, 0, a_sha("first"), "2020-01-06T12:00:00Z", "Drop it (#7)", 7, True, False, "intel"),
            *("removal", "dropped", "core", "nvidia,amd", 2, 0, 0, 0, 0, 2, 0, 0, 0, 1),
            *(0, 0, 0, 0, 0, RULESET),
            *(True, None, None, None),
        )
    ]


def test_verdicts_say_what_became_of_the_commit_since(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), revert("second", of="first")])
        undone = rows(session, Export.VERDICTS)
        append(session, repository, [revert("third", of="second")])
        restored = rows(session, Export.VERDICTS)
    at = "2020-01-06T12:00:00Z"
    assert [row[-4:] for row in undone] == [(False, a_sha("second"), at, None), (False, None, None, None)]
    assert [row[-4:] for row in restored] == [
        (True, None, None, a_sha("third")),
        (False, a_sha("third"), at, None),
        (False, None, None, None),
    ]


def test_cells_are_exported_week_by_week(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        later = a_judged_commit("first", [an_entry(delta=-1)], at=A_DAY + timedelta(weeks=1))
        append(session, repository, [later, a_judged_commit("second", [an_entry(delta=3)])])
        found = rows(session, Export.CELLS)
    assert found == [
        (SLUG, "2020-01-06", "neutral", "core", "core", "nvidia", "api", "introduced", 3, 0),
        (SLUG, "2020-01-13", "neutral", "core", "core", "nvidia", "api", "dropped", 0, 1),
    ]


def test_pulls_are_exported_with_what_the_commits_made_of_them(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        landing = a_judged_commit("first", at=A_DAY + timedelta(hours=1), trailers=some_trailers(pull_request=7))
        append(session, repository, [landing])
        upsert_pulls(session, repository, [a_pull(9, author=None, title="No\0"), a_pull(7, labels=("Merged",))], A_DAY)
        found = rows(session, Export.PULLS)
    dates = ("2020-01-06T12:00:00Z", "2020-01-06T14:00:00Z", "2020-01-06T13:00:00Z", None)
    refs = ("main", "gh/ada/1/head", a_sha("head"), 10, 4, 2)
    more = (None, "[]", "[]", None, None)
    assert found == [
        (
            *(SLUG, 7, "Use DeviceGuard", "landed", "closed", False, "ada", "CONTRIBUTOR", *dates),
            *("2020-01-06T13:00:00Z", *refs, '["Merged"]', 0, *more),
        ),
        (SLUG, 9, "No�", "closed", "closed", False, None, "CONTRIBUTOR", *dates, None, *refs, "[]", 0, *more),
    ]


@pytest.mark.parametrize("what", Export)
def test_an_export_has_a_column_for_every_value_and_each_is_of_its_kind(
    sessions: sessionmaker[Session], what: Export
) -> None:
    python_types = {ColumnKind.INTEGER: int, ColumnKind.FLAG: bool}
    with sessions.begin() as session:
        repository = a_repository(session)
        trailers = some_trailers(pull_request=7)
        commit = a_judged_commit("first", [an_entry()], trailers=trailers, lines=(some_lines(3),))
        append(session, repository, [commit])
        upsert_pulls(session, repository, [a_pull(7)], A_DAY)
        (row,) = rows(session, what)
    columns = export_columns(what)
    assert len({column.name for column in columns}) == len(columns) == len(row)
    for column, value in zip(columns, row, strict=True):
        assert value is None or type(value) is python_types.get(column.kind, str), column
        assert column.meaning


def test_an_export_is_of_one_repository_or_of_all_by_name(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        for slug in (SLUG, OTHER):
            append(session, a_repository(session, slug), [a_judged_commit("first", [an_entry()])])
        assert [row[0] for row in rows(session, Export.LEDGER)] == [OTHER, SLUG]
        assert [row[0] for row in rows(session, Export.LEDGER, SLUG)] == [SLUG]
        assert rows(session, Export.LEDGER, "never/added") == []


def test_commits_off_the_line_are_not_exported(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry()])])
        before = {what: rows(session, what) for what in Export}
        append(session, repository, [a_judged_commit("gone", [an_entry(delta=2)])])
        rebuild_weeks(session, repository, rewind_to(session, repository, 0).weeks)
        assert {what: rows(session, what) for what in Export} == before


def test_an_unknown_export_is_refused(sessions: sessionmaker[Session]) -> None:
    with sessions() as session, pytest.raises(ValueError, match="nonsense"):
        next(export_rows(session, "nonsense"))


def test_an_export_of_nothing_is_empty(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        assert {what: rows(session, what) for what in Export} == {what: [] for what in Export}


def a_history() -> list[JudgedCommit]:
    """Commits whose text sorts otherwise by some languages' rules than by its bytes."""
    paths = ["a.py", "B.py", "a-b.py", "a_b.py", "ä.py", "z.py", "\N{SNOWMAN}.py", "\U0001f600.py", "a/b.py", "A/b.py"]
    return [
        a_judged_commit(
            f"c{index}",
            [
                an_entry(path, site=a_site(symbol), delta=1 if index % 3 else -1, lines=(index + 1,))
                for path in paths[index % 4 :]
                for symbol in ("is_cuda", "Is_cuda", "cuda:0", "_cuda")
            ],
            at=A_DAY - timedelta(days=3 * index),
        )
        for index in range(8)
    ]


@contextmanager
def other_order(server: URL) -> Iterator[sessionmaker[Session]]:
    """A migrated PostgreSQL database."""
    with empty_postgres_database(server, f"tracker_test_{uuid4().hex[:12]}") as url:
        engine = open_database(url.render_as_string(hide_password=False))
        schema.upgrade(engine)
        yield session_factory(engine)
        engine.dispose()


@pytest.mark.postgres
def test_equal_histories_give_equal_exports_in_either_database_however_they_were_stored(
    postgres_server: URL, tmp_path: Path
) -> None:
    commits = a_history()
    lite = open_database(f"sqlite:///{tmp_path / 'tracker.db'}")
    schema.upgrade(lite)
    with ExitStack() as stack:
        one, other = session_factory(lite), stack.enter_context(other_order(postgres_server))
        with one.begin() as session:
            append(session, a_repository(session), commits)
        with other.begin() as session:
            append(session, a_repository(session, OTHER), commits[4:], first_position=0)  # other row ids
            repository = a_repository(session)
            append(session, repository, commits[:5])
            rewind_to(session, repository, 1)
            for commit in commits[2:]:
                append(session, repository, [commit])
            rebuild_weeks(session, repository, None)
        with one() as left, other() as right:
            for what in Export:
                assert rows(left, what, SLUG) == rows(right, what, SLUG)
            assert len(rows(left, Export.LEDGER)) == sum(len(commit.judgement.entries) for commit in commits)
    lite.dispose()
