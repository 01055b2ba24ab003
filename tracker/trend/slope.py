"""Weekly values -> their pace: the Theil-Sen slope with two intervals, and the weekly changes it is resampled from.

A stock is a sum of what came and went: its weeks depend on each other, and the interval that belongs to Theil-Sen
(Sen 1968, by `scipy.stats.theilslopes`) takes them for independent and is too narrow by far. The interval that is shown
comes from a circular block bootstrap of the weekly changes (Politis and Romano 1992): paths are added up from blocks of
changes, and how far their slopes stray from the pace they were drawn from is how far ours may stray. The tests hold
both to simulated series whose pace is known.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt
from scipy import stats

Numbers = npt.NDArray[np.float64]

LEAST_WEEKS = 26
"""With fewer values nothing is said of a pace: blocks of changes would repeat each other."""
CONFIDENCE = 0.95
_RESAMPLES = 499
_SEED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The pace of a weekly series in units a week; without a pace where it has fewer than `LEAST_WEEKS` values."""

    n: int
    """Weeks with a value."""
    left_out: int
    """Weeks of the period that were not read, or in part."""
    first: date | None = None
    """Monday of the first week with a value."""
    last: date | None = None
    start: float | None = None
    """Value in the first of these weeks."""
    end: float | None = None
    per_week: float | None = None
    """Theil-Sen: the median of the slopes between any two weeks."""
    low: float | None = None
    """Bootstrapped; with `high` it holds the true pace with the confidence below, dependent weeks or not."""
    high: float | None = None
    rank_low: float | None = None
    """By Sen's ranks: right only where weeks are independent of each other."""
    rank_high: float | None = None
    confidence: float = CONFIDENCE

    @property
    def direction(self) -> int:
        """-1 or 1 where the whole interval lies on one side of zero; 0: no such trend."""
        if self.low is None or self.high is None:
            return 0
        return 1 if self.low > 0 else -1 if self.high < 0 else 0


def trend_of(
    weeks: Sequence[date], values: Sequence[float | None], *, confidence: float = CONFIDENCE, seed: int = _SEED
) -> Trend:
    """Return the pace of a series; every value belongs to the week of the same place, None was not read.

    Args:
        confidence: of both intervals, 0..1.
        seed: of the resampling; the same seed gives the same interval.
    """
    known = [(week, float(value)) for week, value in zip(weeks, values, strict=True) if value is not None]
    left_out = len(weeks) - len(known)
    if not known:
        return Trend(n=0, left_out=left_out, confidence=confidence)
    (first, start), (last, end) = known[0], known[-1]
    found = {"first": first, "last": last, "start": start, "end": end}
    if len(known) < LEAST_WEEKS:
        return Trend(n=len(known), left_out=left_out, confidence=confidence, **found)  # type: ignore[arg-type]
    at = np.array([(week - first).days / 7 for week, _ in known])
    ranked = stats.theilslopes([value for _, value in known], at, alpha=confidence)
    low, high = _interval(weekly_changes(weeks, values), float(ranked[0]), len(known), confidence, seed)
    return Trend(
        n=len(known),
        left_out=left_out,
        first=first,
        last=last,
        start=start,
        end=end,
        per_week=float(ranked[0]),
        low=low,
        high=high,
        rank_low=float(ranked[2]),
        rank_high=float(ranked[3]),
        confidence=confidence,
    )


def weekly_changes(weeks: Sequence[date], values: Sequence[float | None]) -> Numbers:
    """Return the changes from one week to the next, oldest first, only where both were read."""
    return np.array(
        [
            after - before
            for (week, before), (next_week, after) in zip(
                zip(weeks, values, strict=True), zip(weeks[1:], values[1:], strict=True), strict=False
            )
            if before is not None and after is not None and (next_week - week).days == 7
        ],
        dtype=np.float64,
    )


def resampled(changes: Numbers, length: int, draw: np.random.Generator) -> Numbers:
    """Return `length` changes made of blocks that follow each other in the series, the end joined to its beginning."""
    block = block_length(len(changes))
    starts = draw.integers(len(changes), size=-(-length // block))
    places = (starts[:, None] + np.arange(block)).ravel()[:length] % len(changes)
    drawn: Numbers = changes[places]
    return drawn


def block_length(count: int) -> int:
    """Return how many changes stay together: the cube root of their number, and four weeks at least."""
    return max(4, round(math.cbrt(count)))


def _interval(changes: Numbers, slope: float, weeks: int, confidence: float, seed: int) -> tuple[float, float]:
    if len(changes) < 2:
        return slope, slope
    draw = np.random.default_rng(seed)
    earlier, later = np.triu_indices(weeks, 1)
    spans = (later - earlier).astype(np.float64)
    strays = np.empty(_RESAMPLES)
    for turn in range(_RESAMPLES):
        path = np.concatenate(([0.0], np.cumsum(resampled(changes, weeks - 1, draw))))
        strays[turn] = np.median((path[later] - path[earlier]) / spans) - changes.mean()
    tail = (1 - confidence) / 2
    low, high = np.quantile(strays, [tail, 1 - tail])
    # A stray to the high side means that the true pace may be lower than what was measured.
    return slope - float(high), slope - float(low)
