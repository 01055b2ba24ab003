"""What an open pull request would do if it landed: its head against the merge base, judged like a commit.

It is no part of the ledger: nothing of it stands in the tree, and no stock or flow counts it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tracker.classify.judgement import Judgement
from tracker.upstream import SkipReason


class HeadProblem(StrEnum):
    """Why a head could not be judged; it is tried again each day, and at once when the head moves."""

    HEAD_MISSING = "head missing"
    """The repository has no such reference, or the clone lacks the commit that it names."""
    NO_MERGE_BASE = "no merge base"
    """Its history and the branch's have nothing in common, or not within a shallow clone."""
    TOO_LARGE = "too large"
    """It changes more files than are read of one pull request."""
    UNREADABLE = "unreadable"
    """A commit or a tree is missing or damaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedHead:
    """What one pull request would do to the tree, or why that is not known."""

    number: int
    head_sha: str | None
    """What was judged; None: there was nothing to judge."""
    base_sha: str | None
    """The merge base that it was compared with."""
    base_ref: str
    """The branch whose merge base that is."""
    judgement: Judgement | None
    """None: see `problem`."""
    problem: HeadProblem | None = None
    detail: str = ""
    """Of the problem, in words."""
    files: int = 0
    """That the pull request changes against the merge base."""
    skipped: Mapping[SkipReason, int] = field(default_factory=dict)
    """Files of it that were not read, by reason."""
    ruleset: str
    """Digest of the ruleset that detected and judged."""
