"""A repository is its number: renamed it is read on, and another one under its name is never mixed in."""

from dataclasses import replace
from datetime import timedelta

import pytest

from jobs.demo_upstream.server import Reply, Request
from tests.jobs.pull_crawler import SLUG, Crawler, described
from tests.pull_builders import pulls
from tracker.errors import RepositoryError


def test_the_number_and_branch_of_the_repository_are_noted(crawler: Crawler) -> None:
    crawler.crawl()
    with crawler.sessions() as session:
        row = crawler.row(session)
        assert (row.github_id, row.slug, row.default_branch) == (crawler.github.facts.github_id, SLUG, "main")


@pytest.mark.parametrize("pages_before", [0, 1, 2])
def test_a_repository_that_is_renamed_is_noted_under_its_new_name_and_read_on(
    crawler: Crawler, pages_before: int
) -> None:
    def rename(_description: str) -> None:
        if len(crawler.github.requests("PullRequests$")) == pages_before + 1 and not crawler.github.former_slugs:
            crawler.github.rename("octo/motor")

    crawler.github.before_answer = rename
    crawler.crawl()
    assert crawler.stored() == described(pulls(120))
    with crawler.sessions() as session:
        assert crawler.row(session).slug == "octo/motor"
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(3, crawler.now)
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_another_repository_under_the_old_name_is_not_mixed_in(crawler: Crawler) -> None:
    crawler.crawl()
    mine = crawler.github.facts
    others = replace(mine, github_id=mine.github_id + 1)
    plain = crawler.github.rest

    def taken_over(request: Request) -> Reply:
        if request.path.startswith(f"/repos/{SLUG}"):
            crawler.github.facts = others
        else:
            crawler.github.facts = replace(mine, slug="octo/motor")
        return plain(request)

    crawler.github.rest = taken_over  # type: ignore[method-assign]
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(3, crawler.now)
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())
    with crawler.sessions() as session:
        row = crawler.row(session)
        assert (row.slug, row.github_id) == ("octo/motor", mine.github_id)


def test_a_repository_that_was_never_there_is_said_so(crawler: Crawler) -> None:
    crawler.github.facts = replace(crawler.github.facts, slug="octo/other")
    with pytest.raises(RepositoryError, match="GitHub has no repository octo/engine"):
        crawler.crawl()


def test_a_repository_that_is_gone_is_said_so(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.github.facts = replace(crawler.github.facts, slug="octo/other", github_id=1)
    with pytest.raises(RepositoryError, match="is gone from GitHub"):
        crawler.crawl()
