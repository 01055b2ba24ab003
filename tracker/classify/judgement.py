"""What is said of one commit: tally, verdict, entries, and all of it together with the facts it came from."""

from dataclasses import dataclass, field

from tracker.classify.accounts import Accounts
from tracker.ledger import Entry, LineEntry
from tracker.sites import Area, Mechanism, Verdict
from tracker.trailers import Trailers
from tracker.upstream import Commit, SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Numbers of neutral sites by mechanism; exclusivities lost or gained count one each in broadened or introduced."""

    generalised: int = 0
    broadened: int = 0
    relocated: int = 0
    dropped: int = 0
    retired: int = 0
    introduced: int = 0
    moved: int = 0
    edited: int = 0

    @property
    def decoupled(self) -> int:
        """D of the guide's arithmetic."""
        return self.generalised + self.broadened + self.relocated

    @property
    def removed(self) -> int:
        """R of the guide's arithmetic; `introduced` is its A."""
        return self.dropped + self.retired


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one commit does to the tree's sites."""

    verdict: Verdict
    mechanism: Mechanism | None
    """The dominant one; None where no neutral site changes."""
    area: Area | None
    vendors: tuple[str, ...]
    """Dominant first; of the neutral sites removed, added or moved."""
    removed: int
    added: int
    tally: Tally
    entries: tuple[Entry, ...]
    accounts: Accounts = field(default_factory=Accounts)
    """Why, site by site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedFile:
    """One side of a file change that was not read."""

    path: str
    blob: str
    reason: SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCommit:
    """Everything the product knows of one commit: what is stored and what `tracker classify` prints."""

    commit: Commit
    trailers: Trailers
    judgement: Judgement
    skipped: tuple[SkippedFile, ...]
    lines: tuple[LineEntry, ...] = ()
    """By how many lines it changes the code in each place."""
    ruleset: str
    """Digest of the ruleset that detected and judged."""
