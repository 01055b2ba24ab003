from datetime import date, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from db.commits import CommitCursor, RewindCounts, read_commit_cursor, rewind_to
from db.ledger import read_balance
from db.tables import CommitLinkRow, CommitRow, LandingRow, SkippedFileRow, VerdictRow
from tests.builders import A_DAY, a_judged_commit, a_sha, a_site, an_entry, some_trailers
from tests.stored import a_repository, append
from tracker.classify import SkippedFile
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import SkipReason

WEEK = timedelta(weeks=1)


def test_a_rewind_takes_later_commits_off_the_line_and_keeps_their_rows(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [
            a_judged_commit("first", [an_entry(delta=3)]),
            a_judged_commit("second", [an_entry(delta=-1)], parent="first", at=A_DAY + WEEK),
            a_judged_commit("third", [an_entry(delta=-1)], parent="second", at=A_DAY + 2 * WEEK),
        ]
        append(session, repository, batch, head=a_sha("head"))
        counts = rewind_to(session, repository, 0)
    assert counts == RewindCounts(commits=2, weeks=(date(2020, 1, 13), date(2020, 1, 20)))
    with sessions.begin() as session:
        rows = session.execute(select(CommitRow.sha, CommitRow.position).order_by(CommitRow.id)).all()
        assert rows == [(a_sha("first"), 0), (a_sha("second"), None), (a_sha("third"), None)]
        assert read_balance(session, repository, 2) == {("torch/serialization.py", a_site()): 3}
        assert read_commit_cursor(session, repository) == CommitCursor(
            sha=a_sha("first"), position=0, head=a_sha("head")
        )


def test_a_rewind_to_before_the_line_forgets_where_the_crawl_stopped(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")])
        rewind_to(session, repository, -1)
        assert read_commit_cursor(session, repository) is None


def test_a_rewind_to_the_end_of_the_line_changes_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")])
        before = read_commit_cursor(session, repository)
        assert rewind_to(session, repository, 0) == RewindCounts(commits=0, weeks=())
        assert read_commit_cursor(session, repository) == before


def test_a_commit_that_comes_back_is_revived_in_its_row_with_what_is_said_of_it_now(
    sessions: sessionmaker[Session],
) -> None:
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha("first"))
    second = a_judged_commit(
        "second",
        [an_entry(delta=-1)],
        parent="first",
        trailers=some_trailers(pull_request=8, references=(reference,)),
        skipped=(SkippedFile(path="x.bin", blob=a_sha("blob"), reason=SkipReason.BINARY),),
    )
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry(delta=3)]), second])
        rewind_to(session, repository, -1)
    better = a_judged_commit("second", [an_entry(delta=-2)], parent="first", ruleset="1" * 64)
    with sessions.begin() as session:
        counts = append(session, repository, [a_judged_commit("first", [an_entry(delta=3)]), better])
        assert (counts.commits, counts.revived) == (2, 2)
        assert session.scalar(select(func.count(CommitRow.id))) == 2
        assert read_balance(session, repository, 1) == {("torch/serialization.py", a_site()): 1}
        assert session.scalars(select(VerdictRow.ruleset).order_by(VerdictRow.commit_id)).all() == ["0" * 64, "1" * 64]
        for table in (CommitLinkRow, LandingRow, SkippedFileRow):
            assert session.scalar(select(func.count()).select_from(table)) == 0


def test_a_rewritten_line_keeps_the_old_commits_beside_the_new_ones(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry(delta=3)])])
        append(session, repository, [a_judged_commit("old", [an_entry(delta=-3)], parent="first")])
        rewind_to(session, repository, 0)
        append(session, repository, [a_judged_commit("new", [an_entry(delta=-1)], parent="first")])
        rows = session.execute(select(CommitRow.sha, CommitRow.position).order_by(CommitRow.id)).all()
        assert rows == [(a_sha("first"), 0), (a_sha("old"), None), (a_sha("new"), 1)]
        assert read_balance(session, repository, 1) == {("torch/serialization.py", a_site()): 2}
