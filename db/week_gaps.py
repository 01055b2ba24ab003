"""Weeks of a repository's line that were not read, or were read in part, each with its reason."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.gaps import LACKING, Gaps, read_gaps
from db.overview import read_extents
from db.remembered import once
from db.tables import CommitRow, RepositoryRow, SkippedFileRow
from tracker.rollup import ONE_WEEK, week_of, weeks_between
from tracker.upstream import RangeState


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekGap:
    """Weeks of which it is not known what they did."""

    first: date | None
    """Monday; None: as far back as the line goes."""
    last: date | None
    """Monday; None: to this day."""
    reason: str

    def within(self, begin: date, end: date) -> tuple[date, ...]:
        """Return its weeks from one to another."""
        first = max(self.first, begin) if self.first is not None else begin
        return weeks_between(first, min(self.last, end) if self.last is not None else end)


def read_week_gaps(session: Session) -> Mapping[str, tuple[WeekGap, ...]]:
    """Return the gaps of each repository under watch of which anything was read, oldest first; three statements."""
    return once(session, "week gaps", lambda: _read(session))


def _read(session: Session) -> dict[str, tuple[WeekGap, ...]]:
    gaps, lacking, nothing = read_gaps(session), read_lacking_weeks(session), Gaps()
    found: dict[str, tuple[WeekGap, ...]] = {}
    for extent in read_extents(session):
        if extent.first_at is None or extent.last_at is None:
            continue
        first, last = sorted((week_of(extent.first_at), week_of(extent.last_at)))
        ranges = gaps.get(extent.repository, nothing).ranges
        before = [
            WeekGap(first=None, last=first - ONE_WEEK, reason=f"not read: {one.reason}")
            for one in ranges
            if one.state is RangeState.SKIPPED and one.first == 0
        ]
        inside = [
            WeekGap(first=week, last=week, reason=f"read in part: the clone lacks {count} of the files that changed")
            for week, count in sorted(lacking.get(extent.repository, {}).items())
            if first <= week <= last
        ]
        # Whether more was to come in the week of the last commit, nothing that was read can tell.
        end = WeekGap(first=last, last=last, reason=f"read in part: until {extent.last_at:%Y-%m-%d}")
        later = [
            WeekGap(first=last, last=None, reason=f"not read: begun {one.attempts} times and not ended")
            for one in ranges
            if one.state is RangeState.FAILED
        ]
        found[extent.repository] = (*before, *inside, end, *later)
    return found


def read_lacking_weeks(session: Session) -> Mapping[str, Mapping[date, int]]:
    """Return the weeks inside each line in which files of commits could not be read for want of objects; how many."""
    if not any(extent.lacks_objects for extent in read_extents(session)):
        return {}
    return once(session, "lacking weeks", lambda: _lacking(session))


def _lacking(session: Session) -> dict[str, dict[date, int]]:
    """Return how many files of commits could not be read for want of objects, by repository and week."""
    query = (
        select(RepositoryRow.slug, CommitRow.week, func.count())
        .select_from(SkippedFileRow)
        .join(CommitRow, CommitRow.id == SkippedFileRow.commit_id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None), SkippedFileRow.reason.in_(LACKING))
        .group_by(RepositoryRow.slug, CommitRow.week)
    )
    found: defaultdict[str, dict[date, int]] = defaultdict(dict)
    for slug, week, count in session.execute(query):
        found[slug][week] = count
    return found
