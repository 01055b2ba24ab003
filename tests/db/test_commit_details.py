from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.commit_details import LandedPull, LinkedCommit, read_commit
from db.commits import rewind_to
from tests.builders import A_DAY, a_judged_commit, a_sha, an_entry, some_trailers
from tests.db.test_landings import reland, revert
from tests.stored import SLUG, a_repository, append
from tracker.classify import SkippedFile
from tracker.reception import LandingKind
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import SkipReason


def test_a_commit_is_read_with_everything_kept_of_it(sessions: sessionmaker[Session]) -> None:
    skipped = (
        SkippedFile(path="z.bin", blob=a_sha("z"), reason=SkipReason.BINARY),
        SkippedFile(path="a.bin", blob=a_sha("a"), reason=SkipReason.MISSING_OBJECT),
    )
    trailers = some_trailers(pull_request=7, differential="D12345", source_id=a_sha("source"))
    commit = a_judged_commit(
        "first", [an_entry("b.py"), an_entry("a.py")], parent="before", trailers=trailers, skipped=skipped
    )
    with sessions.begin() as session:
        append(session, a_repository(session), [commit])
        detail = read_commit(session, SLUG, a_sha("first"))
    assert detail is not None
    assert detail.summary.sha == a_sha("first")
    assert (detail.parent_sha, detail.parents, detail.authored_at) == (a_sha("before"), 1, A_DAY)
    assert (detail.differential, detail.source_id) == ("D12345", a_sha("source"))
    assert [entry.path for entry in detail.entries] == ["a.py", "b.py"]
    assert detail.skipped == (skipped[1], skipped[0])
    assert (detail.links, detail.linked_by) == ((), ())
    assert detail.pulls == (LandedPull(number=7, kind=LandingKind.LANDED, landed_now=True),)


def test_a_commit_is_found_by_the_first_digits_of_its_sha_when_they_are_its_alone(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first"), a_judged_commit("second")])
        detail = read_commit(session, SLUG, a_sha("first")[:10].upper())
        assert detail is not None
        assert detail.summary.sha == a_sha("first")
        for unknown in ("", a_sha("first")[:6], "0" * 40, "g" * 7, a_sha("first") + "0"):
            assert read_commit(session, SLUG, unknown) is None
        assert read_commit(session, "never/added", a_sha("first")) is None


def test_links_are_shown_from_both_ends(sessions: sessionmaker[Session]) -> None:
    hour = timedelta(hours=1)
    lost = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, "0123456789ab")
    by_sha = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha("first"))
    trailers = some_trailers(is_revert=True, references=(by_sha, lost))
    batch = [
        a_judged_commit("first", message="Change it"),
        a_judged_commit("r", message="Revert it", at=A_DAY + hour, trailers=trailers),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), batch)
        first, undoing = (read_commit(session, SLUG, a_sha(name)) for name in ("first", "r"))
    assert first is not None
    assert undoing is not None
    assert first.linked_by == (
        LinkedCommit(
            kind=LinkKind.REVERTS,
            method=LinkMethod.SHA,
            target=a_sha("first"),
            sha=a_sha("r"),
            subject="Revert it",
            committed_at=A_DAY + hour,
        ),
    )
    assert undoing.links == (
        LinkedCommit(
            kind=LinkKind.REVERTS,
            method=LinkMethod.SHA,
            target=a_sha("first"),
            sha=a_sha("first"),
            subject="Change it",
            committed_at=A_DAY,
        ),
        LinkedCommit(
            kind=LinkKind.REVERTS,
            method=LinkMethod.SHA,
            target="0123456789ab",
            sha=None,
            subject=None,
            committed_at=None,
        ),
    )


def test_a_commit_that_names_another_in_two_ways_is_shown_once_there(sessions: sessionmaker[Session]) -> None:
    references = (
        CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha("first")),
        CommitReference(LinkKind.REVERTS, LinkMethod.TITLE, "Change first"),
    )
    undoing = a_judged_commit("r", trailers=some_trailers(is_revert=True, references=references))
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first"), undoing])
        first = read_commit(session, SLUG, a_sha("first"))
    assert first is not None
    assert [(link.sha, link.method) for link in first.linked_by] == [(a_sha("r"), LinkMethod.SHA)]


def test_what_became_of_the_pull_requests_is_told_on_each_commit_of_their_story(
    sessions: sessionmaker[Session],
) -> None:
    batch = [
        a_judged_commit("first", trailers=some_trailers(pull_request=7)),
        revert("r", of="first"),
        reland("again", of="first", number=8),
    ]
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, batch)
        told = {name: read_commit(session, SLUG, a_sha(name)) for name in ("first", "r", "again")}
        rewind_to(session, repository, 1)
        after = read_commit(session, SLUG, a_sha("first"))
    landed, reverted = LandingKind.LANDED, LandingKind.REVERTED
    assert {name: detail.pulls for name, detail in told.items() if detail} == {
        "first": (LandedPull(number=7, kind=landed, landed_now=True),),
        "r": (LandedPull(number=7, kind=reverted, landed_now=True),),
        "again": (
            LandedPull(number=7, kind=landed, landed_now=True),
            LandedPull(number=8, kind=landed, landed_now=True),
        ),
    }
    assert after is not None
    assert after.pulls == (LandedPull(number=7, kind=landed, landed_now=False),)


def test_a_commit_off_the_line_can_still_be_read_and_says_so(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), a_judged_commit("gone", [an_entry()])])
        rewind_to(session, repository, 0)
        detail = read_commit(session, SLUG, a_sha("gone"))
    assert detail is not None
    assert detail.summary.position is None
    assert [entry.delta for entry in detail.entries] == [1]
