import csv
import io
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from sqlalchemy import Engine

from dashboards.filters import COMMIT_PARAMETERS
from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.conftest import Ask
from tests.dashboards.documents import page
from tests.stored import SLUG
from tracker.ruleset import Ruleset

TABLES = ("commits", "pulls", "runs", "organisations", "vendors", "areas", "ecosystem")
SERIES = ("stock", "adoption", "flow", "neutrality")


def body(client: httpx.Client, address: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1{address}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json()
    return found


def table(client: httpx.Client, address: str) -> list[dict[str, str]]:
    answer = client.get(f"/api/v1{address}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.text)))


@pytest.mark.parametrize("name", [*TABLES, *SERIES, "overview", "repositories", "method"])
def test_every_body_says_when_it_was_made_and_how_far_the_data_reaches(client: httpx.Client, name: str) -> None:
    found = body(client, f"/{name}")
    assert found["generated_at"] == "2021-01-27T12:00:00Z"
    assert found["data_through"] == "2021-01-26T12:00:00Z"
    assert found["demo"] is False
    assert len(found["ruleset"]) == 64


def test_a_repository_of_which_nothing_was_read_is_unknown_and_not_zero(client: httpx.Client) -> None:
    found = body(client, f"/vendors?repository={story.UNREAD}")
    assert found["data_through"] is None
    assert {row["now"] for row in found["rows"]} == {None}
    assert body(client, f"/stock?repository={story.UNREAD}")["weeks"] == []
    row = next(row for row in body(client, "/ecosystem")["rows"] if row["repository"] == story.UNREAD)
    assert (row["sites"], row["neutrality"], row["added_in_year"]) == (None, None, None)


@pytest.mark.parametrize("name", TABLES)
def test_the_csv_beside_a_twin_has_the_same_rows(client: httpx.Client, name: str) -> None:
    rows = body(client, f"/{name}")["rows"]
    lines = table(client, f"/{name}.csv")
    assert len(rows) == len(lines) > 0
    for row, line in zip(rows, lines, strict=True):
        for column, text in line.items():
            value = row[column]
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                assert text == str(value), column
            elif value is None:
                assert text == "", column


def test_a_page_and_its_twin_show_the_same_commits(client: httpx.Client) -> None:
    for query in ("", "?verdict=decoupling", "?text=revert", "?organisation=meta", "?since=2021-01-19", "?vendor=groq"):
        shas = [row["sha"] for row in body(client, f"/commits{query}")["rows"]]
        document = page(client, f"/commits{query}")
        listed = [
            address.rpartition("/")[2] for address in document.addresses if address.startswith(f"/commits/{SLUG}/")
        ]
        assert listed == shas, query


def test_a_commit_has_its_verdict_tally_and_links(client: httpx.Client) -> None:
    rows = body(client, "/commits?text=7&verdict=decoupling")["rows"]
    assert [row["sha"] for row in rows] == [a_sha("fourth"), a_sha("second")]
    second = rows[1]
    assert second["tally"]["generalised"] == 2
    assert (second["reverted"], second["is_reland"], second["organisation"]) == (False, False, "meta")
    commit = body(client, f"/commits/{SLUG}/{a_sha('second')[:12]}")["commit"]
    assert [(link["kind"], link["sha"]) for link in commit["linked_by"]] == [
        ("reverts", a_sha("third")),
        ("relands", a_sha("fourth")),
    ]
    assert {(entry["delta"], entry["replaced_by"], tuple(entry["lines"])) for entry in commit["entries"]} == {
        (-2, "torch.accelerator.synchronize", (12, 30)),
        (2, None, (12, 30)),
    }


def test_following_next_url_reads_every_commit_once(client: httpx.Client) -> None:
    shas, address = [], "/api/v1/commits?limit=2&repository=pytorch/pytorch"
    while address:
        found = client.get(address).json()
        shas += [row["sha"] for row in found["rows"]]
        address = found["next_url"] or ""
        assert not address or urlsplit(address).path == "/api/v1/commits"
    assert shas == [commit.commit.sha for commit in reversed(story.COMMITS)]


def test_the_csv_leads_to_the_rest_by_a_link_header(client: httpx.Client) -> None:
    first = client.get("/api/v1/commits.csv?limit=2")
    assert first.headers["link"].startswith("</api/v1/commits.csv?limit=2&before=")
    assert first.headers["link"].endswith('>; rel="next"')
    assert "link" not in client.get("/api/v1/commits.csv").headers


def test_a_subject_that_is_a_formula_or_hides_signs_is_harmless_in_csv(client: httpx.Client) -> None:
    subject = table(client, "/commits.csv?verdict=vendor-internal")[0]["subject"]
    assert subject == '<script>alert(1)</script> "quoted" & <U+202E>gnp.exe'


def test_stock_is_what_stood_at_the_end_of_each_week(client: httpx.Client) -> None:
    found = body(client, "/stock")
    assert (found["weeks"][0], found["weeks"][-1], len(found["weeks"])) == ("2020-01-06", "2021-01-25", 56)
    assert found["closing"]["nvidia"] == [5] * 54 + [5, 3]
    assert found["closing"]["amd"] == [2] * 56
    assert body(client, "/stock?names=yes")["closing"]["nvidia"][-1] == 6
    assert body(client, "/stock?by=construct")["closing"]["name"][-1] == 3
    assert body(client, "/stock?construct=name")["closing"] == {"nvidia": [3] * 56}


def test_a_period_cuts_a_series(client: httpx.Client) -> None:
    assert body(client, "/stock?since=2021-01-20")["weeks"] == ["2021-01-18", "2021-01-25"]
    assert body(client, "/stock?since=2030-01-01")["weeks"] == []
    assert [row["week"] for row in table(client, "/stock.csv?since=2021-01-25")] == ["2021-01-25"]


def test_flow_is_what_came_and_went_by_mechanism(client: httpx.Client) -> None:
    found = body(client, "/flow?since=2021-01-18")
    assert found["added"]["introduced"] == [2, 0]
    assert found["removed"]["generalised"] == [2, 2]


def test_adoption_and_neutrality_are_series_of_their_own(client: httpx.Client) -> None:
    assert body(client, "/adoption")["closing"]["core"][-3:] == [1, 1, 3]
    assert body(client, "/neutrality")["shares"]["core"][-1] == pytest.approx(3 / 8)
    assert body(client, "/neutrality?names=yes")["shares"]["core"][-1] == pytest.approx(3 / 11)
    assert table(client, "/neutrality.csv")[-1]["core"].startswith("0.375")


def test_pulls_that_were_never_read_are_not_counted_as_none(client: httpx.Client) -> None:
    assert body(client, f"/pulls?repository={story.UNREAD}")["counts"] is None
    assert body(client, f"/pulls?repository={SLUG}")["counts"]["landed"] == 1


def test_pulls_show_what_became_of_them(client: httpx.Client) -> None:
    found = body(client, "/pulls?state=landed")
    assert [(row["number"], row["github_state"], row["hours_to_landing"]) for row in found["rows"]] == [
        (7, "closed", 48.0)
    ]
    assert found["counts"] == {"open": 1, "stale": 1, "landed": 1, "reverted": 0, "closed": 0}
    pull = body(client, f"/pulls/{SLUG}/7")["pull"]
    assert [landing["kind"] for landing in pull["detail"]["landings"]] == ["landed", "reverted", "landed"]


def test_pulls_show_what_their_landing_did_or_their_head_would(client: httpx.Client) -> None:
    columns = ("number", "state", "judged_by", "verdict", "mechanism", "area", "vendors", "removed", "added")
    found = {row["number"]: row for row in body(client, "/pulls")["rows"]}
    assert [[found[number][column] for column in columns] for number in (7, 8, 9)] == [
        [7, "landed", "landed", "decoupling", "generalised", "core", ["nvidia"], 2, 0],
        [8, "open", "head", "coupling", "introduced", "core", ["nvidia"], 0, 3],
        [9, "stale", None, None, None, None, [], None, None],
    ]
    rows = {row["number"]: row for row in table(client, "/pulls.csv")}
    assert [rows["8"][column] for column in columns[2:]] == [
        "head",
        "coupling",
        "introduced",
        "core",
        "nvidia",
        "0",
        "3",
    ]
    assert [rows["9"][column] for column in columns[2:]] == [""] * 7


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("verdict=coupling", [8]),
        ("verdict=decoupling", [7]),
        ("verdict=removal", []),
        ("mechanism=introduced&vendor=nvidia&area=core", [8]),
        ("vendor=amd", []),
        ("state=stale", [9]),
        ("state=open&verdict=coupling", [8]),
    ],
)
def test_pulls_are_filtered_by_what_they_do(client: httpx.Client, query: str, numbers: list[int]) -> None:
    assert [row["number"] for row in body(client, f"/pulls?{query}")["rows"]] == numbers


def test_a_pull_request_has_the_entries_of_its_head(client: httpx.Client) -> None:
    head = body(client, f"/pulls/{SLUG}/8")["pull"]["detail"]["head"]
    assert (head["head_sha"], head["base_sha"], head["base_ref"]) == (a_sha("head"), a_sha("second"), "main")
    assert (head["files"], head["skipped"], head["tally"]["introduced"]) == (3, {"binary": 1}, 3)
    assert [(entry["path"], entry["delta"]) for entry in head["entries"]] == [
        (story.HOSTILE_PATH, 3),
        ("torch/utils.py", 1),
    ]
    assert body(client, f"/pulls/{SLUG}/9")["pull"]["detail"]["head"]["problem"] == "no merge base"
    assert body(client, f"/pulls/{SLUG}/7")["pull"]["detail"]["head"] is None


def test_vendors_that_nobody_names_have_their_zero(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    rows = {row["key"]: row for row in body(client, "/vendors")["rows"]}
    assert rows.keys() == {vendor.name for vendor in shipped_ruleset.vendors}
    assert (rows["aws"]["now"], rows["aws"]["year_ago"]) == (0, 0)
    assert (rows["nvidia"]["now"], rows["nvidia"]["year_ago"], rows["nvidia"]["share"]) == (3, 5, 0.6)


def test_neutrality_is_recomputed_from_the_row_that_shows_it(client: httpx.Client) -> None:
    core = body(client, "/areas")["rows"][0]
    assert (core["area"], core["sites"], core["neutral_constructs"], core["neutrality"]) == ("core", 5, 3, 3 / 8)
    named = body(client, "/areas?names=yes")["rows"][0]
    assert (named["sites"], named["neutral_constructs"], named["neutrality"]) == (8, 3, 3 / 11)
    assert body(client, "/neutrality")["shares"]["core"][-1] == core["neutrality"]
    assert body(client, "/ecosystem")["rows"][0]["neutrality"] == core["neutrality"]
    headline = body(client, "/overview")["headline"]
    assert headline["neutral_constructs"] / (headline["neutral_constructs"] + headline["sites"]) == core["neutrality"]


def test_what_means_nothing_for_one_vendor_is_left_out(client: httpx.Client) -> None:
    found = body(client, "/overview?vendor=nvidia")
    headline = found["headline"]
    assert (headline["sites"], headline["neutral_constructs"]) == (3, None)
    assert [row["key"] for row in found["vendors"]] == ["nvidia"]
    assert found["vendors"][0]["share"] == 0.6
    (core, *_) = body(client, "/areas?vendor=nvidia")["rows"]
    assert (core["sites"], core["neutral_constructs"], core["neutrality"]) == (3, None, None)
    assert body(client, "/neutrality?vendor=nvidia")["shares"] == {}
    assert client.get("/charts/neutrality.svg?vendor=nvidia").status_code == 404
    assert [row["area"] for row in body(client, "/areas?area=test")["rows"]] == ["test"]


def test_commits_of_the_headline_are_those_of_the_vendor_and_area_asked_for(client: httpx.Client) -> None:
    def counted(query: str) -> tuple[object, object]:
        headline = body(client, f"/overview?{query}")["headline"]
        return headline["decoupling_commits"], headline["coupling_commits"]

    assert counted("") == counted("vendor=nvidia") == counted("area=core") == (1, 0)
    assert counted("vendor=amd") == counted("area=test") == (0, 0)
    assert counted("construct=api") == counted("territory=vendor") == (None, None)


def test_every_stock_leads_to_its_sites_and_they_add_up_to_it(client: httpx.Client) -> None:
    found = body(client, "/sites")
    assert (found["repository"], found["commit"]["sha"], found["total"]) == (SLUG, a_sha("hostile"), 5)
    assert [(row["path"], row["symbol"], row["vendor"], row["count"]) for row in found["rows"]] == [
        ("torch/serialization.py", "torch.cuda.synchronize", "nvidia", 3),
        ("torch/utils.py", "is_hip", "amd", 2),
    ]
    rows = {row["key"]: row for row in body(client, "/vendors")["rows"]}
    for vendor in ("nvidia", "amd", "groq"):
        sites = body(client, f"/sites?vendor={vendor}")
        assert sites["total"] == rows[vendor]["now"] == sum(row["count"] for row in sites["rows"])
    assert (
        body(client, "/sites?construct=neutral")["total"] == body(client, "/overview")["headline"]["neutral_constructs"]
    )
    assert body(client, "/sites?names=yes")["total"] == 8
    assert body(client, "/sites?text=UTILS")["total"] is None
    assert [row["path"] for row in table(client, "/sites.csv?text=UTILS")] == ["torch/utils.py"]
    first = body(client, "/sites?limit=1")
    assert body(client, first["next_url"].removeprefix("/api/v1"))["rows"] == found["rows"][1:]
    assert client.get("/api/v1/sites?before=AAAA").status_code == 400


def test_organisations_that_are_unknown_are_counted_as_unknown(client: httpx.Client) -> None:
    found = body(client, "/organisations")
    assert [(row["organisation"], row["removed"], row["added"]) for row in found["rows"]] == [
        ("meta", 4, 0),
        ("unknown", 0, 12),
    ]
    assert found["unknown_share"] == 0.6


def test_what_organisations_change_adds_up_to_the_stock(client: httpx.Client) -> None:
    found = body(client, "/organisations")
    keys = ("organisation", "let_in", "staying", "net", "names_net", "counted_net")
    assert [tuple(row[key] for key in keys) for row in found["rows"]] == [
        ("meta", 0, 0, -4, 0, -4),
        ("unknown", 0, 0, 12, 3, 9),
    ]
    assert found["total"] == {
        "commits": 5,
        "removed": 4,
        "added": 12,
        "let_in": 0,
        "staying": 0,
        "net": 8,
        "names_net": 3,
    }
    assert sum(row["counted_net"] for row in found["rows"]) == body(client, "/overview")["headline"]["sites"]
    header, meta, *_ = client.get("/api/v1/organisations.csv").text.splitlines()
    row = dict(zip(header.split(","), meta.split(","), strict=True))
    assert (row["let_in"], row["net"], row["counted_net"]) == ("0", "-4", "-4")


@pytest.mark.parametrize(
    ("address", "parameter", "valid"),
    [
        ("/commits?vendor=groqq", "vendor", "groq"),
        ("/commits?verdict=bad", "verdict", "decoupling"),
        ("/stock?by=path", "by", "vendor"),
        ("/pulls?state=merged", "state", "landed"),
        ("/stock?repository=x/y", "repository", SLUG),
        ("/commits?colour=red", "colour", "vendor"),
    ],
)
def test_a_wrong_question_is_answered_with_what_would_be_right(
    client: httpx.Client, address: str, parameter: str, valid: str
) -> None:
    answer = client.get(f"/api/v1{address}")
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
    problem = answer.json()
    assert (problem["status"], problem["parameter"]) == (400, parameter)
    assert valid in problem["valid"]
    assert valid in problem["detail"]
    assert client.get(address.replace("/stock", "/vendors")).status_code == 400


@pytest.mark.parametrize("key", ["bm9uc2Vuc2U", "%00", "!!"])
def test_a_key_of_a_page_that_was_made_up_is_refused(client: httpx.Client, key: str) -> None:
    for name in ("commits", "pulls"):
        answer = client.get(f"/api/v1/{name}?before={key}")
        assert (answer.status_code, answer.json()["parameter"]) == (400, "before")


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/nothing",
        f"/api/v1/commits/{SLUG}/{'f' * 40}",
        f"/api/v1/commits/{SLUG}/%2e%2e",
        f"/api/v1/pulls/{SLUG}/999",
        f"/api/v1/pulls/{SLUG}/seven",
        f"/api/v1/pulls/{SLUG}/99999999999999999999",
        f"/api/v1/pulls/{SLUG}/-7",
        "/api/v1/pulls/o%00/n/7",
        f"/api/v1/commits/{SLUG}/%00000000",
        f"/api/v1/commits/o%00/n/{'f' * 40}",
        "/charts/pie.svg",
    ],
)
def test_what_is_not_there_is_said_to_be_not_there(client: httpx.Client, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["detail"]


def test_a_page_that_is_not_there_is_a_page(client: httpx.Client) -> None:
    answer = client.get("/nothing/<b>here")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "<b>here" not in answer.text


def test_who_holds_the_present_version_is_told_so_and_nothing_more(client: httpx.Client) -> None:
    for address in ("/", "/api/v1/commits", "/api/v1/alerts", "/metrics", "/charts/stock.json"):
        first = client.get(address)
        again = client.get(address, headers={"if-none-match": f'"other", {first.headers["etag"]}'})
        assert (again.status_code, again.content) == (304, b""), address
        assert again.headers["etag"] == first.headers["etag"]
        assert client.get(address, headers={"if-none-match": '"old"'}).status_code == 200


def test_another_question_has_another_version(client: httpx.Client) -> None:
    held = client.get("/api/v1/commits").headers["etag"]
    assert client.get("/api/v1/commits?limit=2", headers={"if-none-match": held}).status_code == 200
    assert "etag" not in client.get("/api/v1/nothing").headers


def test_a_page_ages_by_the_minute_and_a_poll_does_not(told: Engine, ask: Ask, client: httpx.Client) -> None:
    later = ask(told, story.NOW + timedelta(minutes=1))
    assert later.get("/").headers["etag"] != client.get("/").headers["etag"]
    assert later.get("/api/v1/alerts").headers["etag"] == client.get("/api/v1/alerts").headers["etag"]


def test_head_is_answered_like_get_without_a_body(client: httpx.Client) -> None:
    for address in ("/", "/api/v1/commits", "/livez"):
        answer = client.head(address)
        assert (answer.status_code, answer.content) == (200, b"")


def test_every_answer_carries_the_headers_that_keep_it_safe(client: httpx.Client) -> None:
    for address in ("/", "/api/v1/commits", "/nothing", "/static/style.css", "/charts/flow.svg", "/metrics"):
        headers = client.get(address).headers
        assert headers["content-security-policy"] == (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_static_files_are_kept_only_under_the_address_of_their_content(client: httpx.Client) -> None:
    current = next(address for address in page(client, "/").addresses if address.startswith("/static/style.css"))
    assert "immutable" in client.get(current).headers["cache-control"]
    assert client.get("/static/style.css?v=old").headers["cache-control"] == "no-cache"
    assert client.get("/static/..%2fapp.py").status_code == 404
    assert client.get("/favicon.ico").headers["content-type"] == "image/svg+xml"


def test_charts_come_as_svg_png_and_spec(client: httpx.Client) -> None:
    for name in SERIES:
        svg = client.get(f"/charts/{name}.svg?theme=dark&size=narrow")
        assert (svg.status_code, svg.headers["content-type"]) == (200, "image/svg+xml")
        assert (
            client.get(f"/charts/{name}.json").json()["$schema"].startswith("https://vega.github.io/schema/vega-lite/")
        )
    png = client.get("/charts/flow.png")
    assert png.content.startswith(b"\x89PNG")
    assert png.headers["cross-origin-resource-policy"] == "cross-origin"
    assert client.get("/").headers["cross-origin-resource-policy"] == "same-origin"
    assert client.get("/charts/flow.svg?theme=pink").json()["valid"] == ["light", "dark"]
    assert client.get(f"/charts/flow.svg?repository={story.UNREAD}").status_code == 404


def test_the_interface_is_described(client: httpx.Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    described = {parameter["name"] for parameter in paths["/api/v1/commits"]["get"]["parameters"]}
    assert described == set(COMMIT_PARAMETERS)
    assert {"/api/v1/commits", "/api/v1/alerts", "/metrics", "/readyz"} <= paths.keys()
    assert all(list(methods) == ["get"] for methods in paths.values())


def test_an_organisation_has_its_commits_and_its_reception_beside_everybody_elses(client: httpx.Client) -> None:
    found = body(client, "/organisations/meta")["organisation"]
    assert (found["name"], found["title"]) == ("meta", "Meta")
    assert {commit["verdict"] for commit in found["decoupling"]} == {"decoupling"}
    assert {commit["organisation"] for commit in found["decoupling"]} == {"meta"}
    everything = found["receptions"][0]
    assert (everything["mechanism"], everything["own"]["opened"]) == (None, 0)
    assert everything["rest"]["opened"] > 0
    assert found["pulls_unknown_share"] == 1.0
    lines = client.get("/api/v1/organisations/meta.csv").text.splitlines()
    assert lines[0].startswith("mechanism,whose,opened,landed")
    assert lines[1].startswith("all,meta,0,0")
    assert lines[2].startswith("all,everybody else,")


def test_the_unknown_have_a_page_and_what_the_rules_do_not_name_has_none(client: httpx.Client) -> None:
    assert body(client, "/organisations/unknown")["organisation"]["receptions"][0]["own"]["opened"] > 0
    assert body(client, "/organisations/bots")["organisation"]["row"] is None
    assert client.get("/api/v1/organisations/acme").status_code == 404
    assert client.get("/organisations/%3Cscript%3E").status_code == 404


def test_organisations_say_how_their_pull_requests_were_received(client: httpx.Client) -> None:
    found = body(client, "/organisations")
    assert found["pulls_unknown_share"] == 1.0
    (unknown,) = (row for row in found["rows"] if row["organisation"] == "unknown")
    reception = unknown["reception"]
    states = ("landed", "reverted", "closed", "stale", "open")
    assert reception["opened"] == sum(reception[state] for state in states) > 0
    assert set(unknown["mechanisms"]) == {"generalised", "broadened", "relocated", "dropped", "retired", "introduced"}
