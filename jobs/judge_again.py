"""Judges stored commits anew, in their places: oldest first, one transaction for each chunk.

Killed at any moment, it has left a line whose older commits are judged by the new rules and whose newer ones are not
yet; started again, it goes on with those. The end is the same as that of a crawl that never knew the old rules, or that
found in its clone what an earlier one did not.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.rejudging import OutdatedCommit, mark_outdated, read_lacking
from jobs.chunk_workers import Reading, judge_chunks
from jobs.commit_store import CommitStore
from jobs.progress import Progress
from jobs.walk import Walker
from tracker.ruleset import Ruleset
from tracker.sources.git_mirror import Mirror
from tracker.sources.git_trees import Pair
from tracker.upstream import SkipReason

Cut = Callable[[Sequence[Pair], int], list[Sequence[Pair]]]
"""Commits and the position of the first of them -> chunks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineToJudge:
    """A stored line, the clone that has its commits, and where judgements go."""

    mirror: Mirror
    slug: str
    ruleset: Ruleset
    store: CommitStore
    begins: int
    """Position of the first stored commit of the line, judged anew or not."""


def mark_what_can_be_read_now(sessions: sessionmaker[Session], repository_id: int, mirror: Mirror) -> int:
    """Mark as outdated the commits from the first one on of which the clone lacked something that it holds now.

    Returns:
        How many commits were marked; they are judged anew like those that another ruleset has judged.
    """
    with in_transaction(sessions) as session:
        lacking = read_lacking(session, repository_id)
    if not lacking:
        return 0
    # That an object is there is what is asked, however large it is.
    answers = zip(lacking, mirror.read_blobs(list(lacking), max_bytes=0), strict=True)
    absent = (SkipReason.MISSING_OBJECT, SkipReason.CORRUPT_OBJECT)
    found = [lacking[blob] for blob, answer in answers if answer not in absent]
    if not found:
        return 0
    with in_transaction(sessions) as session:
        return mark_outdated(session, repository_id, min(found))


def judge_again(
    line: LineToJudge, commits: Sequence[OutdatedCommit], cut: Cut, *, workers: int, progress: Progress
) -> None:
    """Judge consecutive commits of a stored line anew.

    Raises:
        RepositoryError: the clone lacks one of them.
        CursorMoved: history was rewritten meanwhile.
    """
    rest = list(commits)
    if rest and rest[0].position == line.begins and rest[0].parent is not None:
        # What stood in its tree opened the ledger: the commits before it were not read.
        opening = Walker(line.mirror, line.slug, line.ruleset).baseline(rest[0].sha)
        line.store.replace([opening], first_position=line.begins)
        rest = rest[1:]
    if not rest:
        return
    position = rest[0].position
    chunks = cut([(commit.sha, commit.parent) for commit in rest], position)
    reading = Reading(path=str(line.mirror.path), slug=line.slug, ruleset=line.ruleset, chunks=chunks)
    progress("judging anew", 0, len(rest))
    for batch in judge_chunks(reading, workers=workers):
        line.store.replace(batch, first_position=position)
        position += len(batch)
        progress("judging anew", position - rest[0].position, len(rest))
