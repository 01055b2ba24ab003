import logging
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.alerts import read_alerts, read_events
from db.base import in_transaction
from db.commits import CommitCursor, append_commits
from db.repositories import add_repository, remove_repository
from db.runs import end_run, start_run
from jobs.evaluate_alerts import evaluate_alerts
from tests.builders import a_judged_commit, a_judgement, a_sha, an_entry
from tracker.alerting import AlertState, load_alert_rules
from tracker.rules import read_rules
from tracker.sites import Area, Mechanism, Verdict

NOON = datetime(2026, 1, 8, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
RULES = load_alert_rules(read_rules()["alerts.toml"])


def watch(sessions: sessionmaker[Session], verdict: Verdict, *, sites: int, read_at: datetime) -> None:
    """Watch o/n, whose one commit landed an hour before noon and changes so many sites."""
    mechanism = Mechanism.INTRODUCED if verdict is Verdict.COUPLING else Mechanism.GENERALISED
    entry = an_entry(delta=sites if verdict is Verdict.COUPLING else -sites, mechanism=mechanism)
    judgement = a_judgement([entry], verdict=verdict, mechanism=mechanism, area=Area.CORE, vendors=("nvidia",))
    commit = a_judged_commit("first", at=NOON - HOUR, judgement=judgement)
    with in_transaction(sessions) as session:
        repository = add_repository(session, "o/n", now=NOON - 10 * HOUR)
        append_commits(
            session,
            repository.id,
            [commit],
            first_position=0,
            author_key=lambda _mail: "0" * 64,
            organisation=lambda _domain: None,
            cursor=CommitCursor(sha=commit.commit.sha, position=0, head=commit.commit.sha),
            now=NOON,
        )
        for job in ("crawl_commits", "crawl_pulls"):
            run = start_run(session, job, "o/n", read_at)
            end_run(session, run, "ok", {}, "", read_at)


def firing(sessions: sessionmaker[Session]) -> dict[str, float | None]:
    with in_transaction(sessions) as session:
        return {alert.rule: alert.value for alert in read_alerts(session) if alert.state is AlertState.FIRING}


def test_new_coupling_fires_with_the_commit_as_evidence(sessions: sessionmaker[Session]) -> None:
    watch(sessions, Verdict.COUPLING, sites=30, read_at=NOON)
    counts = evaluate_alerts(sessions, RULES, lambda: NOON)
    assert counts == {"firing": 1, "pending": 0, "transitions": 1}
    with in_transaction(sessions) as session:
        (alert,) = read_alerts(session)
    assert (alert.rule, alert.value, alert.labels) == ("new-coupling", 30, {"repository": "o/n", "area": "core"})
    assert [evidence.link for evidence in alert.evidence] == [f"/commits/o/n/{a_sha('first')}"]
    assert "core" in alert.summary


def test_a_little_coupling_does_not_fire(sessions: sessionmaker[Session]) -> None:
    watch(sessions, Verdict.COUPLING, sites=1, read_at=NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    assert firing(sessions) == {}


def test_decoupling_is_told_and_then_over(sessions: sessionmaker[Session]) -> None:
    watch(sessions, Verdict.DECOUPLING, sites=1, read_at=NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    assert firing(sessions) == {"decoupling-landed": 1}
    later = NOON + 47 * HOUR
    with in_transaction(sessions) as session:
        for job in ("crawl_commits", "crawl_pulls"):
            end_run(session, start_run(session, job, "o/n", later), "ok", {}, "", later)
    evaluate_alerts(sessions, RULES, lambda: later)
    assert firing(sessions) == {}


def test_evaluating_twice_records_one_transition(sessions: sessionmaker[Session]) -> None:
    watch(sessions, Verdict.COUPLING, sites=30, read_at=NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    again = evaluate_alerts(sessions, RULES, lambda: NOON + HOUR)
    assert again == {"firing": 1, "pending": 0, "transitions": 0}
    with in_transaction(sessions) as session:
        (event,) = read_events(session)
    assert (event.from_state, event.to_state, event.at) == (AlertState.INACTIVE, AlertState.FIRING, NOON)


def test_silence_is_never_success(sessions: sessionmaker[Session]) -> None:
    """An upstream out of reach ends no alert, and is an alert of its own."""
    watch(sessions, Verdict.COUPLING, sites=30, read_at=NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON + 1000 * HOUR)
    assert firing(sessions).keys() == {"new-coupling", "stale-crawl"}


def test_alerts_of_a_repository_that_is_removed_are_over(sessions: sessionmaker[Session]) -> None:
    watch(sessions, Verdict.COUPLING, sites=30, read_at=NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    with in_transaction(sessions) as session:
        remove_repository(session, "o/n", NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON + HOUR)
    assert firing(sessions) == {}


def test_transitions_are_logged_once(sessions: sessionmaker[Session], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tracker.alerts")
    watch(sessions, Verdict.COUPLING, sites=30, read_at=NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    evaluate_alerts(sessions, RULES, lambda: NOON)
    assert [(record.levelname, record.getMessage()[:25]) for record in caplog.records] == [
        ("WARNING", "alert new-coupling fires:")
    ]
