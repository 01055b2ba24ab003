"""A weekly series and a target -> when the target is reached at the pace of late, with an interval; or no such trend.

The future is drawn from the past: each path first draws a past anew (so that what is not known of the pace counts),
then goes on by blocks of its weekly changes (so that weeks to come stray as weeks did). It says what follows if nothing
changes but chance, and knows nothing of plans.
"""

from dataclasses import dataclass
from datetime import date

import numpy as np

from tracker.rollup import ONE_WEEK
from tracker.trend.slope import Numbers, Trend, block_length, resampled

CHANCE = 0.8
HORIZON_WEEKS = 20 * 52
_PATHS = 600
_SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """When a series reaches a target; all dates None where there is no trend towards it."""

    target: float
    n: int
    """Weekly changes it is drawn from."""
    is_trend: bool
    """Whether the whole interval of the pace points to the target; else nothing is projected."""
    reached: float | None = None
    """Share of the paths that reach the target within the horizon, 0..1."""
    middle: date | None = None
    """Monday of the week by which half of the paths have reached it; None: later than the horizon, or no trend."""
    earliest: date | None = None
    """By which a tenth of the paths have (for a chance of 80%)."""
    latest: date | None = None
    """By which all but a tenth have."""
    chance: float = CHANCE
    """Share of the paths between earliest and latest."""
    horizon_weeks: int = HORIZON_WEEKS


def project(trend: Trend, changes: Numbers, target: float, *, chance: float = CHANCE, seed: int = _SEED) -> Projection:
    """Return when a series reaches a target, counted from its last known week.

    A series that stands at its target or beyond has no way to go, and so no trend towards it.

    Args:
        trend: of the series.
        changes: the `weekly_changes` of the same weeks.
    """
    if trend.end is None or trend.last is None or trend.direction * (target - trend.end) <= 0 or len(changes) < 2:
        return Projection(target=target, n=len(changes), is_trend=False, chance=chance)
    hits = _weeks_until(changes, target - trend.end, seed)
    tail = (1 - chance) / 2
    earliest, middle, latest = (_date(trend.last, hits, share) for share in (tail, 0.5, 1 - tail))
    return Projection(
        target=target,
        n=len(changes),
        is_trend=True,
        reached=float(np.mean(hits <= HORIZON_WEEKS)),
        earliest=earliest,
        middle=middle,
        latest=latest,
        chance=chance,
    )


def _weeks_until(changes: Numbers, way: float, seed: int) -> Numbers:
    """How many weeks each path takes to go the way (signed); infinite where it does not within the horizon."""
    draw = np.random.default_rng(seed)
    hits = np.full(_PATHS, np.inf)
    for path in range(_PATHS):
        past = resampled(changes, len(changes), draw)
        block = block_length(len(past))
        starts = draw.integers(len(past), size=-(-HORIZON_WEEKS // block))
        places = (starts[:, None] + np.arange(block)).ravel()[:HORIZON_WEEKS] % len(past)
        gone = np.cumsum(past[places]) * np.sign(way)
        there = np.flatnonzero(gone >= abs(way))
        if there.size:
            hits[path] = there[0] + 1
    return hits


def _date(last: date, hits: Numbers, share: float) -> date | None:
    weeks = float(np.quantile(hits, share, method="higher"))
    return last + ONE_WEEK * int(weeks) if np.isfinite(weeks) else None
