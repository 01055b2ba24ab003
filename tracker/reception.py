"""How pull requests are received: the states that pages show, and the time from opening to an event.

A landed PyTorch pull request is `closed` on GitHub, never `merged`: landing is read from the default branch's commits
(pytorch/pytorch#102559, #154088). `db.pulls` joins the two; the words and the arithmetic stand here.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tracker.sites import Mechanism


class PullState(StrEnum):
    """What became of a pull request, net of reverts."""

    OPEN = "open"
    """Open on GitHub, and never on the default branch."""
    STALE = "stale"
    """The same, and GitHub has told of no update for long (TRACKER_STALE_PULL_DAYS), or it is labelled stale."""
    LANDED = "landed"
    """Its latest event on the default branch is a landing (also while GitHub still says open), or GitHub merged it."""
    REVERTED = "reverted"
    """Its latest event on the default branch is a revert; GitHub often says open again."""
    CLOSED = "closed"
    """Closed without landing on the default branch."""


class LandingKind(StrEnum):
    """What a commit of the default branch does to a pull request; it may land, be reverted and land again."""

    LANDED = "landed"
    REVERTED = "reverted"


class LandingSource(StrEnum):
    """What says that a commit lands or undoes a pull request; listed from the surest to the weakest.

    A weaker source counts only for pull requests that no surer one lands anywhere on the default branch.
    """

    MESSAGE = "message"
    """The commit's own message, or that of one that reverts or relands it."""
    BOT = "bot"
    """A merge bot's comment on the pull request: `merged in SHA`, where GitHub had left it open."""
    DIFFERENTIAL = "differential"
    """Both name one Phabricator revision: a change that was developed together with internal code."""
    GITHUB = "github"
    """GitHub's word for the commit that merged it, whose message somebody rewrote."""


def hours_from(start: datetime, end: datetime | None) -> float | None:
    """Return the hours between two times, to a hundredth; None when the end has not come or precedes the start.

    A commit that is older than the pull request it names was pushed first and proposed later: no time to landing.
    """
    if end is None or end < start:
        return None
    return round((end - start).total_seconds() / 3600, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One pull request as it was received."""

    state: PullState
    mechanism: Mechanism | None
    """The dominant one of its landing where it stands, else of its head; None: none, or it was not judged."""
    hours_to_first_review: float | None
    """By somebody else than its author and no program; None: there is none."""
    hours_to_landing: float | None
    """The first one; None: it never landed, or was pushed before it was proposed."""
    rounds: int
    """Days (UTC) on which somebody else reviewed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Quartiles of some values, interpolated between neighbours."""

    count: int
    lower: float
    median: float
    upper: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """How some pull requests were received, net of reverts."""

    opened: int
    """All of them, whatever became of them."""
    landed: int
    reverted: int
    closed: int
    """Without landing."""
    stale: int
    open: int
    """And not stale."""
    first_review: Spread | None
    """Hours; None: of none it is known."""
    landing: Spread | None
    """Hours."""
    rounds: Spread | None
    """Of review, of those that were reviewed."""

    @property
    def landed_share(self) -> float | None:
        """Of those whose fate is decided (landed, reverted or closed), 0..1; None: of none it is."""
        decided = self.landed + self.reverted + self.closed
        return self.landed / decided if decided else None


def spread_of(values: Iterable[float]) -> Spread | None:
    """Return the quartiles of some values by linear interpolation, to a hundredth; None where there are none."""
    ordered = sorted(values)
    if not ordered:
        return None
    lower, median, upper = (round(_quantile(ordered, share), 2) for share in (0.25, 0.5, 0.75))
    return Spread(count=len(ordered), lower=lower, median=median, upper=upper)


def reception_of(pulls: Iterable[Received]) -> Reception:
    """Return how some pull requests were received."""
    received = tuple(pulls)
    states = Counter(pull.state for pull in received)
    return Reception(
        opened=len(received),
        landed=states[PullState.LANDED],
        reverted=states[PullState.REVERTED],
        closed=states[PullState.CLOSED],
        stale=states[PullState.STALE],
        open=states[PullState.OPEN],
        first_review=spread_of(
            pull.hours_to_first_review for pull in received if pull.hours_to_first_review is not None
        ),
        landing=spread_of(pull.hours_to_landing for pull in received if pull.hours_to_landing is not None),
        rounds=spread_of(pull.rounds for pull in received if pull.rounds),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
