"""Probes: `/livez` says that the process answers, `/readyz` what is wrong with what it serves, check by check.

Not ready (503) means: a person should look, the numbers are not what they should be. The pages go on serving what there
is, so a balancer in front of them should ask `/livez`.
"""

from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from dashboards import wording
from dashboards.plain import plain, utc_text
from dashboards.reading import Dashboard, dashboard_of
from dashboards.views.runs import is_stale, is_unmoved, quiet_times, sentence_about
from db.runs import Freshness, read_freshness
from db.watched import read_beginning
from tracker.errors import DatabaseUnavailable

router = APIRouter(tags=["probes"])

BROKEN = ("failed", "unavailable", "rate_limited", "killed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be right."""

    name: str
    ok: bool
    message: str


@router.get("/livez")
def livez() -> Response:
    """Say that the process answers; asks nothing of the database."""
    return PlainTextResponse("alive\n")


@router.get("/readyz")
def readyz(request: Request) -> Response:
    """Say which checks hold: 200 when all do, 503 with the reasons otherwise."""
    dashboard = dashboard_of(request)
    try:
        with dashboard.sessions() as session:
            checks = (Check(name="database", ok=True, message="answers"), *read_checks(dashboard, session))
    except (SQLAlchemyError, DatabaseUnavailable) as error:
        reason = f"{type(error).__name__}; is it there, and is its schema current? `tracker db check` says more"
        checks = (Check(name="database", ok=False, message=reason),)
    ready = all(check.ok for check in checks)
    body = {
        "status": "ready" if ready else "not ready",
        "reasons": [f"{check.name}: {check.message}" for check in checks if not check.ok],
        "checked_at": utc_text(dashboard.clock()),
        "checks": plain(checks),
    }
    return JSONResponse(body, status_code=200 if ready else 503)


def read_checks(dashboard: Dashboard, session: Session) -> tuple[Check, ...]:
    """Return one check for each job of each repository, and one that there is a repository at all."""
    now = dashboard.clock()
    stale_after = timedelta(hours=dashboard.settings.stale_hours)
    watched = read_beginning(session).repositories
    quiet = quiet_times(watched, dashboard.settings.quiet_days)
    checks = [
        Check(
            name="repositories",
            ok=bool(watched),
            message=f"{wording.plural(len(watched), 'repository', 'repositories')} under watch",
        )
    ]
    for row in read_freshness(session):
        quiet_after = quiet.get(row.repository)
        stale, unmoved = is_stale(row, now, stale_after), is_unmoved(row, now, quiet_after)
        message = f"{'stale: ' if stale else ''}{sentence_about(row, now, quiet_after)}"
        checks.append(
            Check(name=_name(row), ok=row.outcome not in BROKEN and not stale and not unmoved, message=message)
        )
    return tuple(checks)


def _name(row: Freshness) -> str:
    return f"{row.job} {row.repository}".strip()
