"""The HTML pages: each reads one view and renders one template. What they show is decided in `dashboards.views`."""

from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment

from dashboards.endpoints import endpoints_of
from dashboards.filters import (
    JUDGED_MECHANISMS,
    MOVERS_BY,
    movers_query,
    no_parameters,
    row_limit,
    series_query,
    shares_query,
)
from dashboards.reading import PageReading, Reading
from dashboards.rendering import Page, render
from dashboards.themes import LIGHT
from dashboards.views import method as words
from dashboards.views.alerts import condition_in_words, view_alerts
from dashboards.views.commits import list_commits, view_commit
from dashboards.views.figures import figure
from dashboards.views.organisation import view_organisation
from dashboards.views.organisations import view_organisations
from dashboards.views.overview import view_overview
from dashboards.views.pulls import list_pulls, view_pull
from dashboards.views.runs import evaluated_at, view_runs
from dashboards.views.sites import list_sites
from dashboards.views.trends import decoupling_shares_of, movers_of
from dashboards.views.vendors import area_rows, repository_rows, vendor_rows
from db.commit_pages import UNKNOWN
from tracker.reception import PullState
from tracker.sites import Area, Construct, Territory, Verdict

router = APIRouter(default_response_class=HTMLResponse, include_in_schema=False)


def _render(request: Request, reading: Reading, template: str, page: Page, **facts: object) -> HTMLResponse:
    environment: Environment = request.app.state.templates
    return render(environment, reading, template, page, **facts)


@router.get("/")
def overview(request: Request, reading: PageReading) -> Response:
    """Show the answer, the series and the latest commits of one repository."""
    view = view_overview(reading)
    page = Page(
        title=view.repository or "Overview",
        section="overview",
        data_through=view.headline.data_through if view.headline is not None else None,
        shown=(view.repository,) if view.repository else (),
        fresh_seconds=view.fresh_seconds,
    )
    return _render(request, reading, "overview.html", page, view=view)


@router.get("/vendors")
def vendors(request: Request, reading: PageReading) -> Response:
    """Show every vendor's sites in neutral code."""
    query = series_query(reading.parameters, reading.vocabulary)
    page = Page(title="Vendors", section="vendors", has_csv=True, shown=(query.repository,))
    facts = {"rows": vendor_rows(reading, query), "figure": figure(reading, "stock", query, LIGHT), "series": query}
    return _render(request, reading, "vendors.html", page, **facts)


@router.get("/sites")
def sites(request: Request, reading: PageReading) -> Response:
    """Show the sites that stand at the end of what was read."""
    view = list_sites(reading, reading.path)
    page = Page(title="Sites", section="sites", has_csv=True, shown=(view.query.series.repository,))
    facts = {"areas": list(Area), "constructs": list(Construct), "territories": list(Territory)}
    return _render(request, reading, "sites.html", page, view=view, **facts)


@router.get("/areas")
def areas(request: Request, reading: PageReading) -> Response:
    """Show coupling and adoption by area."""
    query = series_query(reading.parameters, reading.vocabulary)
    page = Page(title="Areas", section="areas", has_csv=True, shown=(query.repository,))
    facts = {
        "rows": area_rows(reading, query),
        "figure": figure(reading, "neutrality", query, LIGHT),
        "series": query,
    }
    return _render(request, reading, "areas.html", page, **facts)


@router.get("/organisations")
def organisations(request: Request, reading: PageReading) -> Response:
    """Show who removed and who added sites."""
    view = view_organisations(reading)
    page = Page(title="Organisations", section="organisations", has_csv=True, shown=_shown(view.query.repository))
    return _render(request, reading, "organisations.html", page, view=view)


@router.get("/organisations/{name}")
def organisation(request: Request, reading: PageReading, name: str) -> Response:
    """Show what bears on one organisation's claim."""
    view = view_organisation(reading, name)
    page = Page(title=view.title, section="organisations", has_csv=True, shown=_shown(view.query.repository))
    return _render(request, reading, "organisation.html", page, view=view)


@router.get("/movers")
def movers(request: Request, reading: PageReading) -> Response:
    """Show the paths, symbols or commits under which most came and went in a period."""
    query = movers_query(reading.parameters, reading.vocabulary)
    page = Page(title="Biggest movers", section="overview", has_csv=True, shown=(query.series.repository,))
    facts = {
        "movers": movers_of(reading, query),
        "by": query.series.by or MOVERS_BY[0],
        "kinds": MOVERS_BY,
        "areas": list(Area),
        "figure": figure(reading, "flow", replace(query.series, by=None), LIGHT),
        "series": query.series,
    }
    return _render(request, reading, "movers.html", page, **facts)


@router.get("/decouplers")
def decouplers(request: Request, reading: PageReading) -> Response:
    """Show whose commits decoupled, year by year, with what is unknown."""
    query = shares_query(reading.parameters, reading.vocabulary)
    page = Page(title="Whose commits decouple", section="organisations", has_csv=True, shown=(query.repository,))
    facts = {
        "shares": decoupling_shares_of(reading, query),
        "figure": figure(reading, "decouplers", query, LIGHT),
        "series": query,
    }
    return _render(request, reading, "decouplers.html", page, **facts)


@router.get("/ecosystem")
def ecosystem(request: Request, reading: PageReading) -> Response:
    """Show the repositories side by side."""
    no_parameters(reading.parameters)
    page = Page(title="Ecosystem", section="ecosystem", has_csv=True)
    return _render(request, reading, "ecosystem.html", page, rows=repository_rows(reading))


@router.get("/commits")
def commits(request: Request, reading: PageReading) -> Response:
    """Show a filtered list of commits."""
    view = list_commits(reading, reading.path)
    page = Page(title="Commits", section="commits", has_csv=True, shown=_shown(view.query.wanted.repository))
    facts = {
        "verdicts": list(Verdict),
        "mechanisms": JUDGED_MECHANISMS,
        "areas": list(Area),
        "organisations": (*reading.vocabulary.organisations, UNKNOWN),
    }
    return _render(request, reading, "commits.html", page, view=view, **facts)


@router.get("/commits/{owner}/{name}/{sha}")
def commit(request: Request, reading: PageReading, owner: str, name: str, sha: str) -> Response:
    """Show one commit with its entries; digits that only one commit begins with lead to its own address."""
    no_parameters(reading.parameters)
    view = view_commit(reading, f"{owner}/{name}", sha)
    summary = view.detail.summary
    if summary.sha != sha or summary.repository != f"{owner}/{name}":
        return RedirectResponse(f"/commits/{summary.repository}/{summary.sha}", status_code=307)
    page = Page(title=summary.subject or sha[:10], section="commits", shown=(summary.repository,))
    return _render(request, reading, "commit.html", page, view=view)


@router.get("/pulls")
def pulls(request: Request, reading: PageReading) -> Response:
    """Show a filtered list of pull requests."""
    view = list_pulls(reading, reading.path)
    page = Page(title="Pull requests", section="pulls", has_csv=True, shown=_shown(view.query.wanted.repository))
    facts = {
        "states": list(PullState),
        "organisations": (*reading.vocabulary.organisations, UNKNOWN),
        "verdicts": list(Verdict),
        "mechanisms": JUDGED_MECHANISMS,
        "areas": list(Area),
        "stale_days": reading.dashboard.settings.stale_pull_days,
    }
    return _render(request, reading, "pulls.html", page, view=view, **facts)


@router.get("/pulls/{owner}/{name}/{number}")
def pull(request: Request, reading: PageReading, owner: str, name: str, number: int) -> Response:
    """Show one pull request."""
    no_parameters(reading.parameters)
    view = view_pull(reading, f"{owner}/{name}", number)
    page = Page(title=f"#{number} of {view.repository}", section="pulls", shown=(view.repository,))
    return _render(request, reading, "pull.html", page, view=view)


@router.get("/alerts")
def alerts(request: Request, reading: PageReading) -> Response:
    """Show every alert and every rule."""
    no_parameters(reading.parameters)
    page = Page(title="Alerts", section="alerts", fresh_seconds=120)
    view = view_alerts(reading, evaluated_at(reading))
    return _render(request, reading, "alerts.html", page, view=view, condition=condition_in_words)


@router.get("/runs")
def runs(request: Request, reading: PageReading) -> Response:
    """Show how the jobs are doing, and what was not read."""
    page = Page(title="Runs", section="runs", has_csv=True, fresh_seconds=60)
    return _render(request, reading, "runs.html", page, view=view_runs(reading, row_limit(reading.parameters)))


@router.get("/method")
def method(request: Request, reading: PageReading) -> Response:
    """Show what the words mean and every rule, from the ruleset."""
    no_parameters(reading.parameters)
    page = Page(title="Method", section="method", shown=("",))
    endpoints = endpoints_of(request.app.openapi(), "/api/v1/")
    return _render(request, reading, "method.html", page, method=words, endpoints=endpoints)


def _shown(repository: str | None) -> tuple[str, ...]:
    return (repository,) if repository is not None else ()
