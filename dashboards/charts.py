"""Series -> Vega-Lite specs as plain dicts; nothing is drawn or read here.

The same spec is drawn to SVG or PNG on the server (first paint, embeds, pages without JavaScript) and, with marks that
answer the pointer, in the browser. A week that was not read is null in the data and a gap in the line. Rows are wide
(one object a period, folded by the chart), a quarter of the size of long ones. Vega-Lite: https://vega.github.io/vega-lite/docs/
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from dashboards.release_marks import marks_layer
from dashboards.themes import FONT, Theme

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
NET = "net"
_TIME_UNITS = {"week": "utcyearweek", "month": "utcyearmonth", "quarter": "utcyearquarter", "year": "utcyear"}
_UTC = {"type": "utc"}
_COUNT_LABEL = "format(datum.value, abs(datum.value) < 1000 ? ',d' : '~s')"
_DAYS_SPAN_DAYS, _SHORT_SPAN_DAYS = 200, 800
"""Up to which length of time the axis names days, and months."""
_WEEKS_MARKED = 8
"""How many weeks the axis marks of a short span, at most twice as many."""
_TOWERS = 3
"""How many times as tall as any other a bar is that is cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A chart's plotting area in CSS pixels."""

    width: int
    height: int
    legend_columns: int


SIZES: Mapping[str, Size] = {
    "wide": Size(width=1170, height=300, legend_columns=8),
    "half": Size(width=550, height=300, legend_columns=4),
    "narrow": Size(width=310, height=220, legend_columns=2),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Several lines over the same weeks."""

    weeks: tuple[date, ...]
    values: Mapping[str, tuple[float | None, ...]]
    """One value for each week, None where it was not read; in the order of the legend."""
    titles: Mapping[str, str]
    colours: Mapping[str, str]
    unit: str
    is_share: bool = False
    """Values are 0..1 and shown in percent."""
    marks: tuple[tuple[date, str], ...] = ()
    """Days and names of releases within these weeks, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """What came in and what went out, by period."""

    starts: tuple[date, ...]
    """First days of the periods."""
    period: str
    """week, month, quarter or year."""
    inward: Mapping[str, tuple[int, ...]]
    """Drawn above the axis; what is signed, where it is negative, below it."""
    outward: Mapping[str, tuple[int, ...]]
    """Positive numbers, drawn below the axis."""
    colours: Mapping[str, str]
    unit: str
    keyed_by: str = "mechanism"


def lines_spec(lines: Lines, *, theme: Theme, size: Size, interactive: bool = False) -> Spec:
    """Return a line chart; `interactive` adds a rule that follows the pointer and lists every line's value."""
    keys = list(lines.values)
    rows = [
        {"start": week.isoformat()} | {key: lines.values[key][index] for key in keys}
        for index, week in enumerate(lines.weeks)
    ]
    drawn = {
        "transform": [{"fold": keys, "as": ["key", "value"]}],
        "mark": {"type": "line", "strokeWidth": 2, "strokeJoin": "round"},
        "encoding": {
            "x": _time(lines.weeks),
            "y": _amount("value", lines.unit, "format(datum.value, '.0%')" if lines.is_share else _COUNT_LABEL),
            "color": _colour(keys, lines.colours, lines.titles, size),
        },
    }
    marks = marks_layer(lines.marks, x=_time(lines.weeks), theme=theme, width=size.width)
    layer = [*marks, drawn, _pointer_rule(lines, theme)] if interactive else [*marks, drawn]
    return _chart(rows, layer, theme, size)


def bars_spec(bars: Bars, *, theme: Theme, size: Size, interactive: bool = False) -> Spec:
    """Return bars stacked away from zero, with the net of each period as a tick.

    A period that towers over all others (the first import of a code base) is cut off, and its height written beside it.
    """
    keys = [*bars.inward, *bars.outward]
    rows = [{"start": start.isoformat()} | _signed(bars, index) for index, start in enumerate(bars.starts)]
    x = _time(bars.starts) | {"timeUnit": _TIME_UNITS[bars.period]}
    if bars.period == "week":
        # Vega's weeks begin on Sunday, ours on Monday.
        x["axis"] |= {"labelExpr": f"utcFormat(utcOffset('day', datum.value, 1), '{x['axis']['format']}')"}
    scale = _cut_scale(bars)
    stacked = {
        "transform": [
            {"fold": keys, "as": ["key", "value"]},
            {"filter": "datum.value !== 0"},
            {"calculate": f"indexof({json.dumps(keys)}, datum.key)", "as": "order"},
        ],
        "mark": {"type": "bar", "binSpacing": 1, "clip": bool(scale)},
        "encoding": {
            "x": x,
            "y": _amount("value", bars.unit, _COUNT_LABEL) | {"stack": "zero"} | scale,
            "color": _colour(keys, bars.colours, {}, size),
            "order": {"field": "order", "type": "quantitative"},
        },
    }
    if interactive:
        stacked["encoding"] |= {"tooltip": _bar_tooltip(bars)}  # type: ignore[operator]
    # A line without data has nothing to be told of; as an image without a text it would only stop a screen reader.
    zero = {"mark": {"type": "rule", "color": theme.soft, "aria": False}, "encoding": {"y": {"datum": 0}}}
    net = {
        "mark": {"type": "tick", "color": theme.ink, "thickness": 2, "orient": "horizontal", "clip": bool(scale)},
        "encoding": {"x": x, "y": {"field": NET, "type": "quantitative"}},
    }
    cut = [_height_beside(bars, scale["scale"]["domain"][1], x, theme)] if scale else []
    return _chart(rows, [stacked, zero, net, *cut], theme, size)


def _heights(numbers: Mapping[str, tuple[int, ...]], length: int) -> list[int]:
    return [sum(max(values[index], 0) for values in numbers.values()) for index in range(length)]


def _cut_scale(bars: Bars) -> Spec:
    """The scale that cuts off the tallest bar where it is three times as tall as any other; else nothing."""
    ups, downs = _heights(bars.inward, len(bars.starts)), _heights(bars.outward, len(bars.starts))
    tallest, *others = sorted(ups, reverse=True) or [0]
    second = max([*others, *downs], default=0)
    if not second or tallest <= _TOWERS * second:
        return {}
    return {"scale": {"domain": [-1.15 * max(downs), 1.3 * second], "nice": False}}


def _height_beside(bars: Bars, ceiling: float, x: Spec, theme: Theme) -> Spec:
    ups = _heights(bars.inward, len(bars.starts))
    index = max(range(len(ups)), key=ups.__getitem__)
    text = {"start": bars.starts[index].isoformat(), "height": f"{ups[index]:,} ↑", "top": ceiling}
    near_the_end = index > len(ups) / 2
    return {
        "data": {"values": [text]},
        "mark": {
            "type": "text",
            "color": theme.ink,
            "baseline": "top",
            "align": "right" if near_the_end else "left",
            "dx": -4 if near_the_end else 4,
            "dy": 4,
            "fontSize": 12,
        },
        "encoding": {
            "x": x | {"bandPosition": 0 if near_the_end else 1},
            "y": {"field": "top", "type": "quantitative"},
            "text": {"field": "height", "type": "nominal"},
        },
    }


def _signed(bars: Bars, index: int) -> dict[str, int]:
    inward = {key: numbers[index] for key, numbers in bars.inward.items()}
    outward = {key: -numbers[index] for key, numbers in bars.outward.items()}
    return inward | outward | {NET: sum(inward.values()) + sum(outward.values())}


def _bar_tooltip(bars: Bars) -> list[Spec]:
    return [
        {"field": "start", "type": "temporal", "title": f"{bars.period} from", "format": "%Y-%m-%d"},
        {"field": "key", "type": "nominal", "title": bars.keyed_by},
        {"field": "value", "type": "quantitative", "title": bars.unit, "format": "+,d"},
        {"field": NET, "type": "quantitative", "title": "net of all", "format": "+,d"},
    ]


def _pointer_rule(lines: Lines, theme: Theme) -> Spec:
    """One invisible rule a week; the one nearest to the pointer shows, with a tooltip of all values."""
    number_format = ".1%" if lines.is_share else ",d"
    tooltip = [{"field": "start", "type": "temporal", "title": "week from", "format": "%Y-%m-%d"}] + [
        {"field": key, "type": "quantitative", "title": lines.titles.get(key, key), "format": number_format}
        for key in lines.values
    ]
    return {
        "params": [
            {
                "name": "pointer",
                "select": {
                    "type": "point",
                    "encodings": ["x"],
                    "nearest": True,
                    "on": "pointerover",
                    "clear": "pointerout",
                },
            }
        ],
        "mark": {"type": "rule", "color": theme.soft, "strokeWidth": 1},
        "encoding": {
            "x": _time(lines.weeks),
            "opacity": {"condition": {"param": "pointer", "empty": False, "value": 0.7}, "value": 0},
            "tooltip": tooltip,
        },
    }


def _time(days: Sequence[date]) -> Spec:
    span = (days[-1] - days[0]).days if days else 0
    label = "%-d %b" if span < _DAYS_SPAN_DAYS else "%b %Y" if span < _SHORT_SPAN_DAYS else "%Y"
    axis: Spec = {"title": None, "grid": False, "labelOverlap": "greedy", "labelSeparation": 10, "format": label}
    if span < _DAYS_SPAN_DAYS:
        # Of a few weeks Vega would mark every other day, and say so in labels that touch each other.
        axis["tickCount"] = {"interval": "week", "step": max(len(days) // _WEEKS_MARKED, 1)}
    if span >= _SHORT_SPAN_DAYS:
        axis["tickCount"] = {"interval": "year", "step": 1}
    return {"field": "start", "type": "temporal", "scale": _UTC, "axis": axis}


def _amount(field: str, unit: str, label: str) -> Spec:
    """The unit stands upright above the axis, where it is read first."""
    axis = {
        "title": unit,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleX": 0,
        "titleY": -8,
        "labelExpr": label,
        "tickCount": 5,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
    }
    return {"field": field, "type": "quantitative", "axis": axis, "scale": {"zero": True, "nice": True}}


def _colour(keys: Sequence[str], colours: Mapping[str, str], titles: Mapping[str, str], size: Size) -> Spec:
    names = json.dumps({key: titles.get(key, key) for key in keys})
    legend = {
        "title": None,
        "orient": "bottom",
        "direction": "horizontal",
        "columns": size.legend_columns,
        "labelExpr": f"({names})[datum.value]",
    }
    return {
        "field": "key",
        "type": "nominal",
        "scale": {"domain": list(keys), "range": [colours[key] for key in keys]},
        "legend": legend if len(keys) > 1 else None,
    }


def _chart(
    rows: Sequence[Mapping[str, object]], layer: Sequence[Mapping[str, object]], theme: Theme, size: Size
) -> Spec:
    return {
        "$schema": SCHEMA,
        "width": size.width,
        "height": size.height,
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": {"left": 2, "right": 8, "top": 4, "bottom": 2},
        "data": {"values": list(rows)},
        "layer": list(layer),
        "config": _config(theme),
    }


def _config(theme: Theme) -> Spec:
    label = {"labelColor": theme.soft, "titleColor": theme.soft, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": label
        | {"gridColor": theme.line, "domainColor": theme.line, "tickColor": theme.line, "titleFontWeight": "normal"},
        "legend": {
            "labelColor": theme.ink,
            "labelFontSize": 12,
            "symbolSize": 120,
            "symbolStrokeWidth": 3,
            "rowPadding": 4,
            "columnPadding": 14,
        },
    }
