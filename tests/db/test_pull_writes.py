"""Storing pull requests: the latest description counts, whatever order descriptions come in."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from db.pull_details import PullReview, read_pull
from db.pull_writes import PullCounts, count_stored_pulls, upsert_pulls
from db.tables import PullRequestRow, ReviewRow
from tests.pull_builders import A_TIME, a_person, a_pull, a_review, pulls
from tests.stored import SLUG, a_repository
from tracker.upstream import PullRequest

LATER = A_TIME + timedelta(days=1)


def titles(session: Session) -> list[tuple[int, str]]:
    query = select(PullRequestRow.number, PullRequestRow.title).order_by(PullRequestRow.number)
    return [(row.number, row.title) for row in session.execute(query)]


def updated(pull: PullRequest, title: str, *, seconds: int = 60) -> PullRequest:
    return replace(pull, title=title, updated_at=pull.updated_at + timedelta(seconds=seconds))


def test_new_changed_and_unchanged_ones_are_told_apart(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        assert upsert_pulls(session, repository, pulls(3), A_TIME) == PullCounts(new=3, changed=0, unchanged=0)
        again = [a_pull(1), updated(a_pull(2), "New title"), a_pull(4)]
        assert upsert_pulls(session, repository, again, LATER) == PullCounts(new=1, changed=1, unchanged=1)
        assert titles(session) == [(1, "Change 1"), (2, "New title"), (3, "Change 3"), (4, "Change 4")]
        assert count_stored_pulls(session, repository) == 4


def test_an_older_description_changes_nothing(sessions: sessionmaker[Session]) -> None:
    newer = replace(updated(a_pull(1), "New title"), reviews=(a_review(),), reviews_total=1)
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [newer], A_TIME)
        assert upsert_pulls(session, repository, [a_pull(1)], LATER) == PullCounts(new=0, changed=0, unchanged=1)
        assert titles(session) == [(1, "New title")]
        assert session.scalar(select(func.count()).select_from(ReviewRow)) == 1


def test_a_second_change_within_one_second_is_taken(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [a_pull(1)], A_TIME)
        upsert_pulls(session, repository, [replace(a_pull(1), title="Second")], A_TIME)
        assert titles(session) == [(1, "Second")]


def test_of_one_number_twice_in_a_batch_the_latest_counts(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [updated(a_pull(1), "Latest"), a_pull(1)]
        assert upsert_pulls(session, repository, batch, A_TIME) == PullCounts(new=1, changed=0, unchanged=0)
        assert titles(session) == [(1, "Latest")]


def test_numbers_of_two_repositories_are_apart(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        first, second = a_repository(session), a_repository(session, "octo/engine")
        upsert_pulls(session, first, [a_pull(1)], A_TIME)
        upsert_pulls(session, second, [a_pull(1)], A_TIME)
        assert (count_stored_pulls(session, first), count_stored_pulls(session, second)) == (1, 1)


def test_reviews_become_those_that_there_are_now(sessions: sessionmaker[Session]) -> None:
    grace = a_person("grace", id=2)
    first = replace(a_pull(1), reviews=(a_review("PRR_1"), a_review("PRR_2", author=grace)), reviews_total=2)
    then = replace(first, reviews=(a_review("PRR_2", author=grace, state="DISMISSED"),), reviews_total=1)
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [first], A_TIME)
        upsert_pulls(session, repository, [replace(then, updated_at=LATER)], LATER)
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert detail.reviews == (
            PullReview(author="grace", state="DISMISSED", submitted_at=A_TIME, association="NONE"),
        )


def test_text_that_no_database_stores_is_made_storable(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [replace(a_pull(1), title="a\0b\ud800", labels=("c\0",))], A_TIME)
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert detail.summary.title == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
        assert len(detail.summary.labels) == 1


def test_nothing_is_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        assert upsert_pulls(session, repository, [], A_TIME) == PullCounts(new=0, changed=0, unchanged=0)
