from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.alert_facts import read_alert_facts
from db.audits import AuditDifference, append_audit
from db.dead_letters import append_dead_letter
from db.repositories import add_repository, remove_repository
from db.runs import end_run, start_run
from tests.builders import A_DAY, RULESET, a_judged_commit, a_judgement, a_sha, an_entry
from tests.db.test_landings import reland, revert
from tests.stored import SLUG, a_repository, append
from tracker.alerting import AlertFacts, AuditFact, DeadLetterFact, JobFact, LandedCommit, WatchedRepository
from tracker.sites import Area, Verdict

DAY = timedelta(days=1)
READ_AT = A_DAY + 10 * DAY


def crawled(session: Session) -> None:
    end_run(session, start_run(session, "crawl_commits", SLUG, READ_AT - DAY), "ok", {}, "", READ_AT)


def test_a_repository_that_was_never_crawled_has_no_commits_among_the_facts(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first")])
        assert read_alert_facts(session, 7 * DAY) == AlertFacts(
            repositories=(WatchedRepository(slug=SLUG, added_at=A_DAY, commits_read_at=None, newest_at=A_DAY),),
            jobs=tuple(
                JobFact(job=job, repository=SLUG, last_success_at=None, consecutive_failures=0, message="")
                for job in ("crawl_commits", "crawl_pulls")
            ),
        )


def test_commits_count_that_landed_within_the_window_before_the_last_crawl(sessions: sessionmaker[Session]) -> None:
    judgement = a_judgement([an_entry(delta=3)], verdict=Verdict.COUPLING, area=Area.TEST)
    with sessions.begin() as session:
        batch = [
            a_judged_commit("too old", at=READ_AT - 8 * DAY),
            a_judged_commit("new", message="Add a skip", at=READ_AT - 7 * DAY, judgement=judgement),
        ]
        append(session, a_repository(session), batch)
        crawled(session)
        facts = read_alert_facts(session, 7 * DAY)
    assert facts.repositories == (
        WatchedRepository(slug=SLUG, added_at=A_DAY, commits_read_at=READ_AT, newest_at=READ_AT - 7 * DAY),
    )
    assert facts.commits == (
        LandedCommit(
            repository=SLUG,
            sha=a_sha("new"),
            subject="Add a skip",
            committed_at=READ_AT - 7 * DAY,
            verdict=Verdict.COUPLING,
            area=Area.TEST,
            removed=0,
            added=3,
        ),
    )


def test_an_older_commit_that_was_undone_lately_is_among_the_facts(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        old = READ_AT - 100 * DAY
        append(session, repository, [a_judged_commit(name, at=old) for name in ("undone", "restored")])
        append(
            session, repository, [revert("r1", of="undone"), revert("r2", of="restored"), reland("l", of="restored")]
        )
        crawled(session)
        facts = read_alert_facts(session, 10 * DAY)
    told = {commit.sha: (commit.undone_by, commit.undone_at) for commit in facts.commits}
    assert told == {
        a_sha("undone"): (a_sha("r1"), A_DAY),
        a_sha("r1"): (None, None),
        a_sha("r2"): (None, None),
        a_sha("l"): (None, None),
    }


def test_the_latest_audit_and_the_numbers_of_dead_letters_are_facts(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")])
        for hours, differences in enumerate(([AuditDifference(path="a.py", tree=1, ledger=0)], [])):
            at = A_DAY + timedelta(hours=hours)
            append_audit(
                session, repository, a_sha("first"), ruleset=RULESET, at=at, paths=1, sites=1, differences=differences
            )
        for number in ("7", "8"):
            append_dead_letter(session, repository, "pulls-updates", number, "it is gone", A_DAY)
        facts = read_alert_facts(session, DAY)
    assert facts.audits == (
        AuditFact(repository=SLUG, sha=a_sha("first"), at=A_DAY + timedelta(hours=1), differences=0),
    )
    assert facts.dead_letters == (DeadLetterFact(repository=SLUG, stream="pulls-updates", count=2),)


def test_a_repository_no_longer_watched_gives_no_facts(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")])
        crawled(session)
        append_dead_letter(session, repository, "pulls-updates", "7", "it is gone", A_DAY)
        remove_repository(session, SLUG, A_DAY)
        assert read_alert_facts(session, 30 * DAY) == AlertFacts()


def test_how_long_a_repository_may_be_quiet_is_its_own_or_that_of_all(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        add_repository(session, "o/quiet", quiet_days=30, now=A_DAY)
        facts = read_alert_facts(session, 7 * DAY, quiet_after=2 * DAY)
    assert {each.slug: each.quiet_after for each in facts.repositories} == {SLUG: 2 * DAY, "o/quiet": 30 * DAY}


def test_a_job_that_nobody_configured_is_told_with_its_outcome(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first")])
        crawled(session)
        run = start_run(session, "crawl_pulls", SLUG, READ_AT)
        end_run(session, run, "unconfigured", {}, "set a token", READ_AT)
        facts = read_alert_facts(session, 7 * DAY)
    assert [(job.job, job.outcome, job.message) for job in facts.jobs] == [
        ("crawl_commits", "ok", ""),
        ("crawl_pulls", "unconfigured", "set a token"),
    ]
