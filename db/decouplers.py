"""Whose commits decouple, week by week: each change once and only where it stands, net of reverts and relands."""

from collections import Counter
from dataclasses import dataclass
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.tables import CommitRow, RepositoryRow, VerdictRow
from db.undone import read_uncounted
from tracker.sites import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoupling:
    """What the people of one organisation decoupled in one week."""

    week: date
    organisation: str | None
    """None: unknown."""
    commits: int
    sites: int
    """Generalised, broadened and relocated by them."""


def read_decoupling(session: Session, *, repository: str) -> tuple[Decoupling, ...]:
    """Return who decoupled what, oldest week first, the unknown first in each; a week without any is absent."""
    sites = VerdictRow.generalised + VerdictRow.broadened + VerdictRow.relocated
    query = (
        select(CommitRow.id, CommitRow.week, CommitRow.organisation, sites)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(
            RepositoryRow.slug == repository,
            CommitRow.position.is_not(None),
            VerdictRow.verdict == Verdict.DECOUPLING,
        )
    )
    left_out = read_uncounted(session)
    commits: Counter[tuple[date, str | None]] = Counter()
    decoupled: Counter[tuple[date, str | None]] = Counter()
    for commit_id, week, organisation, count in session.execute(query):
        if commit_id not in left_out:
            commits[week, organisation] += 1
            decoupled[week, organisation] += count
    ordered = sorted(commits, key=lambda one: (one[0], one[1] or ""))
    return tuple(
        Decoupling(week=week, organisation=name, commits=commits[week, name], sites=decoupled[week, name])
        for week, name in ordered
    )
