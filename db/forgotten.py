"""People who asked to be forgotten: their names, logins and digests go for good, and no later crawl brings them back.

Of an account its number alone stays, as what a later answer is recognised by; of a mail address a digest of its digest.
What they did stays in every figure, under a name that says nothing.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from db.base import insert_into
from db.commit_rows import Values
from db.identities import chunks
from db.tables import (
    AffiliationRow,
    CommitRow,
    CompanyStatementRow,
    ForgottenAuthorRow,
    HttpCacheRow,
    PersonLoginRow,
    PersonRow,
    PullRequestRow,
)

ERASED = "erased"
"""In the place of the digest of a mail address; an erased account is called so with the number of its row."""
_ROUNDS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was erased."""

    accounts: int
    logins: int
    """Names that the accounts have had."""
    statements: int
    """Companies that they gave."""
    commits: int
    """Whose author's digest and mail domain went."""


@dataclass(frozen=True, slots=True)
class KnownAccount:
    """An account as it can be named."""

    github_id: int | None
    login: str


def read_accounts(session: Session, login: str) -> tuple[KnownAccount, ...]:
    """Return the accounts that are called so, in any case, under each name they have had; empty: none is known."""
    ids = _person_ids(session, login)
    named = select(PersonRow.github_id, PersonRow.login).where(PersonRow.id.in_(ids))
    called = select(PersonRow.github_id, PersonLoginRow.login).join(PersonRow, PersonRow.id == PersonLoginRow.person_id)
    rows = session.execute(named.union(called.where(PersonRow.id.in_(ids)))).all()
    return tuple(sorted((KnownAccount(*row) for row in rows), key=lambda one: (one.github_id or 0, one.login)))


def forget_person(session: Session, login: str, author_keys: Collection[str], now: datetime) -> Forgotten:
    """Erase every account that is called so, and every commit's digest among the keys; never commits itself.

    Args:
        author_keys: the keyed digests of the mail addresses to forget.
    """
    ids = _person_ids(session, login)
    names = select(PersonRow.login).where(PersonRow.id.in_(ids))
    called = [*session.scalars(names.union(select(PersonLoginRow.login).where(PersonLoginRow.person_id.in_(ids))))]
    statements = _erase_evidence(session, ids)
    for row in session.scalars(select(PersonRow).where(PersonRow.id.in_(ids))).all():
        _erase_from_branches(session, row.id, called)
        row.login = f"{ERASED}-{row.id}" if row.github_id is not None else erased_login(row.login)
        row.company, row.forgotten_at = None, row.forgotten_at or now
    # Answers that were kept may name them; they are asked for again.
    session.execute(delete(HttpCacheRow))
    commits = _erase_digests(session, author_keys, now)
    session.flush()
    return Forgotten(accounts=len(ids), logins=len(called), statements=statements, commits=commits)


def spare_forgotten(session: Session, rows: Sequence[Values]) -> Sequence[Values]:
    """Return the columns of commits without the digests and mail domains of those who are forgotten."""
    forgotten = set(session.scalars(select(ForgottenAuthorRow.digest)))
    if not forgotten:
        return rows
    return [
        row | {"author_key": ERASED, "author_domain": ""} if _digest_of(row["author_key"]) in forgotten else row
        for row in rows
    ]


def with_attribution_kept(row: Values) -> Values:
    """Return the columns that change where a commit is stored anew: evidence about the forgotten is gone, not wrong."""
    if row["author_key"] != ERASED:
        return row
    return {name: value for name, value in row.items() if not name.startswith("organisation")}


def read_forgotten_ids(session: Session, github_ids: Iterable[int]) -> dict[int, int]:
    """Return the accounts among the given ones that are forgotten, with their row ids."""
    query = select(PersonRow.github_id, PersonRow.id).where(PersonRow.forgotten_at.is_not(None))
    found = {github_id: row_id for github_id, row_id in session.execute(query) if github_id is not None}
    return {github_id: found[github_id] for github_id in github_ids if github_id in found}


def is_anyone_forgotten(session: Session) -> bool:
    """Return whether any account without a number is forgotten."""
    query = select(PersonRow.id).where(PersonRow.forgotten_at.is_not(None), PersonRow.github_id.is_(None))
    return session.scalar(query.limit(1)) is not None


def erased_login(login: str) -> str:
    """Return what an account without a number is called once it is forgotten: slow to guess, and always the same."""
    digest = hashlib.pbkdf2_hmac("sha256", login.lower().encode(), ERASED.encode(), _ROUNDS)
    return f"{ERASED}-{digest.hex()[:24]}"


def _person_ids(session: Session, login: str) -> list[int]:
    folded = login.removeprefix("@").lower()
    past = select(PersonLoginRow.person_id).where(func.lower(PersonLoginRow.login) == folded)
    query = select(PersonRow.id).where(or_(func.lower(PersonRow.login) == folded, PersonRow.id.in_(past)))
    return sorted(session.scalars(query))


def _erase_evidence(session: Session, ids: Sequence[int]) -> int:
    statements = session.scalar(
        select(func.count()).select_from(CompanyStatementRow).where(CompanyStatementRow.person_id.in_(ids))
    )
    for table in (PersonLoginRow, CompanyStatementRow, AffiliationRow):
        session.execute(delete(table).where(table.person_id.in_(ids)))
    return statements or 0


def _erase_from_branches(session: Session, person_id: int, logins: Iterable[str]) -> None:
    """The branches of ghstack begin with gh/LOGIN."""
    own = select(PullRequestRow).where(PullRequestRow.author_id == person_id)
    for row in session.scalars(own):
        row.head_ref, row.base_ref = (
            without_logins(ref, logins, f"{ERASED}-{person_id}") for ref in (row.head_ref, row.base_ref)
        )


def without_logins(ref: str, logins: Iterable[str], name: str) -> str:
    """Return the name of a branch with another name in the place of logins that are whole parts of it."""
    folded = {login.lower() for login in logins}
    return "/".join(name if part.lower() in folded else part for part in ref.split("/"))


def _erase_digests(session: Session, author_keys: Collection[str], now: datetime) -> int:
    erased = 0
    for chunk in chunks(sorted(author_keys)):
        rows = [{"digest": _digest_of(key), "forgotten_at": now} for key in chunk]
        statement = insert_into(session, ForgottenAuthorRow).values(rows)
        session.execute(statement.on_conflict_do_nothing(index_elements=["digest"]))
        session.execute(delete(AffiliationRow).where(AffiliationRow.author_key.in_(chunk)))
        found = session.execute(
            update(CommitRow)
            .where(CommitRow.author_key.in_(chunk))
            .values(author_key=ERASED, author_domain="")
            .returning(CommitRow.id),
            execution_options={"synchronize_session": False},
        ).all()
        erased += len(found)
    return erased


def _digest_of(author_key: str) -> str:
    return hashlib.sha256(author_key.encode()).hexdigest()
