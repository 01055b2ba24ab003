"""Commits to be judged anew: which they are, and what stands in the place of their judgements.

Those are commits that another ruleset judged, and those from the first one on of which something that the clone lacked
can be read now (`mark_outdated`).

A line is re-judged from its oldest commit on, batch by batch, in place: at any moment its commits are all there, the
older ones by the new rules and the newer ones by the old. Nothing is appended to a line before all of it is judged by
one ruleset, so the last commit's ruleset says whether that is so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from db.commit_rows import nobody_is_a_program
from db.commits import STREAM, AppendCounts, store_batch
from db.identities import Identities
from db.repositories import wait_for_other_crawlers
from db.tables import CommitRow, CursorRow, RepositoryRow, SkippedFileRow, VerdictRow
from db.verdict_changes import OUTDATED, Change, read_outcomes, record_changes
from tracker.classify import JudgedCommit
from tracker.errors import CursorMoved
from tracker.upstream import SkipReason

_LACKING = (SkipReason.MISSING_OBJECT, SkipReason.CORRUPT_OBJECT)
"""Why something was not read that a better clone lets read; renames that were not looked for lack the same objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutdatedCommit:
    """A commit of a stored line whose judgement is another ruleset's."""

    sha: str
    parent: str | None
    position: int


def read_outdated(
    session: Session, repository_id: int, ruleset: str, *, incomplete: bool = False
) -> tuple[OutdatedCommit, ...]:
    """Return the commits of the line that another ruleset than this one (its digest) has judged, oldest first.

    Args:
        incomplete: those too that were judged before it was kept why, or before lines were counted, and all between
            the first and the last.
    """
    outdated = VerdictRow.ruleset != ruleset
    if incomplete:
        outdated = or_(outdated, VerdictRow.accounts_left_out.is_(None), VerdictRow.lines_changed.is_(None))
    on_the_line = (CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
    joined = select(func.min(CommitRow.position), func.max(CommitRow.position)).join(
        VerdictRow, VerdictRow.commit_id == CommitRow.id
    )
    first, last = session.execute(joined.where(*on_the_line, outdated)).one()
    if first is None:
        return ()
    query = (
        select(CommitRow.sha, CommitRow.parent_sha, CommitRow.position)
        .where(*on_the_line, CommitRow.position.between(first, last))
        .order_by(CommitRow.position)
    )
    return tuple(
        OutdatedCommit(sha=sha, parent=parent, position=position)
        for sha, parent, position in session.execute(query)
        if position is not None
    )


def read_outdated_counts(session: Session, ruleset: str) -> dict[str, int]:
    """Return how many commits another ruleset has judged, by repository under watch; one without any is absent."""
    # Two ranges of an index, empty as a rule; "other than" would be a look at every verdict.
    others = or_(VerdictRow.ruleset < ruleset, VerdictRow.ruleset > ruleset)
    query = (
        select(RepositoryRow.slug, func.count())
        .join(CommitRow, CommitRow.repository_id == RepositoryRow.id)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .where(RepositoryRow.removed_at.is_(None), CommitRow.position.is_not(None), others)
        .group_by(RepositoryRow.slug)
        .order_by(RepositoryRow.slug)
    )
    return dict(session.execute(query).all())


def read_lacking(session: Session, repository_id: int) -> dict[str, int]:
    """Return the objects that the clone lacked, each with the position of the first commit of which it was not read."""
    query = (
        select(SkippedFileRow.blob, func.min(CommitRow.position))
        .join(CommitRow, CommitRow.id == SkippedFileRow.commit_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .where(SkippedFileRow.reason.in_(_LACKING))
        .group_by(SkippedFileRow.blob)
    )
    return {blob: position for blob, position in session.execute(query) if position is not None}


def mark_outdated(session: Session, repository_id: int, first_position: int) -> int:
    """Have the commits of the line from a position on judged anew by the next crawl; return how many those are.

    What was not read of one commit is missed by every later one that changes the same file, whichever that is.
    """
    wait_for_other_crawlers(session, repository_id)
    later = select(CommitRow.id).where(CommitRow.repository_id == repository_id, CommitRow.position >= first_position)
    marked = session.execute(
        update(VerdictRow)
        .where(VerdictRow.commit_id.in_(later))
        .values(ruleset=OUTDATED)
        .returning(VerdictRow.commit_id),
        execution_options={"synchronize_session": False},
    ).all()
    session.expire_all()
    return len(marked)


def replace_judgements(  # noqa: PLR0913 - the contract of the crawlers
    session: Session,
    repository_id: int,
    batch: Sequence[JudgedCommit],
    *,
    first_position: int,
    author_key: Callable[[str], str],
    organisation: Callable[[str], str | None],
    is_program: Callable[[str, str], bool] = nobody_is_a_program,
    now: datetime,
    identities: Identities | None = None,
) -> tuple[AppendCounts, tuple[Change, ...]]:
    """Put what a batch says of commits in the place of what is stored of them; never commits itself.

    Returns:
        What was stored, with the weeks whose cells must be rebuilt, and each commit before and after.

    Raises:
        CursorMoved: other commits than the batch's stand at these positions.
    """
    wait_for_other_crawlers(session, repository_id)
    stored = read_outcomes(session, repository_id, first_position, len(batch))
    if [one.sha for one in stored] != [judged.commit.sha for judged in batch]:
        raise CursorMoved(
            f"other commits stand from position {first_position} on than those that were judged anew: history was "
            "rewritten meanwhile; read the line again and go on from there"
        )
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
    changes = record_changes(session, stored, batch)
    # The cursor stays where it is; that something changed shows in when it was touched.
    touched = update(CursorRow).where(CursorRow.repository_id == repository_id, CursorRow.stream == STREAM)
    session.execute(touched.values(moved_at=now))
    return counts, changes
