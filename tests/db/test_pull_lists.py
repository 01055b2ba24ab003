"""Lists inside pull requests that are longer than GitHub gives at once: appended in order, once, to their own only."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.dead_letters import append_dead_letter
from db.pull_details import PullDetail, read_pull
from db.pull_lists import append_part, count_remainders, read_remainders, remove_remainders
from db.pull_writes import count_unstored_letters, upsert_pulls
from tests.pull_builders import A_TIME, a_notice, a_person, a_pull, a_review
from tests.stored import SLUG, a_repository
from tracker.upstream import ListPart, NoticeKind, PullFile, PullItems, PullRequest, Remainder


def a_remainder(items: PullItems = PullItems.REVIEWS, *, after: str = "100", number: int = 1) -> Remainder:
    return Remainder(node_id=f"PR_{number:06}", number=number, items=items, after=after)


def an_unfinished(*items: PullItems) -> PullRequest:
    return replace(a_pull(1, reviews=[a_review()]), remainders=tuple(a_remainder(one) for one in items))


def a_file(path: str) -> PullFile:
    return PullFile(path=path, change="MODIFIED", additions=1, deletions=1)


def stored(session: Session) -> PullDetail:
    detail = read_pull(session, SLUG, 1)
    assert detail is not None
    return detail


def test_a_stretch_is_added_behind_what_was_read_and_the_next_one_waits(sessions: sessionmaker[Session]) -> None:
    grace = a_person("grace", id=2)
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [an_unfinished(PullItems.REVIEWS)], A_TIME)
        part = ListPart(items=PullItems.REVIEWS, reviews=(a_review("PRR_2", author=grace),), after="200")
        assert append_part(session, repository, a_remainder(), part)
        assert read_remainders(session, repository, 9) == [a_remainder(after="200")]
        assert append_part(session, repository, a_remainder(after="200"), ListPart(items=PullItems.REVIEWS))
        assert count_remainders(session, repository) == 0
        assert [review.author for review in stored(session).reviews] == [None, "grace"]


def test_each_list_takes_its_own_items(sessions: sessionmaker[Session]) -> None:
    parts = [
        ListPart(items=PullItems.LABELS, labels=("b", "c")),
        ListPart(items=PullItems.COMMENTS, notices=(a_notice("IC_9", kind=NoticeKind.MERGED),)),
        ListPart(items=PullItems.FILES, files=(a_file("z.py"), a_file("a.py"))),
        ListPart(items=PullItems.ISSUES, linked_issues=("octo/engine#1",)),
    ]
    with sessions.begin() as session:
        repository = a_repository(session)
        pull = replace(
            an_unfinished(*(part.items for part in parts)),
            labels=("a",),
            files=(a_file("m.py"),),
            linked_issues=("octo/engine#2",),
        )
        upsert_pulls(session, repository, [pull], A_TIME)
        for part in parts:
            assert append_part(session, repository, a_remainder(part.items), part)
        detail = stored(session)
        assert detail.summary.labels == ("a", "b", "c")
        assert [notice.kind for notice in detail.notices] == [NoticeKind.MERGED]
        assert detail.files == ("m.py", "z.py", "a.py")
        assert detail.linked_issues == ("octo/engine#1", "octo/engine#2")


@pytest.mark.parametrize("remainder", [a_remainder(after="0"), a_remainder(PullItems.LABELS), a_remainder(number=2)])
def test_a_stretch_of_another_list_or_place_is_not_added(sessions: sessionmaker[Session], remainder: Remainder) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [an_unfinished(PullItems.REVIEWS)], A_TIME)
        part = ListPart(items=remainder.items, reviews=(a_review("PRR_2"),), labels=("x",))
        assert not append_part(session, repository, remainder, part)
        assert (len(stored(session).reviews), stored(session).summary.labels) == (1, ())


def test_the_same_stretch_twice_is_added_once(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [an_unfinished(PullItems.LABELS)], A_TIME)
        part = ListPart(items=PullItems.LABELS, labels=("x",))
        assert append_part(session, repository, a_remainder(PullItems.LABELS), part)
        assert not append_part(session, repository, a_remainder(PullItems.LABELS), part)
        assert stored(session).summary.labels == ("x",)


def test_a_newer_description_without_remainders_leaves_none(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [an_unfinished(PullItems.REVIEWS)], A_TIME)
        newer = replace(a_pull(1), updated_at=A_TIME + timedelta(hours=1))
        upsert_pulls(session, repository, [newer], A_TIME)
        assert read_remainders(session, repository, 9) == []
        assert stored(session).reviews == ()


def test_lists_that_are_given_up_leave_nothing_to_read(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [an_unfinished(PullItems.REVIEWS, PullItems.FILES)], A_TIME)
        remove_remainders(session, repository, 1)
        assert count_remainders(session, repository) == 0


def test_letters_for_a_part_of_a_stored_pull_request_do_not_stand_for_a_missing_one(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_pulls(session, repository, [a_pull(1)], A_TIME)
        for key in ("1", "2", "CREATED_AT after None"):
            append_dead_letter(session, repository, "pulls", key, "timed out", A_TIME)
        assert count_unstored_letters(session, repository, "pulls") == 2
