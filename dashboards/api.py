"""The JSON and CSV twins of the pages under /api/v1: the same query strings, the same rows.

Fields and parameters are added, never renamed or taken away. Every body says when it was made, how far the data reaches
and whether it is demo data; what is unknown is null.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from dashboards.filters import SeriesQuery, no_parameters, row_limit, series_query
from dashboards.plain import csv_text, plain, utc_text
from dashboards.reading import DataReading, Reading
from dashboards.views import commits, method, organisations, overview, pulls, runs, series, vendors
from dashboards.views.alerts import prometheus_alerts, prometheus_rules, view_alerts
from db.pulls import PullSummary
from tracker.rollup import FlowSeries, StockSeries

router = APIRouter(prefix="/api/v1", tags=["twins"])


def _json(reading: Reading, body: Mapping[str, object], *, shown: Sequence[str] = ()) -> JSONResponse:
    coverage = [row for row in runs.coverage_of(reading) if not shown or row.repository in shown]
    through = [row.last_at for row in coverage if row.last_at is not None]
    head = {
        "generated_at": utc_text(reading.now),
        "data_through": utc_text(max(through)) if through else None,
        "demo": reading.is_demo(*shown),
        "ruleset": reading.dashboard.ruleset.digest,
    }
    return JSONResponse(head | {key: plain(value) for key, value in body.items()})


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]], next_address: str | None = None) -> Response:
    headers = {"link": f'<{next_address}>; rel="next"'} if next_address is not None else {}
    return Response(csv_text(columns, rows), media_type="text/csv; charset=utf-8", headers=headers)


def _columns(rows: Iterable[object], columns: Sequence[str]) -> list[dict[str, object]]:
    return [{column: getattr(row, column) for column in columns} for row in rows]


def _shown(repository: str | None) -> tuple[str, ...]:
    return (repository,) if repository else ()


@router.get("/repositories")
def read_repositories(reading: DataReading) -> Response:
    """Return the repositories under watch with what was read of them, and how each job is doing."""
    no_parameters(reading.parameters)
    states = runs.job_states(reading)
    rows = [
        {"slug": repository.slug, "demo": repository.demo}
        | {
            "coverage": next((row for row in runs.coverage_of(reading) if row.repository == repository.slug), None),
            "jobs": [state.freshness for state in states if state.repository == repository.slug],
        }
        for repository in reading.repositories
    ]
    return _json(reading, {"rows": rows})


@router.get("/overview")
def read_overview(reading: DataReading) -> Response:
    """Return the numbers and sentences of the overview."""
    view = overview.view_overview(reading)
    sentences = [view.main_sentence, *view.further_sentences] if view.headline is not None else []
    body = {
        "repository": view.repository,
        "headline": view.headline,
        "sentences": ["".join(fragment.text for fragment in sentence) for sentence in sentences],
        "state": [view.empty_title, *view.empty_lines] if view.headline is None else [],
        "vendors": _columns(view.vendors, vendors.VENDOR_COLUMNS),
        "latest_decoupling": view.latest_decoupling,
        "latest_coupling": view.latest_coupling,
        "freshness": [state.freshness for state in view.freshness],
        "alerts": view.alerts,
    }
    return _json(reading, body, shown=_shown(view.repository))


def _series_body(query: SeriesQuery, found: StockSeries | FlowSeries | series.ShareSeries) -> dict[str, object]:
    body = {field.name: getattr(found, field.name) for field in fields(found) if field.name != "data_through"}
    return {"repository": query.repository, "territory": query.territory} | body


def _weekly(weeks: Sequence[object], numbers: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    return [
        {"week": week} | {key: values[index] for key, values in numbers.items()} for index, week in enumerate(weeks)
    ]


@router.get("/stock")
def read_stock(reading: DataReading) -> Response:
    """Return the weekly stock of sites by vendor (or `by`): openings, what came and went, closings."""
    query = series_query(reading.parameters, reading.vocabulary, by=series.STOCK_BY)
    return _json(reading, _series_body(query, series.stock_of(reading, query)), shown=_shown(query.repository))


@router.get("/stock.csv")
def read_stock_csv(reading: DataReading) -> Response:
    """Return the weekly closings, one column for each vendor (or `by`)."""
    found = series.stock_of(reading, series_query(reading.parameters, reading.vocabulary, by=series.STOCK_BY))
    return _csv(["week", *found.closing], _weekly(found.weeks, found.closing))


@router.get("/adoption")
def read_adoption(reading: DataReading) -> Response:
    """Return the weekly stock of neutral constructs by area (or `by`)."""
    query = series_query(reading.parameters, reading.vocabulary, by=series.ADOPTION_BY)
    return _json(reading, _series_body(query, series.adoption_of(reading, query)), shown=_shown(query.repository))


@router.get("/adoption.csv")
def read_adoption_csv(reading: DataReading) -> Response:
    """Return the weekly closings of neutral constructs."""
    found = series.adoption_of(reading, series_query(reading.parameters, reading.vocabulary, by=series.ADOPTION_BY))
    return _csv(["week", *found.closing], _weekly(found.weeks, found.closing))


@router.get("/flow")
def read_flow(reading: DataReading) -> Response:
    """Return what came and went weekly by mechanism (or `by`)."""
    query = series_query(reading.parameters, reading.vocabulary, by=series.FLOW_BY)
    return _json(reading, _series_body(query, series.flow_of(reading, query)), shown=_shown(query.repository))


@router.get("/flow.csv")
def read_flow_csv(reading: DataReading) -> Response:
    """Return what came and went weekly, two columns for each mechanism (or `by`)."""
    found = series.flow_of(reading, series_query(reading.parameters, reading.vocabulary, by=series.FLOW_BY))
    numbers = {f"{key} added": values for key, values in found.added.items()}
    numbers |= {f"{key} removed": values for key, values in found.removed.items()}
    return _csv(["week", *numbers], _weekly(found.weeks, numbers))


@router.get("/neutrality")
def read_neutrality(reading: DataReading) -> Response:
    """Return the weekly share of neutral constructs among neutral constructs and sites, by area."""
    query = series_query(reading.parameters, reading.vocabulary)
    return _json(reading, _series_body(query, series.neutrality_of(reading, query)), shown=_shown(query.repository))


@router.get("/neutrality.csv")
def read_neutrality_csv(reading: DataReading) -> Response:
    """Return the weekly shares by area; empty: there was neither."""
    found = series.neutrality_of(reading, series_query(reading.parameters, reading.vocabulary))
    return _csv(["week", *found.shares], _weekly(found.weeks, found.shares))


@router.get("/vendors")
def read_vendors(reading: DataReading) -> Response:
    """Return every vendor's sites in neutral code now and a year ago."""
    query = series_query(reading.parameters, reading.vocabulary)
    rows = _columns(vendors.vendor_rows(reading, query), vendors.VENDOR_COLUMNS)
    return _json(reading, {"repository": query.repository, "rows": rows}, shown=_shown(query.repository))


@router.get("/vendors.csv")
def read_vendors_csv(reading: DataReading) -> Response:
    """Return the same rows."""
    query = series_query(reading.parameters, reading.vocabulary)
    return _csv(vendors.VENDOR_COLUMNS, _columns(vendors.vendor_rows(reading, query), vendors.VENDOR_COLUMNS))


@router.get("/areas")
def read_areas(reading: DataReading) -> Response:
    """Return coupling, adoption and neutrality by area."""
    query = series_query(reading.parameters, reading.vocabulary)
    rows = _columns(vendors.area_rows(reading, query), vendors.AREA_COLUMNS)
    return _json(reading, {"repository": query.repository, "rows": rows}, shown=_shown(query.repository))


@router.get("/areas.csv")
def read_areas_csv(reading: DataReading) -> Response:
    """Return the same rows; vendors stand as name:sites."""
    query = series_query(reading.parameters, reading.vocabulary)
    rows = _columns(vendors.area_rows(reading, query), vendors.AREA_COLUMNS)
    return _csv(vendors.AREA_COLUMNS, rows)


@router.get("/ecosystem")
def read_ecosystem(reading: DataReading) -> Response:
    """Return the repositories side by side."""
    no_parameters(reading.parameters)
    return _json(reading, {"rows": _columns(vendors.repository_rows(reading), vendors.REPOSITORY_COLUMNS)})


@router.get("/ecosystem.csv")
def read_ecosystem_csv(reading: DataReading) -> Response:
    """Return the same rows."""
    no_parameters(reading.parameters)
    rows = _columns(vendors.repository_rows(reading), vendors.REPOSITORY_COLUMNS)
    return _csv(vendors.REPOSITORY_COLUMNS, rows)


@router.get("/organisations")
def read_organisations(reading: DataReading) -> Response:
    """Return who removed and who added sites, by the organisation of the author's mail domain."""
    view = organisations.view_organisations(reading)
    body = {"rows": view.rows, "unknown_share": view.unknown_share}
    return _json(reading, body, shown=_shown(view.query.repository))


@router.get("/organisations.csv")
def read_organisations_csv(reading: DataReading) -> Response:
    """Return the same rows."""
    rows = organisations.view_organisations(reading).rows
    return _csv(organisations.COLUMNS, _columns(rows, organisations.COLUMNS))


@router.get("/commits")
def read_commits(reading: DataReading) -> Response:
    """Return a part of the list of commits, newest first; follow `next_url` for the rest."""
    view = commits.list_commits(reading, reading.path)
    body = {"rows": view.rows, "next_url": view.next_address}
    return _json(reading, body, shown=_shown(view.query.wanted.repository))


@router.get("/commits.csv")
def read_commits_csv(reading: DataReading) -> Response:
    """Return the same rows; the Link header leads to the rest."""
    view = commits.list_commits(reading, reading.path)
    return _csv(commits.COLUMNS, _columns(view.rows, commits.COLUMNS), view.next_address)


@router.get("/commits/{owner}/{name}/{sha}")
def read_commit(reading: DataReading, owner: str, name: str, sha: str) -> Response:
    """Return one commit with all its entries, links and what was not read of it."""
    no_parameters(reading.parameters)
    detail = commits.read_detail(reading, f"{owner}/{name}", sha)
    return _json(reading, {"commit": detail}, shown=_shown(detail.summary.repository))


@router.get("/pulls")
def read_pulls(reading: DataReading) -> Response:
    """Return a part of the list of pull requests, newest first; follow `next_url` for the rest."""
    view = pulls.list_pulls(reading, reading.path)
    rows = _columns(view.rows, [*(field.name for field in fields(PullSummary)), "hours_to_landing"])
    body = {"rows": rows, "counts": view.counts, "next_url": view.next_address}
    return _json(reading, body, shown=_shown(view.query.wanted.repository))


@router.get("/pulls.csv")
def read_pulls_csv(reading: DataReading) -> Response:
    """Return the same rows; the Link header leads to the rest."""
    view = pulls.list_pulls(reading, reading.path)
    return _csv(pulls.COLUMNS, _columns(view.rows, pulls.COLUMNS), view.next_address)


@router.get("/pulls/{owner}/{name}/{number}")
def read_pull(reading: DataReading, owner: str, name: str, number: int) -> Response:
    """Return one pull request with its reviews and the commits that landed or reverted it."""
    no_parameters(reading.parameters)
    view = pulls.view_pull(reading, f"{owner}/{name}", number)
    return _json(reading, {"pull": view}, shown=_shown(view.repository))


@router.get("/runs")
def read_runs(reading: DataReading) -> Response:
    """Return the latest runs, the state of each job, audits, dead letters, and what was skipped by reason."""
    view = runs.view_runs(reading, row_limit(reading.parameters))
    body = {
        "rows": view.runs,
        "jobs": [state.freshness for state in view.states],
        "audits": view.audits,
        "dead_letters": view.dead_letters,
        "coverage": view.coverage,
    }
    return _json(reading, body)


@router.get("/runs.csv")
def read_runs_csv(reading: DataReading) -> Response:
    """Return the latest runs."""
    view = runs.view_runs(reading, row_limit(reading.parameters))
    return _csv(runs.RUN_COLUMNS, _columns(view.runs, runs.RUN_COLUMNS))


@router.get("/method")
def read_method(reading: DataReading) -> Response:
    """Return the words and rules by which everything is counted and judged."""
    no_parameters(reading.parameters)
    return _json(reading, method.words_and_rules(reading.dashboard.ruleset))


@router.get("/alerts", tags=["polling"])
def read_alerts(reading: DataReading) -> Response:
    """Return the active alerts in the shape of Prometheus's HTTP API."""
    no_parameters(reading.parameters)
    view = view_alerts(reading, runs.evaluated_at(reading))
    return JSONResponse({"status": "success", "data": prometheus_alerts(view)})


@router.get("/rules", tags=["polling"])
def read_rules(reading: DataReading) -> Response:
    """Return the alert rules in the shape of Prometheus's HTTP API."""
    view = view_alerts(reading, runs.evaluated_at(reading))
    return JSONResponse({"status": "success", "data": prometheus_rules(view)})
