"""What people wrote in the company field of their profiles, and when it was seen: the field tells of today only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import CompanyStatementRow, PersonRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyStatement:
    """One wording, and from when to when it was seen."""

    login: str
    company: str | None
    """None: the field was empty, after it had not been."""
    first_seen_at: datetime
    last_seen_at: datetime


def note_companies(session: Session, companies: Mapping[int, str | None], seen_at: datetime) -> None:
    """Note the company of each person (by row id) as seen at a time of the server's; an older sight changes nothing."""
    latest = _latest(session, companies)
    for person_id in sorted(companies):
        company, known = companies[person_id], latest.get(person_id)
        if known is None and company is None:
            continue
        if known is not None and known.company == company:
            known.last_seen_at = max(known.last_seen_at, seen_at)
        elif known is None or known.last_seen_at <= seen_at:
            session.add(
                CompanyStatementRow(person_id=person_id, company=company, first_seen_at=seen_at, last_seen_at=seen_at)
            )
    session.flush()


def read_company_statements(session: Session, login: str) -> list[CompanyStatement]:
    """Return what a person wrote over time, oldest first; empty for one who is not known or wrote nothing."""
    query = (
        select(PersonRow.login, CompanyStatementRow)
        .join(PersonRow, PersonRow.id == CompanyStatementRow.person_id)
        .where(PersonRow.login == login)
        .order_by(CompanyStatementRow.first_seen_at, CompanyStatementRow.id)
    )
    return [
        CompanyStatement(
            login=name, company=row.company, first_seen_at=row.first_seen_at, last_seen_at=row.last_seen_at
        )
        for name, row in session.execute(query)
    ]


def _latest(session: Session, companies: Mapping[int, str | None]) -> dict[int, CompanyStatementRow]:
    query = (
        select(CompanyStatementRow)
        .where(CompanyStatementRow.person_id.in_(companies.keys()))
        .order_by(CompanyStatementRow.last_seen_at, CompanyStatementRow.id)
        .execution_options(populate_existing=True)
    )
    return {row.person_id: row for row in session.scalars(query)}
