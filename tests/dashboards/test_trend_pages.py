"""The pages of biggest movers and of whose commits decouple."""

import httpx
import pytest

from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.documents import page
from tests.stored import SLUG


def test_movers_are_listed_with_the_sums_of_all_and_their_twin(client: httpx.Client) -> None:
    found = page(client, "/movers?since=2021-01-18")
    assert "1 path changed: 2 sites came, 4 went, net" in found.text
    assert "−2" in found.words
    assert "torch/serialization.py" in found.text
    assert "/api/v1/movers?since=2021-01-18" in found.addresses
    assert "/api/v1/movers.csv?since=2021-01-18" in found.addresses


def test_commits_that_moved_lead_to_their_pages(client: httpx.Client) -> None:
    found = page(client, "/movers?by=commit&since=2021-01-18&until=2021-01-24")
    assert f"/commits/{SLUG}/{a_sha('third')}" in found.addresses
    assert "2 commits changed: 2 sites came, 2 went, net" in found.text


def test_decouplers_are_told_with_their_n_and_what_is_unknown(client: httpx.Client) -> None:
    found = page(client, "/decouplers")
    assert "Sites decoupled" in found.text
    assert "unknown" in found.text
    assert "of n" in found.text
    assert {"/api/v1/decouplers", "/api/v1/decouplers.csv"} <= set(found.addresses)


def test_the_overview_leads_to_both(client: httpx.Client) -> None:
    linked = {address.partition("?")[0] for address in page(client, "/").addresses}
    assert {"/movers", "/decouplers"} <= linked


@pytest.mark.parametrize("address", ["/movers", "/decouplers"])
def test_of_what_was_not_read_they_say_that_there_is_nothing(client: httpx.Client, address: str) -> None:
    found = page(client, f"{address}?repository={story.UNREAD}")
    assert "Nothing was read yet" in found.text


def test_the_chart_of_decouplers_is_drawn(client: httpx.Client) -> None:
    answer = client.get("/charts/decouplers.svg")
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "image/svg+xml")
