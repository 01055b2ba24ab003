"""The pages in a real browser: the policy holds, and everything works small, dark, by keyboard and without scripts."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright
from sqlalchemy import Engine

from dashboards.app import create_app
from db.base import open_database, session_factory
from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.documents import PAGES
from tests.dashboards.serving import served
from tests.stored import SLUG
from tracker.ruleset import Ruleset
from tracker.settings import Settings

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 90_000
"""Milliseconds: a loaded machine is slow, and slowness is measured elsewhere."""
HOSTILE_COMMIT = f"/commits/{SLUG}/{a_sha('hostile')}"

expect.set_options(timeout=PATIENCE)
pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def told_once(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The story in one SQLite database: what a browser sees does not depend on the kind of database."""
    path = tmp_path_factory.mktemp("browser") / "tracker.db"
    path.write_bytes(sqlite_template.read_bytes())
    engine = open_database(f"sqlite:///{path}")
    with session_factory(engine).begin() as session:
        story.tell(session)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def address(told_once: Engine, settings: Settings, shipped_ruleset: Ruleset) -> Iterator[str]:
    """Where the application is served, chart library included."""
    app = create_app(settings, told_once, ruleset=shipped_ruleset, clock=lambda: story.NOW)
    with served(app, lifespan=True) as root:
        yield root


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed (Debian: apt-get install chromium fonts-dejavu-core)")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


class Watched:
    """A page whose complaints and requests to other hosts are collected."""

    def __init__(self, page: Page, root: str) -> None:
        self.page = page
        self.root = root
        self.complaints: list[str] = []
        page.on("console", lambda message: self._complain(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._request(request.url))

    def _complain(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def _request(self, url: str) -> None:
        if urlsplit(url).scheme != "data" and not url.startswith(self.root):
            self.complaints.append(f"request to {url}")

    def open(self, path: str) -> Page:
        self.page.goto(self.root + path)
        self.page.wait_for_load_state("networkidle")
        return self.page


def watched(browser: Browser, root: str, *, width: int = 1280, dark: bool = False, scripts: bool = True) -> Watched:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        java_script_enabled=scripts,
    )
    context.set_default_timeout(PATIENCE)
    return Watched(context.new_page(), root)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False)], ids=["wide", "dark", "phone"])
def test_no_page_violates_the_policy_or_fits_badly_or_shuts_anyone_out(
    browser: Browser, address: str, width: int, dark: bool
) -> None:
    seen = watched(browser, address, width=width, dark=dark)
    problems: dict[str, object] = {}
    for path in (*PAGES, HOSTILE_COMMIT):
        page = seen.open(path)
        serious = [
            (violation["id"], [node["target"] for node in violation["nodes"]][:3])
            for violation in Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if serious or too_wide > 0 or seen.complaints:
            problems[path] = (serious, too_wide, list(seen.complaints))
        seen.complaints.clear()
    page.context.close()
    assert problems == {}


def test_charts_answer_the_pointer(browser: Browser, address: str) -> None:
    seen = watched(browser, address)
    page = seen.open("/")
    chart = page.locator(".chart").first
    expect(chart.locator(".drawn svg")).to_be_visible()
    expect(chart.locator("picture")).to_be_hidden()
    expect(chart.locator(".drawn")).to_have_attribute(
        "aria-label", re.compile("Sites in neutral code of pytorch/pytorch")
    )
    chart.scroll_into_view_if_needed()
    box = chart.locator(".drawn svg").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.move(box["x"] + box["width"] / 2 + 9, box["y"] + box["height"] / 2, steps=5)
    expect(page.locator("#vg-tooltip-element.visible")).to_contain_text("NVIDIA")
    assert seen.complaints == []
    page.context.close()


def test_charts_are_there_before_and_without_any_script(browser: Browser, address: str) -> None:
    seen = watched(browser, address, scripts=False)
    page = seen.open("/")
    assert page.locator(".chart img").count() == 3
    for image in page.locator(".chart img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_be_visible()
    page.locator("summary", has_text="As a table").first.click()
    expect(page.locator("details[open] table").first).to_contain_text("NVIDIA")
    page.get_by_role("link", name="Generalise synchronisation (#7)").first.click()
    expect(page.locator("h1")).to_contain_text("Generalise synchronisation (#7)")
    assert seen.complaints == []
    page.context.close()


def test_the_first_commit_is_reached_by_keyboard_alone(browser: Browser, address: str) -> None:
    page = watched(browser, address).open("/commits")
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.commits a.title')"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}{HOSTILE_COMMIT}")
    page.context.close()


def test_a_form_leaves_no_blank_parameters_in_the_address(browser: Browser, address: str) -> None:
    page = watched(browser, address).open("/commits")
    page.locator("select[name=verdict]").select_option("decoupling")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(f"{address}/commits?verdict=decoupling")
    expect(page.locator(".commits > li")).to_have_count(2)
    page.context.close()


def test_the_current_section_is_in_view_on_a_phone(browser: Browser, address: str) -> None:
    page = watched(browser, address, width=360).open("/method")
    expect(page.locator(".sections a[aria-current]")).to_be_in_viewport(ratio=1)
    page.context.close()


def test_a_long_sentence_about_a_crawl_stays_in_its_card(browser: Browser, address: str) -> None:
    page = watched(browser, address).open("/")
    page.locator("[aria-labelledby=freshness] .soft").last.evaluate("element => element.textContent = 'x'.repeat(300)")
    hidden = page.locator("[aria-labelledby=freshness]").evaluate("card => card.scrollWidth - card.clientWidth")
    assert hidden <= 0
    page.context.close()


def test_times_tell_the_readers_own_time_on_hover(browser: Browser, address: str) -> None:
    page = watched(browser, address).open(f"/commits/{SLUG}/{a_sha('second')}")
    assert "(your time)" in (page.locator("time").first.get_attribute("title") or "")
    page.context.close()


def test_dark_mode_is_dark(browser: Browser, address: str) -> None:
    colours = {}
    for dark in (False, True):
        page = watched(browser, address, dark=dark).open("/")
        colours[dark] = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        source = page.locator(".chart img").first.evaluate("image => image.currentSrc")
        assert ("theme=dark" in source) is dark
        page.context.close()
    assert colours == {False: "rgb(246, 247, 245)", True: "rgb(16, 20, 23)"}


def test_a_printed_page_leaves_out_what_paper_cannot_do(browser: Browser, address: str) -> None:
    page = watched(browser, address).open("/commits")
    page.emulate_media(media="print")
    for gone in (".sections", "form.filters", ".pager"):
        expect(page.locator(gone)).to_be_hidden()
    expect(page.locator(".commits")).to_be_visible()
    page.context.close()
