"""What was judged of commits -> their rows: verdicts, entries, lines, accounts, skipped files; and away again.

A crawler stores them with the commits; judging anew removes what stands and stores what takes its place.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy import delete, insert
from sqlalchemy.orm import Session

from db.accounts import ACCOUNT_COLUMNS, account_values
from db.base import Base
from db.bulk import insert_plain
from db.commit_rows import (
    ENTRY_COLUMNS,
    LINE_COLUMNS,
    Values,
    entry_values,
    line_values,
    skipped_values,
    verdict_values,
)
from db.identities import Identities, chunks, identify_paths, identify_reasons, identify_sites, place_again
from db.tables import (
    CommitLinkRow,
    LandingRow,
    LedgerEntryRow,
    LineEntryRow,
    SiteAccountRow,
    SkippedFileRow,
    VerdictBeforeRow,
    VerdictRow,
)
from tracker.classify import ExclusivityAccount, JudgedCommit, SiteAccount
from tracker.sites import Place, Site

_OF_A_JUDGEMENT = (
    LedgerEntryRow,
    LineEntryRow,
    SiteAccountRow,
    VerdictRow,
    SkippedFileRow,
    VerdictBeforeRow,
    CommitLinkRow,
    LandingRow,
)


def forget_judgements(session: Session, commit_ids: Iterable[int]) -> None:
    """Remove what was judged of commits that are about to be judged anew."""
    for chunk in chunks(commit_ids):
        for table in _OF_A_JUDGEMENT:
            session.execute(delete(table).where(table.commit_id.in_(chunk)))


def store_judgements(
    session: Session,
    repository_id: int,
    batch: Sequence[JudgedCommit],
    ids: Mapping[str, int],
    identities: Identities | None,
) -> tuple[int, int, tuple[int, ...]]:
    """Insert entries, changes of lines, accounts, verdicts and skipped files.

    Returns:
        How many entries and skipped files, and the ids of the paths that another ruleset had placed elsewhere.
    """
    known = identities if identities is not None else Identities()
    sites, places = _distinct(batch)
    known_paths = known.paths.get(repository_id, {})
    ruleset = batch[-1].ruleset if batch else ""
    new_sites = identify_sites(session, sites - known.sites.keys())
    reasons = {one.reason for judged in batch for one in _accounts(judged)}
    new_reasons = identify_reasons(session, reasons - known.reasons.keys())
    new_paths = identify_paths(
        session, repository_id, {p: places[p] for p in places.keys() - known_paths.keys()}, ruleset
    )
    replaced = place_again(session, {**known_paths, **new_paths}, places, ruleset)
    known.learn_on_commit(session, repository_id, new_paths | replaced, new_sites, new_reasons)
    path_ids, site_ids = {**known_paths, **new_paths}, {**known.sites, **new_sites}
    reason_ids = {**known.reasons, **new_reasons}
    _insert(session, VerdictRow, [verdict_values(judged, ids[judged.commit.sha]) for judged in batch])
    rows = (row for judged in batch for row in entry_values(judged, ids[judged.commit.sha], path_ids, site_ids))
    insert_plain(session, LedgerEntryRow.__tablename__, ENTRY_COLUMNS, rows)
    lines = (row for judged in batch for row in line_values(judged, ids[judged.commit.sha]))
    insert_plain(session, LineEntryRow.__tablename__, LINE_COLUMNS, lines)
    accounts = (
        row
        for judged in batch
        for row in account_values(judged, ids[judged.commit.sha], path_ids, site_ids, reason_ids)
    )
    insert_plain(session, SiteAccountRow.__tablename__, ACCOUNT_COLUMNS, accounts)
    skipped = [row for judged in batch for row in skipped_values(judged, ids[judged.commit.sha])]
    _insert(session, SkippedFileRow, skipped)
    entries = sum(len(judged.judgement.entries) for judged in batch)
    return entries, len(skipped), tuple(path.id for path in replaced.values())


def _accounts(judged: JudgedCommit) -> Iterator[SiteAccount | ExclusivityAccount]:
    yield from judged.judgement.accounts.sites
    yield from judged.judgement.accounts.exclusivities


def _distinct(batch: Sequence[JudgedCommit]) -> tuple[set[Site], dict[str, Place]]:
    """Return the sites and the paths of a batch, each path with its first place."""
    sites: set[Site] = set()
    places: dict[str, Place] = {}
    for judged in batch:
        for entry in judged.judgement.entries:
            sites.add(entry.site)
            places.setdefault(entry.path, entry.place)
        sites.update(one.site for one in _accounts(judged))
    return sites, places


def _insert(session: Session, table: type[Base], rows: Sequence[Values]) -> None:
    if rows:
        session.execute(insert(table), rows)
