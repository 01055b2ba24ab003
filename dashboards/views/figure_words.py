"""What a chart shows, in one sentence, for who cannot see it."""

from dashboards import wording
from dashboards.charts import Bars, Lines
from dashboards.series import STAYED


def decouplers_sentence(bars: Bars, repository: str) -> str:
    """Return whose commits decoupled how many sites."""
    if not bars.starts:
        return f"Sites of {repository} that commits decoupled: none that stands."
    sums = [f"{name} {wording.number(sum(values))}" for name, values in bars.inward.items()]
    span = f"from {bars.starts[0].year} to {bars.starts[-1].year}"
    return f"Sites of {repository} decoupled {span}, net of reverts, by organisation: {', '.join(sums)}."


def shown_value(value: float | None, lines: Lines) -> str:
    """Return a value of a line as people read it."""
    return wording.percent(value, digits=1) if lines.is_share else wording.number(value)


def lines_sentence(lines: Lines, what: str) -> str:
    """Return how long the lines are and where they end."""
    if not lines.weeks:
        return f"{what}: nothing was read yet."
    ends = [f"{lines.titles[key]} {shown_value(values[-1], lines)}" for key, values in lines.values.items()]
    span = f"from {lines.weeks[0].isoformat()} to {lines.weeks[-1].isoformat()}"
    return f"{what}, weekly {span}; at the end: {', '.join(ends) if ends else 'none'}."


def flow_sentence(bars: Bars, repository: str) -> str:
    """Return what came in and what went out over all periods."""
    if not bars.starts:
        return f"Flow of sites of {repository}: nothing was read yet."
    came = [f"{wording.number(sum(values))} {key}" for key, values in bars.inward.items() if key != STAYED]
    stays = f"; {STAYED} {wording.signed(sum(bars.inward[STAYED]))}" if STAYED in bars.inward else ""
    went = [f"{wording.number(sum(values))} {key}" for key, values in bars.outward.items()]
    span = f"from {bars.starts[0].isoformat()} to {bars.starts[-1].isoformat()}"
    out = f"{', '.join(went)} went" if went else "none went"
    return f"Sites of {repository} by {bars.period} {span}: {', '.join(came)} came in; {out}{stays}."
