"""Weekly flows by organisation, gross and net of reverts: from the ledger, families of commits and attributions.

A net flow counts each change once, under the commit that first brought it, and only where it stands at the end of what
was read: a change that was undone, its reverts and its relands count nothing. So the net flow of a week may change when
a later commit is read, and whoever stores commits or attributes them anew derives the weeks that this touches.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import date

from sqlalchemy import and_, case, delete, func, insert, literal_column, select, true
from sqlalchemy.orm import Session

from db.identities import chunks
from db.tables import CommitLinkRow, CommitRow, LedgerEntryRow, PathRow, SiteRow, WeeklyFlowRow
from db.undone import Families, read_families, read_families_of

UNKNOWN = ""
"""Stands for an unknown organisation in the cells: it is part of their key."""

_WEEKS_AT_ONCE = 20
"""In one statement, which names the commits that the net flow of these weeks leaves out."""
_COLUMNS = (
    "repository_id",
    "week",
    "territory",
    "area",
    "subsystem",
    "vendor",
    "construct",
    "mechanism",
    "organisation",
    "added",
    "removed",
    "net_added",
    "net_removed",
)


def rebuild_flows(session: Session, repository_id: int, weeks: Collection[date] | None) -> None:
    """Derive the flows of the given weeks (None: of all) anew, and of those in which their commits' families stand."""
    own = delete(WeeklyFlowRow).where(WeeklyFlowRow.repository_id == repository_id)
    if weeks is None:
        session.execute(own)
        stale = set(session.scalars(select(CommitRow.week).where(CommitRow.repository_id == repository_id).distinct()))
        families = read_families_of(session, repository_id)
    else:
        linked = _linked_with(session, _commits_of(session, repository_id, weeks))
        stale = {*weeks, *_weeks_of(session, linked)}
        families = read_families(session, linked)
    left_out = _uncounted_by_week(session, families)
    for chunk in chunks(sorted(stale), _WEEKS_AT_ONCE):
        if weeks is not None:
            session.execute(own.where(WeeklyFlowRow.week.in_(chunk)))
        _insert(session, repository_id, chunk, [commit for week in chunk for commit in left_out[week]])


def rebuild_flows_of(session: Session, commit_ids: Iterable[int]) -> None:
    """Derive the flows of the weeks of some commits anew, which were attributed otherwise."""
    weeks: defaultdict[int, set[date]] = defaultdict(set)
    for chunk in chunks(commit_ids):
        query = select(CommitRow.repository_id, CommitRow.week).where(CommitRow.id.in_(chunk)).distinct()
        for repository_id, week in session.execute(query):
            weeks[repository_id].add(week)
    for repository_id, stale in weeks.items():
        rebuild_flows(session, repository_id, stale)


def read_stale_flow_weeks(session: Session, repository_id: int) -> set[date]:
    """Return the weeks whose sums by organisation differ between flows and ledger, gross or net."""
    recorded = _recorded(session, repository_id)
    numbers = (WeeklyFlowRow.added, WeeklyFlowRow.removed, WeeklyFlowRow.net_added, WeeklyFlowRow.net_removed)
    derived = (
        select(WeeklyFlowRow.week, WeeklyFlowRow.organisation, *(func.sum(number) for number in numbers))
        .where(WeeklyFlowRow.repository_id == repository_id)
        .group_by(WeeklyFlowRow.week, WeeklyFlowRow.organisation)
    )
    stored = {(week, name): [int(one) for one in sums] for week, name, *sums in session.execute(derived)}
    return {key[0] for key in recorded.keys() | stored.keys() if recorded.get(key) != stored.get(key)}


def _recorded(session: Session, repository_id: int) -> dict[tuple[date, str], list[int]]:
    """Added, removed, and the same net of reverts, by week and organisation, from the ledger."""
    name = func.coalesce(CommitRow.organisation, literal_column("''"))
    delta = LedgerEntryRow.delta
    sums = (
        select(
            CommitRow.week,
            name,
            func.sum(case((delta > 0, delta), else_=0)),
            func.sum(case((delta < 0, -delta), else_=0)),
        )
        .join(LedgerEntryRow, LedgerEntryRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .group_by(CommitRow.week, name)
    )
    found = {
        (week, organisation): [int(added), int(removed)] * 2
        for week, organisation, added, removed in session.execute(sums)
    }
    families = read_families_of(session, repository_id)
    for chunk in chunks(commit for commit, standing in families.standings.items() if not standing.counts):
        for week, organisation, added, removed in session.execute(sums.where(CommitRow.id.in_(chunk))):
            found[week, organisation][2] -= int(added)
            found[week, organisation][3] -= int(removed)
    return found


def _commits_of(session: Session, repository_id: int, weeks: Collection[date]) -> set[int]:
    commits: set[int] = set()
    for chunk in chunks(sorted(weeks)):
        query = select(CommitRow.id).where(CommitRow.repository_id == repository_id, CommitRow.week.in_(chunk))
        commits |= set(session.scalars(query))
    return commits


def _linked_with(session: Session, commits: set[int]) -> set[int]:
    """Return the commits and all that they are linked with, also off the line: what left a family changes it."""
    known: set[int] = set()
    new = commits
    while new:
        found: set[int] = set()
        for chunk in chunks(sorted(new)):
            for end, other in (
                (CommitLinkRow.commit_id, CommitLinkRow.target_commit_id),
                (CommitLinkRow.target_commit_id, CommitLinkRow.commit_id),
            ):
                found |= set(session.scalars(select(other).where(end.in_(chunk), other.is_not(None))))
        known |= new
        new = found - known
    return known


def _weeks_of(session: Session, commit_ids: Iterable[int]) -> set[date]:
    weeks: set[date] = set()
    for chunk in chunks(sorted(commit_ids)):
        weeks |= set(session.scalars(select(CommitRow.week).where(CommitRow.id.in_(chunk)).distinct()))
    return weeks


def _uncounted_by_week(session: Session, families: Families) -> defaultdict[date, list[int]]:
    """Return the commits that a net flow leaves out."""
    uncounted = sorted(commit for commit, standing in families.standings.items() if not standing.counts)
    found: defaultdict[date, list[int]] = defaultdict(list)
    for chunk in chunks(uncounted):
        for commit, week in session.execute(select(CommitRow.id, CommitRow.week).where(CommitRow.id.in_(chunk))):
            found[week].append(commit)
    return found


def _insert(session: Session, repository_id: int, weeks: Collection[date], left_out: Collection[int]) -> None:
    delta = LedgerEntryRow.delta
    counts = CommitRow.id.not_in(left_out) if left_out else true()
    key = (
        CommitRow.repository_id,
        CommitRow.week,
        LedgerEntryRow.territory,
        PathRow.area,
        PathRow.subsystem,
        SiteRow.vendor,
        SiteRow.construct,
        LedgerEntryRow.mechanism,
    )
    organisation = func.coalesce(CommitRow.organisation, literal_column("''"))
    sums = (
        func.sum(case((delta > 0, delta), else_=0)),
        func.sum(case((delta < 0, -delta), else_=0)),
        func.sum(case((and_(delta > 0, counts), delta), else_=0)),
        func.sum(case((and_(delta < 0, counts), -delta), else_=0)),
    )
    flows = (
        select(*key, organisation, *sums)
        .join(LedgerEntryRow, LedgerEntryRow.commit_id == CommitRow.id)
        .join(PathRow, PathRow.id == LedgerEntryRow.path_id)
        .join(SiteRow, SiteRow.id == LedgerEntryRow.site_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .where(CommitRow.week.in_(weeks))
        .group_by(*key, organisation)
    )
    session.execute(insert(WeeklyFlowRow).from_select(list(_COLUMNS), flows))
