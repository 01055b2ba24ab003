"""How pull requests are received: the states that pages show, and the time from opening to an event.

A landed PyTorch pull request is `closed` on GitHub, never `merged`: landing is read from the default branch's commits
(pytorch/pytorch#102559, #154088). `db.pulls` joins the two; the words and the arithmetic stand here.
"""

from datetime import datetime
from enum import StrEnum


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
