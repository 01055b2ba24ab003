from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from db.commits import rewind_to
from db.landings import landed, read_landings, rebuild_landings
from db.tables import CommitRow, LandingRow
from tests.builders import a_judged_commit, a_sha, some_trailers
from tests.stored import a_repository, append
from tracker.classify import JudgedCommit
from tracker.reception import LandingKind
from tracker.trailers import CommitReference, LinkKind, LinkMethod

LANDED, REVERTED = LandingKind.LANDED, LandingKind.REVERTED


def landing(name: str, number: int) -> JudgedCommit:
    return a_judged_commit(name, trailers=some_trailers(pull_request=number))


def revert(name: str, of: str, *, number: int | None = None) -> JudgedCommit:
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha(of))
    return a_judged_commit(name, trailers=some_trailers(pull_request=number, is_revert=True, references=(reference,)))


def reland(name: str, of: str, *, number: int | None = None) -> JudgedCommit:
    reference = CommitReference(LinkKind.RELANDS, LinkMethod.SHA, a_sha(of))
    return a_judged_commit(name, trailers=some_trailers(pull_request=number, is_reland=True, references=(reference,)))


def events(session: Session, repository: int, number: int) -> list[tuple[str, LandingKind]]:
    """Sha and kind of each event of a pull request, in the order of the line."""
    found = read_landings(session, repository, [number]).get(number, ())
    return [(landing.sha, landing.kind) for landing in found]


def is_landed(session: Session, repository: int, number: int) -> bool:
    return landed(read_landings(session, repository, [number]).get(number, ()))


def test_a_commit_that_carries_a_number_lands_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), a_judged_commit("direct push")])
        assert events(session, repository, 7) == [(a_sha("first"), LANDED)]
        assert is_landed(session, repository, 7)
        assert not is_landed(session, repository, 8)


def test_a_revert_of_that_commit_undoes_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7)])
        append(session, repository, [revert("revert", of="first")])
        assert events(session, repository, 7) == [(a_sha("first"), LANDED), (a_sha("revert"), REVERTED)]
        assert not is_landed(session, repository, 7)


def test_a_pull_request_may_land_be_backed_out_and_land_again_under_its_own_number(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [landing("416ba5c48f", 53902), revert("7fc03dd7c9", of="416ba5c48f"), landing("197f9f0826", 53902)]
        append(session, repository, batch)
        assert [kind for _, kind in events(session, repository, 53902)] == [LANDED, REVERTED, LANDED]
        assert is_landed(session, repository, 53902)


def test_a_reland_under_another_number_lands_both(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), revert("revert", of="first")])
        append(session, repository, [reland("again", of="first", number=8)])
        assert is_landed(session, repository, 7)
        assert is_landed(session, repository, 8)


def test_a_revert_of_the_reland_undoes_both(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [landing("first", 7), revert("revert", of="first"), reland("again", of="first", number=8)]
        append(session, repository, [*batch, revert("revert again", of="again")])
        assert not is_landed(session, repository, 7)
        assert not is_landed(session, repository, 8)


def test_a_revert_of_the_revert_restores_what_it_undid(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), revert("revert", of="first", number=8)])
        append(session, repository, [revert("restore", of="revert", number=9)])
        assert is_landed(session, repository, 7)
        assert not is_landed(session, repository, 8)
        assert is_landed(session, repository, 9)


def test_a_revert_that_names_a_pull_request_landed_before_the_first_read_commit_is_recorded(
    sessions: sessionmaker[Session],
) -> None:
    named = CommitReference(LinkKind.REVERTS, LinkMethod.PULL, "7")
    endless = CommitReference(LinkKind.REVERTS, LinkMethod.PULL, "9" * 30)
    with sessions.begin() as session:
        repository = a_repository(session)
        trailers = some_trailers(is_revert=True, references=(named, endless))
        append(session, repository, [a_judged_commit("revert", trailers=trailers)])
        assert events(session, repository, 7) == [(a_sha("revert"), REVERTED)]


def test_an_unresolved_revert_undoes_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), revert("revert", of="unknown")])
        assert is_landed(session, repository, 7)


def test_one_commit_may_undo_several_pull_requests(sessions: sessionmaker[Session]) -> None:
    both = tuple(CommitReference(LinkKind.REVERTS, LinkMethod.PULL, number) for number in ("12466", "12467"))
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("one", 12466), landing("two", 12467), landing("three", 12468)])
        revert_both = a_judged_commit("revert", trailers=some_trailers(is_revert=True, references=both))
        append(session, repository, [revert_both])
        assert [is_landed(session, repository, number) for number in (12466, 12467, 12468)] == [False, False, True]


def test_commits_off_the_line_neither_land_nor_undo(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), landing("second", 8), revert("revert", of="first")])
        rewind_to(session, repository, 0)
        assert is_landed(session, repository, 7)
        assert events(session, repository, 8) == []


def test_the_same_number_in_another_repository_is_another_pull_request(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "huggingface/accelerate")
        append(session, one, [landing("first", 7)])
        assert events(session, other, 7) == []


def rows(session: Session) -> list[tuple[int, int, str]]:
    found = session.execute(select(LandingRow.commit_id, LandingRow.number, LandingRow.kind))
    return sorted((commit_id, number, kind) for commit_id, number, kind in found)


def test_landings_derived_anew_are_the_same(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), revert("revert", of="first", number=8), landing("x", 9)])
        append(session, repository, [reland("again", of="first", number=10), revert("no", of="revert")])
        before = rows(session)
        assert rebuild_landings(session, repository) == len(before)
        assert rows(session) == before
        rebuild_landings(session, repository, [7, 10])
        assert rows(session) == before


def test_the_landings_of_given_numbers_follow_corrected_trailers_and_the_others_stay(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [landing("first", 7), landing("second", 8)])
        session.execute(update(CommitRow).values(pull_number=70).where(CommitRow.pull_number == 7))
        session.execute(update(CommitRow).values(pull_number=80).where(CommitRow.pull_number == 8))
        assert rebuild_landings(session, repository, [7, 70]) == 1
        assert [is_landed(session, repository, number) for number in (7, 70, 8, 80)] == [False, True, True, False]
