"""Who holds a lease may commit, nobody else; the numbers rise whatever happens."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from db.base import session_factory
from db.leases import (
    COMMAND,
    SCHEDULE,
    Lease,
    StoredLease,
    beat,
    fenced,
    give_back,
    read_command_leases,
    read_lease,
    remove_lease,
    take_lease,
)
from db.repositories import add_repository, read_repositories
from tests.builders import A_DAY
from tests.databases import OpenEmpty
from tests.db.test_concurrency import at_once
from tracker.errors import LeaseLost


def seen(sessions: sessionmaker[Session], name: str = SCHEDULE) -> StoredLease:
    with sessions.begin() as session:
        lease = read_lease(session, name)
    assert lease is not None
    return lease


def take(
    sessions: sessionmaker[Session], holder: str, as_seen: StoredLease | None = None, name: str = SCHEDULE
) -> Lease | None:
    with sessions.begin() as session:
        return take_lease(session, name, holder, as_seen)


def taken(sessions: sessionmaker[Session], holder: str, as_seen: StoredLease | None = None) -> Lease:
    lease = take(sessions, holder, as_seen)
    assert lease is not None
    return lease


def watched(sessions: sessionmaker[Session]) -> list[str]:
    with sessions() as session:
        return [row.slug for row in read_repositories(session)]


def test_a_lease_that_was_never_taken_is_none(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        assert read_lease(session, SCHEDULE) is None


def test_the_first_taker_holds_number_one_and_the_second_nothing(sessions: sessionmaker[Session]) -> None:
    assert take(sessions, "one") == Lease(name=SCHEDULE, fence=1, holder="one")
    assert take(sessions, "other") is None
    assert (seen(sessions).fence, seen(sessions).holder) == (1, "one")


def test_of_two_that_take_it_at_the_same_time_one_gets_it(sessions: sessionmaker[Session]) -> None:
    first = at_once(lambda: take(sessions, "one"), lambda: take(sessions, "other"))
    assert sorted(lease.fence for lease in first if lease is not None) == [1]
    silent = seen(sessions)
    later = at_once(*(lambda name=name: take(sessions, name, silent) for name in ("a", "b", "c")))
    assert [lease.fence for lease in later if lease is not None] == [2]


def test_a_take_over_raises_the_number_and_silences_the_former_holder(sessions: sessionmaker[Session]) -> None:
    first = taken(sessions, "one")
    second = taken(sessions, "other", seen(sessions))
    assert second == Lease(name=SCHEDULE, fence=2, holder="other")
    with sessions.begin() as session:
        assert not beat(session, first)
        assert beat(session, second)


def test_a_holder_that_was_heard_of_since_keeps_its_lease(sessions: sessionmaker[Session]) -> None:
    lease = taken(sessions, "one")
    silent = seen(sessions)
    with sessions.begin() as session:
        assert beat(session, lease)
    assert take(sessions, "other", silent) is None
    assert seen(sessions).holder == "one"


def test_a_lease_that_was_given_back_has_no_holder_and_keeps_its_number(sessions: sessionmaker[Session]) -> None:
    lease = taken(sessions, "one")
    with sessions.begin() as session:
        give_back(session, lease)
    assert (seen(sessions).fence, seen(sessions).holder) == (1, "")
    assert taken(sessions, "other", seen(sessions)).fence == 2


def test_giving_back_what_another_holds_changes_nothing(sessions: sessionmaker[Session]) -> None:
    lease = taken(sessions, "one")
    taken(sessions, "other", seen(sessions))
    with sessions.begin() as session:
        give_back(session, lease)
    assert seen(sessions).holder == "other"


def test_what_a_holder_writes_is_stored(sessions: sessionmaker[Session]) -> None:
    own = fenced(sessions, taken(sessions, "one"))
    with own.begin() as session:
        add_repository(session, "o/n", now=A_DAY)
    assert watched(sessions) == ["o/n"]


def test_what_a_former_holder_writes_is_not_stored(sessions: sessionmaker[Session]) -> None:
    lease = taken(sessions, "one")
    taken(sessions, "other", seen(sessions))
    with (
        pytest.raises(LeaseLost, match=r"taken over the schedule \(this one held number 1\)"),
        fenced(sessions, lease).begin() as session,
    ):
        add_repository(session, "o/n", now=A_DAY)
    assert watched(sessions) == []


def test_what_is_written_after_giving_back_is_not_stored(sessions: sessionmaker[Session]) -> None:
    lease = taken(sessions, "one")
    with sessions.begin() as session:
        give_back(session, lease)
    with pytest.raises(LeaseLost), fenced(sessions, lease).begin() as session:
        add_repository(session, "o/n", now=A_DAY)
    assert watched(sessions) == []


def test_a_savepoint_is_no_commit(sessions: sessionmaker[Session]) -> None:
    stolen = replace(taken(sessions, "one"), fence=7)
    session = fenced(sessions, stolen)()
    with session.begin_nested():
        add_repository(session, "o/n", now=A_DAY)
    assert [row.slug for row in read_repositories(session)] == ["o/n"]
    with pytest.raises(LeaseLost):
        session.commit()
    session.close()
    assert watched(sessions) == []


@pytest.mark.postgres
def test_who_takes_over_ends_the_transactions_of_the_former_holder_and_no_others(postgres_engine: Engine) -> None:
    sessions = session_factory(postgres_engine)
    with sessions.begin() as session:
        lease = take_lease(session, "mid", "one", None)
        other = take_lease(session, "middle", "one", None)
    assert lease is not None
    assert other is not None
    held, unconcerned = fenced(sessions, lease)(), fenced(sessions, other)()
    add_repository(held, "o/mid", now=A_DAY)
    add_repository(unconcerned, "o/middle", now=A_DAY)
    assert take(sessions, "other", seen(sessions, "mid"), "mid") is not None
    with pytest.raises(OperationalError, match="terminat"):
        held.commit()
    held.close()
    unconcerned.rollback()
    unconcerned.close()
    assert "o/mid" not in watched(sessions)


def test_commands_are_listed_by_name_and_forgotten_when_they_end(sessions: sessionmaker[Session]) -> None:
    taken(sessions, "scheduler")
    for name in ("b", "a"):
        take(sessions, "somebody", name=COMMAND + name)
    with sessions.begin() as session:
        first, second = read_command_leases(session)
        assert (first.name, second.name) == (COMMAND + "a", COMMAND + "b")
        remove_lease(session, first)
    with sessions.begin() as session:
        assert [lease.name for lease in read_command_leases(session)] == [COMMAND + "b"]


PROCESSES = ("one", "two", "three")
actions = st.lists(
    st.tuples(st.sampled_from(PROCESSES), st.sampled_from(["look", "take", "beat", "give back", "write"])),
    max_size=25,
)


@settings(max_examples=20)
@given(todo=actions)
def test_whatever_processes_do_only_what_the_present_holder_writes_is_stored(
    open_empty: OpenEmpty, todo: list[tuple[str, str]]
) -> None:
    with open_empty() as engine:
        sessions = session_factory(engine)
        looked: dict[str, StoredLease | None] = dict.fromkeys(PROCESSES)
        held: dict[str, Lease] = {}
        owner: Lease | None = None
        fences: list[int] = []
        expected: list[str] = []
        for number, (who, action) in enumerate(todo):
            match action:
                case "look":
                    with sessions.begin() as session:
                        looked[who] = read_lease(session, SCHEDULE)
                case "take":
                    lease = take(sessions, who, looked[who])
                    if lease is not None:
                        held[who] = owner = lease
                        fences.append(lease.fence)
                case "beat" if who in held:
                    with sessions.begin() as session:
                        assert beat(session, held[who]) == (held[who] == owner)
                case "give back" if who in held:
                    with sessions.begin() as session:
                        give_back(session, held[who])
                    owner = None if held[who] == owner else owner
                case "write" if who in held:
                    slug = f"o/{number}"
                    try:
                        with fenced(sessions, held[who]).begin() as session:
                            add_repository(session, slug, now=A_DAY)
                        expected.append(slug)
                        assert held[who] == owner
                    except LeaseLost:
                        assert held[who] != owner
        assert fences == list(range(1, len(fences) + 1))
        assert watched(sessions) == sorted(expected)
