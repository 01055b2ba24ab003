"""A stored line is read as it stands: what was taken off it is not there."""

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.commits import CommitCursor, append_commits, rewind_to
from db.repositories import add_repository
from db.stored_lines import StoredCommit, read_first_commit, read_line, read_ruleset_at, read_sha_at
from tests.builders import A_DAY, RULESET, a_judged_commit, a_sha


def stored(session: Session, *names: str, first_position: int) -> int:
    repository = add_repository(session, "example/upstream", now=A_DAY)
    append_commits(
        session,
        repository.id,
        [a_judged_commit(name) for name in names],
        first_position=first_position,
        author_key=lambda mail: mail,
        organisation=lambda _: None,
        cursor=CommitCursor(sha=a_sha(names[-1]), position=first_position + len(names) - 1, head=a_sha(names[-1])),
        now=A_DAY,
    )
    return repository.id


def test_a_line_is_read_from_where_it_begins(sessions: sessionmaker[Session]) -> None:
    with in_transaction(sessions) as session:
        repository_id = stored(session, "a", "b", "c", first_position=7)
        assert read_line(session, repository_id) == tuple(
            StoredCommit(sha=a_sha(name), position=position) for position, name in enumerate("abc", 7)
        )
        assert read_first_commit(session, repository_id) == StoredCommit(sha=a_sha("a"), position=7)
        assert [read_sha_at(session, repository_id, position) for position in (6, 8, 10)] == [None, a_sha("b"), None]
        assert [read_ruleset_at(session, repository_id, position) for position in (6, 8)] == [None, RULESET]


def test_commits_off_the_line_are_not_there(sessions: sessionmaker[Session]) -> None:
    with in_transaction(sessions) as session:
        repository_id = stored(session, "a", "b", first_position=0)
        rewind_to(session, repository_id, 0)
        assert read_line(session, repository_id) == (StoredCommit(sha=a_sha("a"), position=0),)
        assert (read_sha_at(session, repository_id, 1), read_ruleset_at(session, repository_id, 1)) == (None, None)
        rewind_to(session, repository_id, -1)
        assert (read_line(session, repository_id), read_first_commit(session, repository_id)) == ((), None)


def test_a_repository_that_is_not_known_has_no_line(sessions: sessionmaker[Session]) -> None:
    with in_transaction(sessions) as session:
        assert (read_line(session, 1), read_first_commit(session, 1), read_sha_at(session, 1, 0)) == ((), None, None)
