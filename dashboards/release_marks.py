"""Releases -> thin rules across a line chart, with their names where there is room for them. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from dashboards.themes import Theme

_LEAST_PIXELS = 46
"""Between two names, of which the longest are such as v1.10.0."""


def marks_layer(
    marks: Sequence[tuple[date, str]], *, x: Mapping[str, object], theme: Theme, width: int
) -> list[dict[str, Any]]:
    """Return the layer of the marks (day and name, oldest first) on a time axis; none where there is no mark."""
    if not marks:
        return []
    rule = {
        "mark": {"type": "rule", "color": theme.soft, "strokeWidth": 1, "strokeDash": [2, 4], "opacity": 0.6},
        "encoding": {"x": x},
    }
    name = {
        "mark": {"type": "text", "color": theme.soft, "fontSize": 10, "align": "left", "baseline": "top", "dx": 3},
        "encoding": {"x": x, "y": {"value": 0}, "text": {"field": "name", "type": "nominal"}},
    }
    values = [{"start": day.isoformat(), "name": title} for day, title in marks]
    is_room = width / len(marks) >= _LEAST_PIXELS
    return [{"data": {"values": values}, "layer": [rule, name] if is_room else [rule]}]
