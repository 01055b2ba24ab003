"""The crawl of pull requests against a stand-in GitHub: complete, cheap, and going on wherever it was stopped."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, select

from db.cursors import move_cursor
from db.tables import PersonRow, PullRequestRow
from jobs.crawl_pulls import crawl_pulls
from jobs.pull_cursors import BACKFILL, BackfillCursor
from tests.jobs.pull_crawler import OPENING, Crawler, described
from tests.pull_builders import A_TIME, a_person, a_pull, pulls
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import TOKEN
from tracker.errors import AuthenticationFailed, RateLimited, UpstreamUnavailable
from tracker.settings import Secret, Settings
from tracker.upstream import PullRequestState


def test_the_first_crawl_reads_everything(crawler: Crawler) -> None:
    counts = crawler.crawl()
    assert crawler.stored() == described(pulls(120))
    assert counts == {
        "read": 131,  # the last ten minutes twice: that is where increments begin
        "new": 120,
        "changed": 0,
        "unserved": 0,
        "served_late": 0,
        "on_github": 120,
        "stored": 120,
        "dead_letters": 0,
        "missing": 0,
        "requests": 6,
        "free": 0,
        "points": 5,
    }


def test_progress_is_said_page_by_page(crawler: Crawler) -> None:
    crawler.crawl()
    assert crawler.stages[:3] == [
        ("reading pull requests", 50, 120),
        ("reading pull requests", 100, 120),
        ("reading pull requests", 120, 120),
    ]


def test_a_crawl_without_news_asks_one_question_that_is_free(crawler: Crawler) -> None:
    crawler.crawl()
    before = len(crawler.github.log)
    counts = crawler.crawl()
    assert (counts["requests"], counts["free"], counts["points"], counts["read"]) == (1, 1, 0, 0)
    assert crawler.asked(before) == [OPENING]


def test_an_increment_reads_what_was_updated_and_what_is_new(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(3, crawler.now)
    crawler.github.pulls.put(a_pull(121, created_at=crawler.now))
    before = len(crawler.github.log)
    counts = crawler.crawl()
    assert crawler.asked(before) == [OPENING, "EdgesBefore", "PullRequests"]
    assert (counts["new"], counts["changed"]) == (1, 1)
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_increments_overlap_until_no_late_update_can_appear(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(3, crawler.now)
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=9))
    crawler.update(5, crawler.now - timedelta(minutes=10), "Shown late")  # a server was nine minutes behind
    crawler.crawl()
    assert (5, "Shown late", crawler.now - timedelta(minutes=10)) in crawler.stored()
    crawler.pass_time(timedelta(minutes=15))
    crawler.crawl()
    before = len(crawler.github.log)
    crawler.crawl()
    assert crawler.asked(before) == [OPENING]


def test_what_is_updated_while_the_first_crawl_runs_is_read_before_it_ends(crawler: Crawler) -> None:
    def update_one(description: str) -> None:
        if "PullRequests" in description:
            crawler.pass_time(timedelta(minutes=1))
            crawler.update(len(crawler.github.log), crawler.now)

    crawler.github.before_answer = update_one
    crawler.crawl()
    crawler.github.before_answer = lambda _: None
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_a_flood_of_updates_in_one_second_neither_loops_nor_skips(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    for number in range(1, 119):
        crawler.update(number, crawler.now, "Relabelled")
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_a_date_in_the_future_hides_nothing(crawler: Crawler) -> None:
    crawler.github.pulls.put(a_pull(121, created_at=datetime(2100, 1, 1, tzinfo=UTC)))
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(3, crawler.now)
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())


@pytest.mark.parametrize("kind", [FaultKind.CLOCK_AHEAD, FaultKind.CLOCK_BEHIND])
def test_a_server_whose_clock_is_wrong_loses_nothing(crawler: Crawler, kind: FaultKind) -> None:
    crawler.github.faults = FaultScript(faults=(Fault(kind=kind, times=0),))
    crawler.crawl()
    for minutes in (15, 16, 30):
        crawler.pass_time(timedelta(minutes=15))
        crawler.update(minutes, crawler.now)
        crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_a_crawl_that_was_stopped_goes_on_where_it_last_committed(crawler: Crawler) -> None:
    crawler.github.faults = FaultScript(
        faults=(Fault(kind=FaultKind.UNAVAILABLE, on="Requests|Numbers", after=2, times=8),)
    )
    with pytest.raises(UpstreamUnavailable):
        crawler.crawl()
    assert len(crawler.stored()) == 100
    before = len(crawler.github.log)
    counts = crawler.crawl()
    assert counts["new"] == 20
    assert crawler.asked(before)[:2] == [OPENING, "PullRequests"]
    assert crawler.stored() == described(pulls(120))


def test_a_spent_budget_ends_the_crawl_at_once_and_keeps_what_was_read(crawler: Crawler) -> None:
    crawler.github.faults = FaultScript(faults=(Fault(kind=FaultKind.RATE_LIMITED, on="PullRequests", after=1),))
    with pytest.raises(RateLimited, match="it can be asked again at"):
        crawler.crawl()
    assert len(crawler.stored()) == 50
    crawler.crawl()
    assert crawler.stored() == described(pulls(120))


def test_the_page_size_that_github_bears_is_kept_for_the_next_crawl(crawler: Crawler) -> None:
    crawler.github.too_heavy_from = 20
    crawler.github.faults = FaultScript(faults=(Fault(kind=FaultKind.RATE_LIMITED, on="PullRequests", after=3),))
    with pytest.raises(RateLimited):
        crawler.crawl()
    assert len(crawler.stored()) == 12
    crawler.crawl()
    assert crawler.github.sizes[:5] == [50, 25, 12, 15, 15]
    assert crawler.stored() == described(pulls(120))


def test_a_pull_request_that_cannot_be_served_is_a_dead_letter_and_the_rest_goes_on(crawler: Crawler) -> None:
    crawler.github.spoilt = {7: lambda _node: TimeoutError("timed out")}
    counts = crawler.crawl()
    assert len(crawler.stored()) == 119
    assert (counts["unserved"], counts["dead_letters"], counts["on_github"], counts["missing"]) == (1, 1, 120, 0)
    assert crawler.letters() == [("7", 1)]


def test_a_dead_letter_is_tried_again_a_day_later_and_forgotten_once_served(crawler: Crawler) -> None:
    crawler.github.spoilt = {7: lambda _node: TimeoutError("timed out")}
    crawler.crawl()
    crawler.crawl()
    assert crawler.letters() == [("7", 1)]
    crawler.pass_time(timedelta(days=1, minutes=1))
    crawler.crawl()
    assert crawler.letters() == [("7", 2)]
    crawler.github.spoilt = {}
    crawler.pass_time(timedelta(days=1, minutes=1))
    counts = crawler.crawl()
    assert crawler.letters() == []
    assert (counts["served_late"], counts["new"]) == (1, 1)
    assert crawler.stored() == described(pulls(120))


def test_a_dead_letter_that_is_updated_and_served_is_forgotten(crawler: Crawler) -> None:
    crawler.github.spoilt = {7: lambda _node: TimeoutError("timed out")}
    crawler.crawl()
    crawler.github.spoilt = {}
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(7, crawler.now)
    crawler.crawl()
    assert crawler.letters() == []
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_when_hardly_anything_is_served_github_is_to_blame_and_not_each_pull_request(crawler: Crawler) -> None:
    crawler.github.spoilt = {number: lambda node: node | {"createdAt": "yesterday"} for number in range(1, 121)}
    with pytest.raises(UpstreamUnavailable, match="hardly any pull request"):
        crawler.crawl()
    assert len(crawler.letters()) <= 20


def test_a_cursor_that_github_no_longer_knows_starts_the_backfill_again(crawler: Crawler) -> None:
    with crawler.sessions.begin() as session:
        forgotten = BackfillCursor(after="no cursor", watermark=A_TIME).to_json()
        move_cursor(session, crawler.row(session).id, BACKFILL, forgotten, A_TIME)
    crawler.crawl()
    assert crawler.stored() == described(pulls(120))


def test_a_repository_without_pull_requests_is_read_and_its_first_one_found(crawler: Crawler) -> None:
    given = crawler.github.pulls.all()
    crawler.github.pulls._pulls.clear()
    crawler.crawl()
    crawler.crawl()
    assert crawler.stored() == []
    crawler.github.pulls.put(given[0])
    crawler.crawl()
    assert crawler.stored() == described(given[:1])


def test_no_mail_address_is_stored(crawler: Crawler) -> None:
    author = a_person("grace", id=2, company="grace@example.com")
    crawler.github.pulls.put(replace(a_pull(1), title="From ada@example.com", author=author))
    crawler.crawl()
    with crawler.sessions() as session:
        texts = [*session.scalars(select(PullRequestRow.title)), *session.scalars(select(PersonRow.company))]
    assert not any("ada@" in text or "grace@" in text for text in texts if text is not None)
    assert {"From @example.com", "@example.com"} <= set(texts)


def test_a_landed_pytorch_pull_request_stays_closed_as_github_says(crawler: Crawler) -> None:
    crawler.github.pulls.put(a_pull(1, state=PullRequestState.CLOSED))
    crawler.crawl()
    with crawler.sessions() as session:
        states = session.scalars(select(PullRequestRow.state).where(PullRequestRow.number == 1)).all()
    assert states == [PullRequestState.CLOSED]


def test_without_a_token_the_crawl_says_what_to_set_and_asks_nothing(crawler: Crawler) -> None:
    with crawler.sessions() as session:
        row = crawler.row(session)
    with pytest.raises(AuthenticationFailed, match="set TRACKER_GITHUB_TOKEN or TRACKER_GITHUB_TOKEN_FILE"):
        crawl_pulls(crawler.sessions, row, Settings(github_url=crawler.github.api_url))
    assert crawler.github.log == []


def test_what_is_neither_stored_nor_a_dead_letter_is_counted_as_missing(crawler: Crawler) -> None:
    crawler.crawl()
    with crawler.sessions.begin() as session:
        session.execute(delete(PullRequestRow).where(PullRequestRow.number == 3))
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(5, crawler.now)
    assert crawler.crawl()["missing"] == 1


def test_the_job_crawls_with_what_the_settings_name(crawler: Crawler) -> None:
    with crawler.sessions() as session:
        row = crawler.row(session)
    settings = Settings(github_url=crawler.github.api_url, github_token=Secret(TOKEN))
    assert crawl_pulls(crawler.sessions, row, settings)["stored"] == 120
