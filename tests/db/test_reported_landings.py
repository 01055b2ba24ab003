"""Landings that no message tells: by a bot's word, a shared revision, or GitHub's; a surer source goes first."""

from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.commits import rewind_to
from db.landings import read_landings
from db.pull_details import PullLanding, read_pull
from db.pull_writes import upsert_pulls
from db.reported_landings import join_reported_landings, tells_landings
from db.tables import LandingRow
from tests.builders import A_DAY, a_commit, a_judged_commit, a_sha, some_trailers
from tests.pull_builders import A_TIME, a_pull
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit
from tracker.reception import LandingKind, LandingSource, PullState
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import MergeNotice, NoticeKind, PullRequest, PullRequestState

LANDED, REVERTED = LandingKind.LANDED, LandingKind.REVERTED
BOT, DIFFERENTIAL, GITHUB = LandingSource.BOT, LandingSource.DIFFERENTIAL, LandingSource.GITHUB


def plain(name: str, *, number: int | None = None, differential: str | None = None) -> JudgedCommit:
    trailers = some_trailers(pull_request=number, differential=differential)
    return replace(a_judged_commit(name, trailers=trailers), commit=a_commit(name))


def refers(name: str, kind: LinkKind, to: str, *, number: int | None = None) -> JudgedCommit:
    references = (CommitReference(kind, LinkMethod.SHA, a_sha(to)),)
    is_revert = kind is LinkKind.REVERTS
    trailers = some_trailers(pull_request=number, is_revert=is_revert, is_reland=not is_revert, references=references)
    return a_judged_commit(name, trailers=trailers)


def revert(name: str, of: str, *, number: int | None = None) -> JudgedCommit:
    return refers(name, LinkKind.REVERTS, of, number=number)


def merged_in(name: str, *, digits: int = 40, kind: NoticeKind = NoticeKind.MERGED) -> MergeNotice:
    return MergeNotice(id=f"IC_{name}", kind=kind, at=A_TIME, bot="pytorchmergebot", sha=a_sha(name)[:digits])


def told(number: int = 1, *names: str) -> PullRequest:
    """An open pull request that a bot says was merged in these commits."""
    return replace(a_pull(number), notices=tuple(merged_in(name) for name in names))


def merged(number: int, name: str, state: PullRequestState = PullRequestState.MERGED) -> PullRequest:
    return replace(a_pull(number, state=state), merge_commit=a_sha(name))


def store(session: Session, *pulls: PullRequest) -> int:
    repository = a_repository(session)
    upsert_pulls(session, repository, pulls, A_TIME)
    return repository


def history(session: Session, repository: int, number: int = 1) -> list[tuple[LandingKind, str]]:
    found = read_landings(session, repository, [number]).get(number, ())
    return [(landing.kind, landing.sha) for landing in found]


def sources(session: Session) -> list[str]:
    return sorted(session.scalars(select(LandingRow.source)))


def test_what_a_bot_says_was_merged_and_is_still_open_is_landed(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, told(1, "one"))
        append(session, repository, [plain("one"), plain("two")])
        assert tells_landings(session, repository)
        assert join_reported_landings(session, repository) == 1
        assert not tells_landings(session, repository)
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert detail.summary.state is PullState.LANDED
        landed = PullLanding(kind=LANDED, sha=a_sha("one"), subject="Change one", at=A_DAY, source=BOT)
        assert detail.landings == (landed,)


def test_an_abbreviated_sha_will_do_and_one_that_was_not_read_lands_nothing(sessions: sessionmaker[Session]) -> None:
    short = replace(a_pull(1), notices=(merged_in("one", digits=9),))
    with sessions.begin() as session:
        repository = store(session, short, told(2, "elsewhere"))
        append(session, repository, [plain("one")])
        assert join_reported_landings(session, repository) == 1
        assert history(session, repository) == [(LANDED, a_sha("one"))]
        assert history(session, repository, 2) == []


@pytest.mark.parametrize("kind", [kind for kind in NoticeKind if kind is not NoticeKind.MERGED])
def test_other_words_of_a_bot_land_nothing(sessions: sessionmaker[Session], kind: NoticeKind) -> None:
    with sessions.begin() as session:
        repository = store(session, replace(a_pull(1), notices=(merged_in("one", kind=kind),)))
        append(session, repository, [plain("one")])
        assert join_reported_landings(session, repository) == 0


def test_a_change_that_was_developed_together_with_internal_code_lands_by_its_revision(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = store(session, *(replace(a_pull(number), differential=f"D{number}") for number in (1, 2, 3)))
        append(
            session,
            repository,
            [plain("one", differential="D1"), plain("two", number=9, differential="D2"), plain("three")],
        )
        assert join_reported_landings(session, repository) == 1
        assert history(session, repository) == [(LANDED, a_sha("one"))]
        assert sources(session) == ["differential", "message"]


def test_what_github_merged_lands_with_the_commit_github_names(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, merged(1, "one"), merged(2, "one"))
        append(session, repository, [plain("one", number=7)])
        assert join_reported_landings(session, repository) == 2
        assert history(session, repository, 1) == history(session, repository, 2) == [(LANDED, a_sha("one"))]


@pytest.mark.parametrize("state", [PullRequestState.OPEN, PullRequestState.CLOSED])
def test_the_trial_merge_of_one_that_is_not_merged_lands_nothing(
    sessions: sessionmaker[Session], state: PullRequestState
) -> None:
    with sessions.begin() as session:
        repository = store(session, merged(1, "one", state))
        append(session, repository, [plain("one")])
        assert join_reported_landings(session, repository) == 0


def test_a_message_goes_before_every_other_source_and_a_bot_before_github(sessions: sessionmaker[Session]) -> None:
    both = replace(merged(2, "two"), notices=(merged_in("one"),))
    with sessions.begin() as session:
        repository = store(session, told(1, "two"), both)
        append(session, repository, [plain("one", number=1), plain("two")])
        assert join_reported_landings(session, repository) == 1
        assert history(session, repository, 1) == [(LANDED, a_sha("one"))]
        assert history(session, repository, 2) == [(LANDED, a_sha("one"))]


def test_reverts_and_relands_of_such_a_commit_are_those_of_the_pull_request(sessions: sessionmaker[Session]) -> None:
    expected = [(LANDED, a_sha("one")), (REVERTED, a_sha("two")), (LANDED, a_sha("three"))]
    commits = [plain("one"), revert("two", "one", number=5), refers("three", LinkKind.RELANDS, "one")]
    with sessions.begin() as session:
        repository = store(session, merged(1, "one"))
        append(session, repository, commits)
        assert join_reported_landings(session, repository) == 3
        assert history(session, repository) == expected
        assert history(session, repository, 5) == [(LANDED, a_sha("two"))]


def test_a_revert_that_is_read_later_is_one_too(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, told(1, "one"))
        append(session, repository, [plain("one")])
        join_reported_landings(session, repository)
        append(session, repository, [revert("two", "one")])
        assert history(session, repository) == [(LANDED, a_sha("one")), (REVERTED, a_sha("two"))]
        assert join_reported_landings(session, repository) == 0


def test_joining_again_adds_nothing_and_a_rewritten_line_takes_it_away(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, told(1, "two"))
        append(session, repository, [plain("one"), plain("two")])
        assert [join_reported_landings(session, repository) for _ in range(2)] == [1, 0]
        rewind_to(session, repository, 0)
        assert join_reported_landings(session, repository) == 0
        assert history(session, repository) == []
        append(session, repository, [plain("two")])
        assert join_reported_landings(session, repository) == 1


def test_another_repository_s_commits_land_nothing_here(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, told(1, "one"), merged(2, "one"))
        append(session, a_repository(session, "other/one"), [plain("one")])
        assert join_reported_landings(session, repository) == 0
