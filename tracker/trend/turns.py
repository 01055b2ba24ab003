"""Weekly values -> the weeks in which their pace changed, found by ruptures (PELT with a linear kernel).

What is searched are the ranks of the weekly changes, not the changes: one week that moves a thousand sites (a code
base imported, a folder renamed) is no turn, and would hide those that are. Killick, Fearnhead and Eckley 2012;
https://centre-borelli.github.io/ruptures-docs/
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import numpy as np
import ruptures
from scipy import stats

from tracker.rollup import ONE_WEEK

LEAST_WEEKS_APART = 13
"""A quarter: shorter spells are weather."""
_PENALTY = 3.0
"""Times the logarithm of the number of changes; how seldom a series without a turn shows one then is tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A week in which the pace changed."""

    week: date
    """Monday of the first week at the new pace."""
    before: float
    """Mean change a week since the turn before, or since the beginning."""
    n_before: int
    """Changes in it."""
    after: float
    """Until the next turn, or the end."""
    n_after: int


def turns_of(weeks: Sequence[date], values: Sequence[float | None]) -> tuple[Turn, ...]:
    """Return the turns, oldest first; none where fewer than twice `LEAST_WEEKS_APART` changes are known."""
    dated = _dated_changes(weeks, values)
    changes = np.array([change for _, change in dated])
    if len(changes) < 2 * LEAST_WEEKS_APART or np.all(changes == changes[0]):
        return ()
    ranks = stats.rankdata(changes)
    signal = ((ranks - ranks.mean()) / ranks.std()).reshape(-1, 1)
    search = ruptures.KernelCPD(kernel="linear", min_size=LEAST_WEEKS_APART).fit(signal)
    ends = [0, *search.predict(pen=_PENALTY * np.log(len(changes)))]
    spells = [changes[start:end] for start, end in pairwise(ends)]
    return tuple(
        Turn(
            week=dated[start][0],
            before=float(before.mean()),
            n_before=len(before),
            after=float(after.mean()),
            n_after=len(after),
        )
        for start, before, after in zip(ends[1:-1], spells, spells[1:], strict=False)
    )


def _dated_changes(weeks: Sequence[date], values: Sequence[float | None]) -> list[tuple[date, float]]:
    place = {week: value for week, value in zip(weeks, values, strict=True) if value is not None}
    return [(week, value - place[week - ONE_WEEK]) for week, value in place.items() if week - ONE_WEEK in place]
