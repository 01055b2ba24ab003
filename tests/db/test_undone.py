from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.commits import rewind_to
from db.tables import CommitRow
from db.undone import read_undone
from tests.builders import a_judged_commit, a_sha
from tests.db.test_landings import reland, revert
from tests.stored import a_repository, append


def undone(session: Session, repository: int) -> dict[str, str]:
    """Sha of each undone commit and of the commit that undid it."""
    shas = {row_id: sha for row_id, sha in session.execute(select(CommitRow.id, CommitRow.sha))}  # noqa: C416 - typed
    return {shas[commit_id]: fact.by_sha for commit_id, fact in read_undone(session, repository).items()}


def test_a_reverted_commit_is_undone(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), a_judged_commit("other"), revert("r", of="first")])
        assert undone(session, repository) == {a_sha("first"): a_sha("r")}


def test_a_reland_or_a_revert_of_the_revert_restores_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("one"), a_judged_commit("two")])
        append(session, repository, [revert("r one", of="one"), revert("r two", of="two")])
        append(session, repository, [reland("again", of="one"), revert("rr two", of="r two")])
        assert undone(session, repository) == {a_sha("r two"): a_sha("rr two")}


def test_a_revert_of_the_restoring_commit_undoes_the_first_one_again(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("one"), revert("r", of="one"), revert("rr", of="r")])
        append(session, repository, [revert("rrr", of="rr")])
        assert undone(session, repository) == {a_sha("one"): a_sha("rrr"), a_sha("rr"): a_sha("rrr")}


def test_a_commit_reverted_after_its_reland_is_undone_by_the_later_revert(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("one"), revert("r", of="one"), reland("again", of="one")])
        append(session, repository, [revert("r2", of="one")])
        assert undone(session, repository) == {a_sha("one"): a_sha("r2"), a_sha("again"): a_sha("r2")}


def test_a_revert_off_the_line_undoes_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("one"), revert("r", of="one")])
        rewind_to(session, repository, 0)
        assert undone(session, repository) == {}
