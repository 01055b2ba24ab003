"""The one query for every series, asked for over HTTP."""

import httpx
import pytest

from tests.dashboards import story
from tests.dashboards.test_api import body, table
from tests.stored import SLUG


def rows(client: httpx.Client, query: str = "") -> list[dict[str, object]]:
    found = body(client, f"/series{query}")
    assert found["n"] == len(found["rows"])
    return list(found["rows"])


def test_a_series_tells_stock_flow_adoption_and_shares_week_by_week(client: httpx.Client) -> None:
    found = rows(client)
    assert (len(found), found[0]["period"], found[-1]["period"]) == (56, "2020-01-06", "2021-01-25")
    first, last_whole = found[0], found[-2]
    assert {
        name: first[name] for name in ("opening", "added", "removed", "closing", "weeks", "unread_weeks", "gap")
    } == {
        "opening": 0,
        "added": 7,
        "removed": 0,
        "closing": 7,
        "weeks": 1,
        "unread_weeks": 0,
        "gap": None,
    }
    # One neutral construct and 7 sites, 5 of them NVIDIA's; 3 names are counted only where they are asked for.
    assert (first["adoption_closing"], first["constructs"], first["neutrality"]) == (1, 8, pytest.approx(1 / 8))
    assert first["nvidia_share"] == pytest.approx(5 / 7)
    assert (last_whole["added"], last_whole["removed"], last_whole["closing"]) == (2, 2, 7)
    # The commit and its revert are gross flow; what stands is neither.
    assert (last_whole["net_added"], last_whole["net_removed"]) == (0, 2)


def test_the_week_of_the_last_commit_is_a_gap_with_its_reason(client: httpx.Client) -> None:
    last = rows(client)[-1]
    assert {last[name] for name in ("added", "removed", "closing", "net_added", "neutrality", "nvidia_share")} == {None}
    assert (last["opening"], last["gap"]) == (7, f"read in part: until {story.LAST:%Y-%m-%d}")
    assert body(client, "/series")["gaps"][-1] == {
        "repository": SLUG,
        "first": "2021-01-25",
        "last": "2021-01-25",
        "reason": f"read in part: until {story.LAST:%Y-%m-%d}",
    }


def test_a_stock_has_no_organisation_and_the_unknown_is_a_value(client: httpx.Client) -> None:
    found = body(client, "/series?by=organisation,mechanism&since=2021-01-18&until=2021-01-24")
    assert "no organisation" in found["unavailable"]["closing"]
    known = {row["organisation"] for row in found["rows"]}
    assert "" not in known
    unknown = rows(client, "?organisation=unknown&by=organisation")
    assert {row["organisation"] for row in unknown} == known & {"unknown"}
    assert {row["closing"] for row in found["rows"]} == {None}


def test_sums_over_a_breakdown_are_the_whole(client: httpx.Client) -> None:
    whole = rows(client, "?until=2021-01-24")
    for by in ("vendor", "area", "subsystem", "construct,vendor", "repository,territory,area"):
        more = "&territory=neutral" if "territory" in by else ""
        parts = [row for row in rows(client, f"?by={by}&until=2021-01-24{more}") if row.get("construct") != "name"]
        for name in ("opening", "added", "removed", "closing", "net_added", "net_removed"):
            sums: dict[object, int] = {}
            for row in parts:
                if row.get("repository", SLUG) == SLUG:
                    sums[row["period"]] = sums.get(row["period"], 0) + int(str(row[name]))
            assert sums == {row["period"]: row[name] for row in whole}, (by, name)


def test_the_csv_has_the_same_rows(client: httpx.Client) -> None:
    found = table(client, "/series.csv?by=vendor&since=2021-01-18&until=2021-01-18")
    assert [(row["vendor"], row["period"], row["closing"]) for row in found] == [
        ("amd", "2021-01-18", "2"),
        ("nvidia", "2021-01-18", "5"),
    ]


def test_without_releases_all_weeks_are_one_period(client: httpx.Client) -> None:
    (found,) = rows(client, "?period=release")
    assert (found["period"], found["weeks"], found["opening"], found["closing"]) == ("all", 55, 0, 7)


def test_what_was_not_read_has_no_rows(client: httpx.Client) -> None:
    assert rows(client, f"?repository={story.UNREAD}") == []


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("by=colour", "none of the things to break down by"),
        ("by=vendor,vendor", "or twice"),
        ("repository=all&period=release", "name it with repository="),
        ("construct=neutral", "none of the values"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(client: httpx.Client, query: str, said: str) -> None:
    answer = client.get(f"/api/v1/series?{query}")
    assert answer.status_code == 400
    assert said in answer.text
