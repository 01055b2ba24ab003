"""Verdicts of the heads of open pull requests: which are due, storing them, and reading their entries.

A verdict belongs to a head and a ruleset; it is replaced as a whole when either changes. It stays when the pull request
is closed, as what it would have done. Nothing here is part of the ledger or of any sum.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, insert, or_, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.identities import chunks
from db.ledger import StoredEntry
from db.pull_states import shown_state
from db.tables import PullEntryRow, PullFileRow, PullRequestRow, PullVerdictRow, RepositoryRow
from tracker.classify import HeadProblem, JudgedHead, Judgement, Tally, stock_change
from tracker.ledger import Entry
from tracker.reception import PullState
from tracker.sites import Site, Territory
from tracker.upstream import PullRequestState, SkipReason

MOST_ENTRIES = 2_000
"""How many entries of one head are stored, those of neutral code first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueHead:
    """An open pull request whose head was not judged yet, or by another ruleset."""

    pull_request_id: int
    number: int
    head_sha: str
    """As GitHub described it last."""
    updated_at: datetime
    base_ref: str
    changed_files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadVerdict:
    """What is stored about the head of one pull request, for a page of its own."""

    head_sha: str | None
    base_sha: str | None
    base_ref: str
    ruleset: str
    judged_at: datetime
    problem: HeadProblem | None
    detail: str
    files: int
    skipped: Mapping[SkipReason, int]
    tally: Tally
    entries: tuple[StoredEntry, ...]
    """By path, first line and site; fewer than `entries_total` of a huge one."""
    entries_total: int


def read_due_heads(session: Session, repository_id: int, ruleset: str, retry_before: datetime) -> tuple[DueHead, ...]:
    """Return the open pull requests that are not on the default branch and not judged as they are now, newest first.

    Args:
        ruleset: digest of the one by which they ought to be judged.
        retry_before: a head that could not be judged is due again where that was tried before this time.
    """
    query = (
        select(
            PullRequestRow.id,
            PullRequestRow.number,
            PullRequestRow.head_sha,
            PullRequestRow.updated_at,
            PullRequestRow.base_ref,
            PullRequestRow.changed_files,
        )
        .join(RepositoryRow, RepositoryRow.id == PullRequestRow.repository_id)
        .outerjoin(PullVerdictRow, PullVerdictRow.pull_request_id == PullRequestRow.id)
        .where(
            PullRequestRow.repository_id == repository_id,
            PullRequestRow.state == PullRequestState.OPEN,
            _is_due(ruleset, retry_before),
            shown_state() != PullState.LANDED.value,
        )
        .order_by(PullRequestRow.number.desc())
    )
    return tuple(
        DueHead(
            pull_request_id=row_id,
            number=number,
            head_sha=head_sha,
            updated_at=updated_at,
            base_ref=base_ref,
            changed_files=changed_files,
        )
        for row_id, number, head_sha, updated_at, base_ref, changed_files in session.execute(query)
    )


def read_whole_file_lists(session: Session, heads: Iterable[DueHead]) -> dict[int, tuple[str, ...]]:
    """Return the changed paths, by number, of those whose list GitHub gave whole and without a renamed file.

    Of a file that was renamed the old name is not told.
    """
    wanted = {head.pull_request_id: head for head in heads}
    found: dict[int, list[tuple[str, str]]] = {}
    for chunk in chunks(wanted):
        query = select(PullFileRow.pull_request_id, PullFileRow.path, PullFileRow.change)
        for row_id, path, change in session.execute(query.where(PullFileRow.pull_request_id.in_(chunk))):
            found.setdefault(row_id, []).append((path, change))
    return {
        wanted[row_id].number: tuple(path for path, _ in files)
        for row_id, files in found.items()
        if len(files) == wanted[row_id].changed_files and all(change != "RENAMED" for _, change in files)
    }


def read_open_numbers(session: Session, repository_id: int) -> frozenset[int]:
    """Return the numbers of the pull requests that are open on GitHub."""
    query = select(PullRequestRow.number).where(
        PullRequestRow.repository_id == repository_id, PullRequestRow.state == PullRequestState.OPEN
    )
    return frozenset(session.scalars(query))


def replace_pull_verdict(session: Session, due: DueHead, judged: JudgedHead, now: datetime) -> None:
    """Store what was found about the head of a pull request in the place of what was stored before."""
    values = _values(due, judged, now)
    statement = insert_into(session, PullVerdictRow).values(values)
    changed = {name: statement.excluded[name] for name in values if name != "pull_request_id"}
    session.execute(statement.on_conflict_do_update(index_elements=["pull_request_id"], set_=changed))
    session.execute(delete(PullEntryRow).where(PullEntryRow.pull_request_id == due.pull_request_id))
    entries = judged.judgement.entries if judged.judgement is not None else ()
    rows = [_entry_values(due.pull_request_id, entry) for entry in sorted(entries, key=_neutral_first)[:MOST_ENTRIES]]
    if rows:
        session.execute(insert(PullEntryRow), rows)


def read_head_verdict(session: Session, pull_request_id: int) -> HeadVerdict | None:
    """Return what is stored about the head of a pull request; None where it was never looked at."""
    row = session.get(PullVerdictRow, pull_request_id)
    if row is None:
        return None
    found = session.scalars(select(PullEntryRow).where(PullEntryRow.pull_request_id == pull_request_id))
    entries = sorted((_entry(entry) for entry in found), key=lambda one: (one.path, one.lines, one.site, one.delta))
    return HeadVerdict(
        head_sha=row.head_sha,
        base_sha=row.base_sha,
        base_ref=row.base_ref,
        ruleset=row.ruleset,
        judged_at=row.judged_at,
        problem=row.problem,
        detail=row.detail,
        files=row.files,
        skipped={SkipReason(reason): count for reason, count in json.loads(row.skipped).items()},
        tally=tally_of(row),
        entries=tuple(entries),
        entries_total=row.entries,
    )


def tally_of(row: PullVerdictRow) -> Tally:
    """Return the numbers by mechanism."""
    return Tally(
        generalised=row.generalised,
        broadened=row.broadened,
        relocated=row.relocated,
        dropped=row.dropped,
        retired=row.retired,
        introduced=row.introduced,
        moved=row.moved,
        edited=row.edited,
    )


def _is_due(ruleset: str, retry_before: datetime) -> ColumnElement[bool]:
    # A head that moved between description and reading is not met again until GitHub describes the pull request anew.
    moved = (PullRequestRow.head_sha != func.coalesce(PullVerdictRow.head_sha, "")) & or_(
        PullRequestRow.head_sha != PullVerdictRow.asked_sha, PullRequestRow.updated_at > PullVerdictRow.asked_at
    )
    given_up = PullVerdictRow.problem.is_not(None) & (PullVerdictRow.judged_at < retry_before)
    return or_(PullVerdictRow.pull_request_id.is_(None), PullVerdictRow.ruleset != ruleset, moved, given_up)


def _values(due: DueHead, judged: JudgedHead, now: datetime) -> dict[str, object]:
    judgement = judged.judgement
    return {
        "pull_request_id": due.pull_request_id,
        "asked_sha": due.head_sha,
        "asked_at": due.updated_at,
        "head_sha": judged.head_sha,
        "base_sha": judged.base_sha,
        "base_ref": judged.base_ref,
        "ruleset": judged.ruleset,
        "judged_at": now,
        "problem": judged.problem,
        "detail": judged.detail,
        "files": judged.files,
        "skipped": json.dumps({reason.value: count for reason, count in sorted(judged.skipped.items())}),
        **_judged_values(judgement),
    }


def _judged_values(judgement: Judgement | None) -> dict[str, object]:
    tally = judgement.tally if judgement is not None else Tally()
    change = stock_change(judgement.entries if judgement is not None else ())
    return {
        "entries": len(judgement.entries) if judgement is not None else 0,
        "verdict": judgement.verdict if judgement is not None else None,
        "mechanism": judgement.mechanism if judgement is not None else None,
        "area": judgement.area if judgement is not None else None,
        "vendors": ",".join(judgement.vendors) if judgement is not None else "",
        "removed": judgement.removed if judgement is not None else 0,
        "added": judgement.added if judgement is not None else 0,
        "generalised": tally.generalised,
        "broadened": tally.broadened,
        "relocated": tally.relocated,
        "dropped": tally.dropped,
        "retired": tally.retired,
        "introduced": tally.introduced,
        "moved": tally.moved,
        "edited": tally.edited,
        "let_in": change.let_in,
        "staying": change.staying,
    }


def _neutral_first(entry: Entry) -> bool:
    return entry.territory is not Territory.NEUTRAL


def _entry_values(pull_request_id: int, entry: Entry) -> dict[str, object]:
    return {
        "pull_request_id": pull_request_id,
        "path": entry.path,
        "territory": entry.territory,
        "area": entry.place.area,
        "subsystem": entry.place.subsystem,
        "construct": entry.site.construct,
        "vendor": entry.site.vendor,
        "symbol": entry.site.symbol,
        "rule": entry.site.rule,
        "delta": entry.delta,
        "mechanism": entry.mechanism,
        "lines": ",".join(map(str, entry.lines)),
        "replaced_by": entry.replaced_by,
    }


def _entry(row: PullEntryRow) -> StoredEntry:
    return StoredEntry(
        path=row.path,
        territory=row.territory,
        area=row.area,
        subsystem=row.subsystem,
        site=Site(row.construct, row.vendor, row.symbol, row.rule),
        delta=row.delta,
        mechanism=row.mechanism,
        lines=tuple(int(line) for line in row.lines.split(",") if line),
        replaced_by=row.replaced_by,
    )
