"""Weekly series -> what can be said of them: pace, turns, projections, movers and shares, never without their n.

Nothing here reads or draws; random draws take a seed, so that the same series always says the same. A week that was not
read (None) is left out and counted, never taken for zero.
"""

from tracker.trend.movers import Move, Movers, biggest_movers
from tracker.trend.projection import Projection, project
from tracker.trend.shares import Part, PeriodShares, Share, shares_by_period
from tracker.trend.slope import LEAST_WEEKS, Trend, trend_of, weekly_changes
from tracker.trend.turns import Turn, turns_of

__all__ = [
    "LEAST_WEEKS",
    "Move",
    "Movers",
    "Part",
    "PeriodShares",
    "Projection",
    "Share",
    "Trend",
    "Turn",
    "biggest_movers",
    "project",
    "shares_by_period",
    "trend_of",
    "turns_of",
    "weekly_changes",
]
