from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.alerts import replace_alert
from db.audits import append_audit
from db.repositories import add_repository, note_github_facts, remove_repository
from db.runs import end_run, start_run
from db.watched import WatchedRepository, read_beginning, read_data_version, read_repository_id
from tests.builders import A_DAY, a_judged_commit, a_sha
from tests.stored import SLUG, a_repository, append
from tracker.alerting import Alert, AlertState, Severity


def test_an_answer_begins_with_the_repositories_under_watch_by_slug(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        watched = add_repository(session, SLUG, now=A_DAY).id
        shown = add_repository(session, "a/demo", demo=True, now=A_DAY).id
        add_repository(session, "a/removed", now=A_DAY)
        remove_repository(session, "a/removed", A_DAY)
        assert read_beginning(session).repositories == (
            WatchedRepository(id=shown, slug="a/demo", demo=True),
            WatchedRepository(id=watched, slug=SLUG, demo=False),
        )


def test_a_repository_is_known_by_any_name_it_had_and_in_any_case(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row_id = add_repository(session, "old/name", now=A_DAY).id
        note_github_facts(session, row_id, 7, "new/name", "main", A_DAY + timedelta(days=1))
        removed = add_repository(session, "a/removed", now=A_DAY).id
        remove_repository(session, "a/removed", A_DAY)
        assert read_repository_id(session, "New/Name") == read_repository_id(session, "old/name") == row_id
        assert read_repository_id(session, "a/removed") == removed
        assert read_repository_id(session, "octo/nothing") is None


def test_the_data_version_changes_with_whatever_a_job_stores_and_with_nothing_else(
    sessions: sessionmaker[Session],
) -> None:
    versions = []

    def note() -> None:
        with sessions() as session:
            versions.append(read_data_version(session))
            assert read_data_version(session) == versions[-1]

    note()
    with sessions.begin() as session:
        repository = a_repository(session)
    note()
    with sessions.begin() as session:
        append(session, repository, [a_judged_commit("first")])
    note()
    with sessions.begin() as session:
        run = start_run(session, "roll_up", SLUG, A_DAY)
    note()
    with sessions.begin() as session:
        end_run(session, run, "ok", {}, "", A_DAY)
    note()
    with sessions.begin() as session:
        append_audit(session, repository, a_sha("first"), ruleset="0", at=A_DAY, paths=1, sites=1, differences=())
    note()
    with sessions.begin() as session:
        replace_alert(session, an_alert())
    note()
    with sessions.begin() as session:
        remove_repository(session, SLUG, A_DAY)
    note()
    assert len(set(versions)) == len(versions) == 8


def an_alert() -> Alert:
    return Alert(
        fingerprint="f" * 64,
        rule="stale-crawl",
        severity=Severity.WARNING,
        state=AlertState.PENDING,
        labels={},
        summary="",
        runbook="",
        evidence=(),
        value=1.0,
        active_at=A_DAY,
        fired_at=None,
        resolved_at=None,
        evaluated_at=A_DAY,
    )
