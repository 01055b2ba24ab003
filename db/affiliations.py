"""Evidence of who works where, the intervals derived from it, and what commits and pull requests are attributed to.

What people who are forgotten did stays attributed as it was: nothing of the evidence is left.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from db.flow_cells import rebuild_flows_of
from db.forgotten import ERASED
from db.tables import (
    AffiliationRow,
    CommitRow,
    CompanyStatementRow,
    CursorRow,
    ForgottenAuthorRow,
    PersonRow,
    PullRequestRow,
)
from tracker.affiliation import Affiliation


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPerson:
    """An account that is not forgotten."""

    id: int
    """Of its row."""
    github_id: int | None
    login: str
    kind: str
    """GitHub's word: User, Bot ..."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A company field as it was seen."""

    company: str | None
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Authorship:
    """A commit's author, who also is known by the pull request that it lands."""

    author_key: str
    person_id: int | None
    """Row of the pull request's author; None: no pull request that is stored."""
    domain: str
    authored_at: datetime


@dataclass(frozen=True, slots=True)
class Attributed:
    """A commit or pull request with what it is attributed to, and by what."""

    row_id: int
    author_key: str
    """Empty for a pull request."""
    domain: str
    person_id: int | None
    at: datetime
    """When a commit was authored, or a pull request opened."""
    organisation: str | None
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Whom an affiliation is of: exactly one of these."""

    person_id: int | None = None
    author_key: str | None = None
    domain: str | None = None


def read_people(session: Session) -> tuple[KnownPerson, ...]:
    """Return every account that is not forgotten."""
    query = select(PersonRow.id, PersonRow.github_id, PersonRow.login, PersonRow.kind)
    rows = session.execute(query.where(PersonRow.forgotten_at.is_(None)).order_by(PersonRow.id))
    return tuple(KnownPerson(id=id_, github_id=number, login=login, kind=kind) for id_, number, login, kind in rows)


def read_statements(session: Session) -> dict[int, list[Statement]]:
    """Return what each account's company field said, by the account's row."""
    query = select(
        CompanyStatementRow.person_id,
        CompanyStatementRow.company,
        CompanyStatementRow.first_seen_at,
        CompanyStatementRow.last_seen_at,
    ).order_by(CompanyStatementRow.first_seen_at, CompanyStatementRow.id)
    found: dict[int, list[Statement]] = {}
    for person_id, company, first_at, last_at in session.execute(query):
        found.setdefault(person_id, []).append(Statement(company, first_at, last_at))
    return found


def read_authorships(session: Session) -> list[Authorship]:
    """Return who wrote each commit of every repository, in no order."""
    query = select(
        CommitRow.author_key, PullRequestRow.author_id, CommitRow.author_domain, CommitRow.authored_at
    ).outerjoin(
        PullRequestRow,
        (PullRequestRow.repository_id == CommitRow.repository_id) & (PullRequestRow.number == CommitRow.pull_number),
    )
    return [Authorship(*row) for row in session.execute(query.where(CommitRow.author_key != ERASED))]


def read_attributed_commits(session: Session, repository_id: int) -> list[Attributed]:
    """Return the commits of a repository whose authors are not forgotten."""
    query = (
        select(
            CommitRow.id,
            CommitRow.author_key,
            CommitRow.author_domain,
            PullRequestRow.author_id,
            CommitRow.authored_at,
            CommitRow.organisation,
            CommitRow.organisation_source,
        )
        .outerjoin(
            PullRequestRow,
            (PullRequestRow.repository_id == CommitRow.repository_id)
            & (PullRequestRow.number == CommitRow.pull_number),
        )
        .outerjoin(PersonRow, PersonRow.id == PullRequestRow.author_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.author_key != ERASED)
        .where(PersonRow.forgotten_at.is_(None))
    )
    return [Attributed(*row) for row in session.execute(query)]


def read_attributed_pulls(session: Session, repository_id: int) -> list[Attributed]:
    """Return the pull requests of a repository whose authors are not forgotten."""
    query = (
        select(
            PullRequestRow.id,
            PullRequestRow.author_id,
            PullRequestRow.created_at,
            PullRequestRow.organisation,
            PullRequestRow.organisation_source,
        )
        .outerjoin(PersonRow, PersonRow.id == PullRequestRow.author_id)
        .where(PullRequestRow.repository_id == repository_id, PersonRow.forgotten_at.is_(None))
    )
    return [
        Attributed(row_id, "", "", person_id, at, organisation, source)
        for row_id, person_id, at, organisation, source in session.execute(query)
    ]


def replace_affiliations(session: Session, found: Mapping[Holder, Sequence[Affiliation]]) -> int:
    """Store the intervals in the place of all that were stored; return how many there are."""
    session.execute(delete(AffiliationRow))
    rows = [
        {
            "person_id": holder.person_id,
            "author_key": holder.author_key,
            "domain": holder.domain,
            "organisation": one.organisation,
            "begins_at": one.begins_at,
            "ends_at": one.ends_at,
            "source": one.source,
        }
        for holder, affiliations in found.items()
        for one in affiliations
    ]
    if rows:
        session.execute(insert(AffiliationRow), rows)
    return len(rows)


def attribute_commits(session: Session, changed: Iterable[Attributed]) -> int:
    """Store what commits are attributed to now, and derive the flows of their weeks anew; return how many."""
    moved = list(changed)
    count = _attribute(session, CommitRow, moved)
    rebuild_flows_of(session, [one.row_id for one in moved])
    return count


def attribute_pulls(session: Session, changed: Iterable[Attributed]) -> int:
    """Store what pull requests are attributed to now; return how many."""
    return _attribute(session, PullRequestRow, changed)


def evidence_mark(session: Session, stream: str) -> str:
    """Return a text that changes when there may be new evidence: cursors moved, accounts were seen or forgotten.

    Args:
        stream: of the cursor that holds such marks, which does not count.
    """
    cursors = select(CursorRow.repository_id, CursorRow.stream, CursorRow.moved_at).where(CursorRow.stream != stream)
    people = select(func.max(PersonRow.seen_at), func.count(PersonRow.forgotten_at), func.max(PersonRow.id))
    others = (
        select(func.max(PullRequestRow.seen_at), func.max(PullRequestRow.id)),
        select(func.count(), func.max(CommitRow.id)).select_from(CommitRow),
        select(func.count()).select_from(ForgottenAuthorRow),
    )
    rows = [sorted(map(repr, session.execute(cursors)))]
    rows.extend([repr(session.execute(query).one())] for query in (people, *others))
    return repr(rows)


def _attribute(session: Session, table: type[CommitRow] | type[PullRequestRow], changed: Iterable[Attributed]) -> int:
    """Store what commits or pull requests are attributed to now; return how many."""
    rows = [{"id": one.row_id, "organisation": one.organisation, "organisation_source": one.source} for one in changed]
    if rows:
        session.execute(update(table), rows)
    return len(rows)
