"""Reads the ledger: the balance of a repository at a position of its line, and the entries of commits."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.identities import chunks
from db.tables import CommitRow, LedgerEntryRow, PathRow, SiteRow
from tracker.sites import Area, Mechanism, Site, Territory


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """One ledger entry as pages show it."""

    path: str
    territory: Territory
    area: Area
    subsystem: str
    site: Site
    delta: int
    mechanism: Mechanism
    lines: tuple[int, ...]
    """In the parent's file for a negative delta, else in the commit's."""
    replaced_by: str | None


def read_balance(session: Session, repository_id: int, at_position: int) -> dict[tuple[str, Site], int]:
    """Return the number of sites by (path, site) after the commit at a position; zeros are left out."""
    total: Counter[tuple[str, Site]] = Counter()
    for (path, site, _), count in read_standing(session, repository_id, at_position).items():
        total[path, site] += count
    return {key: count for key, count in total.items() if count}


def read_standing(session: Session, repository_id: int, at_position: int) -> dict[tuple[str, Site, Territory], int]:
    """Return the number of sites by (path, site, territory) after the commit at a position; zeros are left out."""
    key = (LedgerEntryRow.path_id, LedgerEntryRow.site_id, LedgerEntryRow.territory)
    total = func.sum(LedgerEntryRow.delta)
    sums = session.execute(
        select(*key, total)
        .join(CommitRow, CommitRow.id == LedgerEntryRow.commit_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position <= at_position)
        .group_by(*key)
        .having(total != 0)
    ).all()
    paths = _paths(session, repository_id)
    sites = _sites(session, {site_id for _, site_id, _, _ in sums})
    return {(paths[path_id], sites[site_id], territory): count for path_id, site_id, territory, count in sums}


def read_entries(session: Session, commit_id: int) -> tuple[StoredEntry, ...]:
    """Return a commit's entries by path, first line and site."""
    query = (
        select(LedgerEntryRow, PathRow, SiteRow)
        .join(PathRow, PathRow.id == LedgerEntryRow.path_id)
        .join(SiteRow, SiteRow.id == LedgerEntryRow.site_id)
        .where(LedgerEntryRow.commit_id == commit_id)
    )
    entries = [_entry(entry, path, site) for entry, path, site in session.execute(query)]
    return tuple(sorted(entries, key=lambda entry: (entry.path, entry.lines, entry.site, entry.delta)))


def _entry(entry: LedgerEntryRow, path: PathRow, site: SiteRow) -> StoredEntry:
    return StoredEntry(
        path=path.path,
        territory=entry.territory,
        area=path.area,
        subsystem=path.subsystem,
        site=Site(site.construct, site.vendor, site.symbol, site.rule),
        delta=entry.delta,
        mechanism=entry.mechanism,
        lines=tuple(int(line) for line in entry.lines.split(",") if line),
        replaced_by=entry.replaced_by,
    )


def _paths(session: Session, repository_id: int) -> dict[int, str]:
    query = select(PathRow.id, PathRow.path).where(PathRow.repository_id == repository_id)
    return dict(session.execute(query).all())


def _sites(session: Session, site_ids: Iterable[int]) -> dict[int, Site]:
    sites: dict[int, Site] = {}
    for chunk in chunks(sorted(site_ids)):
        query = select(SiteRow.id, SiteRow.construct, SiteRow.vendor, SiteRow.symbol, SiteRow.rule)
        for site_id, construct, vendor, symbol, rule in session.execute(query.where(SiteRow.id.in_(chunk))):
            sites[site_id] = Site(construct, vendor, symbol, rule)
    return sites
