"""The one query for every series under /api/v1/series: any breakdown and filter, by week or by release."""

from fastapi import APIRouter
from fastapi.responses import Response

from dashboards.described import described
from dashboards.measures_query import MEASURES_PARAMETERS, measures_query
from dashboards.reading import DataReading
from dashboards.twins import csv_answer, json_answer
from dashboards.views.measures import UNITS, measures_of

router = APIRouter(prefix="/api/v1", tags=["series"])


@router.get("/series", openapi_extra=described(MEASURES_PARAMETERS))
def read_series(reading: DataReading) -> Response:
    """Return stock, flow, adoption, shares and density week by week, or release by release, `by` any things."""
    query = measures_query(reading.parameters, reading.vocabulary)
    found = measures_of(reading, query)
    body = {
        "repositories": query.wanted.repositories,
        "by": found.by,
        "units": UNITS,
        "unavailable": found.unavailable,
        "gaps": found.gaps,
        "n": len(found.rows),
        "rows": found.rows,
    }
    return json_answer(reading, body, slugs=query.wanted.repositories)


@router.get("/series.csv", openapi_extra=described(MEASURES_PARAMETERS))
def read_seriescsv_answer(reading: DataReading) -> Response:
    """Return the same rows; empty: unknown, see the column `gap`, or nothing that such a series has."""
    found = measures_of(reading, measures_query(reading.parameters, reading.vocabulary))
    return csv_answer(found.columns, found.rows)
