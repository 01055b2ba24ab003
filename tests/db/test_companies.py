"""What people say they work for: the field tells of today, the statements of when it was seen."""

from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.companies import CompanyStatement, read_company_statements
from db.people import upsert_people
from tests.pull_builders import A_TIME, a_person

DAY = timedelta(days=1)


def see(sessions: sessionmaker[Session], company: str | None, days: int, *, kind: str = "User") -> None:
    with sessions.begin() as session:
        upsert_people(session, [a_person("grace", id=2, company=company, kind=kind)], A_TIME + days * DAY)


def statements(sessions: sessionmaker[Session]) -> list[tuple[str | None, int, int]]:
    with sessions() as session:
        read = read_company_statements(session, "grace")
    return [(one.company, (one.first_seen_at - A_TIME).days, (one.last_seen_at - A_TIME).days) for one in read]


def test_one_wording_is_one_statement_from_first_to_last_sight(sessions: sessionmaker[Session]) -> None:
    for day in (0, 3, 9):
        see(sessions, "@example", day)
    with sessions() as session:
        assert read_company_statements(session, "grace") == [
            CompanyStatement(login="grace", company="@example", first_seen_at=A_TIME, last_seen_at=A_TIME + 9 * DAY)
        ]


def test_a_change_of_employer_and_back_are_three_statements(sessions: sessionmaker[Session]) -> None:
    for day, company in enumerate(("Example", "Other", "Other", "Example")):
        see(sessions, company, day)
    assert statements(sessions) == [("Example", 0, 0), ("Other", 1, 2), ("Example", 3, 3)]


def test_a_field_that_was_emptied_is_said_to_be_empty_and_one_never_filled_says_nothing(
    sessions: sessionmaker[Session],
) -> None:
    see(sessions, None, 0)
    assert statements(sessions) == []
    see(sessions, "Example", 1)
    see(sessions, None, 2)
    assert statements(sessions) == [("Example", 1, 1), (None, 2, 2)]


def test_an_older_sight_changes_nothing(sessions: sessionmaker[Session]) -> None:
    see(sessions, "Example", 5)
    see(sessions, "Former", 1)
    assert statements(sessions) == [("Example", 5, 5)]


def test_bots_state_no_company(sessions: sessionmaker[Session]) -> None:
    see(sessions, "Example", 0, kind="Bot")
    assert statements(sessions) == []


def test_nobody_states_nothing(sessions: sessionmaker[Session]) -> None:
    assert statements(sessions) == []
