"""What webhooks mark is read from GitHub itself, and the mark goes when it is stored."""

from datetime import timedelta

import pytest

from db.dirty_pulls import mark_dirty, read_dirty_pulls
from db.http_cache import HttpCache
from jobs.read_dirty_pulls import read_dirty, read_marked
from tests.jobs.pull_crawler import MUCH_LATER, SLUG, Crawler
from tests.standin.github import TOKEN
from tracker.errors import NotConfigured, RateLimited
from tracker.settings import Secret, Settings
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import GitHubClient
from tracker.webhooks import Delivery


def mark(crawler: Crawler, *numbers: int) -> None:
    with crawler.sessions.begin() as session:
        for number in numbers:
            delivery = Delivery(id=f"delivery-{number}", event="pull_request", repository=SLUG, number=number)
            mark_dirty(session, delivery, crawler.now)


def read(crawler: Crawler) -> dict[str, int | str]:
    with crawler.sessions.begin() as session:
        row = crawler.row(session)
    answers = HttpCache(crawler.sessions)
    with GitHubClient(crawler.github.api_url, TokenCredentials(Secret(TOKEN)), answers=answers) as client:
        return read_marked(client, crawler.sessions, row, now=lambda: crawler.now)


def waiting(crawler: Crawler) -> list[int]:
    with crawler.sessions.begin() as session:
        return [one.number for one in read_dirty_pulls(session, crawler.row(session).id, 99)]


def test_without_marks_nothing_is_asked(crawler: Crawler) -> None:
    assert read(crawler) == {"marked": 0}
    assert crawler.github.log == []


def test_what_is_marked_is_read_as_github_has_it_and_nothing_else(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.update(7, MUCH_LATER, "New title")
    crawler.update(8, MUCH_LATER, "Not told")
    mark(crawler, 7)
    assert read(crawler) == {"marked": 1, "read": 1, "new": 0, "changed": 1, "unserved": 0}
    titles = {number: title for number, title, _ in crawler.stored()}
    assert (titles[7], titles[8]) == ("New title", "Change 8")
    assert waiting(crawler) == []


def test_the_crawl_reads_the_same_and_misses_nothing_for_it(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.update(7, MUCH_LATER, "New title")
    crawler.update(8, MUCH_LATER - timedelta(seconds=1), "Not told")
    mark(crawler, 7)
    read(crawler)
    crawler.crawl()
    assert {number: title for number, title, _ in crawler.stored()}[8] == "Not told"


def test_what_github_does_not_give_becomes_a_dead_letter_and_not_a_loop(crawler: Crawler) -> None:
    mark(crawler, 999)
    assert read(crawler) == {"marked": 1, "read": 0, "new": 0, "changed": 0, "unserved": 1}
    assert waiting(crawler) == []
    assert crawler.letters() == [("999", 1)]


def test_a_spent_budget_leaves_the_marks_for_later(crawler: Crawler) -> None:
    mark(crawler, 7, 8)
    crawler.github.budget["graphql"] = 0
    with pytest.raises(RateLimited):
        read(crawler)
    # GitHub's last answer of the hour is still a whole one.
    assert waiting(crawler) == [8]


def test_without_a_token_it_says_so(crawler: Crawler) -> None:
    mark(crawler, 7)
    with crawler.sessions.begin() as session:
        row = crawler.row(session)
    with pytest.raises(NotConfigured):
        read_dirty(crawler.sessions, row, Settings(github_url=crawler.github.api_url))
    assert waiting(crawler) == [7]
