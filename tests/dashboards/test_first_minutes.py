from datetime import timedelta

import httpx
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from db.coverage import note_begun
from db.repositories import add_repository
from db.runs import end_run, start_run
from tests.builders import A_DAY, a_sha
from tests.dashboards import story
from tests.dashboards.conftest import Ask
from tests.dashboards.documents import PAGES, page
from tests.stored import SLUG, a_repository, append


def test_an_empty_database_says_what_to_do(empty_client: httpx.Client) -> None:
    for address in (
        "/",
        "/vendors",
        "/areas",
        "/organisations",
        "/ecosystem",
        "/commits",
        "/pulls",
        "/alerts",
        "/runs",
    ):
        page(empty_client, address)
    text = page(empty_client, "/").text
    assert "No repository is under watch" in text
    assert "tracker repos add" in text


def test_an_upstream_that_cannot_be_reached_is_told_in_one_line_with_the_next_try(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_DAY)
        run = start_run(session, "crawl_commits", SLUG, story.NOW - timedelta(minutes=9))
        retry_at = story.NOW + timedelta(minutes=1)
        end_run(session, run, "unavailable", {}, "github.com did not answer", story.NOW, retry_at=retry_at)
    text = page(ask(engine), "/").text
    assert "pytorch/pytorch could not be read yet" in text
    assert "Unavailable: github.com did not answer; never went well so far; next try 2021-01-27 12:01 UTC." in text


def test_a_crawl_that_fails_stands_above_the_numbers_it_makes_old(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), story.COMMITS)
        run = start_run(session, "crawl_commits", SLUG, story.NOW)
        end_run(session, run, "failed", {}, "disk full", story.NOW)
    text = page(ask(engine), "/").text
    assert (
        "Crawl of pytorch/pytorch, failed: disk full; never went well so far. What is shown is as old as that." in text
    )
    assert "in 5 places" in text


def test_commits_that_are_being_read_are_running_and_not_failed(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        repository_id = a_repository(session)
        note_begun(session, repository_id, 0, 499, A_DAY)
        run = start_run(session, "crawl_commits", SLUG, story.NOW)
    client = ask(engine)
    assert "running commits 0 to 499 of pytorch/pytorch: being read since" in page(client, "/runs").text
    (coverage,) = client.get("/api/v1/runs").json()["coverage"]
    assert [part["state"] for part in coverage["ranges"]] == ["running"]
    with sessions.begin() as session:
        end_run(session, run, "killed", {}, "the process ended", story.NOW)
    assert "failed commits 0 to 499 of pytorch/pytorch: begun 1 time since" in page(client, "/runs").text


def test_a_crawl_that_goes_well_and_finds_nothing_new_for_long_is_no_good_sign(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), story.COMMITS)
        later = story.LAST + timedelta(days=8)
        end_run(session, start_run(session, "crawl_commits", SLUG, later), "ok", {}, "", later)
    client = ask(engine, later)
    said = "ago, but the newest commit is 8 d old: what it reads does not move"
    assert said in page(client, "/runs").text
    assert said in page(client, "/").text
    assert "unmoved: went well" in page(client, "/").text
    assert 'decoupling_upstream_unmoved{repository="pytorch/pytorch"} 1.0' in client.get("/metrics").text
    assert any(said in reason for reason in client.get("/readyz").json()["reasons"])
    with sessions.begin() as session:
        add_repository(
            session, SLUG, quiet_days=30, ref="v1.0", since=story.COMMITS[0].commit.committed_at.date(), now=A_DAY
        )
    client = ask(engine, later)
    assert said not in page(client, "/runs").text
    assert "told to begin with 2020-" in page(client, "/runs").text
    assert "follows v1.0" in page(client, "/runs").text
    assert 'decoupling_upstream_unmoved{repository="pytorch/pytorch"} 0.0' in client.get("/metrics").text


def test_pull_requests_that_were_never_crawled_for_lack_of_a_token_are_said_not_to_be(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), story.COMMITS)
        run = start_run(session, "crawl_pulls", SLUG, story.NOW)
        end_run(session, run, "unconfigured", {}, "set TRACKER_GITHUB_TOKEN", story.NOW)
    client = ask(engine)
    for address in ("/", "/runs"):
        assert "not crawled" in page(client, address).text
    assert 'decoupling_crawled{job="crawl_pulls",repository="pytorch/pytorch"} 0.0' in client.get("/metrics").text


def test_demo_data_is_marked_on_every_page_that_shows_it(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        story.tell(session, demo=True)
    client = ask(engine)
    for address in PAGES:
        marked = "Demo data" in page(client, address).text
        assert marked is (address != "/method"), address
    assert not [
        link for link in page(client, f"/commits/{SLUG}/{a_sha('second')}").addresses if link.startswith("http")
    ]


def test_a_pull_request_that_only_commits_know_is_shown_by_them(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), story.COMMITS)
    text = page(ask(engine), f"/pulls/{SLUG}/7").text
    assert "GitHub’s description of it was not read" in text


def test_nothing_is_said_to_be_zero_before_anything_was_read(
    engine: Engine, sessions: sessionmaker[Session], ask: Ask
) -> None:
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_DAY)
    client = ask(engine)
    assert "Not evaluated yet. Whether anything should fire is unknown." in page(client, "/").text
    assert "all 0" not in page(client, "/pulls").text
    assert "decoupling_alerts{" not in client.get("/metrics").text
    with sessions.begin() as session:
        end_run(session, start_run(session, "evaluate_alerts", "", story.NOW), "ok", {}, "", story.NOW)
    assert "Not evaluated yet on any commit: nothing was read." in page(client, "/").text
    assert "No pull request was read yet" in page(client, f"/pulls?repository={SLUG}").text


def test_an_alert_that_was_never_evaluated_is_unknown_to_rules_and_page(empty_client: httpx.Client) -> None:
    (group,) = empty_client.get("/api/v1/rules").json()["data"]["groups"]
    assert {rule["health"] for rule in group["rules"]} == {"unknown"}
    assert "not been evaluated yet" in empty_client.get("/alerts").text


def test_a_service_that_watches_nothing_is_not_ready(empty_client: httpx.Client) -> None:
    assert empty_client.get("/readyz").json()["reasons"] == ["repositories: 0 repositories under watch"]


def test_what_a_job_stores_is_seen_at_once(engine: Engine, sessions: sessionmaker[Session], ask: Ask) -> None:
    with sessions.begin() as session:
        a_repository(session)
    client = ask(engine)
    held = client.get("/api/v1/repositories").headers["etag"]
    with sessions.begin() as session:
        run = start_run(session, "crawl_commits", SLUG, story.NOW)
    begun = client.get("/api/v1/repositories", headers={"if-none-match": held})
    assert begun.status_code == 200
    with sessions.begin() as session:
        end_run(session, run, "failed", {}, "no disk", story.NOW)
    ended = client.get("/api/v1/repositories", headers={"if-none-match": begun.headers["etag"]})
    assert ended.json()["rows"][0]["jobs"][0]["message"] == "no disk"
    with sessions.begin() as session:
        append(session, a_repository(session), story.COMMITS)
    assert "in 5 places" in page(client, "/").text
