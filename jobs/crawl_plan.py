"""A line of commits and what is stored of it -> what is left to read: pure.

The line is the repository's first-parent line, oldest first. What is stored may end anywhere on it, begin in the
middle of it (a crawl that was told to start at a date, a shallow clone), or stand beside it (history was rewritten).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from db.commits import CommitCursor
from db.stored_lines import StoredCommit
from tracker.sources.git_trees import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """What to do to make the stored line equal to the repository's."""

    keep_until: int | None
    """Position of the last stored commit that stays on the line, -1 if none does; None: all stay."""
    baseline: str | None
    """The commit whose whole tree opens the ledger; None: it has an opening, or begins at the root."""
    baseline_position: int
    pairs: Sequence[Pair]
    """The commits to read, oldest first, each with its parent."""
    first_position: int
    """Position of the first of them."""


def plan_opening(line: Sequence[Pair], start: int, *, shallow: bool, keep_until: int | None = None) -> CrawlPlan:
    """Return the plan of a crawl that begins a ledger.

    Args:
        start: index on the line of the first commit to judge; what stood before it opens the ledger.
        shallow: the line's first commit is where a shallow clone ends, so that it cannot be judged either.
    """
    if shallow:
        start = max(start, 1)
    baseline = line[start - 1][0] if start else None
    return CrawlPlan(
        keep_until=keep_until,
        baseline=baseline,
        baseline_position=start - 1,
        pairs=line[start:],
        first_position=start,
    )


def plan_again(line: Sequence[Pair], first: StoredCommit | None, *, shallow: bool) -> CrawlPlan:
    """Return the plan of a crawl that reads everything anew, from where the stored line begins."""
    index = {sha: number for number, (sha, _) in enumerate(line)}
    opened = index.get(first.sha) if first is not None else None
    start = opened + 1 if opened is not None and opened > 0 else 0
    return plan_opening(line, start, shallow=shallow, keep_until=-1)


def plan_continuation(
    line: Sequence[Pair], cursor: CommitCursor, stored: Sequence[StoredCommit], *, rewritten: bool
) -> CrawlPlan | None:
    """Return the plan of a crawl that goes on after the cursor; None where no stored commit is on the line.

    Args:
        stored: the stored line; empty will do where the line holds the cursor's commit.
        rewritten: whether a stored line that goes on beyond this one was rewritten, and is not just longer.
    """
    index = {sha: number for number, (sha, _) in enumerate(line)}
    if cursor.sha in index:
        return _go_on(line, index[cursor.sha], cursor.position, keep_until=None)
    for commit in reversed(stored):
        if commit.sha in index:
            number = index[commit.sha]
            if number == len(line) - 1 and not rewritten:
                return _go_on(line, number, commit.position, keep_until=None)
            return _go_on(line, number, commit.position, keep_until=commit.position)
    return None


def _go_on(line: Sequence[Pair], number: int, position: int, *, keep_until: int | None) -> CrawlPlan:
    # Positions are counted from the stored ones: a shallow clone that was deepened counts its own from elsewhere.
    return CrawlPlan(
        keep_until=keep_until,
        baseline=None,
        baseline_position=-1,
        pairs=line[number + 1 :],
        first_position=position + 1,
    )
