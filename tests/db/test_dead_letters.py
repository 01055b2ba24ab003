"""What upstream could not serve: counted, shown with its reason, tried again, forgotten once served."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.dead_letters import (
    DeadLetter,
    append_dead_letter,
    count_dead_letters,
    read_dead_letters,
    read_due_keys,
    remove_dead_letters,
)
from tests.pull_builders import A_TIME
from tests.stored import SLUG, a_repository

A_DAY = timedelta(days=1)


def bury(session: Session, repository: int, key: str, at: datetime = A_TIME, *, stream: str = "pulls") -> None:
    append_dead_letter(session, repository, stream, key, f"{key} at {at:%d}", at)


def test_attempts_are_counted_with_the_last_reason(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for days in range(3):
            bury(session, repository, "7", A_TIME + days * A_DAY)
        assert read_dead_letters(session) == [
            DeadLetter(
                repository=SLUG,
                stream="pulls",
                key="7",
                reason="7 at 08",
                attempts=3,
                first_at=A_TIME,
                last_at=A_TIME + 2 * A_DAY,
            )
        ]


def test_letters_of_streams_and_repositories_are_apart(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "octo/engine")
        for repository, stream in ((one, "pulls"), (one, "commits"), (other, "pulls")):
            bury(session, repository, "7", stream=stream)
        assert count_dead_letters(session, one, "pulls") == 1
        assert [letter.repository for letter in read_dead_letters(session, "octo/engine")] == ["octo/engine"]
        assert len(read_dead_letters(session)) == 3
        assert remove_dead_letters(session, one, "pulls", ["7", "8"]) == 1
        assert len(read_dead_letters(session)) == 2


def test_what_was_tried_lately_is_not_due(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        bury(session, repository, "3", A_TIME + A_DAY)
        bury(session, repository, "1", A_TIME)
        bury(session, repository, "2", A_TIME - A_DAY)
        assert read_due_keys(session, repository, "pulls", A_TIME + A_DAY, 10) == ["2", "1"]
        assert read_due_keys(session, repository, "pulls", A_TIME + A_DAY, 1) == ["2"]


def test_the_latest_letters_are_shown_first_and_not_more_than_asked(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for number in range(1, 4):
            bury(session, repository, str(number), A_TIME + number * A_DAY)
        assert [letter.key for letter in read_dead_letters(session, limit=2)] == ["3", "2"]


def test_what_was_served_is_forgotten_and_nothing_else(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        bury(session, repository, "7")
        bury(session, repository, "8")
        assert remove_dead_letters(session, repository, "pulls", ["8", "9"]) == 1
        assert remove_dead_letters(session, repository, "pulls", []) == 0
        assert [letter.key for letter in read_dead_letters(session)] == ["7"]
