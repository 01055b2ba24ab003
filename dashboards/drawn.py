"""Addresses of drawings: charts as SVG, PNG or interactive specs, the chart library, and our own static files."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from dashboards.charts import SIZES
from dashboards.filters import SeriesQuery, drawing_query
from dashboards.problems import NothingThere
from dashboards.reading import DataReading, Reading, dashboard_of
from dashboards.rendering import STATIC_FILES, digest, static_bytes
from dashboards.themes import THEMES
from dashboards.views.figures import BREAKDOWNS, Figure, figure, with_releases

router = APIRouter(include_in_schema=False)

_FOREVER = "public, max-age=31536000, immutable"
_ONE_TIME = "no-cache"
_EMBEDDABLE = {"cross-origin-resource-policy": "cross-origin"}
"""A drawing may stand on a page of another host: a wiki, a mail."""


def _figure(reading: Reading, name: str) -> tuple[Figure, SeriesQuery, str, str]:
    if name not in BREAKDOWNS:
        raise NothingThere(f"there is no chart {name!r}; there are {', '.join(sorted(BREAKDOWNS))}")
    query, theme, size = drawing_query(
        reading.parameters, reading.vocabulary, by=BREAKDOWNS[name], themes=list(THEMES), sizes=list(SIZES)
    )
    found = figure(reading, name, query, THEMES[theme])
    return with_releases(reading, found, query), query, theme, size


@router.get("/charts/{name}.svg")
def draw_svg(reading: DataReading, name: str) -> Response:
    """Return a chart as an SVG document that may be embedded anywhere."""
    found, _, theme, size = _figure(reading, name)
    svg = reading.dashboard.drawings.svg(found.spec(THEMES[theme], SIZES[size]))
    return Response(svg, media_type="image/svg+xml", headers=_EMBEDDABLE)


@router.get("/charts/{name}.png")
def draw_png(reading: DataReading, name: str) -> Response:
    """Return a chart as a PNG on its own paper, for mails and slides."""
    found, _, theme, size = _figure(reading, name)
    spec = found.spec(THEMES[theme], SIZES[size]) | {"background": THEMES[theme].paper}
    return Response(reading.dashboard.drawings.png(spec), media_type="image/png", headers=_EMBEDDABLE)


@router.get("/charts/{name}.json")
def spec_json(reading: DataReading, name: str) -> Response:
    """Return a chart's Vega-Lite spec with the marks that answer the pointer."""
    found, _, theme, size = _figure(reading, name)
    return JSONResponse(found.spec(THEMES[theme], SIZES[size], interactive=True))


@router.get("/static/vega-{version}.js")
def chart_library(request: Request, version: str) -> Response:
    """Return the chart library; its name changes with its version."""
    library = dashboard_of(request).library
    if version != library.name:
        raise NothingThere("this version of the chart library is not served any more; load the page anew")
    return _static(library.script(), "text/javascript; charset=utf-8", is_current=True)


@router.get("/static/{name}")
def static_file(request: Request, name: str) -> Response:
    """Return one of our own files."""
    if name not in STATIC_FILES:
        raise NothingThere(f"there is no file {name!r} here")
    is_current = request.query_params.get("v") == digest(name)
    return _static(static_bytes(name), STATIC_FILES[name], is_current=is_current)


@router.get("/favicon.ico")
def favicon() -> Response:
    """Return the icon to those who do not read the page's own link to it."""
    return _static(static_bytes("icon.svg"), STATIC_FILES["icon.svg"], is_current=False)


def _static(content: bytes, media_type: str, *, is_current: bool) -> Response:
    """An address that names the content's digest may be kept for ever."""
    return Response(content, media_type=media_type, headers={"cache-control": _FOREVER if is_current else _ONE_TIME})
