"""How much one answer asks of the database when nothing is remembered: few statements, whatever it shows."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event

from dashboards.app import create_app
from dashboards.reading import Remembered
from db.base import open_database
from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.documents import PAGES
from tests.dashboards.serving import asked
from tests.stored import SLUG
from tracker.ruleset import Ruleset
from tracker.settings import Settings

MOST = 10
SUMS_UP = {
    "/": 14,
    "/?": 14,
    "/api/v1/overview": 13,
    "/metrics": 14,
    "/runs": 11,
    "/organisations": 11,
    "/organisations/": 19,
    "/api/v1/organisations/": 17,
    "/commits/": 14,
    "/pulls/": 13,
    "/api/v1/commits/": 12,
    "/api/v1/pulls/": 11,
}
"""Addresses, by what they begin with, that put together what other pages show one by one."""


def most(address: str) -> int:
    """How many statements an answer may take."""
    known = [MOST, *(count for start, count in SUMS_UP.items() if start != "/" and address.startswith(start))]
    return SUMS_UP["/"] if address == "/" else max(known)


@contextmanager
def disposed(engine: Engine) -> Iterator[None]:
    """Close what an engine has opened, also where a test fails."""
    try:
        yield
    finally:
        engine.dispose()


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """The statements that are sent."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip("( ").startswith(("SELECT", "WITH")):
            sent.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)


def addresses(description: dict[str, dict[str, object]]) -> list[str]:
    """Every page, every address of the interface for programs, and what monitoring asks."""
    names = {"{owner}/{name}": SLUG, "{sha}": a_sha("second"), "{number}": "7", "{name}": "meta"}
    twins = [path for path in description["paths"] if path.startswith("/api/")]
    for name, value in names.items():
        twins = [path.replace(name, value) for path in twins]
    return [*PAGES, *twins, "/metrics", "/readyz", "/livez"]


def test_every_answer_takes_few_statements(told: Engine, settings: Settings, shipped_ruleset: Ruleset) -> None:
    engine = open_database(told.url.render_as_string(hide_password=False), read_only=True)
    app = create_app(settings, engine, ruleset=shipped_ruleset, clock=lambda: story.NOW)
    counts: dict[str, int] = {}
    with disposed(engine), asked(app) as client, statements(engine) as sent:
        for address in addresses(app.openapi()):
            app.state.dashboard.remembered.__dict__.update(vars(Remembered()))
            sent.clear()
            assert client.get(address).status_code in (200, 503), address
            counts[address] = len(sent)
    assert {address: count for address, count in counts.items() if count > most(address)} == {}
    assert counts["/vendors"] > 0


def test_what_is_remembered_is_not_asked_for_again(told: Engine, settings: Settings, shipped_ruleset: Ruleset) -> None:
    engine = open_database(told.url.render_as_string(hide_password=False), read_only=True)
    app = create_app(settings, engine, ruleset=shipped_ruleset, clock=lambda: story.NOW)
    with disposed(engine), asked(app) as client, statements(engine) as sent:
        for address in ("/", "/areas", "/vendors"):
            client.get(address)
            sent.clear()
            assert client.get(address).status_code == 200
            assert len(sent) <= 3, address
