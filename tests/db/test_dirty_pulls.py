"""Marks that webhooks make: once for each delivery, gone once read, and no more than a narrow role may make."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, func, select, text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session, sessionmaker

from db.base import open_database, session_factory
from db.dirty_pulls import (
    DirtyPull,
    Marked,
    clear_dirty_pulls,
    forget_deliveries,
    mark_dirty,
    read_dirty_pulls,
    read_dirty_repositories,
)
from db.repositories import remove_repository
from db.tables import DirtyPullRow, WebhookDeliveryRow
from tests.builders import A_DAY
from tests.stored import SLUG, a_repository
from tracker.webhooks import Delivery


def a_delivery(name: str = "first-delivery", *, number: int = 7, repository: str = SLUG) -> Delivery:
    return Delivery(id=name, event="pull_request", repository=repository, number=number)


def numbers(session: Session, repository: int, limit: int = 9) -> list[int]:
    return [one.number for one in read_dirty_pulls(session, repository, limit)]


def test_a_delivery_marks_its_pull_request_once_however_often_it_comes(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        assert [mark_dirty(session, a_delivery(), A_DAY) for _ in range(3)] == [
            Marked.MARKED,
            Marked.REPLAYED,
            Marked.REPLAYED,
        ]
        assert session.scalar(select(func.count()).select_from(DirtyPullRow)) == 1
        assert numbers(session, repository) == [7]


def test_a_delivery_that_comes_again_with_another_number_marks_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        mark_dirty(session, a_delivery(), A_DAY)
        assert mark_dirty(session, a_delivery(number=8), A_DAY) is Marked.REPLAYED
        assert numbers(session, repository) == [7]


def test_a_repository_that_is_not_under_watch_leaves_no_trace(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        remove_repository(session, SLUG, A_DAY)
        assert mark_dirty(session, a_delivery(), A_DAY) is Marked.UNWATCHED
        assert mark_dirty(session, a_delivery(repository="o/unknown"), A_DAY) is Marked.UNWATCHED
        assert session.scalar(select(func.count()).select_from(WebhookDeliveryRow)) == 0


def test_those_that_wait_longest_come_first_each_once(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for index, number in enumerate((9, 7, 9, 8)):
            mark_dirty(session, a_delivery(f"delivery-{index}", number=number), A_DAY)
        assert numbers(session, repository) == [9, 7, 8]
        assert numbers(session, repository, 2) == [9, 7]
        assert read_dirty_repositories(session) == (SLUG,)


def test_a_mark_that_comes_while_it_is_read_stays(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        mark_dirty(session, a_delivery("delivery-1"), A_DAY)
        mark_dirty(session, a_delivery("delivery-2", number=8), A_DAY)
        seen = read_dirty_pulls(session, repository, 9)
        assert [type(one) for one in seen] == [DirtyPull, DirtyPull]
        mark_dirty(session, a_delivery("delivery-3"), A_DAY)
        clear_dirty_pulls(session, repository, seen)
        assert numbers(session, repository) == [7]


def test_old_deliveries_and_marks_that_nobody_reads_are_forgotten(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        mark_dirty(session, a_delivery("delivery-1"), A_DAY)
        mark_dirty(session, a_delivery("delivery-2", number=8), A_DAY + timedelta(days=2))
        assert forget_deliveries(session, A_DAY + timedelta(days=1)) == 1
        assert numbers(session, repository) == [8]
        assert mark_dirty(session, a_delivery("delivery-1"), A_DAY + timedelta(days=2)) is Marked.MARKED


@pytest.fixture
def marker(postgres_engine: Engine) -> Iterator[Engine]:
    """The database as a role that has been given what docs/settings.md says, and nothing else."""
    role = f"marker_{uuid4().hex[:8]}"
    with postgres_engine.begin() as connection:
        for statement in (
            f"CREATE ROLE {role} LOGIN",
            f"GRANT SELECT ON repository, repository_slug TO {role}",
            f"GRANT SELECT, INSERT ON webhook_delivery, dirty_pull TO {role}",
            f"GRANT USAGE ON SEQUENCE dirty_pull_id_seq TO {role}",
        ):
            connection.execute(text(statement))
    engine = create_engine(postgres_engine.url.set(username=role))
    yield engine
    engine.dispose()
    with postgres_engine.begin() as connection:
        connection.execute(text(f"DROP OWNED BY {role}"))
        connection.execute(text(f"DROP ROLE {role}"))


@pytest.mark.postgres
def test_a_role_that_may_do_no_more_can_mark_and_nothing_else(postgres_engine: Engine, marker: Engine) -> None:
    with session_factory(postgres_engine).begin() as session:
        a_repository(session)
    with session_factory(marker).begin() as session:
        assert mark_dirty(session, a_delivery(), A_DAY) is Marked.MARKED
    for statement in ("DELETE FROM dirty_pull", "UPDATE repository SET slug = 'x/y'", "SELECT * FROM pull_request"):
        with pytest.raises(ProgrammingError, match="permission denied"), marker.begin() as connection:
            connection.execute(text(statement))


def test_an_engine_with_one_connection_makes_others_wait(sessions: sessionmaker[Session]) -> None:
    url = sessions.kw["bind"].url.render_as_string(hide_password=False)
    engine = open_database(url, connections=1)
    with engine.connect() as first:
        first.execute(select(1))
    with engine.connect() as second:
        assert second.scalar(select(1)) == 1
    engine.dispose()
