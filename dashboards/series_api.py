"""The weekly series under /api/v1: stock, adoption, flow and neutrality, as JSON and, week by week, as CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import fields

from fastapi import APIRouter
from fastapi.responses import Response

from dashboards.described import described
from dashboards.filters import SeriesQuery, series_parameters, series_query
from dashboards.reading import DataReading
from dashboards.twins import csv_answer, json_answer, shown
from dashboards.views import series
from tracker.rollup import FlowSeries, StockSeries

router = APIRouter(prefix="/api/v1", tags=["series"])


def _series_body(query: SeriesQuery, found: StockSeries | FlowSeries | series.ShareSeries) -> dict[str, object]:
    body = {field.name: getattr(found, field.name) for field in fields(found) if field.name != "data_through"}
    return {"repository": query.repository, "territory": query.territory} | body


def _weekly(weeks: Sequence[object], numbers: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    return [
        {"week": week} | {key: values[index] for key, values in numbers.items()} for index, week in enumerate(weeks)
    ]


@router.get("/stock", openapi_extra=described(series_parameters(series.STOCK_BY)))
def read_stock(reading: DataReading) -> Response:
    """Return the weekly stock of sites by vendor (or `by`): openings, what came and went, closings."""
    query = series_query(reading.parameters, reading.vocabulary, by=series.STOCK_BY)
    return json_answer(reading, _series_body(query, series.stock_of(reading, query)), slugs=shown(query.repository))


@router.get("/stock.csv", openapi_extra=described(series_parameters(series.STOCK_BY)))
def read_stockcsv_answer(reading: DataReading) -> Response:
    """Return the weekly closings, one column for each vendor (or `by`)."""
    found = series.stock_of(reading, series_query(reading.parameters, reading.vocabulary, by=series.STOCK_BY))
    return csv_answer(["week", *found.closing], _weekly(found.weeks, found.closing))


@router.get("/adoption", openapi_extra=described(series_parameters(series.ADOPTION_BY)))
def read_adoption(reading: DataReading) -> Response:
    """Return the weekly stock of neutral constructs by area (or `by`)."""
    query = series_query(reading.parameters, reading.vocabulary, by=series.ADOPTION_BY)
    return json_answer(reading, _series_body(query, series.adoption_of(reading, query)), slugs=shown(query.repository))


@router.get("/adoption.csv", openapi_extra=described(series_parameters(series.ADOPTION_BY)))
def read_adoptioncsv_answer(reading: DataReading) -> Response:
    """Return the weekly closings of neutral constructs."""
    found = series.adoption_of(reading, series_query(reading.parameters, reading.vocabulary, by=series.ADOPTION_BY))
    return csv_answer(["week", *found.closing], _weekly(found.weeks, found.closing))


@router.get("/flow", openapi_extra=described(series_parameters(series.FLOW_BY)))
def read_flow(reading: DataReading) -> Response:
    """Return what came and went weekly by mechanism (or `by`)."""
    query = series_query(reading.parameters, reading.vocabulary, by=series.FLOW_BY)
    return json_answer(reading, _series_body(query, series.flow_of(reading, query)), slugs=shown(query.repository))


@router.get("/flow.csv", openapi_extra=described(series_parameters(series.FLOW_BY)))
def read_flowcsv_answer(reading: DataReading) -> Response:
    """Return what came and went weekly, two columns for each mechanism (or `by`)."""
    found = series.flow_of(reading, series_query(reading.parameters, reading.vocabulary, by=series.FLOW_BY))
    numbers = {f"{key} added": values for key, values in found.added.items()}
    numbers |= {f"{key} removed": values for key, values in found.removed.items()}
    return csv_answer(["week", *numbers], _weekly(found.weeks, numbers))


@router.get("/neutrality", openapi_extra=described(series_parameters()))
def read_neutrality(reading: DataReading) -> Response:
    """Return the weekly share of neutral constructs among neutral constructs and sites, by area."""
    query = series_query(reading.parameters, reading.vocabulary)
    return json_answer(
        reading, _series_body(query, series.neutrality_of(reading, query)), slugs=shown(query.repository)
    )


@router.get("/neutrality.csv", openapi_extra=described(series_parameters()))
def read_neutralitycsv_answer(reading: DataReading) -> Response:
    """Return the weekly shares by area; empty: there was neither."""
    found = series.neutrality_of(reading, series_query(reading.parameters, reading.vocabulary))
    return csv_answer(["week", *found.shares], _weekly(found.weeks, found.shares))
