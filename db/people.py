"""GitHub accounts as rows: the numeric id is the key, the login is what it was called when last seen.

Mail addresses are not among what is kept.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.companies import note_companies
from db.forgotten import erased_login, is_anyone_forgotten, read_forgotten_ids
from db.tables import PersonLoginRow, PersonRow
from tracker.upstream import Person


def upsert_people(session: Session, people: Iterable[Person], seen_at: datetime) -> dict[Person, int]:
    """Store the accounts and return the row id of each; a description older than the stored one changes nothing.

    Of an account that is forgotten (`db.forgotten`) nothing is stored.
    """
    named = set(people)
    numbered = {person.id: person for person in sorted(named, key=_description) if person.id is not None}
    forgotten = read_forgotten_ids(session, numbered)
    kept = {github_id: person for github_id, person in numbered.items() if github_id not in forgotten}
    ids = forgotten | _upsert_numbered(session, kept, seen_at)
    nameless = {person for person in named if person.id is None}
    return {person: ids[person.id] for person in named if person.id is not None} | {
        person: _add_unnumbered(session, person, seen_at) for person in sorted(nameless, key=_description)
    }


def _description(person: Person) -> tuple[str, str, str]:
    return (person.login, person.kind, person.company or "")


def _upsert_numbered(session: Session, people: dict[int, Person], seen_at: datetime) -> dict[int, int]:
    if not people:
        return {}
    statement = insert_into(session, PersonRow).values(
        [_columns(people[github_id], seen_at) for github_id in sorted(people)]  # one order: no deadlock between crawls
    )
    given = statement.excluded
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["github_id"],
            set_={"login": given.login, "kind": given.kind, "company": given.company, "seen_at": given.seen_at},
            where=PersonRow.seen_at <= given.seen_at,
        )
    )
    ids = _row_ids(session, people.keys())
    _note_logins(session, {ids[github_id]: person.login for github_id, person in people.items()}, seen_at)
    users = {ids[github_id]: person.company for github_id, person in people.items() if person.kind == "User"}
    note_companies(session, users, seen_at)
    return ids


def _note_logins(session: Session, logins: dict[int, str], seen_at: datetime) -> None:
    """Remember under which names accounts were seen; a name that has become free may be another account's later."""
    rows = [{"person_id": id_, "login": login, "seen_at": seen_at} for id_, login in sorted(logins.items())]
    statement = insert_into(session, PersonLoginRow).values(rows)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["person_id", "login"],
            set_={"seen_at": statement.excluded.seen_at},
            where=PersonLoginRow.seen_at > statement.excluded.seen_at,
        )
    )


def read_logins(session: Session, github_id: int) -> tuple[tuple[str, datetime], ...]:
    """Return the names of an account with the time at which each was first seen, oldest first."""
    query = (
        select(PersonLoginRow.login, PersonLoginRow.seen_at)
        .join(PersonRow, PersonRow.id == PersonLoginRow.person_id)
        .where(PersonRow.github_id == github_id)
        .order_by(PersonLoginRow.seen_at, PersonLoginRow.login)
    )
    return tuple((login, at) for login, at in session.execute(query))


def _row_ids(session: Session, github_ids: Collection[int]) -> dict[int, int]:
    query = select(PersonRow.github_id, PersonRow.id).where(PersonRow.github_id.in_(github_ids))
    return {github_id: row_id for github_id, row_id in session.execute(query) if github_id is not None}


def _add_unnumbered(session: Session, person: Person, seen_at: datetime) -> int:
    """An account for which GitHub gives no number (an enterprise's own) is known by its login alone."""
    known = _unnumbered(session, person.login, person.kind)
    if known is None and is_anyone_forgotten(session):
        known = _unnumbered(session, erased_login(person.login), person.kind)
    if known is not None:
        return known
    row = PersonRow(**_columns(person, seen_at))
    session.add(row)
    session.flush()
    return row.id


def _unnumbered(session: Session, login: str, kind: str) -> int | None:
    same = (PersonRow.github_id.is_(None), PersonRow.login == login, PersonRow.kind == kind)
    return session.scalar(select(func.min(PersonRow.id)).where(*same))


def _columns(person: Person, seen_at: datetime) -> dict[str, object]:
    return {
        "github_id": person.id,
        "login": person.login,
        "kind": person.kind,
        "company": person.company,
        "seen_at": seen_at,
    }
