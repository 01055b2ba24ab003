"""Stored pull requests against the numbers that GitHub gave out: each is something, gone, or a gap that is shown."""

from datetime import timedelta

import pytest
from sqlalchemy import delete

from db.numbers import PullCoverage, read_pull_coverage
from db.tables import PullRequestRow
from jobs.pull_store import PullStore
from jobs.reconcile_pulls import Reconciliation, reconcile_pulls
from tests.jobs.pull_crawler import Crawler, described
from tests.pull_builders import a_pull
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import TOKEN
from tracker.errors import AuthenticationFailed, RateLimited, RepositoryError
from tracker.numbers import NumberKind
from tracker.settings import Secret, Settings
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import GitHubClient


def reconcile(crawler: Crawler) -> dict[str, int | str]:
    with crawler.sessions() as session:
        row = crawler.row(session)
    store = PullStore(crawler.sessions, row, lambda: crawler.now)
    with GitHubClient(crawler.github.api_url, TokenCredentials(Secret(TOKEN))) as client:
        return Reconciliation(client, crawler.sessions, row.id, store, lambda: crawler.now).run()


def coverage(crawler: Crawler) -> PullCoverage:
    with crawler.sessions() as session:
        (found,) = read_pull_coverage(session)
    return found


@pytest.fixture
def mixed(crawler: Crawler) -> Crawler:
    """Pull requests 1 to 120 and 140, issues up to 130, a discussion, and numbers that are gone; all pulls read."""
    crawler.github.pulls.put(a_pull(140))
    crawler.github.numbers |= dict.fromkeys(range(121, 131), NumberKind.ISSUE)
    crawler.github.numbers |= {
        131: NumberKind.DISCUSSION,
        132: NumberKind.DELETED,
        133: NumberKind.TRANSFERRED,
        **dict.fromkeys(range(135, 140), NumberKind.ISSUE),
    }
    crawler.crawl()
    return crawler


def test_every_number_is_accounted_for(mixed: Crawler) -> None:
    reconcile(mixed)
    assert coverage(mixed) == PullCoverage(
        repository="octo/engine",
        at=mixed.now,
        highest=140,
        pulls_on_github=121,
        pulls=121,
        unserved=0,
        issues=15,
        discussions=1,
        deleted=2,  # 132, and 134 of which GitHub shows nothing
        transferred=1,
        unchecked=0,
        missing=0,
        unread_lists=0,
    )


def test_what_is_known_is_not_asked_about_again(mixed: Crawler) -> None:
    first = reconcile(mixed)
    mixed.github.log.clear()
    second = reconcile(mixed)
    assert mixed.github.log == ["POST /graphql Totals"]
    assert (first["requests"], first["points"], second["requests"], second["points"]) == (5, 2, 1, 1)


def test_a_pull_request_that_was_lost_is_found_and_read(mixed: Crawler) -> None:
    with mixed.sessions.begin() as session:
        session.execute(delete(PullRequestRow).where(PullRequestRow.number == 7))
    assert reconcile(mixed)["missing"] == 0
    assert mixed.stored() == described(mixed.github.pulls.all())


def test_one_that_github_does_not_give_is_a_gap_that_is_shown(mixed: Crawler) -> None:
    with mixed.sessions.begin() as session:
        session.execute(delete(PullRequestRow).where(PullRequestRow.number == 7))
    mixed.github.spoilt = {7: lambda _node: TimeoutError("timed out")}
    reconcile(mixed)
    found = coverage(mixed)
    assert (found.pulls, found.unserved, found.missing, found.unchecked, found.gaps) == (120, 1, 0, 0, (7,))
    assert mixed.letters() == [("7", 1)]


def test_a_number_that_cannot_be_asked_about_is_unchecked_and_asked_about_the_next_time(
    mixed: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.reconcile_pulls.ONE_BY_ONE", 1)
    reconcile(mixed)
    assert (coverage(mixed).unchecked, coverage(mixed).gaps) == (2, (133, 134))
    mixed.pass_time(timedelta(days=7))
    reconcile(mixed)
    assert coverage(mixed).gaps == (134,)


def test_a_spent_budget_keeps_what_was_learned(mixed: Crawler) -> None:
    mixed.github.faults = FaultScript(faults=(Fault(kind=FaultKind.PRIMARY_403, on="issues/13[34]"),))
    with pytest.raises(RateLimited):
        reconcile(mixed)
    mixed.github.faults = FaultScript()
    assert reconcile(mixed)["unchecked"] == 0


@pytest.mark.parametrize("kind", [FaultKind.RESOURCE_LIMITS, FaultKind.GATEWAY_TIMEOUT])
def test_too_many_numbers_at_once_are_asked_about_by_halves(mixed: Crawler, kind: FaultKind) -> None:
    mixed.github.faults = FaultScript(faults=(Fault(kind=kind, on="KindsOf", times=2),))
    reconcile(mixed)
    assert coverage(mixed).unchecked == 0


def test_before_all_pull_requests_were_read_there_is_nothing_to_compare(crawler: Crawler) -> None:
    with pytest.raises(RepositoryError, match="not read to the end yet"):
        reconcile(crawler)
    with crawler.sessions() as session:
        assert read_pull_coverage(session) == ()


def test_a_repository_without_numbers_is_complete(crawler: Crawler) -> None:
    crawler.github.pulls._pulls.clear()
    crawler.crawl()
    reconcile(crawler)
    assert (coverage(crawler).highest, coverage(crawler).missing, coverage(crawler).gaps) == (0, 0, ())


def test_the_job_compares_with_what_the_settings_name(mixed: Crawler) -> None:
    with mixed.sessions() as session:
        row = mixed.row(session)
    settings = Settings(github_url=mixed.github.api_url, github_token=Secret(TOKEN))
    counts = reconcile_pulls(mixed.sessions, row, settings)
    assert (counts["numbers"], counts["pulls"], counts["issues"], counts["missing"]) == (140, 121, 15, 0)
    with pytest.raises(AuthenticationFailed, match="set TRACKER_GITHUB_TOKEN"):
        reconcile_pulls(mixed.sessions, row, Settings(github_url=mixed.github.api_url))
