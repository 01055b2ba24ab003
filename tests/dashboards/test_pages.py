import re
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import sessionmaker

from db.commit_pages import CommitFilter, read_commits
from tests.builders import a_sha
from tests.dashboards import story
from tests.dashboards.conftest import Ask
from tests.dashboards.documents import PAGES, Document, page
from tests.stored import SLUG
from tracker.ruleset import Ruleset

SECOND, FOURTH = a_sha("second"), a_sha("fourth")


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_whole_and_asks_no_other_host(client: httpx.Client, address: str) -> None:
    document = page(client, address)
    assert document.tags.count("h1") == 1
    assert document.tags.count("main") == 1
    assert len(document.ids) == len(set(document.ids))
    assert not {name for name in document.attributes if name == "style" or name.startswith("on")}
    assert document.tags.count("script") == 1
    links = [address for address in document.addresses if address.startswith("http")]
    assert all(address.startswith("https://github.com/") for address in links)


def test_every_address_on_a_page_leads_somewhere(client: httpx.Client) -> None:
    linked = {found.partition("#")[0] for address in PAGES for found in page(client, address).addresses}
    drawn = {found for found in linked if found.startswith(("/charts/", "/static/vega-"))}
    for address in sorted(linked - drawn - {"/readyz"}):
        if not address.startswith("http"):
            assert client.get(address or "/").status_code == 200, address
    assert {client.get(address).status_code for address in drawn if ".json" in address} == {200}


def test_the_overview_answers_first(client: httpx.Client) -> None:
    text = page(client, "/").text
    assert (
        "Neutral code of pytorch/pytorch names vendors’ hardware in 5 places , 29% fewer than a year before ." in text
    )
    assert "60% of them are NVIDIA’s; AMD follows." in text
    assert "3 neutral constructs stand in the same code, 200% more." in text
    assert "In the last year 2 sites came and 4 went; 1 commit decoupled and 0 coupled." in text


def test_pages_say_how_far_their_data_reaches(client: httpx.Client) -> None:
    for address in ("/", "/vendors", "/commits", f"/commits/{SLUG}/{SECOND}", "/runs"):
        assert "Data through 2021-01-26 12:00 UTC" in page(client, address).text, address
    for address in ("/method", f"/vendors?repository={story.UNREAD}"):
        assert "Data through" not in page(client, address).text, address


def test_the_overview_says_how_fresh_it_is_and_what_fires(client: httpx.Client) -> None:
    text = page(client, "/").text
    assert "commits ok went well 5 min ago" in text
    assert "pull requests unavailable api.github.com did not answer: <timeout>; never went well so far" in text
    assert "New sites that name hardware in neutral code: 12 <b>" in text
    assert "Alerts 1 firing" in text


def test_names_that_merely_contain_a_vendors_word_count_only_when_asked(client: httpx.Client) -> None:
    assert "in 8 places" in page(client, "/?names=yes").text


def test_pages_say_which_sites_and_commits_their_numbers_hold(client: httpx.Client) -> None:
    for address in ("/", "/method"):
        assert (
            "Headline numbers and charts of sites leave out identifiers that merely contain"
            in page(client, address).text
        )
    assert "identifiers that merely contain a vendor’s word included" in page(client, "/organisations").text


def test_the_latest_commits_are_those_that_stand_and_the_others_are_counted_and_linked(client: httpx.Client) -> None:
    found = page(client, "/").text
    # The revert couples, and is no coupling of its own; the decoupling it undid was landed again.
    assert "No commit that was read and stands is a coupling one." not in found
    coupling = found[found.index("Newly coupled") :]
    assert "Add synchronisation" in coupling
    assert "Revert" not in coupling[: coupling.index("Only changes that stand")]
    assert "there are 0 that stand in all, and 1 more that are reverts, relands or undone." in coupling
    since = f"&since={(story.LAST - timedelta(weeks=52)).date().isoformat()[:4]}"
    links = client.get("/").text
    assert (
        f"/commits?repository=pytorch%2Fpytorch&amp;verdict=coupling&amp;net=yes{since.replace('&', '&amp;')}" in links
    )
    decoupling = client.get("/api/v1/commits?verdict=decoupling&net=yes").json()["rows"]
    assert [row["subject"] for row in decoupling] == ["Generalise synchronisation (#7)"]


def test_the_pace_of_one_vendor_is_linked_from_the_headline_and_from_every_row(client: httpx.Client) -> None:
    assert '<a href="/?repository=pytorch%2Fpytorch&amp;vendor=amd">AMD</a>' in client.get("/").text
    assert "Up or down for one vendor: NVIDIA · AMD · all vendors" in page(client, "/").text
    rows = client.get("/vendors").text
    assert 'href="/?repository=pytorch%2Fpytorch&amp;vendor=nvidia"' in rows
    assert 'href="/?repository=pytorch%2Fpytorch&amp;vendor=groq"' in rows


def test_numbers_of_sites_lead_to_the_sites_and_those_to_files_at_the_commit(client: httpx.Client) -> None:
    sites = "/sites?repository=pytorch%2Fpytorch"
    assert f'<a class="value" href="{sites}">5</a>' in client.get("/").text
    for address in ("/", "/vendors"):
        assert f'<a href="{sites}&amp;vendor=nvidia">3</a>' in client.get(address).text
    assert f'<a href="{sites}&amp;area=core">5</a>' in client.get("/areas").text
    assert f'<a href="{sites}&amp;area=core&amp;construct=neutral">3</a>' in client.get("/areas").text
    assert f'<a href="{sites}">5</a>' in client.get("/ecosystem").text
    shown = client.get("/sites?vendor=amd").text
    assert f"https://github.com/pytorch/pytorch/blob/{a_sha('hostile')}/torch/utils.py" in shown
    assert "2 sites in all" in page(client, "/sites?vendor=amd").text
    assert "Nothing of second/unread was read yet" in page(client, f"/sites?repository={story.UNREAD}").text
    assert "No site that stands fits." in page(client, "/sites?vendor=groq").text


def test_a_question_that_cannot_be_answered_keeps_the_way_to_every_section(client: httpx.Client) -> None:
    for address, status in (("/?from=2020", 400), ("/nowhere", 404)):
        answer = client.get(address)
        assert answer.status_code == status
        for section in ("/", "/vendors", "/organisations", "/commits", "/runs", "/method"):
            assert f'<li><a href="{section}">' in answer.text
        assert "aria-current" not in answer.text


def test_a_period_can_be_asked_for_by_the_names_of_its_fields(client: httpx.Client) -> None:
    by_label, by_name = (
        client.get(f"/api/v1/commits?{query}").json() for query in ("from=2021-01-20", "since=2021-01-20")
    )
    assert by_label["rows"] == by_name["rows"] != []
    assert client.get("/api/v1/commits?from=2021-01-20&since=2021-01-20").status_code == 400
    assert 'name="since" value="2021-01-20"' in client.get("/commits?from=2021-01-20").text


def test_an_organisation_of_which_nothing_is_known_has_one_card_that_says_so(client: httpx.Client) -> None:
    found = client.get("/organisations/intel").text
    assert found.count('<section class="card"') == 1
    assert "Nothing that was read is known to be its people’s" in found
    known = client.get("/organisations/meta").text
    links = re.findall(r">(All [^<]*)</a>", known)
    assert len(links) == len(set(links)) == 5


def test_a_repository_that_is_being_read_for_the_first_time_says_so_and_shows_no_zero(client: httpx.Client) -> None:
    text = page(client, f"/?repository={story.UNREAD}").text
    assert "The first crawl of second/unread is running" in text
    assert "running for 2 min" in text
    assert "0 places" not in text


def test_a_crawl_that_has_not_succeeded_for_too_long_is_stale(told: Engine, ask: Ask) -> None:
    text = page(ask(told, story.NOW + timedelta(hours=7)), "/").text
    assert "Crawl of pytorch/pytorch, stale: went well 7 h 5 min ago." in text


def test_real_data_is_not_marked(client: httpx.Client) -> None:
    assert "Demo data" not in page(client, "/").text


def test_hostile_text_stays_text(client: httpx.Client) -> None:
    for address in (
        "/commits",
        f"/commits/{SLUG}/{a_sha('hostile')}",
        "/pulls",
        f"/pulls/{SLUG}/8",
        "/runs",
        "/alerts",
    ):
        html = client.get(address).text
        document = Document(html)
        assert document.tags.count("script") == 1, address
        assert "img" not in document.tags
        assert "b" not in document.tags
        assert "\u202e" not in html
    assert "<script>alert(1)</script>" in page(client, "/commits").text
    assert "<U+202E>gnp.exe" in page(client, "/commits").text


def test_a_commit_page_shows_what_it_did_line_by_line(client: httpx.Client) -> None:
    document = page(client, f"/commits/{SLUG}/{SECOND}")
    assert "Verdict: decoupling" in document.text
    assert "generalised 2, broadened 0, relocated 0" in document.text
    assert (
        "−2 torch.cuda.synchronize api · NVIDIA → torch.accelerator.synchronize lines 12 30 before the change"
        in document.text
    )
    blob = f"https://github.com/{SLUG}/blob/"
    assert f"{blob}{a_sha('first')}/torch/serialization.py#L12" in document.addresses
    assert f"{blob}{SECOND}/torch/serialization.py#L12" in document.addresses


def test_reverts_and_relands_lead_both_ways(client: httpx.Client) -> None:
    third = a_sha("third")
    assert "This commit reverts Generalise synchronisation (#7)" in page(client, f"/commits/{SLUG}/{third}").text
    second = page(client, f"/commits/{SLUG}/{SECOND}")
    assert 'Reverted by Revert "Generalise synchronisation (#7)"' in second.text
    assert "Landed again by [reland] Generalise synchronisation (#7)" in second.text
    assert f"/commits/{SLUG}/{third}" in second.addresses
    assert "This commit lands again Generalise" in page(client, f"/commits/{SLUG}/{FOURTH}").text


def test_the_first_digits_of_a_sha_lead_to_the_commit(client: httpx.Client) -> None:
    answer = client.get(f"/commits/{SLUG}/{SECOND[:10]}")
    assert (answer.status_code, answer.headers["location"]) == (307, f"/commits/{SLUG}/{SECOND}")


def test_what_was_not_read_of_a_commit_is_listed(client: httpx.Client) -> None:
    assert "logo<br>.png binary" in page(client, f"/commits/{SLUG}/{a_sha('hostile')}").text


def test_a_list_of_commits_is_filtered_by_its_address(client: httpx.Client) -> None:
    text = page(client, "/commits?verdict=decoupling&vendor=nvidia").text
    assert "Generalise synchronisation (#7)" in text
    assert "Revert" not in text
    assert "2 rows here" in text
    assert "No commit that was read fits" in page(client, "/commits?vendor=groq").text


def test_a_long_list_is_read_page_by_page(client: httpx.Client) -> None:
    subjects, address = [], "/commits?limit=2"
    while address:
        html = client.get(address).text
        subjects += re.findall(r'class="title" href="/commits/[^"]+"><bdi>([^<]+)', html)
        found = re.search(r'href="([^"]+)" rel="next"', html)
        address = found[1].replace("&amp;", "&") if found else ""
    assert len(subjects) == 5
    assert subjects[-1] == "Add synchronisation"


def test_a_pull_request_shows_its_way(client: httpx.Client) -> None:
    document = page(client, f"/pulls/{SLUG}/7")
    assert "landed" in document.text
    assert "GitHub says closed" in document.text
    assert "hours to landing 48.0" in document.text
    assert f"/commits/{SLUG}/{FOURTH}" in document.addresses


def test_an_open_pull_request_shows_what_it_would_do(client: httpx.Client) -> None:
    text = page(client, f"/pulls/{SLUG}/8").text
    assert "would be coupling introduced" in text
    assert "What it would do, if it landed" in text
    assert "introduced 3 sites in 1 file" in text
    assert "the merge base with main ; 3 files differ" in text
    assert "1 file: binary" in text
    assert "GitHub describes it with the head 0000000000" in text


def test_a_head_that_could_not_be_judged_says_why(client: httpx.Client) -> None:
    text = page(client, f"/pulls/{SLUG}/9").text
    assert "not judged no merge base <b>nothing</b> in common" in text
    assert "would be" not in text


def test_lists_of_pull_requests_show_what_they_do_and_the_overview_the_largest_open_ones(client: httpx.Client) -> None:
    listed = page(client, "/pulls").text
    assert "+3" in listed
    assert "would be coupling introduced core nvidia" in listed
    assert "unknown Forgotten stale" in listed
    overview = page(client, "/")
    assert "Open pull requests that would change most" in overview.text
    assert f"/pulls/{SLUG}/8" in overview.addresses
    assert f"/pulls/{SLUG}/9" not in overview.addresses
    assert "Open pull requests that would" not in page(client, f"/?repository={story.UNREAD}").text


def test_runs_show_what_went_wrong_and_what_was_left_out(client: httpx.Client) -> None:
    text = page(client, "/runs").text
    assert "api.github.com did not answer: <timeout>" in text
    assert "next try 2021-01-27 12:30 UTC" in text
    assert "binary 1" in text
    assert "pulls-backfill 9 GitHub answered 502" in text
    assert "commits 5 · note a<b" in text


def test_the_method_page_has_every_rule_with_its_examples(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    document = page(client, "/method")
    for rule in (*shipped_ruleset.rules, *shipped_ruleset.neutral_constructs):
        assert f"rule-{rule.id}" in document.ids
    for vendor in shipped_ruleset.vendors:
        assert vendor.title in document.text


def test_the_method_page_lists_the_addresses_for_programs(client: httpx.Client) -> None:
    text = page(client, "/method").text
    assert (
        "/api/v1/organisations and .csv Return who removed and who added sites, and how pull requests were received"
        in text
    )
    assert "/api/v1/commits/{owner}/{name}/{sha} Return one commit" in text


def test_vendors_that_nobody_names_have_their_row(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    text = page(client, "/vendors").text
    assert all(vendor.title in text for vendor in shipped_ruleset.vendors)


def test_pages_only_read(told: Engine, client: httpx.Client) -> None:
    with sessionmaker(told)() as session:
        before = read_commits(session, CommitFilter())
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/commits").status_code == 405
    with sessionmaker(told)() as session:
        assert read_commits(session, CommitFilter()) == before


def test_verdicts_of_another_ruleset_are_announced(client: httpx.Client, shipped_ruleset: Ruleset) -> None:
    text = page(client, "/").text
    assert f"come from another ruleset than {shipped_ruleset.digest[:10]} : the next crawl judges them anew." in text
