from pathlib import Path

import pytest

from dashboards.charts import SIZES, Lines, Spec, lines_spec
from dashboards.drawings import ChartLibrary, Drawings
from dashboards.themes import LIGHT
from tests.builders import A_DAY


def a_spec(value: int = 1) -> Spec:
    lines = Lines(weeks=(A_DAY.date(),), values={"a": (value,)}, titles={}, colours={"a": "#000000"}, unit="sites")
    return lines_spec(lines, theme=LIGHT, size=SIZES["narrow"])


def test_a_chart_is_drawn_once() -> None:
    drawings = Drawings()
    assert drawings.svg(a_spec()) is drawings.svg(a_spec())
    assert drawings.svg(a_spec(2)) != drawings.svg(a_spec())


def test_a_png_is_a_png() -> None:
    assert Drawings().png(a_spec()).startswith(b"\x89PNG")


def test_the_least_recently_used_drawing_goes_first() -> None:
    size = len(Drawings().svg(a_spec()))
    drawings = Drawings(max_bytes=int(size * 2.5))
    kept, dropped = drawings.svg(a_spec(1)), drawings.svg(a_spec(2))
    drawings.svg(a_spec(1))
    drawings.svg(a_spec(3))
    assert drawings.svg(a_spec(1)) is kept
    assert drawings.svg(a_spec(2)) is not dropped


def test_the_library_is_read_from_the_folder_where_it_was_kept(tmp_path: Path) -> None:
    library = ChartLibrary(tmp_path)
    (tmp_path / f"vega-{library.name}.js").write_bytes(b"kept")
    assert library.script() == b"kept"


@pytest.mark.slow
def test_the_library_is_made_once_and_kept(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "there yet"
    script = ChartLibrary(folder).script()
    assert b"vegaEmbed" in script
    assert len(script) > 500_000
    assert [path.read_bytes() for path in folder.iterdir()] == [script]
    assert ChartLibrary(folder).script() == script


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_costs_time_and_nothing_else(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    assert b"vegaEmbed" in ChartLibrary(in_the_way / "cache").script()
