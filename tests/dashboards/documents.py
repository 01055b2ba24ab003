"""Pages as a reader's program sees them: their elements, addresses and words."""

from html.parser import HTMLParser

import httpx

from tests.builders import a_sha
from tests.dashboards import story
from tests.stored import SLUG

PAGES = (
    "/",
    f"/?repository={story.UNREAD}",
    "/vendors",
    "/sites",
    "/areas",
    "/organisations",
    "/organisations/meta",
    "/organisations/unknown",
    "/movers",
    "/movers?by=commit&since=2021-01-18&until=2021-01-24",
    "/decouplers",
    "/ecosystem",
    "/commits",
    f"/commits/{SLUG}/{a_sha('second')}",
    f"/commits/{SLUG}/{a_sha('third')}",
    "/pulls",
    f"/pulls/{SLUG}/7",
    "/alerts",
    "/runs",
    "/method",
)
"""Every page of the story."""


class Document(HTMLParser):
    """Collects what a page consists of."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.attributes: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append(name)
            if name in ("href", "src", "action", "data-spec", "data-library"):
                self.addresses.append(value or "")
            if name == "srcset":
                self.addresses += [part.split()[0] for part in (value or "").split(",")]
            if name == "id":
                self.ids.append(value or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page(client: httpx.Client, address: str) -> Document:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return Document(answer.text)
