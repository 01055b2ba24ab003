from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.orm import Session, sessionmaker

from db.base import clean_text, in_transaction, open_database, session_factory
from db.repositories import add_repository, read_repositories
from db.runs import start_run
from db.tables import JobRunRow, RepositoryRow
from tests.builders import A_DAY
from tracker.errors import SettingsError


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("plain", "plain"),
        ("", ""),
        ("nul\0", "nul�"),
        ("\udcff lone", "� lone"),
        ("é \0 \ud800", "é � �"),
        ("\ud83d\ude00", "\U0001f600"),  # a pair of surrogates is a character
        ("\ufeff☃", "\ufeff☃"),
    ],
)
def test_text_is_cleaned_of_what_databases_refuse_and_of_nothing_else(dirty: str, clean: str) -> None:
    assert clean_text(dirty) == clean


@given(st.text(st.characters()))
def test_cleaned_text_can_be_encoded_and_is_clean(dirty: str) -> None:
    clean = clean_text(dirty)
    clean.encode()
    assert clean_text(clean) == clean


def test_any_text_comes_back_as_it_was_cleaned_and_is_found_by_it(sessions: sessionmaker[Session]) -> None:
    message = "a\0b \udcff ☃"
    with sessions.begin() as session:
        session.get_one(JobRunRow, start_run(session, "audit", "", A_DAY)).message = message
    with sessions() as session:
        assert session.scalars(select(JobRunRow.message).where(JobRunRow.message == message)).all() == ["a�b � ☃"]


def test_a_time_comes_back_in_utc_whatever_its_zone(sessions: sessionmaker[Session]) -> None:
    tokyo = datetime(2020, 1, 6, 8, 30, 15, 250, tzinfo=timezone(timedelta(hours=9)))
    with sessions.begin() as session:
        start_run(session, "audit", "", tokyo)
    with sessions() as session:
        (found,) = session.scalars(select(JobRunRow.started_at)).all()
        assert found == datetime(2020, 1, 5, 23, 30, 15, 250, tzinfo=UTC)
        assert found.tzinfo is UTC


def test_a_time_without_a_zone_is_refused(sessions: sessionmaker[Session]) -> None:
    naive = datetime(2020, 1, 6)  # noqa: DTZ001 - the point of the test
    with sessions() as session, pytest.raises(StatementError, match="a time without a zone cannot be stored"):
        start_run(session, "audit", "", naive)


def test_a_transaction_is_kept_as_a_whole_or_not_at_all(sessions: sessionmaker[Session]) -> None:
    with in_transaction(sessions) as session:
        add_repository(session, "a/kept", now=A_DAY)

    def fail() -> None:
        with in_transaction(sessions) as session:
            add_repository(session, "a/lost", now=A_DAY)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with sessions() as session:
        assert [row.slug for row in read_repositories(session)] == ["a/kept"]


def test_a_read_only_engine_refuses_every_write(engine: Engine) -> None:
    reader = open_database(engine.url.render_as_string(hide_password=False), read_only=True)
    with session_factory(reader)() as session:
        with pytest.raises(DBAPIError, match=r"readonly|read-only"):
            session.execute(text("DELETE FROM repository"))
        session.rollback()
        assert session.scalars(select(RepositoryRow)).all() == []
    reader.dispose()


def test_readers_see_the_last_commit_and_do_not_wait_for_a_writer(engine: Engine) -> None:
    reader = open_database(engine.url.render_as_string(hide_password=False), read_only=True)
    with session_factory(engine)() as writing, session_factory(reader)() as reading:
        add_repository(writing, "a/b", now=A_DAY)
        assert read_repositories(reading) == []
        reading.rollback()
        writing.commit()
        assert [row.slug for row in read_repositories(reading)] == ["a/b"]
    reader.dispose()


def test_the_folder_of_an_sqlite_file_is_made_when_it_is_to_be_written(tmp_path: Path) -> None:
    engine = open_database(f"sqlite:///{tmp_path / 'var' / 'deep' / 'tracker.db'}")
    with engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
    engine.dispose()
    open_database(f"sqlite:///{tmp_path / 'other' / 'tracker.db'}", read_only=True).dispose()
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("nonsense", "is no database URL"),
        ("mysql://localhost/tracker", "names mysql; use sqlite:///FILE or postgresql://..."),
        ("", "is no database URL"),
    ],
)
def test_a_url_of_no_known_database_is_refused_with_what_to_write(url: str, problem: str) -> None:
    with pytest.raises(SettingsError, match=problem):
        open_database(url)
