"""Ledger entries -> what one commit changes about the stock of neutral code: sites out, in, let in, staying.

The tally of a verdict says what a commit did; this says by how much the stock moves, so that both can be told beside
each other. Names that broadening lets in are no coupling and stand in no tally, but they stand in the stock.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tracker.ledger import Entry
from tracker.sites import Construct, Mechanism, Territory

_OUT = (Mechanism.GENERALISED, Mechanism.BROADENED, Mechanism.RELOCATED, Mechanism.DROPPED, Mechanism.RETIRED)


@dataclass(frozen=True, slots=True, kw_only=True)
class StockChange:
    """Sites of neutral code by how they came and went; what stood there when reading began is no change."""

    removed: int = 0
    """Out by any mechanism, as a positive number."""
    added: int = 0
    """Introduced."""
    let_in: int = 0
    """Came because an exclusive place was broadened to admit others."""
    staying: int = 0
    """Moved and edited ones, those that came less those that went: they can change what they are or whose they are."""

    @property
    def net(self) -> int:
        """By how much the stock grew."""
        return self.added - self.removed + self.let_in + self.staying


def stock_change(entries: Iterable[Entry], *, only: Construct | None = None) -> StockChange:
    """Return what the entries of one commit change about the stock of neutral code.

    Args:
        only: the one construct that is counted; None: every construct but the neutral ones.
    """
    removed = added = let_in = staying = 0
    for entry in entries:
        if not _counts(entry, only):
            continue
        if entry.delta < 0 and entry.mechanism in _OUT:
            removed -= entry.delta
        elif entry.delta > 0 and entry.mechanism is Mechanism.INTRODUCED:
            added += entry.delta
        elif entry.delta > 0 and entry.mechanism is Mechanism.BROADENED:
            let_in += entry.delta
        else:
            staying += entry.delta
    return StockChange(removed=removed, added=added, let_in=let_in, staying=staying)


def _counts(entry: Entry, only: Construct | None) -> bool:
    construct = entry.site.construct
    wanted = construct is not Construct.NEUTRAL if only is None else construct is only
    return wanted and entry.territory is Territory.NEUTRAL and entry.mechanism is not Mechanism.BASELINE
