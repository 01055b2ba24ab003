"""The web application: routes, headers, and errors turned into answers; it reads a database and nothing else.

Errors are caught here alone: a wrong question is answered with what would be right (problem details, RFC 9457, under
/api/; a page elsewhere; Prometheus's own form where its API is imitated), an unreachable database with 503, and what
was not foreseen with 500 and a line in the log. Handlers are plain functions, run in the framework's thread pool.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from dashboards import api, drawn, health, measures_api, metrics, pages, series_api, trend_api
from dashboards.drawings import ChartLibrary, Drawings
from dashboards.headers import AnswerHeaders
from dashboards.problems import BadParameter, NothingThere, NotModified, Problem
from dashboards.reading import Dashboard, Remembered
from dashboards.rendering import make_environment, sections_of, software_digest
from dashboards.webhooks import WebhookReceiver, webhook_router
from db.base import session_factory
from tracker.errors import DatabaseUnavailable
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Settings

log = logging.getLogger("tracker.dashboards")

_LIKE_PROMETHEUS = ("/api/v1/alerts", "/api/v1/rules")
_COMPRESSED_FROM = 1_000
"""Bytes."""


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


def create_app(
    settings: Settings,
    engine: Engine,
    *,
    ruleset: Ruleset | None = None,
    clock: Callable[[], datetime] = utc_now,
    receiver: WebhookReceiver | None = None,
) -> FastAPI:
    """Return the application.

    Args:
        engine: should be opened `read_only`; nothing here writes.
        ruleset: whose words and rules the pages show; the shipped one when none is given.
        receiver: takes deliveries of webhooks; without one there is no address for them.
    """
    library = ChartLibrary(settings.var_folder / "cache")
    version = software_digest()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        library.make_in_background()
        yield

    app = FastAPI(
        title="Decoupling tracker",
        description="Where vendor-neutral code names vendors' hardware, commit by commit. Fields are only ever added.",
        version="1",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    app.state.templates = make_environment()
    app.state.dashboard = Dashboard(
        settings=settings,
        sessions=session_factory(engine),
        ruleset=ruleset if ruleset is not None else load_ruleset(read_rules()),
        drawings=Drawings(),
        library=library,
        clock=clock,
        version=version,
        remembered=Remembered(),
    )
    for router in (
        pages.router,
        api.router,
        series_api.router,
        trend_api.router,
        measures_api.router,
        drawn.router,
        metrics.router,
        health.router,
    ):
        app.include_router(router)
    if receiver is not None:
        app.include_router(webhook_router(receiver))
    _add_error_handlers(app)
    app.add_middleware(AnswerHeaders)
    app.add_middleware(GZipMiddleware, minimum_size=_COMPRESSED_FROM, compresslevel=6)
    return app


def _add_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(NotModified, _not_modified)
    for foreseen in (BadParameter, NothingThere, HTTPException, RequestValidationError):
        app.add_exception_handler(foreseen, _refused)
    for unreachable in (DBAPIError, DatabaseUnavailable):
        app.add_exception_handler(unreachable, _no_database)
    app.add_exception_handler(Exception, _unforeseen)


def _not_modified(_request: Request, error: Exception) -> Response:
    return Response(status_code=304, headers={"etag": str(error)})


def _refused(request: Request, error: Exception) -> Response:
    return _answer(request, _problem_of(request, error))


def _problem_of(request: Request, error: Exception) -> Problem:
    """Say what was wrong with a question, and what would be right."""
    path = request.url.path
    match error:
        case BadParameter():
            title = "This cannot be asked"
            return Problem(status=400, title=title, detail=str(error), parameter=error.name, valid=error.valid)
        case NothingThere():
            return Problem(status=404, title="There is nothing here", detail=str(error))
        case HTTPException(status_code=405):
            detail = f"{request.method} is not possible here; pages are read with GET, and nothing is changed by it"
            return Problem(status=405, title="Nothing can be changed here", detail=detail)
    status = error.status_code if isinstance(error, HTTPException) else 404
    detail = f"nothing has the address {path}; the overview leads to every page"
    return Problem(status=status, title="There is no such page", detail=detail)


def _no_database(request: Request, error: Exception) -> Response:
    # The driver's text may name hosts and users: it goes to the log, not to the reader.
    log.error("the database could not be read: %s", " ".join(str(error).split())[:500])
    detail = "The database could not be read just now. `tracker db check` and the log say more; try again in a moment."
    return _answer(request, Problem(status=503, title="The database does not answer", detail=detail))


def _unforeseen(request: Request, error: Exception) -> Response:
    log.error("%s could not be answered", request.url.path, exc_info=error)
    detail = "This is a mistake of the program, not of yours. The log has the details; please report them."
    return _answer(request, Problem(status=500, title="Something went wrong", detail=detail))


def _answer(request: Request, problem: Problem) -> Response:
    path = request.url.path
    if path in _LIKE_PROMETHEUS:
        return JSONResponse(problem.prometheus_body(), status_code=problem.status)
    if path.startswith(("/api/", "/metrics", "/charts/", "/static/")):
        body = problem.body(path)
        return JSONResponse(body, status_code=problem.status, media_type="application/problem+json")
    html = request.app.state.templates.get_template("problem.html").render(problem=problem, sections=sections_of())
    return HTMLResponse(html, status_code=problem.status)
