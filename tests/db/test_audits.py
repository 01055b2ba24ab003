from datetime import timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.audits import Audit, AuditDifference, append_audit, read_audits, read_latest_audits
from db.repositories import remove_repository
from tests.builders import A_DAY, RULESET, a_judged_commit, a_sha
from tests.stored import SLUG, a_repository, append
from tracker.errors import RepositoryError


def an_audit(session: Session, repository: int, *differences: AuditDifference, hours: int = 0) -> int:
    return append_audit(
        session,
        repository,
        a_sha("first"),
        ruleset=RULESET,
        at=A_DAY + timedelta(hours=hours),
        paths=10,
        sites=99,
        differences=differences,
    )


def test_an_audit_is_read_as_it_was_recorded(sessions: sessionmaker[Session]) -> None:
    late = AuditDifference(path="z.py", tree=1, ledger=0, example="is_cuda")
    early = AuditDifference(path="ä.py", tree=3, ledger=3, example="torch.cuda.x")
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", at=A_DAY - timedelta(days=1))])
        an_audit(session, repository, early, late)
        assert read_audits(session) == (
            Audit(
                repository=SLUG,
                sha=a_sha("first"),
                committed_at=A_DAY - timedelta(days=1),
                ruleset=RULESET,
                at=A_DAY,
                paths=10,
                sites=99,
                differences=2,
                details=(late, early),
            ),
        )


def test_all_differences_are_counted_and_the_first_hundred_told(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")])
        an_audit(session, repository, *(AuditDifference(path=f"{n:03}", tree=1, ledger=0) for n in range(150)))
        (audit,) = read_audits(session)
    assert (audit.differences, len(audit.details), audit.details[-1].path) == (150, 100, "099")


def test_audits_come_newest_first_of_one_repository_or_of_all(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "a/b")
        for repository in (one, other):
            append(session, repository, [a_judged_commit("first")])
        for hours, repository in enumerate((one, other, one)):
            an_audit(session, repository, hours=hours)
        assert [audit.repository for audit in read_audits(session)] == [SLUG, "a/b", SLUG]
        assert [audit.at for audit in read_audits(session, repository=SLUG, limit=1)] == [A_DAY + timedelta(hours=2)]


def test_the_latest_audit_of_each_repository_under_watch_is_read(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other, removed = a_repository(session), a_repository(session, "a/b"), a_repository(session, "a/removed")
        a_repository(session, "never/audited")
        for repository in (one, other, removed):
            append(session, repository, [a_judged_commit("first")])
        for hours, repository in enumerate((one, other, removed, one)):
            an_audit(session, repository, hours=hours)
        remove_repository(session, "a/removed", A_DAY)
        found = [(audit.repository, audit.at) for audit in read_latest_audits(session)]
        assert found == [("a/b", A_DAY + timedelta(hours=1)), (SLUG, A_DAY + timedelta(hours=3))]


def test_a_commit_that_was_not_read_cannot_be_audited(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        with pytest.raises(RepositoryError, match="was not read yet; crawl the commits first"):
            an_audit(session, repository)
