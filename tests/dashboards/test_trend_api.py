import httpx
import pytest

from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.test_api import body, table


def test_both_headline_series_have_their_n_and_the_week_read_in_part_is_left_out(client: httpx.Client) -> None:
    found = body(client, "/trend")
    for name, values in (("coupling", (7, 7)), ("adoption", (1, 1))):
        trend = found[name]["trend"]
        assert (trend["n"], trend["left_out"], trend["first"], trend["last"]) == (55, 1, "2020-01-06", "2021-01-18")
        assert (trend["start"], trend["end"]) == values
        assert (trend["per_week"], trend["confidence"], found[name]["direction"]) == (0, 0.95, 0)
    assert found["coupling"]["projection"]["is_trend"] is False
    assert found["adoption"]["projection"] is None
    assert found["coupling"]["turns"] == []


def test_the_trend_of_what_was_not_read_is_unknown_and_not_zero(client: httpx.Client) -> None:
    trend = body(client, f"/trend?repository={story.UNREAD}")["coupling"]["trend"]
    assert (trend["n"], trend["end"], trend["per_week"], trend["low"]) == (0, None, None, None)
    assert body(client, "/trend?since=2021-01-01")["coupling"]["trend"]["per_week"] is None


def test_the_csv_of_a_trend_has_a_row_for_each_series(client: httpx.Client) -> None:
    rows = table(client, "/trend.csv")
    assert [(row["series"], row["n"], row["target"], row["is_trend"]) for row in rows] == [
        ("coupling", "55", "0", "false"),
        ("adoption", "55", "", ""),
    ]


def test_movers_are_paths_symbols_or_commits_with_the_sums_of_all(client: httpx.Client) -> None:
    found = body(client, "/movers?since=2021-01-18")
    assert (found["by"], found["n"], found["added"], found["removed"], found["net"]) == ("path", 1, 2, 4, -2)
    assert found["rows"] == [
        {"way": "fall", "key": "torch/serialization.py", "title": "", "added": 2, "removed": 4, "net": -2}
    ]
    commits = body(client, "/movers?by=commit&since=2021-01-18&until=2021-01-24")
    assert [(row["way"], row["key"], row["net"]) for row in commits["rows"]] == [
        ("rise", a_sha("third"), 2),
        ("fall", a_sha("second"), -2),
    ]
    assert {row["key"] for row in body(client, "/movers?by=symbol")["rows"]} == {"torch.cuda.synchronize", "is_hip"}
    assert len(body(client, "/movers?limit=1")["rows"]) == 1


def test_the_csv_of_movers_has_the_same_rows(client: httpx.Client) -> None:
    rows = table(client, "/movers.csv?by=commit")
    assert [row["key"] for row in rows] == [row["key"] for row in body(client, "/movers?by=commit")["rows"]]


def test_decoupling_is_counted_once_where_it_stands_and_by_organisation(client: httpx.Client) -> None:
    found = body(client, "/decouplers")
    assert found["commits"] == [
        {"period": "2021-01-01", "n": 1, "unknown": 0, "shares": {"meta": {"count": 1, "low": 1, "high": 1}}}
    ]
    assert found["sites"][0]["n"] == 2
    assert body(client, "/decouplers?until=2020-12-31")["commits"] == []
    assert [(row["series"], row["organisation"]) for row in table(client, "/decouplers.csv")] == [
        ("commits", "meta"),
        ("sites", "meta"),
    ]


@pytest.mark.parametrize(
    "address",
    ["/trend?by=vendor", "/movers?by=vendor", "/movers?before=x", "/decouplers?vendor=amd", "/movers?limit=0"],
)
def test_what_cannot_be_asked_for_is_refused(client: httpx.Client, address: str) -> None:
    assert client.get(f"/api/v1{address}").status_code == 400


def test_the_overview_says_the_trend_with_its_interval_and_n(client: httpx.Client) -> None:
    answer = client.get("/").text
    assert "Over 55 weeks (1 not read, or in part, left out) coupling" in answer
    assert "There is no trend towards zero coupling to project (drawn from 54 weekly changes)." in answer
