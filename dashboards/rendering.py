"""Facts -> HTML by Jinja templates: the environment with its filters, and what every page's frame needs.

Everything is escaped; text from a repository goes through `visible` besides, so that no sign in it can reorder or hide
what a page says.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dashboards import permalinks, wording
from dashboards.charts import SIZES
from dashboards.parameters import address_with
from dashboards.plain import utc_text
from dashboards.reading import Reading
from dashboards.sparklines import balance, sparkline
from dashboards.stock_links import sites_address
from dashboards.views.alerts import count_firing
from dashboards.views.runs import extents_of
from db.rejudging import read_outdated_counts

FOLDER = Path(__file__).parent
STATIC_FILES: Mapping[str, str] = {
    "style.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_SECTIONS = (
    ("overview", "/", "Overview"),
    ("vendors", "/vendors", "Vendors"),
    ("areas", "/areas", "Areas"),
    ("organisations", "/organisations", "Organisations"),
    ("ecosystem", "/ecosystem", "Ecosystem"),
    ("commits", "/commits", "Commits"),
    ("pulls", "/pulls", "Pull requests"),
    ("alerts", "/alerts", "Alerts"),
    ("runs", "/runs", "Runs"),
    ("method", "/method", "Method"),
)
_KEEP_REPOSITORY = ("overview", "vendors", "areas", "organisations")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the frame around a page's content says."""

    title: str
    section: str
    has_twin: bool = True
    """Whether /api/v1/... takes the same path and query string."""
    has_csv: bool = False
    data_through: datetime | None = None
    """None: the end of what was read of the repositories shown."""
    shown: tuple[str, ...] = ()
    """Slugs of the repositories whose numbers the page shows; empty: of all."""
    fresh_seconds: int = 0
    """How often the page renews itself; 0: never."""


def make_environment() -> Environment:
    """Return the environment that renders every page."""
    # The loader reads our own folder only; StrictUndefined makes a misspelt name an error instead of a blank.
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (
        wording.number,
        wording.signed,
        wording.percent,
        wording.day,
        wording.moment,
        wording.duration,
        wording.hours,
        wording.short_sha,
        wording.times_each,
        wording.visible,
        wording.plural,
        utc_text,
    ):
        environment.filters[function.__name__] = function
    environment.globals |= {
        "change": wording.change,
        "sparkline": sparkline,
        "balance": balance,
        "address_with": address_with,
        "sites_address": sites_address,
        "permalinks": permalinks,
        "sizes": SIZES,
        "static": {name: f"/static/{name}?v={digest(name)}" for name in STATIC_FILES},
    }
    return environment


def digest(name: str) -> str:
    """Return what changes with a static file."""
    return hashlib.sha256(static_bytes(name)).hexdigest()[:12]


def static_bytes(name: str) -> bytes:
    """Return one of our own static files."""
    return (FOLDER / "static" / name).read_bytes()


def software_digest() -> str:
    """Return what changes with templates and static files, as a part of every ETag."""
    hashed = hashlib.sha256()
    for path in sorted([*FOLDER.glob("templates/*.html"), *FOLDER.glob("static/*"), *FOLDER.glob("**/*.py")]):
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:12]


def render(environment: Environment, reading: Reading, template: str, page: Page, **facts: object) -> HTMLResponse:
    """Return a page."""
    query = dict(reading.parameters)
    html = environment.get_template(template).render(
        page=page,
        data_through=_data_through(reading, page),
        reading=reading,
        query=query,
        now=reading.now,
        sections=sections_of(query.get("repository")),
        firing=count_firing(reading),
        demo=reading.is_demo(*page.shown),
        outdated=_judged_by_other_rules(reading, page),
        twin=address_with(_twin_path(reading.path), query) if page.has_twin else None,
        csv=address_with(f"{_twin_path(reading.path)}.csv", query) if page.has_csv else None,
        git_url=_git_url(reading.dashboard.settings.git_url),
        library=f"/static/vega-{reading.dashboard.library.name}.js",
        vendor_titles={vendor.name: vendor.title for vendor in reading.dashboard.ruleset.vendors},
        organisation_titles={item.name: item.title for item in reading.dashboard.ruleset.organisations},
        ruleset=reading.dashboard.ruleset,
        **facts,
    )
    return HTMLResponse(html)


def _data_through(reading: Reading, page: Page) -> datetime | None:
    """How far the data of the repositories shown reaches: the end of the one that reaches furthest."""
    if page.data_through is not None:
        return page.data_through
    ends = [row.last_at for row in extents_of(reading) if not page.shown or row.repository in page.shown]
    return max((end for end in ends if end is not None), default=None)


def _judged_by_other_rules(reading: Reading, page: Page) -> int:
    """How many commits of the repositories shown carry verdicts of another ruleset than the one in use."""
    digest = reading.dashboard.ruleset.digest
    counts = reading.remember(("outdated", digest), lambda: read_outdated_counts(reading.session, digest))
    return sum(count for slug, count in counts.items() if not page.shown or slug in page.shown)


def _twin_path(path: str) -> str:
    return f"/api/v1{path}" if path != "/" else "/api/v1/overview"


def sections_of(repository: str | None = None) -> tuple[tuple[str, str, str], ...]:
    """Return key, address and title of every section, keeping to a repository where that means something."""
    return tuple(
        (key, address_with(path, {}, repository=repository if key in _KEEP_REPOSITORY else None), title)
        for key, path, title in _SECTIONS
    )


def _git_url(git_url: str) -> str:
    """Where links to code lead: a clone that is read from a folder has no pages of its own."""
    return git_url if git_url.startswith(("http://", "https://")) else "https://github.com"
