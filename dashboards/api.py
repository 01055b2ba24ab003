"""The JSON and CSV twins of the pages under /api/v1: the same query strings, the same rows.

Fields and parameters are added, never renamed or taken away. Every body says when it was made, how far the data reaches
and whether it is demo data; what is unknown is null.
"""

from dataclasses import fields

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from dashboards.described import described
from dashboards.filters import (
    ALERT_RULES_PARAMETERS,
    COMMIT_PARAMETERS,
    LIMIT_PARAMETERS,
    PERIOD_PARAMETERS,
    PULL_PARAMETERS,
    SITES_PARAMETERS,
    alert_rules_query,
    no_parameters,
    row_limit,
    series_parameters,
    series_query,
)
from dashboards.reading import DataReading
from dashboards.twins import columns_of, csv_answer, json_answer, shown
from dashboards.views import commits, method, organisation, organisations, overview, pulls, runs, sites, vendors
from dashboards.views.alerts import prometheus_alerts, prometheus_rules, view_alerts
from db.pulls import PullSummary

router = APIRouter(prefix="/api/v1", tags=["twins"])


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
    return json_answer(reading, {"rows": rows})


@router.get("/overview", openapi_extra=described(series_parameters()))
def read_overview(reading: DataReading) -> Response:
    """Return the numbers and sentences of the overview."""
    view = overview.view_overview(reading)
    sentences = [view.main_sentence, *view.further_sentences] if view.headline is not None else []
    body = {
        "repository": view.repository,
        "headline": view.headline,
        "sentences": ["".join(fragment.text for fragment in sentence) for sentence in sentences],
        "state": [view.empty_title, *view.empty_lines] if view.headline is None else [],
        "vendors": columns_of(view.vendors, vendors.VENDOR_COLUMNS),
        "latest_decoupling": view.latest_decoupling,
        "latest_coupling": view.latest_coupling,
        "freshness": [state.freshness for state in view.freshness],
        "alerts": view.alerts,
    }
    return json_answer(reading, body, slugs=shown(view.repository))


@router.get("/vendors", openapi_extra=described(series_parameters()))
def read_vendors(reading: DataReading) -> Response:
    """Return every vendor's sites in neutral code now and a year ago."""
    query = series_query(reading.parameters, reading.vocabulary)
    rows = columns_of(vendors.vendor_rows(reading, query), vendors.VENDOR_COLUMNS)
    return json_answer(reading, {"repository": query.repository, "rows": rows}, slugs=shown(query.repository))


@router.get("/vendors.csv", openapi_extra=described(series_parameters()))
def read_vendorscsv_answer(reading: DataReading) -> Response:
    """Return the same rows."""
    query = series_query(reading.parameters, reading.vocabulary)
    return csv_answer(vendors.VENDOR_COLUMNS, columns_of(vendors.vendor_rows(reading, query), vendors.VENDOR_COLUMNS))


@router.get("/sites", openapi_extra=described(SITES_PARAMETERS))
def read_sites(reading: DataReading) -> Response:
    """Return a part of the list of sites that stand at the last commit read; follow `next_url` for the rest."""
    view = sites.list_sites(reading, reading.path)
    repository = view.query.series.repository
    body = {"repository": repository, "commit": view.head, "total": view.total, "rows": view.rows}
    return json_answer(reading, body | {"next_url": view.next_address}, slugs=shown(repository))


@router.get("/sites.csv", openapi_extra=described(SITES_PARAMETERS))
def read_sitescsv_answer(reading: DataReading) -> Response:
    """Return the same rows; the Link header leads to the rest."""
    view = sites.list_sites(reading, reading.path)
    return csv_answer(sites.COLUMNS, columns_of(view.rows, sites.COLUMNS), view.next_address)


@router.get("/areas", openapi_extra=described(series_parameters()))
def read_areas(reading: DataReading) -> Response:
    """Return coupling, adoption and neutrality by area."""
    query = series_query(reading.parameters, reading.vocabulary)
    rows = columns_of(vendors.area_rows(reading, query), vendors.AREA_COLUMNS)
    return json_answer(reading, {"repository": query.repository, "rows": rows}, slugs=shown(query.repository))


@router.get("/areas.csv", openapi_extra=described(series_parameters()))
def read_areascsv_answer(reading: DataReading) -> Response:
    """Return the same rows; vendors stand as name:sites."""
    query = series_query(reading.parameters, reading.vocabulary)
    rows = columns_of(vendors.area_rows(reading, query), vendors.AREA_COLUMNS)
    return csv_answer(vendors.AREA_COLUMNS, rows)


@router.get("/ecosystem")
def read_ecosystem(reading: DataReading) -> Response:
    """Return the repositories side by side."""
    no_parameters(reading.parameters)
    return json_answer(reading, {"rows": columns_of(vendors.repository_rows(reading), vendors.REPOSITORY_COLUMNS)})


@router.get("/ecosystem.csv")
def read_ecosystemcsv_answer(reading: DataReading) -> Response:
    """Return the same rows."""
    no_parameters(reading.parameters)
    rows = columns_of(vendors.repository_rows(reading), vendors.REPOSITORY_COLUMNS)
    return csv_answer(vendors.REPOSITORY_COLUMNS, rows)


@router.get("/organisations", openapi_extra=described(PERIOD_PARAMETERS))
def read_organisations(reading: DataReading) -> Response:
    """Return who removed and who added sites, and how pull requests were received, by the author's organisation."""
    view = organisations.view_organisations(reading)
    body = {
        "rows": [
            {**organisations.as_columns(row), "mechanisms": row.mechanisms, "reception": row.reception}
            for row in view.rows
        ],
        "unknown_share": view.unknown_share,
        "pulls_unknown_share": view.pulls_unknown_share,
        "total": columns_of([view.total], organisations.TOTAL_COLUMNS)[0],
    }
    return json_answer(reading, body, slugs=shown(view.query.repository))


@router.get("/organisations.csv", openapi_extra=described(PERIOD_PARAMETERS))
def read_organisationscsv_answer(reading: DataReading) -> Response:
    """Return the same rows."""
    rows = organisations.view_organisations(reading).rows
    return csv_answer(organisations.COLUMNS, [organisations.as_columns(row) for row in rows])


@router.get("/organisations/{name}.csv", openapi_extra=described(PERIOD_PARAMETERS))
def read_organisationcsv_answer(reading: DataReading, name: str) -> Response:
    """Return the reception of its pull requests by mechanism, beside everybody else's."""
    rows = organisation.reception_rows(organisation.view_organisation(reading, name))
    return csv_answer(organisation.RECEPTION_COLUMNS, rows)


@router.get("/organisations/{name}", openapi_extra=described(PERIOD_PARAMETERS))
def read_organisation(reading: DataReading, name: str) -> Response:
    """Return one organisation: its commits, its pull requests, and their reception against everybody else's."""
    view = organisation.view_organisation(reading, name)
    return json_answer(reading, {"organisation": view}, slugs=shown(view.query.repository))


@router.get("/commits", openapi_extra=described(COMMIT_PARAMETERS))
def read_commits(reading: DataReading) -> Response:
    """Return a part of the list of commits, newest first; follow `next_url` for the rest."""
    view = commits.list_commits(reading, reading.path)
    body = {"rows": view.rows, "next_url": view.next_address}
    return json_answer(reading, body, slugs=shown(view.query.wanted.repository))


@router.get("/commits.csv", openapi_extra=described(COMMIT_PARAMETERS))
def read_commitscsv_answer(reading: DataReading) -> Response:
    """Return the same rows; the Link header leads to the rest."""
    view = commits.list_commits(reading, reading.path)
    return csv_answer(commits.COLUMNS, columns_of(view.rows, commits.COLUMNS), view.next_address)


@router.get("/commits/{owner}/{name}/{sha}")
def read_commit(reading: DataReading, owner: str, name: str, sha: str) -> Response:
    """Return one commit with all its entries, why each site is judged so, links and what was not read of it."""
    no_parameters(reading.parameters)
    detail = commits.read_detail(reading, f"{owner}/{name}", sha)
    body = {"commit": commits.commit_as_json(reading, detail)}
    return json_answer(reading, body, slugs=shown(detail.summary.repository))


@router.get("/pulls", openapi_extra=described(PULL_PARAMETERS))
def read_pulls(reading: DataReading) -> Response:
    """Return a part of the list of pull requests, newest first; follow `next_url` for the rest."""
    view = pulls.list_pulls(reading, reading.path)
    rows = columns_of(view.rows, [*(field.name for field in fields(PullSummary)), "hours_to_landing"])
    body = {"rows": rows, "counts": view.counts, "next_url": view.next_address}
    return json_answer(reading, body, slugs=shown(view.query.wanted.repository))


@router.get("/pulls.csv", openapi_extra=described(PULL_PARAMETERS))
def read_pullscsv_answer(reading: DataReading) -> Response:
    """Return the same rows; the Link header leads to the rest."""
    view = pulls.list_pulls(reading, reading.path)
    return csv_answer(pulls.COLUMNS, columns_of(view.rows, pulls.COLUMNS), view.next_address)


@router.get("/pulls/{owner}/{name}/{number}")
def read_pull(reading: DataReading, owner: str, name: str, number: int) -> Response:
    """Return one pull request with its reviews and the commits that landed or reverted it."""
    no_parameters(reading.parameters)
    view = pulls.view_pull(reading, f"{owner}/{name}", number)
    return json_answer(reading, {"pull": view}, slugs=shown(view.repository))


@router.get("/runs", openapi_extra=described(LIMIT_PARAMETERS))
def read_runs(reading: DataReading) -> Response:
    """Return the latest runs, the state of each job, audits, dead letters, and what was skipped by reason."""
    view = runs.view_runs(reading, row_limit(reading.parameters))
    body = {
        "rows": view.runs,
        "jobs": [state.freshness for state in view.states],
        "audits": view.audits,
        "dead_letters": view.dead_letters,
        "coverage": view.coverage,
        "pull_coverage": view.pull_coverage,
    }
    return json_answer(reading, body)


@router.get("/runs.csv", openapi_extra=described(LIMIT_PARAMETERS))
def read_runscsv_answer(reading: DataReading) -> Response:
    """Return the latest runs."""
    view = runs.view_runs(reading, row_limit(reading.parameters))
    return csv_answer(runs.RUN_COLUMNS, columns_of(view.runs, runs.RUN_COLUMNS))


@router.get("/method")
def read_method(reading: DataReading) -> Response:
    """Return the words and rules by which everything is counted and judged."""
    no_parameters(reading.parameters)
    return json_answer(reading, method.words_and_rules(reading.dashboard.ruleset))


@router.get("/alerts", tags=["polling"])
def read_alerts(reading: DataReading) -> Response:
    """Return the active alerts in the shape of Prometheus's HTTP API."""
    no_parameters(reading.parameters)
    view = view_alerts(reading, runs.evaluated_at(reading))
    return JSONResponse({"status": "success", "data": prometheus_alerts(view)})


@router.get("/rules", tags=["polling"], openapi_extra=described(ALERT_RULES_PARAMETERS))
def read_rules(reading: DataReading) -> Response:
    """Return the alert rules in the shape of Prometheus's HTTP API."""
    are_wanted, with_alerts = alert_rules_query(reading.parameters)
    view = view_alerts(reading, runs.evaluated_at(reading))
    data = prometheus_rules(view, with_alerts=with_alerts) if are_wanted else {"groups": []}
    return JSONResponse({"status": "success", "data": data})
