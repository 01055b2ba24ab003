"""Drops what is derived from a repository's facts and derives it anew: weekly cells, flows and lines, and landings."""

import hashlib
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.cells import rebuild_weeks
from db.landings import rebuild_landings
from db.tables import LandingRow, WeeklyCellRow, WeeklyFlowRow, WeeklyLinesRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What was derived anew."""

    cells: int
    landings: int
    as_before: bool
    """Whether the rows are exactly those that were dropped."""


def rebuild_derived(session: Session, repository_id: int) -> Rebuilt:
    """Derive all of it anew, in the caller's transaction: readers see the old rows or the new ones."""
    before = derived_digest(session, repository_id)
    cells = rebuild_weeks(session, repository_id, None)
    rebuild_landings(session, repository_id)
    own = select(func.count()).select_from(LandingRow).where(LandingRow.repository_id == repository_id)
    return Rebuilt(
        cells=cells,
        landings=session.execute(own).scalar_one(),
        as_before=derived_digest(session, repository_id) == before,
    )


def derived_digest(session: Session, repository_id: int) -> str:
    """Return a digest of the derived rows of a repository, whatever order they are stored in."""
    digest = hashlib.sha256()
    for table in (WeeklyCellRow, WeeklyFlowRow, WeeklyLinesRow, LandingRow):
        columns = table.__table__.columns
        rows = session.execute(select(*columns).where(columns["repository_id"] == repository_id))
        for row in sorted(repr(tuple(row)) for row in rows):
            digest.update(row.encode())
    return digest.hexdigest()
