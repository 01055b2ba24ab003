import json
import re
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

import dashboards
from dashboards.charts import SIZES, Bars, Lines, Size, Spec, bars_spec, lines_spec
from dashboards.drawings import Drawings
from dashboards.themes import DARK, LIGHT, THEMES, Theme
from tracker.ruleset import Ruleset

WEEKS = (date(2020, 1, 6), date(2020, 1, 13), date(2020, 1, 20))
LINES = Lines(
    weeks=WEEKS,
    values={"nvidia": (5, None, 7), "amd": (1, 1, 1)},
    titles={"nvidia": "NVIDIA", "amd": "AMD"},
    colours=LIGHT.vendors,
    unit="sites",
)
BARS = Bars(
    starts=(date(2020, 1, 1), date(2020, 2, 1)),
    period="month",
    inward={"introduced": (3, 0)},
    outward={"generalised": (1, 2), "retired": (0, 4)},
    colours=LIGHT.mechanisms,
    unit="sites a month",
)
WIDE = SIZES["wide"]


def test_a_line_chart_holds_one_row_a_week_and_a_gap_where_nothing_was_read() -> None:
    spec = lines_spec(LINES, theme=LIGHT, size=WIDE)
    assert spec["data"]["values"] == [
        {"start": "2020-01-06", "nvidia": 5, "amd": 1},
        {"start": "2020-01-13", "nvidia": None, "amd": 1},
        {"start": "2020-01-20", "nvidia": 7, "amd": 1},
    ]
    colour = spec["layer"][0]["encoding"]["color"]
    assert colour["scale"] == {"domain": ["nvidia", "amd"], "range": ["#5a8f00", "#b3365b"]}


def test_bars_go_down_for_what_went_and_the_net_is_theirs() -> None:
    assert bars_spec(BARS, theme=LIGHT, size=WIDE)["data"]["values"] == [
        {"start": "2020-01-01", "introduced": 3, "generalised": -1, "retired": 0, "net": 2},
        {"start": "2020-02-01", "introduced": 0, "generalised": -2, "retired": -4, "net": -6},
    ]


def test_a_bar_that_towers_over_all_others_is_cut_off_and_its_height_written() -> None:
    towering = replace(BARS, inward={"introduced": (3_000, 5)})
    spec = bars_spec(towering, theme=LIGHT, size=WIDE)
    assert spec["layer"][0]["encoding"]["y"]["scale"] == {"domain": [-1.15 * 6, 1.3 * 6], "nice": False}
    assert spec["layer"][-1]["data"]["values"] == [{"start": "2020-01-01", "height": "3,000 ↑", "top": 1.3 * 6}]


def test_bars_of_like_height_are_not_cut_off() -> None:
    for inward in ((18, 5), (0, 0), (5, 5)):
        spec = bars_spec(replace(BARS, inward={"introduced": inward}), theme=LIGHT, size=WIDE)
        assert len(spec["layer"]) == 3
    empty = replace(BARS, starts=(), inward={"introduced": ()}, outward={})
    assert bars_spec(empty, theme=LIGHT, size=WIDE)["data"]["values"] == []
    alone = replace(BARS, starts=BARS.starts[:1], inward={"introduced": (9,)}, outward={})
    assert len(bars_spec(alone, theme=LIGHT, size=WIDE)["layer"]) == 3


def test_only_a_chart_that_answers_the_pointer_has_marks_for_it() -> None:
    assert "params" not in json.dumps(lines_spec(LINES, theme=LIGHT, size=WIDE))
    interactive = lines_spec(LINES, theme=LIGHT, size=WIDE, interactive=True)
    assert [entry["title"] for entry in interactive["layer"][1]["encoding"]["tooltip"]] == [
        "week from",
        "NVIDIA",
        "AMD",
    ]
    assert "tooltip" not in bars_spec(BARS, theme=LIGHT, size=WIDE)["layer"][0]["encoding"]
    assert "tooltip" in bars_spec(BARS, theme=LIGHT, size=WIDE, interactive=True)["layer"][0]["encoding"]


def test_one_line_needs_no_legend() -> None:
    one = replace(LINES, values={"nvidia": (1, 2, 3)})
    assert lines_spec(one, theme=LIGHT, size=WIDE)["layer"][0]["encoding"]["color"]["legend"] is None


def both(theme: Theme, size: Size) -> list[Spec]:
    lines, bars = replace(LINES, colours=theme.vendors), replace(BARS, colours=theme.mechanisms)
    return [lines_spec(lines, theme=theme, size=size), bars_spec(bars, theme=theme, size=size)]


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_a_drawing_needs_no_style_script_or_other_host(theme: Theme) -> None:
    drawings = Drawings()
    for spec in both(theme, SIZES["narrow"]):
        svg = drawings.svg(spec).decode()
        assert svg.startswith("<svg ")
        assert not re.search(r"style=|<style|<script|<image|href=|url\((?!#)|@import", svg)
        assert set(re.findall(r"https?://[^\"' ]+", svg)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }
        assert f'width="{SIZES["narrow"].width}"' in svg


def test_labels_of_a_short_span_are_weeks_apart_and_never_touch() -> None:
    def axis(weeks: int) -> Spec:
        days = tuple(date(2021, 12, 27) + timedelta(weeks=week) for week in range(weeks))
        lines = replace(LINES, weeks=days, values={"nvidia": tuple(range(weeks))}, marks=())
        found: Spec = lines_spec(lines, theme=LIGHT, size=WIDE)["layer"][-1]["encoding"]["x"]["axis"]
        return found

    assert (axis(5)["tickCount"], axis(5)["labelSeparation"]) == ({"interval": "week", "step": 1}, 10)
    assert axis(26)["tickCount"] == {"interval": "week", "step": 3}
    assert "tickCount" not in axis(60)
    assert axis(200)["tickCount"] == {"interval": "year", "step": 1}


def test_hostile_titles_stay_text_in_a_drawing() -> None:
    titles = {"nvidia": "</text><script>alert(1)</script>", "amd": "'+alert(1)+'"}
    svg = Drawings().svg(lines_spec(replace(LINES, titles=titles), theme=LIGHT, size=WIDE)).decode()
    assert "<script" not in svg


def test_the_style_sheet_and_the_charts_agree_on_colours() -> None:
    sheet = (Path(dashboards.__file__).parent / "static" / "style.css").read_text()
    light, dark = sheet.split("@media (prefers-color-scheme: dark)")[:2]
    for theme, part in ((LIGHT, light), (DARK, dark)):
        expected = dict(theme.mechanisms) | {"neutral": theme.neutral, "nvidia": theme.vendors["nvidia"]}
        expected |= {"ink": theme.ink, "soft": theme.soft, "line": theme.line, "paper": theme.paper}
        found = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", part))
        assert {name: found.get(name) for name in expected} == expected


def test_both_themes_colour_the_same_things() -> None:
    for kind in ("mechanisms", "vendors", "areas"):
        assert getattr(LIGHT, kind).keys() == getattr(DARK, kind).keys()


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_every_vendor_has_a_colour_that_no_other_line_has(theme: Theme, shipped_ruleset: Ruleset) -> None:
    assert {vendor.name for vendor in shipped_ruleset.vendors} <= theme.vendors.keys()
    assert len({*theme.vendors.values(), theme.other}) == len(theme.vendors) + 1


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_lines_and_labels_stand_out_from_their_paper(theme: Theme) -> None:
    for name, colour in {**theme.vendors, **theme.areas, "neutral": theme.neutral}.items():
        assert contrast(colour, theme.paper) >= 3, name
    assert contrast(theme.soft, theme.paper) >= 4.5
    assert contrast(theme.ink, theme.paper) >= 7
