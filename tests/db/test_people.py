"""GitHub accounts: known by their number, called as when last seen."""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.people import read_logins, upsert_people
from db.tables import PersonRow
from tests.pull_builders import A_TIME, a_person


def stored(session: Session) -> list[tuple[int | None, str, str, str | None]]:
    rows = session.scalars(select(PersonRow).order_by(PersonRow.id))
    return [(row.github_id, row.login, row.kind, row.company) for row in rows]


def test_each_account_is_stored_once(sessions: sessionmaker[Session]) -> None:
    ada, bot = a_person(company="Example"), a_person("robot[bot]", id=2, kind="Bot")
    with sessions.begin() as session:
        first = upsert_people(session, [ada, bot, ada], A_TIME)
        assert upsert_people(session, [bot, ada], A_TIME) == first
        assert stored(session) == [(1, "ada", "User", "Example"), (2, "robot[bot]", "Bot", None)]


def test_a_renamed_account_stays_the_same(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        before = upsert_people(session, [a_person("ada")], A_TIME)[a_person("ada")]
        after = upsert_people(session, [a_person("ada-l")], A_TIME + timedelta(days=1))[a_person("ada-l")]
        assert before == after
        assert stored(session) == [(1, "ada-l", "User", None)]


def test_the_names_an_account_has_had_are_remembered_with_the_day_each_was_first_seen(
    sessions: sessionmaker[Session],
) -> None:
    day = timedelta(days=1)
    with sessions.begin() as session:
        for number, login in enumerate(("ada", "ada-l", "ada-l", "ada")):
            upsert_people(session, [a_person(login)], A_TIME + number * day)
        assert read_logins(session, 1) == (("ada", A_TIME), ("ada-l", A_TIME + day))
        upsert_people(session, [a_person("ada-l")], A_TIME - day)
        assert read_logins(session, 1) == (("ada-l", A_TIME - day), ("ada", A_TIME))


def test_a_name_that_another_account_took_over_belongs_to_both_in_turn(sessions: sessionmaker[Session]) -> None:
    day = timedelta(days=1)
    with sessions.begin() as session:
        upsert_people(session, [a_person("ada")], A_TIME)
        upsert_people(session, [a_person("ada-l"), a_person("ada", id=2)], A_TIME + day)
        assert read_logins(session, 1) == (("ada", A_TIME), ("ada-l", A_TIME + day))
        assert read_logins(session, 2) == (("ada", A_TIME + day),)
        assert read_logins(session, 3) == ()


def test_an_older_description_changes_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        upsert_people(session, [a_person(company="New")], A_TIME)
        upsert_people(session, [a_person(company="Old")], A_TIME - timedelta(days=1))
        assert stored(session) == [(1, "ada", "User", "New")]


def test_a_company_that_was_taken_back_is_forgotten(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        upsert_people(session, [a_person(company="Example")], A_TIME)
        upsert_people(session, [a_person(company=None)], A_TIME)
        assert stored(session) == [(1, "ada", "User", None)]


def test_two_descriptions_of_one_account_in_one_answer_give_one_row(sessions: sessionmaker[Session]) -> None:
    one, other = a_person("ada"), a_person("ada-l")
    with sessions.begin() as session:
        ids = upsert_people(session, [one, other], A_TIME)
        assert ids[one] == ids[other]
        assert len(stored(session)) == 1


def test_accounts_without_a_number_are_known_by_their_login(sessions: sessionmaker[Session]) -> None:
    enterprise = a_person("ada_corp", id=None, kind="EnterpriseUserAccount")
    with sessions.begin() as session:
        first = upsert_people(session, [enterprise], A_TIME)
        assert upsert_people(session, [enterprise, a_person("ada_corp", id=7)], A_TIME)[enterprise] == first[enterprise]
        assert stored(session) == [
            (None, "ada_corp", "EnterpriseUserAccount", None),
            (7, "ada_corp", "User", None),
        ]


def test_ids_of_63_bits_are_stored(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        upsert_people(session, [a_person(id=2**63 - 1)], A_TIME)
        assert stored(session) == [(2**63 - 1, "ada", "User", None)]


def test_nobody_gives_no_rows(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        assert upsert_people(session, [], A_TIME) == {}
