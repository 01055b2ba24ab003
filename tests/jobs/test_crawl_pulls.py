"""The crawl of pull requests against a stand-in GitHub: complete, cheap, and going on wherever it was stopped."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from db.cursors import move_cursor
from db.tables import HttpCacheRow, PersonRow, PullRequestRow
from jobs.crawl_pulls import crawl_pulls
from jobs.pull_cursors import BACKFILL, BackfillCursor
from tests.jobs.pull_crawler import MUCH_LATER, OPENING, Crawler, described
from tests.pull_builders import A_TIME, a_notice, a_person, a_pull, a_review, pulls
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import TOKEN
from tracker.errors import AuthenticationFailed, RateLimited, UpstreamUnavailable
from tracker.settings import Secret, Settings
from tracker.upstream import NoticeKind, PullFile, PullRequest, PullRequestState, Review


def test_the_first_crawl_reads_everything(crawler: Crawler) -> None:
    counts = crawler.crawl()
    assert crawler.stored() == described(pulls(120))
    assert counts == {
        "read": 131,  # the last ten minutes twice: that is where increments begin
        "new": 120,
        "changed": 0,
        "lists_read_on": 0,
        "unserved": 0,
        "served_late": 0,
        "on_github": 120,
        "stored": 120,
        "dead_letters": 0,
        "missing": 0,
        "requests": 8,
        "free": 0,
        "points": 7,
    }


def test_progress_is_said_page_by_page(crawler: Crawler) -> None:
    crawler.crawl()
    assert crawler.stages[:5] == [
        ("reading pull requests", 29, 120),
        ("reading pull requests", 58, 120),
        ("reading pull requests", 87, 120),
        ("reading pull requests", 116, 120),
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


def crawl_while(crawler: Crawler, happens: Callable[[], None]) -> None:
    """Crawl more updates than a page holds, with something that happens behind the first page; then once more."""
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    for number in range(1, 41):
        crawler.update(number, crawler.now)
    pages = []

    def before_answer(description: str) -> None:
        if "PullRequests" in description:
            pages.append(description)
            if len(pages) == 2:
                happens()

    crawler.github.before_answer = before_answer
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.crawl()


def test_what_github_shows_late_behind_a_walk_that_goes_on_is_read_by_the_next(crawler: Crawler) -> None:
    def happens() -> None:
        crawler.update(50, crawler.now - timedelta(minutes=9), "Shown late")
        crawler.pass_time(timedelta(minutes=5))
        crawler.update(60, crawler.now)

    crawl_while(crawler, happens)
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_a_walk_that_takes_longer_than_a_late_update_is_followed_by_another(crawler: Crawler) -> None:
    def happens() -> None:
        crawler.pass_time(timedelta(minutes=4))
        crawler.update(50, crawler.now - timedelta(minutes=9), "Shown late")
        crawler.pass_time(timedelta(minutes=7))

    crawl_while(crawler, happens)
    assert crawler.stored() == described(crawler.github.pulls.all())


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
    assert len(crawler.stored()) == 58
    before = len(crawler.github.log)
    counts = crawler.crawl()
    assert counts["new"] == 62
    assert crawler.asked(before)[:2] == [OPENING, "PullRequests"]
    assert crawler.stored() == described(pulls(120))


def test_a_spent_budget_ends_the_crawl_at_once_and_keeps_what_was_read(crawler: Crawler) -> None:
    crawler.github.faults = FaultScript(faults=(Fault(kind=FaultKind.RATE_LIMITED, on="PullRequests", after=1),))
    with pytest.raises(RateLimited, match="it can be asked again at"):
        crawler.crawl()
    assert len(crawler.stored()) == 29
    crawler.crawl()
    assert crawler.stored() == described(pulls(120))


def test_the_page_size_that_github_bears_is_kept_for_the_next_crawl(crawler: Crawler) -> None:
    crawler.github.too_heavy_from = 12
    crawler.github.faults = FaultScript(faults=(Fault(kind=FaultKind.RATE_LIMITED, on="PullRequests", after=3),))
    with pytest.raises(RateLimited):
        crawler.crawl()
    assert len(crawler.stored()) == 7
    crawler.crawl()
    assert crawler.github.sizes[:5] == [29, 14, 7, 8, 8]
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


def test_no_mail_address_is_anywhere_in_the_database(crawler: Crawler) -> None:
    mail = "ada.lovelace@mail.example.com"
    hostile = replace(
        a_pull(1, title=f"From {mail}", labels=("plain",), author=a_person("grace", id=2, company=mail)),
        notices=(replace(a_notice(kind=NoticeKind.MERGE_FAILED), reason=f"ask {mail}"),),
        head_ref=f"{mail}/patch-1",
        updated_at=MUCH_LATER,
    )
    crawler.github.pulls.put(hostile)
    crawler.github.spoilt = {1: lambda node: node | {"body": f"Signed-off-by: Ada <{mail}>\n\nFixes #7\n\n{mail}"}}
    crawler.crawl()
    with crawler.sessions() as session:
        assert session.scalars(select(HttpCacheRow.body)).one()  # the newest pull request came by REST, whole
        database = session.get_bind().url.database  # type: ignore[union-attr]
        assert session.scalars(select(PersonRow.company).where(PersonRow.login == "grace")).one() == "@mail.example.com"
    files = [Path(f"{database}{suffix}") for suffix in ("", "-wal")]
    everything = b"".join(file.read_bytes() for file in files if file.exists())
    assert b"octo/engine" in everything
    assert b"lovelace" not in everything
    assert TOKEN.encode() not in everything


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


def test_lists_longer_than_github_gives_at_once_are_read_to_their_end(crawler: Crawler) -> None:
    crawler.github.pulls.put(a_long_pull(3))
    counts = crawler.crawl()
    assert crawler.lists_of(3) == {
        "labels": [f"label {number}" for number in range(130)],
        "reviews": sorted(f"PRR_{number:04}" for number in range(250)),
        "notices": sorted(f"IC_{number:04}" for number in range(101)),
        "files": [f"part/{number}.py" for number in range(203)],
        "linked_issues": sorted(f"octo/engine#{number}" for number in range(1, 112)),
        "remainders": [],
    }
    assert (counts["lists_read_on"], counts["missing"]) == (7, 0)


def test_many_lists_are_read_on_in_one_question(crawler: Crawler) -> None:
    for number in range(1, 13):
        crawler.github.pulls.put(replace(a_pull(number), reviews=some_reviews(150, number), reviews_total=150))
    counts = crawler.crawl()
    assert len(crawler.github.requests("MoreItems")) == 1
    assert counts["lists_read_on"] == 12
    assert len(crawler.lists_of(12)["reviews"]) == 150


def test_lists_that_wait_are_read_on_by_the_next_crawl(crawler: Crawler) -> None:
    crawler.github.pulls.put(a_long_pull(3))
    crawler.github.faults = FaultScript(faults=(Fault(kind=FaultKind.RATE_LIMITED, on="MoreItems", after=1),))
    with pytest.raises(RateLimited):
        crawler.crawl()
    assert len(crawler.lists_of(3)["remainders"]) > 0
    crawler.crawl()
    assert len(crawler.lists_of(3)["reviews"]) == 250
    assert crawler.lists_of(3)["remainders"] == []


def test_a_pull_request_that_is_described_anew_begins_its_lists_again(crawler: Crawler) -> None:
    crawler.github.pulls.put(a_long_pull(3))
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    shorter = replace(a_long_pull(3), reviews=some_reviews(120, 7), reviews_total=120, updated_at=crawler.now)
    crawler.github.pulls.put(shorter)
    crawler.crawl()
    assert crawler.lists_of(3)["reviews"] == sorted(review.id for review in shorter.reviews)


@pytest.mark.parametrize("kind", [FaultKind.RESOURCE_LIMITS, FaultKind.GATEWAY_TIMEOUT, FaultKind.SERVER_ERROR])
def test_lists_that_cannot_be_read_on_together_are_read_on_by_halves(crawler: Crawler, kind: FaultKind) -> None:
    crawler.github.pulls.put(a_long_pull(3))
    crawler.github.faults = FaultScript(faults=(Fault(kind=kind, on="MoreItems", times=2),))
    crawler.crawl()
    assert len(crawler.lists_of(3)["reviews"]) == 250
    assert crawler.letters() == []


def test_a_list_that_github_does_not_give_on_makes_its_pull_request_a_dead_letter_that_is_not_missing(
    crawler: Crawler,
) -> None:
    crawler.github.pulls.put(replace(a_pull(3), reviews=some_reviews(150, 3), reviews_total=150))
    crawler.github.faults = FaultScript(faults=(Fault(kind=FaultKind.WENT_WRONG, on="MoreItems", times=0),))
    counts = crawler.crawl()
    assert crawler.letters() == [("3", 1)]
    assert (counts["stored"], counts["dead_letters"], counts["missing"]) == (120, 1, 0)
    crawler.github.faults = FaultScript()
    crawler.pass_time(timedelta(days=1, minutes=1))
    crawler.crawl()
    assert crawler.letters() == []
    assert len(crawler.lists_of(3)["reviews"]) == 150


def some_reviews(count: int, seed: int = 0) -> tuple[Review, ...]:
    people = [a_person(f"reviewer-{number}", id=1000 + number) for number in range(9)]
    return tuple(a_review(f"PRR_{number + seed * 1000:04}", author=people[number % 9]) for number in range(count))


def a_long_pull(number: int) -> PullRequest:
    return replace(
        a_pull(number, labels=tuple(f"label {index}" for index in range(130))),
        reviews=some_reviews(250),
        reviews_total=250,
        notices=tuple(a_notice(f"IC_{index:04}") for index in range(101)),
        files=tuple(
            PullFile(path=f"part/{index}.py", change="ADDED", additions=1, deletions=0) for index in range(203)
        ),
        changed_files=203,
        linked_issues=tuple(sorted(f"octo/engine#{index}" for index in range(1, 112))),
    )
