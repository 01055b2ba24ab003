from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.cursors import move_cursor, read_cursor, remove_cursor
from db.tables import CursorRow
from tests.builders import A_DAY
from tests.stored import a_repository


def test_a_stream_that_was_never_read_has_no_cursor(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        assert read_cursor(session, a_repository(session), "commits") is None


def test_a_cursor_is_set_and_moved(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        move_cursor(session, repository, "pulls-backfill", '{"page": 1}', A_DAY)
        assert read_cursor(session, repository, "pulls-backfill") == '{"page": 1}'
        move_cursor(session, repository, "pulls-backfill", '{"page": 2}', A_DAY + timedelta(hours=1))
        assert read_cursor(session, repository, "pulls-backfill") == '{"page": 2}'
        assert session.scalars(select(CursorRow.moved_at)).all() == [A_DAY + timedelta(hours=1)]


def test_each_stream_of_each_repository_has_its_own_cursor(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "a/b")
        move_cursor(session, one, "commits", "1", A_DAY)
        move_cursor(session, one, "pulls-updates", "2", A_DAY)
        move_cursor(session, other, "commits", "3", A_DAY)
        remove_cursor(session, one, "commits")
        found = [read_cursor(session, *key) for key in ((one, "commits"), (one, "pulls-updates"), (other, "commits"))]
    assert found == [None, "2", "3"]


def test_a_cursor_that_is_not_there_can_be_removed(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        remove_cursor(session, repository, "commits")
        assert read_cursor(session, repository, "commits") is None


def test_a_cursor_moves_only_if_its_transaction_commits(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        move_cursor(session, repository, "commits", "1", A_DAY)
    with sessions() as session:
        move_cursor(session, repository, "commits", "2", A_DAY)
        session.rollback()
        assert read_cursor(session, repository, "commits") == "1"
