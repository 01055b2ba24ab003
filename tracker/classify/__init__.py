"""One commit's scanned changes -> its ledger entries with mechanisms, its tally and verdict, and why, site by site."""

from collections.abc import Sequence

from tracker.classify.accounts import ACCOUNTS_KEPT, Accounts, ExclusivityAccount, SiteAccount, accounts_of
from tracker.classify.arithmetic import arithmetic
from tracker.classify.entries import entries_of, opening_entries
from tracker.classify.heads import HeadProblem, JudgedHead
from tracker.classify.judgement import JudgedCommit, Judgement, SkippedFile, Tally
from tracker.classify.quoting import Line
from tracker.classify.stock_change import StockChange, stock_change
from tracker.classify.verdicts import decide
from tracker.pairing import ScannedChange, ScannedFile, needs_quotes, needs_text, pair
from tracker.pairing.differences import Comparison
from tracker.ruleset import Ruleset
from tracker.trailers import Trailers

__all__ = [
    "ACCOUNTS_KEPT",
    "Accounts",
    "ExclusivityAccount",
    "HeadProblem",
    "JudgedCommit",
    "JudgedHead",
    "Judgement",
    "Line",
    "ScannedChange",
    "ScannedFile",
    "SiteAccount",
    "SkippedFile",
    "StockChange",
    "Tally",
    "arithmetic",
    "judge",
    "needs_quotes",
    "needs_text",
    "opening_entries",
    "stock_change",
]


def judge(
    trailers: Trailers,  # noqa: ARG001 - see below
    changes: Sequence[ScannedChange],
    ruleset: Ruleset,
    *,
    accounts_at_most: int | None = ACCOUNTS_KEPT,
) -> Judgement:
    """Return what one commit does and why: pure and deterministic, near linear in the size of what changed.

    What the trailers say (a revert, a reland) changes nothing here: the verdict is what the commit does to the tree.
    They are an argument because a judgement is of one commit, and the walk hands over all it knows of it.

    Args:
        accounts_at_most: of how many sites the judgement says why; None: of all.
    """
    comparisons = [Comparison(change, number) for number, change in enumerate(changes)]
    pairing = pair(comparisons, ruleset)
    accounts = accounts_of(pairing, accounts_at_most)
    return decide(comparisons, pairing, entries_of(comparisons, pairing.fates), accounts)
