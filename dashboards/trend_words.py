"""Trends in words: pace with its interval and n, and when coupling would be gone or that nothing tells. Pure."""

from dashboards import wording
from dashboards.headline import Fragment, Sentence
from tracker.trend import Projection, Trend


def trend_sentence(coupling: Trend, adoption: Trend | None) -> Sentence:
    """Say at what pace the two headline series went; nothing where too little was read for either.

    Args:
        adoption: None: it means nothing beside the coupling that is asked for.
    """
    if coupling.per_week is None or (adoption is not None and adoption.per_week is None):
        return ()
    start = f"Over {wording.plural(coupling.n, 'week')}{_left_out(coupling)} coupling "
    return (
        Fragment(start),
        Fragment(_pace(coupling, "site"), strong=True),
        *_adoption(coupling, adoption),
    )


def _adoption(coupling: Trend, adoption: Trend | None) -> Sentence:
    if adoption is None:
        return (Fragment(f" ({_interval(coupling)})."),)
    return (
        Fragment(f" ({_interval(coupling)}), adoption "),
        Fragment(_pace(adoption, "neutral construct"), strong=True),
        Fragment(f" ({_interval(adoption)})."),
    )


def projection_sentence(projection: Projection | None) -> Sentence:
    """Say when the last site would go at this pace; nothing where no pace is known."""
    if projection is None or projection.n < 2:
        return ()
    drawn = f"drawn from {wording.plural(projection.n, 'weekly change')}"
    if not projection.is_trend:
        return (Fragment(f"There is no trend towards zero coupling to project ({drawn})."),)
    years = projection.horizon_weeks // 52
    if projection.middle is None:
        return (Fragment(f"At this pace coupling does not reach zero within {years} years ({drawn})."),)
    latest = f"{projection.latest:%Y-%m}" if projection.latest is not None else f"more than {years} years from now"
    return (
        Fragment("At this pace coupling reaches zero in "),
        Fragment(f"{projection.middle:%Y-%m}", strong=True),
        Fragment(f", {wording.percent(projection.chance)} between {projection.earliest:%Y-%m} and {latest} ({drawn})."),
    )


def _left_out(trend: Trend) -> str:
    return f" ({wording.number(trend.left_out)} not read, or in part, left out)" if trend.left_out else ""


def _pace(trend: Trend, noun: str) -> str:
    pace = trend.per_week or 0.0
    if trend.direction == 0:
        return "has no clear trend"
    way = "grew" if pace > 0 else "shrank"
    return f"{way} by {_amount(abs(pace))} {noun}s a week"


def _interval(trend: Trend) -> str:
    ends = f"{_amount(trend.low)} to {_amount(trend.high)}"
    return f"{wording.percent(trend.confidence)} interval {ends} a week"


def _amount(value: float | None) -> str:
    if value is None or abs(value) >= 10:
        return wording.number(value)
    return f"{value:.1f}".replace("-", "\N{MINUS SIGN}")
