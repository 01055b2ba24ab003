"""A crawl says of every range of the line whether it was read, skipped, or begun in vain."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from db.base import in_transaction
from db.coverage import read_ranges
from jobs import crawl_commits as crawling
from jobs.progress import Stopped
from tests.histories import write_history
from tests.jobs.test_crawl_commits import (
    SLUG,
    Crawler,
    crawler,
    new_crawler,
    new_database,
    other_rules,
    ruleset,
    upstream,
)
from tests.repositories import Repository
from tracker.ruleset import Ruleset

__all__ = ["crawler", "new_crawler", "new_database", "other_rules", "ruleset", "upstream"]


def ranges(crawler: Crawler) -> list[tuple[int, int, str, int]]:
    with in_transaction(crawler.sessions) as session:
        found = read_ranges(session).get(SLUG, ())
    return [(one.first, one.last, one.state.value, one.attempts) for one in found]


def stops_after(steps: int) -> Callable[[str, int, int | None], None]:
    """A progress that ends the crawl once so many commits were stored."""

    def note(_stage: str, done: int, _total: int | None) -> None:
        if done >= steps:
            raise Stopped

    return note


def test_crawls_one_after_the_other_cover_one_range(crawler: Crawler, upstream: Repository) -> None:
    shas = write_history(upstream, 6)
    crawler.crawl()
    shas += write_history(upstream, 3, start=6)
    crawler.crawl()
    crawler.crawl()
    assert ranges(crawler) == [(0, len(shas) - 1, "ok", 1)]


def test_what_stands_before_the_first_day_asked_for_is_skipped(crawler: Crawler, upstream: Repository) -> None:
    shas = write_history(upstream, 8)
    crawler.crawl(since=datetime(2020, 1, 10, tzinfo=UTC))
    assert ranges(crawler) == [(0, 2, "skipped", 0), (3, len(shas) - 1, "ok", 1)]


def test_a_crawl_that_is_cut_short_again_and_again_says_how_often(
    crawler: Crawler, upstream: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawling, "CHUNK", 4)
    last = len(write_history(upstream, 12)) - 1
    for times in (1, 2, 3):
        with pytest.raises(Stopped):
            crawler.crawl(progress=stops_after(0))
        assert ranges(crawler) == [(0, last, "failed", times)]
    with pytest.raises(Stopped):
        crawler.crawl(progress=stops_after(8))
    assert ranges(crawler) == [(0, 7, "ok", 1), (8, last, "failed", 1)]
    crawler.crawl()
    assert ranges(crawler) == [(0, last, "ok", 1)]


def test_a_rewritten_history_is_covered_as_far_as_it_stands(crawler: Crawler, upstream: Repository) -> None:
    shas = write_history(upstream, 8)
    crawler.crawl()
    upstream.set_branch("main", shas[3])
    crawler.crawl()
    assert ranges(crawler) == [(0, 3, "ok", 1)]
    new = write_history(upstream, 2, start=20)
    crawler.crawl()
    assert ranges(crawler) == [(0, 3 + len(new), "ok", 1)]


def test_a_history_that_shares_nothing_is_covered_anew(crawler: Crawler, upstream: Repository) -> None:
    write_history(upstream, 4)
    crawler.crawl()
    upstream.commit({"a.py": "import torch\n"}, parents=[])
    crawler.crawl()
    assert ranges(crawler) == [(0, 0, "ok", 1)]


def test_judging_anew_leaves_the_coverage_as_it_is(
    crawler: Crawler, upstream: Repository, other_rules: Ruleset
) -> None:
    shas = write_history(upstream, 5)
    crawler.crawl()
    crawler.crawl(ruleset=other_rules)
    assert ranges(crawler) == [(0, len(shas) - 1, "ok", 1)]
