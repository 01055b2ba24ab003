"""What was read is one range where it follows itself; what was begun stays on record until it was read."""

from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.coverage import CommitRange, cut_coverage, note_begun, note_read, note_skipped, read_ranges
from tests.builders import A_DAY
from tests.stored import SLUG, a_repository

LATER = A_DAY + timedelta(hours=1)


def ranges(session: Session) -> list[tuple[int, int, str, int]]:
    return [(one.first, one.last, one.state.value, one.attempts) for one in read_ranges(session).get(SLUG, ())]


def test_nothing_is_known_of_a_repository_that_was_never_read(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        assert read_ranges(session) == {}


def test_ranges_that_follow_each_other_are_one(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        note_read(session, repository, 0, 499, A_DAY)
        note_read(session, repository, 500, 700, LATER)
        (only,) = read_ranges(session)[SLUG]
        assert (only.first, only.last, only.first_at, only.last_at) == (0, 700, A_DAY, LATER)


def test_a_range_that_is_read_again_is_there_once(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for _ in range(2):
            note_read(session, repository, 0, 9, A_DAY)
        assert ranges(session) == [(0, 9, "ok", 1)]


def test_a_range_that_was_begun_is_failed_as_often_as_it_was_begun(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for _ in range(3):
            note_begun(session, repository, 0, 9, A_DAY)
        assert ranges(session) == [(0, 9, "failed", 3)]


def test_what_is_read_of_a_range_that_was_begun_no_longer_failed(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        note_begun(session, repository, 0, 9, A_DAY)
        note_begun(session, repository, 0, 9, A_DAY)
        note_read(session, repository, 0, 4, A_DAY)
        assert ranges(session) == [(0, 4, "ok", 1), (5, 9, "failed", 1)]
        note_read(session, repository, 5, 9, A_DAY)
        assert ranges(session) == [(0, 9, "ok", 1)]


def test_a_range_that_is_no_longer_to_be_read_is_forgotten(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        note_read(session, repository, 0, 4, A_DAY)
        note_begun(session, repository, 5, 9, A_DAY)
        note_begun(session, repository, 5, 4, A_DAY)
        assert ranges(session) == [(0, 4, "ok", 1)]


def test_a_range_that_is_skipped_says_why(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        note_skipped(session, repository, 0, 7, "too old", A_DAY)
        note_read(session, repository, 8, 9, A_DAY)
        first, _ = read_ranges(session)[SLUG]
        assert first.reason == "too old"
        assert ranges(session) == [(0, 7, "skipped", 0), (8, 9, "ok", 1)]


def test_history_that_was_rewritten_is_no_longer_covered(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        note_read(session, repository, 0, 9, A_DAY)
        note_begun(session, repository, 6, 12, A_DAY)
        cut_coverage(session, repository, 5)
        assert ranges(session) == [(0, 5, "ok", 1), (6, 12, "failed", 1)]
        note_read(session, repository, 6, 12, A_DAY)
        assert ranges(session) == [(0, 12, "ok", 1)]


def test_history_that_was_rewritten_from_its_root_is_not_covered_at_all(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        note_read(session, repository, 0, 9, A_DAY)
        cut_coverage(session, repository, -1)
        assert ranges(session) == []


def test_repositories_are_covered_apart(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session, "a/one"), a_repository(session, "b/other")
        note_read(session, one, 0, 9, A_DAY)
        note_begun(session, other, 0, 3, A_DAY)
        cut_coverage(session, other, -1)
        note_read(session, one, 10, 11, A_DAY)
        found = read_ranges(session)
        assert [(one.first, one.last) for one in found["a/one"]] == [(0, 11)]
        assert [type(one) for one in found["b/other"]] == [CommitRange]
