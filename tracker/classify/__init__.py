"""One commit's scanned changes -> its ledger entries with mechanisms, its tally and its verdict."""

from collections.abc import Sequence

from tracker.classify.accounts import Accounts, Line, SiteAccount, account_for
from tracker.classify.entries import entries_of
from tracker.classify.heads import HeadProblem, JudgedHead
from tracker.classify.judgement import JudgedCommit, Judgement, SkippedFile, Tally
from tracker.classify.verdicts import decide
from tracker.pairing import ScannedChange, ScannedFile, needs_text, pair
from tracker.pairing.differences import Comparison
from tracker.ruleset import Ruleset
from tracker.trailers import Trailers

__all__ = [
    "Accounts",
    "HeadProblem",
    "JudgedCommit",
    "JudgedHead",
    "Judgement",
    "Line",
    "ScannedChange",
    "ScannedFile",
    "SiteAccount",
    "SkippedFile",
    "Tally",
    "account_for",
    "judge",
    "needs_text",
]


def judge(trailers: Trailers, changes: Sequence[ScannedChange], ruleset: Ruleset) -> Judgement:  # noqa: ARG001 - see below
    """Return what one commit does: pure and deterministic, near linear in the size of what changed.

    What the trailers say (a revert, a reland) changes nothing here: the verdict is what the commit does to the tree.
    They are an argument because a judgement is of one commit, and the walk hands over all it knows of it.
    """
    comparisons = [Comparison(change, number) for number, change in enumerate(changes)]
    pairing = pair(comparisons, ruleset)
    return decide(comparisons, pairing, entries_of(comparisons, pairing.fates))
