"""Appends judged commits, with everything known of them, and takes them off the line again when history is rewritten.

All of one batch, and the cursor, stand in the caller's one transaction: nothing here commits. A second append of the
same commits does nothing; a commit that comes back after a rewrite is revived in its row, with what the batch says of
it now.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from db.commit_rows import Values, commit_values, nobody_is_a_program
from db.cursors import move_cursor, read_cursor, remove_cursor
from db.forgotten import spare_forgotten, with_attribution_kept
from db.identities import Identities, chunks
from db.judgements import forget_judgements, store_judgements
from db.landings import append_landings
from db.links import Link, Referring, append_links
from db.repositories import wait_for_other_crawlers
from db.stale_weeks import read_weeks_of_paths
from db.tables import CommitRow, CursorRow, LandingRow
from tracker.classify import JudgedCommit
from tracker.errors import CursorMoved

STREAM = "commits"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitCursor:
    """Where the crawl of a first-parent line stopped."""

    sha: str
    position: int
    """Index of the commit on the line, 0 for the oldest."""
    head: str
    """The revision the crawl was heading for; equal to `sha` once it arrived."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendCounts:
    """What one append stored."""

    commits: int = 0
    revived: int = 0
    """Of the commits: those whose row was there, off the line."""
    entries: int = 0
    links: int = 0
    links_resolved: int = 0
    landings: int = 0
    skipped_files: int = 0
    weeks: tuple[date, ...] = ()
    """Mondays of the weeks whose cells must be rebuilt, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewindCounts:
    """What one rewind took off the line."""

    commits: int
    weeks: tuple[date, ...]
    """Mondays of the weeks whose cells must be rebuilt, oldest first."""


def read_commit_cursor(session: Session, repository_id: int) -> CommitCursor | None:
    """Return where the crawl stopped; None when no commit was read yet."""
    value = read_cursor(session, repository_id, STREAM)
    return CommitCursor(**json.loads(value)) if value is not None else None


def append_commits(  # noqa: PLR0913 - the contract of the crawlers
    session: Session,
    repository_id: int,
    batch: Sequence[JudgedCommit],
    *,
    first_position: int,
    author_key: Callable[[str], str],
    organisation: Callable[[str], str | None],
    is_program: Callable[[str, str], bool] = nobody_is_a_program,
    cursor: CommitCursor,
    now: datetime,
    identities: Identities | None = None,
) -> AppendCounts:
    """Store a batch of commits, oldest first, that follow each other on the first-parent line; never commits itself.

    Args:
        first_position: position on the line of the batch's first commit.
        author_key: mail address -> the keyed digest that is stored instead of it.
        organisation: mail domain -> organisation, None where it is unknown.
        is_program: an author's name and mail address -> whether that is a program.
        cursor: where the crawl stands once this batch is stored.
        identities: ids kept by the caller between batches of one database.

    Raises:
        CursorMoved: the batch does not go on where the stored cursor stands.
        ValueError: the new cursor does not stand at the batch's last commit.
    """
    if batch and (cursor.sha, cursor.position) != (batch[-1].commit.sha, first_position + len(batch) - 1):
        raise ValueError(f"the cursor {cursor} does not stand at the last commit of the batch")
    wait_for_other_crawlers(session, repository_id)
    if _stored_already(session, repository_id, batch, first_position):
        return AppendCounts()
    counts = store_batch(
        session,
        repository_id,
        batch,
        first_position=first_position,
        author_key=author_key,
        organisation=organisation,
        is_program=is_program,
        identities=identities,
    )
    move_cursor(session, repository_id, STREAM, _cursor_text(cursor), now)
    return counts


def store_batch(  # noqa: PLR0913 - the contract of the crawlers
    session: Session,
    repository_id: int,
    batch: Sequence[JudgedCommit],
    *,
    first_position: int,
    author_key: Callable[[str], str],
    organisation: Callable[[str], str | None],
    is_program: Callable[[str, str], bool] = nobody_is_a_program,
    identities: Identities | None = None,
) -> AppendCounts:
    """Store everything known of commits that stand from a position on; what was known of them before is forgotten."""
    values = [
        commit_values(judged, repository_id, first_position + index, author_key, organisation, is_program)
        for index, judged in enumerate(batch)
    ]
    rows = spare_forgotten(session, values)
    ids, revived = _store_commits(session, repository_id, rows)
    links, landings = _store_links(session, repository_id, batch, rows, ids)
    entries, skipped, replaced = store_judgements(session, repository_id, batch, ids, identities)
    return AppendCounts(
        commits=len(rows),
        revived=revived,
        entries=entries,
        links=len(links),
        links_resolved=sum(link.target_id is not None for link in links),
        landings=landings,
        skipped_files=skipped,
        weeks=tuple(sorted({row["week"] for row in rows} | read_weeks_of_paths(session, replaced))),
    )


def rewind_to(session: Session, repository_id: int, position: int) -> RewindCounts:
    """Take the commits after `position` off the line (-1: all of them) and set the cursor back to it.

    Their rows stay, without a position; their entries no longer count in balances, cells, landings and exports.
    """
    wait_for_other_crawlers(session, repository_id)
    later = update(CommitRow).where(CommitRow.repository_id == repository_id, CommitRow.position > position)
    gone = session.execute(
        later.values(position=None).returning(CommitRow.week), execution_options={"synchronize_session": False}
    ).all()
    off_the_line = select(CommitRow.id).where(CommitRow.repository_id == repository_id, CommitRow.position.is_(None))
    session.execute(delete(LandingRow).where(LandingRow.commit_id.in_(off_the_line)))
    _set_cursor_back(session, repository_id, position)
    session.expire_all()
    return RewindCounts(commits=len(gone), weeks=tuple(sorted({week for (week,) in gone})))


def _cursor_text(cursor: CommitCursor) -> str:
    return json.dumps({"sha": cursor.sha, "position": cursor.position, "head": cursor.head})


def _set_cursor_back(session: Session, repository_id: int, position: int) -> None:
    cursor = read_commit_cursor(session, repository_id)
    sha = session.scalar(
        select(CommitRow.sha).where(CommitRow.repository_id == repository_id, CommitRow.position == position)
    )
    if cursor is None or cursor.position <= position:
        return
    if sha is None:
        remove_cursor(session, repository_id, STREAM)
        return
    value = _cursor_text(CommitCursor(sha=sha, position=position, head=cursor.head))
    session.execute(
        update(CursorRow)
        .where(CursorRow.repository_id == repository_id, CursorRow.stream == STREAM)
        .values(value=value)
    )


def _stored_already(session: Session, repository_id: int, batch: Sequence[JudgedCommit], first_position: int) -> bool:
    """Whether the line holds the whole batch already, at these positions."""
    cursor = read_commit_cursor(session, repository_id)
    if cursor is None or cursor.position == first_position - 1:
        return False
    stored = session.execute(
        select(CommitRow.sha)
        .where(CommitRow.repository_id == repository_id)
        .where(CommitRow.position.between(first_position, first_position + len(batch) - 1))
        .order_by(CommitRow.position)
    )
    if batch and [sha for (sha,) in stored] == [judged.commit.sha for judged in batch]:
        return True
    raise CursorMoved(
        f"these commits begin at position {first_position}, but the stored line ends at {cursor.position}: "
        "another crawl went on, or history was rewritten; read the cursor again and go on from there"
    )


def _store_commits(session: Session, repository_id: int, rows: Sequence[Values]) -> tuple[dict[str, int], int]:
    """Insert commits, or revive those stored off the line; return the row ids by sha, and how many were revived."""
    stored: dict[str, int] = {}
    for chunk in chunks(row["sha"] for row in rows):
        query = select(CommitRow.sha, CommitRow.id)
        query = query.where(CommitRow.repository_id == repository_id, CommitRow.sha.in_(chunk))
        stored |= dict(session.execute(query).all())
    forget_judgements(session, stored.values())
    revived = [{"id": stored[row["sha"]], **with_attribution_kept(row)} for row in rows if row["sha"] in stored]
    if revived:
        session.execute(update(CommitRow), revived)
    new = [row for row in rows if row["sha"] not in stored]
    if new:
        made = session.execute(insert(CommitRow).returning(CommitRow.sha, CommitRow.id), new)
        stored |= dict(made.all())
    return stored, len(revived)


def _store_links(
    session: Session,
    repository_id: int,
    batch: Sequence[JudgedCommit],
    rows: Sequence[Values],
    ids: Mapping[str, int],
) -> tuple[tuple[Link, ...], int]:
    """Store what commits say of others and do to pull requests; return the links and the number of landings."""
    referring = [
        Referring(commit_id=ids[row["sha"]], position=row["position"], references=judged.trailers.references)
        for row, judged in zip(rows, batch, strict=True)
        if judged.trailers.references
    ]
    links = append_links(session, repository_id, referring)
    own_numbers = {ids[row["sha"]]: row["pull_number"] for row in rows}
    return links, append_landings(session, repository_id, own_numbers, links)
