from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tracker.alerting import (
    AlertFacts,
    AlertRule,
    AuditFact,
    DeadLetterFact,
    Evidence,
    JobFact,
    LandedCommit,
    Measure,
    Observation,
    Severity,
    WatchedRepository,
    Watches,
    observe,
)
from tracker.sites import Area, Verdict

NOW = datetime(2026, 1, 8, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
REPOSITORY = WatchedRepository(slug="o/n", added_at=NOW - 100 * HOUR, commits_read_at=NOW)


def a_rule(
    watches: Watches = Watches.COMMITS,
    *,
    verdict: Verdict | None = Verdict.COUPLING,
    measure: Measure = Measure.ADDED,
    areas: tuple[Area, ...] = tuple(Area),
) -> AlertRule:
    return AlertRule(
        id="rule",
        title="Rule",
        severity=Severity.WARNING,
        watches=watches,
        verdict=verdict,
        areas=areas,
        measure=measure,
        at_least=1,
        window=24 * HOUR,
        hold=timedelta(),
        summary="",
        runbook="",
    )


def a_landed_commit(
    name: str = "a",
    *,
    at: datetime = NOW - HOUR,
    verdict: Verdict = Verdict.COUPLING,
    undone_at: datetime | None = None,
) -> LandedCommit:
    return LandedCommit(
        repository="o/n",
        sha=name * 40,
        subject=f"Change {name}",
        committed_at=at,
        verdict=verdict,
        area=Area.CORE,
        removed=2,
        added=3,
        undone_by="f" * 40 if undone_at else None,
        undone_at=undone_at,
    )


def seen(rule: AlertRule, facts: AlertFacts) -> dict[str, float | None]:
    """Values by area, the zeros left out."""
    return {o.labels["area"]: o.value for o in observe(rule, facts, NOW) if o.value != 0}


def test_sites_of_coupling_commits_are_added_up_by_area_with_the_newest_commit_first() -> None:
    facts = AlertFacts(
        repositories=(REPOSITORY,), commits=(a_landed_commit("a", at=NOW - 2 * HOUR), a_landed_commit("b"))
    )
    core = next(o for o in observe(a_rule(), facts, NOW) if o.labels["area"] == "core")
    assert core == Observation(
        labels={"repository": "o/n", "area": "core"},
        value=6,
        evidence=(
            Evidence(text="bbbbbbbbbb Change b", link="/commits/o/n/" + "b" * 40),
            Evidence(text="aaaaaaaaaa Change a", link="/commits/o/n/" + "a" * 40),
        ),
    )


def test_every_area_is_observed_so_that_an_alert_can_end() -> None:
    observations = observe(a_rule(), AlertFacts(repositories=(REPOSITORY,)), NOW)
    assert {o.labels["area"]: o.value for o in observations} == {area.value: 0 for area in Area}


def test_only_the_areas_of_the_rule_are_observed() -> None:
    tested = replace(a_landed_commit("b"), area=Area.TEST)
    facts = AlertFacts(repositories=(REPOSITORY,), commits=(a_landed_commit("a"), tested))
    observations = observe(a_rule(areas=(Area.TEST,)), facts, NOW)
    assert [(o.labels["area"], o.value) for o in observations] == [("test", 3)]


def test_commits_and_removed_sites_can_be_counted_too() -> None:
    facts = AlertFacts(repositories=(REPOSITORY,), commits=(a_landed_commit("a"), a_landed_commit("b")))
    assert seen(a_rule(measure=Measure.COMMITS), facts) == {"core": 2}
    assert seen(a_rule(measure=Measure.REMOVED), facts) == {"core": 4}


def test_a_commit_counts_only_within_the_window() -> None:
    facts = AlertFacts(repositories=(REPOSITORY,), commits=(a_landed_commit(at=NOW - 24 * HOUR),))
    assert seen(a_rule(), facts) == {}


def test_commits_of_another_verdict_or_repository_do_not_count() -> None:
    other = replace(a_landed_commit(), repository="o/other")
    facts = AlertFacts(repositories=(REPOSITORY,), commits=(a_landed_commit(verdict=Verdict.REMOVAL), other))
    assert seen(a_rule(), facts) == {}


def test_a_commit_that_was_undone_is_no_new_coupling() -> None:
    facts = AlertFacts(repositories=(REPOSITORY,), commits=(a_landed_commit(undone_at=NOW),))
    assert seen(a_rule(), facts) == {}


def test_a_revert_counts_when_it_lands_however_old_the_commit_is() -> None:
    old = a_landed_commit("a", at=NOW - 999 * HOUR, verdict=Verdict.DECOUPLING, undone_at=NOW - HOUR)
    standing = a_landed_commit("b", verdict=Verdict.DECOUPLING)
    long_undone = a_landed_commit("c", verdict=Verdict.DECOUPLING, undone_at=NOW - 25 * HOUR)
    facts = AlertFacts(repositories=(REPOSITORY,), commits=(old, standing, long_undone))
    rule = a_rule(Watches.REVERTS, verdict=Verdict.DECOUPLING, measure=Measure.COMMITS)
    assert seen(rule, facts) == {"core": 1}


def test_the_window_ends_when_commits_were_last_read() -> None:
    stalled = replace(REPOSITORY, commits_read_at=NOW - 500 * HOUR)
    facts = AlertFacts(repositories=(stalled,), commits=(a_landed_commit(at=NOW - 510 * HOUR),))
    assert seen(a_rule(), facts) == {"core": 3}


def test_a_repository_that_was_never_read_gives_no_data_and_no_zero() -> None:
    unread = replace(REPOSITORY, commits_read_at=None)
    assert set(seen(a_rule(), AlertFacts(repositories=(unread,))).values()) == {None}


def test_a_crawl_is_as_stale_as_its_last_success_or_the_repository_is_old() -> None:
    facts = AlertFacts(
        repositories=(REPOSITORY,),
        jobs=(
            a_job("crawl_commits", last_success_at=NOW - 3 * HOUR),
            a_job("crawl_pulls", last_success_at=None),
            a_job("audit", last_success_at=None),
            a_job("crawl_commits", repository="o/removed", last_success_at=None),
        ),
    )
    hours = {o.labels["job"]: o.value for o in observe(a_rule(Watches.STALE_CRAWL), facts, NOW)}
    assert hours == {"crawl_commits": 3, "crawl_pulls": 100}


def test_a_branch_whose_newest_commit_is_older_than_it_may_be_has_not_moved() -> None:
    def days(newest: datetime | None, quiet: timedelta | None = 7 * DAY) -> float | None:
        repository = replace(REPOSITORY, newest_at=newest, quiet_after=quiet)
        (observation,) = observe(a_rule(Watches.UNMOVED_UPSTREAM), AlertFacts(repositories=(repository,)), NOW)
        return observation.value

    assert days(NOW - 8 * DAY) == 8
    assert days(NOW - 8 * DAY, 30 * DAY) == 0
    assert days(NOW - 7 * DAY) == 0
    assert days(NOW + DAY) == 0
    assert days(NOW - 3 * HOUR, 2 * HOUR) == 1
    assert days(NOW - 8 * DAY, None) is None
    assert days(None) is None


def test_an_upstream_out_of_reach_is_counted_in_hours_since_it_was_reached() -> None:
    away = replace(a_job("crawl_commits", last_success_at=NOW - 3 * HOUR, failures=2), outcome="unavailable")
    facts = AlertFacts(
        repositories=(REPOSITORY,),
        jobs=(away, replace(a_job("crawl_pulls", last_success_at=NOW - 9 * HOUR), outcome="failed")),
    )
    hours = {o.labels["job"]: o.value for o in observe(a_rule(Watches.UNREACHABLE_UPSTREAM), facts, NOW)}
    assert hours == {"crawl_commits": 3, "crawl_pulls": 0}


def test_what_lacks_a_setting_is_not_crawled_and_neither_stale_nor_failing() -> None:
    facts = AlertFacts(
        repositories=(REPOSITORY,),
        jobs=(
            replace(a_job("crawl_commits", last_success_at=NOW), outcome="ok"),
            replace(a_job("crawl_pulls", failures=1), outcome="unconfigured"),
        ),
    )
    seen_by = {
        watches: {o.labels["job"]: (o.value, o.message) for o in observe(a_rule(watches), facts, NOW)}
        for watches in (Watches.NOT_CRAWLED, Watches.STALE_CRAWL, Watches.FAILING_JOB)
    }
    assert seen_by == {
        Watches.NOT_CRAWLED: {"crawl_commits": (0, ""), "crawl_pulls": (1, "no")},
        Watches.STALE_CRAWL: {"crawl_commits": (0, "")},
        Watches.FAILING_JOB: {"crawl_commits": (0, "")},
    }


def test_failures_in_a_row_come_with_the_last_message() -> None:
    facts = AlertFacts(jobs=(a_job("roll_up", repository="", failures=4),))
    assert observe(a_rule(Watches.FAILING_JOB), facts, NOW) == (
        Observation(
            labels={"job": "roll_up"},
            value=4,
            evidence=(Evidence(text="the latest runs", link="/runs"),),
            message="no",
        ),
    )


def test_an_audit_shows_where_it_differs() -> None:
    facts = AlertFacts(repositories=(REPOSITORY,), audits=(an_audit("a", 0), an_audit("b", 2)))
    assert observe(a_rule(Watches.AUDIT), facts, NOW) == (
        Observation(
            labels={"repository": "o/n"},
            value=2,
            evidence=(Evidence(text="2 paths differ at bbbbbbbbbb", link="/commits/o/n/" + "b" * 40),),
        ),
    )


def test_a_repository_without_an_audit_gives_no_data() -> None:
    (observation,) = observe(a_rule(Watches.AUDIT), AlertFacts(repositories=(REPOSITORY,)), NOW)
    assert observation.value is None


def test_dead_letters_are_counted_by_stream() -> None:
    facts = AlertFacts(dead_letters=(DeadLetterFact(repository="o/n", stream="pulls-backfill", count=7),))
    (observation,) = observe(a_rule(Watches.DEAD_LETTERS), facts, NOW)
    assert (observation.labels, observation.value) == ({"repository": "o/n", "stream": "pulls-backfill"}, 7)


def a_job(job: str, *, repository: str = "o/n", last_success_at: datetime | None = None, failures: int = 0) -> JobFact:
    return JobFact(
        job=job,
        repository=repository,
        last_success_at=last_success_at,
        consecutive_failures=failures,
        message="no" if failures else "",
    )


def an_audit(name: str, differences: int) -> AuditFact:
    return AuditFact(repository="o/n", sha=name * 40, at=NOW, differences=differences)
