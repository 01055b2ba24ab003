"""Ugly things that GitHub really sent to somebody, each as the crawl of pull requests meets it."""

from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from db.pull_details import read_pull
from jobs.demo_upstream.payloads import Json
from tests.jobs.pull_crawler import SLUG, Crawler, described
from tests.pull_builders import a_person, a_pull, a_review
from tests.standin.execution import Complaint
from tests.standin.faults import Fault, FaultKind, FaultScript
from tracker.errors import RateLimited
from tracker.upstream import PullFile


def _with_body(body: str, node: Json) -> Json:
    return node | {"body": body}


def test_a_pull_request_that_is_hidden_for_a_moment_is_read_the_next_day(crawler: Crawler) -> None:
    hidden = Complaint("NOT_FOUND", "Could not resolve to a PullRequest with the number of 7.")
    crawler.github.spoilt = {7: lambda _node: hidden}
    assert crawler.crawl()["dead_letters"] == 1
    crawler.github.spoilt = {}
    crawler.pass_time(timedelta(days=1, minutes=1))
    assert crawler.crawl()["dead_letters"] == 0
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_of_a_pull_request_with_more_files_than_github_lists_those_are_kept_and_the_count_is_githubs(
    crawler: Crawler,
) -> None:
    files = tuple(PullFile(path=f"{n}.py", change="ADDED", additions=1, deletions=0) for n in range(300))
    crawler.github.pulls.put(replace(a_pull(3), files=files, changed_files=5_000))
    crawler.crawl()
    with crawler.sessions() as session:
        found = read_pull(session, SLUG, 3)
    assert found is not None
    assert (len(found.files), found.summary.changed_files) == (300, 5_000)


def test_labels_become_those_that_there_are_now(crawler: Crawler) -> None:
    crawler.github.pulls.put(a_pull(3, labels=("module: cuda", "renamed later", "deleted later")))
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.github.pulls.put(a_pull(3, labels=("module: cuda", "renamed"), updated_at=crawler.now))
    crawler.crawl()
    with crawler.sessions() as session:
        found = read_pull(session, SLUG, 3)
    assert found is not None
    assert found.summary.labels == ("module: cuda", "renamed")


def test_a_head_that_was_force_pushed_is_kept_as_it_is_now(crawler: Crawler) -> None:
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.github.pulls.put(replace(a_pull(3, updated_at=crawler.now), head_sha="f" * 40))
    crawler.crawl()
    with crawler.sessions() as session:
        found = read_pull(session, SLUG, 3)
    assert found is not None
    assert found.head_sha == "f" * 40


def test_people_of_every_kind_and_of_none_write_and_review(crawler: Crawler) -> None:
    kinds = [
        a_person(f"a-{kind}", id=None if kind == "EnterpriseUserAccount" else index, kind=kind)
        for index, kind in enumerate(("User", "Bot", "Mannequin", "EnterpriseUserAccount", "Organization"), 50)
    ]
    reviews = [a_review(f"PRR_{person.kind}", author=person) for person in kinds] + [a_review("PRR_ghost", author=None)]
    for number, person in enumerate([*kinds, None], 1):
        crawler.github.pulls.put(a_pull(number, author=person, reviews=reviews if number == 1 else []))
    crawler.crawl()
    with crawler.sessions() as session:
        found = read_pull(session, SLUG, 1)
    assert found is not None
    assert {review.author for review in found.reviews} == {None, *(person.login for person in kinds)}


def test_a_description_of_anything_is_read(crawler: Crawler) -> None:
    bodies = ("", "\0", "\ud800", "\u202e\u2066", "a" * 70_000, "Fixes #1" * 9_000)
    for number, body in enumerate(bodies, 1):
        crawler.github.spoilt[number] = partial(_with_body, body)
    assert crawler.crawl()["dead_letters"] == 0
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_a_force_push_or_rename_in_the_middle_of_a_page_loses_nothing(crawler: Crawler) -> None:
    seen: list[str] = []

    def happen(description: str) -> None:
        seen.append(description)
        if len(seen) == 3:
            crawler.github.rename("octo/motor")
            pull = crawler.github.pulls.get(40)
            assert pull is not None
            crawler.github.pulls.put(replace(pull, head_sha="e" * 40, updated_at=crawler.now))

    crawler.github.before_answer = happen
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())


def test_another_tool_that_spends_the_same_budget_is_left_its_reserve(crawler: Crawler) -> None:
    def spend(_description: str) -> None:
        crawler.github.spend("graphql", 1_650)

    crawler.github.before_answer = spend
    with pytest.raises(RateLimited, match="a reserve; it can be asked again at"):
        crawler.crawl()
    assert len(crawler.stored()) > 0
    assert crawler.github.remaining("graphql") >= 0


@pytest.mark.parametrize("kind", [FaultKind.NOT_FOUND, FaultKind.MOVED_NOWHERE, FaultKind.EMPTY_REPOSITORY])
def test_an_opening_that_is_refused_for_a_moment_is_no_end_of_the_repository(crawler: Crawler, kind: FaultKind) -> None:
    crawler.crawl()
    crawler.pass_time(timedelta(minutes=15))
    crawler.update(3, crawler.now)
    crawler.github.faults = FaultScript(faults=(Fault(kind=kind, on="pulls", times=1),))
    crawler.crawl()
    assert crawler.stored() == described(crawler.github.pulls.all())
