"""What the series show, under /api/v1: trends with their intervals, biggest movers, and whose commits decouple."""

from fastapi import APIRouter
from fastapi.responses import Response

from dashboards.described import described
from dashboards.filters import (
    MOVERS_PARAMETERS,
    SHARES_PARAMETERS,
    movers_query,
    series_parameters,
    series_query,
    shares_query,
)
from dashboards.reading import DataReading
from dashboards.twins import csv_answer, json_answer, shown
from dashboards.views import trends

router = APIRouter(prefix="/api/v1", tags=["series"])


@router.get("/trend", openapi_extra=described(series_parameters()))
def read_trend(reading: DataReading) -> Response:
    """Return pace, turns and projection of coupling and of adoption, each with its n and its interval."""
    query = series_query(reading.parameters, reading.vocabulary)
    found = trends.trends_of(reading, query)
    body = {"repository": query.repository, "territory": query.territory}
    return json_answer(
        reading, body | {"coupling": found.coupling, "adoption": found.adoption}, slugs=shown(query.repository)
    )


@router.get("/trend.csv", openapi_extra=described(series_parameters()))
def read_trendcsv_answer(reading: DataReading) -> Response:
    """Return pace and projection, one row for each of the two series."""
    query = series_query(reading.parameters, reading.vocabulary)
    return csv_answer(trends.TREND_COLUMNS, trends.trend_rows(trends.trends_of(reading, query)))


@router.get("/movers", openapi_extra=described(MOVERS_PARAMETERS))
def read_movers(reading: DataReading) -> Response:
    """Return the paths (or `by` symbols, commits) under which most came and went in a period, and the sums of all."""
    query = movers_query(reading.parameters, reading.vocabulary)
    found = trends.movers_of(reading, query)
    rows = trends.move_rows(found)
    body = {
        "repository": query.series.repository,
        "by": query.series.by or "path",
        "n": found.n,
        "added": found.added,
        "removed": found.removed,
        "net": found.net,
        "rows": rows,
    }
    return json_answer(reading, body, slugs=shown(query.series.repository))


@router.get("/movers.csv", openapi_extra=described(MOVERS_PARAMETERS))
def read_moverscsv_answer(reading: DataReading) -> Response:
    """Return the same rows: rises, then falls."""
    query = movers_query(reading.parameters, reading.vocabulary)
    return csv_answer(trends.MOVE_COLUMNS, trends.move_rows(trends.movers_of(reading, query)))


@router.get("/decouplers", openapi_extra=described(SHARES_PARAMETERS))
def read_decouplers(reading: DataReading) -> Response:
    """Return whose commits decoupled, by year; a share lies between none and all of what is unknown."""
    query = shares_query(reading.parameters, reading.vocabulary)
    found = trends.decoupling_shares_of(reading, query)
    body = {"repository": query.repository, "commits": found.commits, "sites": found.sites}
    return json_answer(reading, body, slugs=shown(query.repository))


@router.get("/decouplers.csv", openapi_extra=described(SHARES_PARAMETERS))
def read_decouplerscsv_answer(reading: DataReading) -> Response:
    """Return one row for each series, year and organisation."""
    query = shares_query(reading.parameters, reading.vocabulary)
    return csv_answer(trends.SHARE_COLUMNS, trends.share_rows(trends.decoupling_shares_of(reading, query)))
