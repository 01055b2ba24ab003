"""Pull requests as readers see them: landed, reverted, open or closed by what the default branch's commits say."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.commits import rewind_to
from db.pull_details import PullLanding, PullReview, read_pull
from db.pull_writes import upsert_pulls
from db.pulls import PullFilter, count_pulls, read_latest_pulls, read_pulls
from db.repositories import note_github_facts
from tests.builders import a_commit, a_judged_commit, a_sha, some_trailers
from tests.pull_builders import A_TIME, a_person, a_pull, a_review, pulls
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit
from tracker.reception import LandingKind, PullState
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import PullRequest, PullRequestState

OPEN, CLOSED, MERGED = PullRequestState.OPEN, PullRequestState.CLOSED, PullRequestState.MERGED


def landing(name: str, number: int, *, at: datetime = A_TIME + timedelta(hours=30)) -> JudgedCommit:
    return replace(a_judged_commit(name, trailers=some_trailers(pull_request=number)), commit=a_commit(name, at=at))


def revert(name: str, of: str) -> JudgedCommit:
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha(of))
    return a_judged_commit(name, trailers=some_trailers(is_revert=True, references=(reference,)))


def store(session: Session, *given: PullRequest, slug: str = SLUG, default_branch: str | None = "main") -> int:
    repository = a_repository(session, slug)
    note_github_facts(session, repository, None, slug, default_branch, A_TIME)
    upsert_pulls(session, repository, given, A_TIME)
    return repository


def state_of(session: Session, number: int = 1) -> PullState:
    detail = read_pull(session, SLUG, number)
    assert detail is not None
    return detail.summary.state


def numbers(session: Session, wanted: PullFilter) -> list[int]:
    return [row.number for row in read_pulls(session, wanted).rows]


@pytest.mark.parametrize("github_state", [OPEN, CLOSED, MERGED])
def test_what_a_commit_lands_is_landed_whatever_github_says(
    sessions: sessionmaker[Session], github_state: PullRequestState
) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(state=github_state))
        append(session, repository, [landing("one", 1)])
        assert state_of(session) is PullState.LANDED


@pytest.mark.parametrize("github_state", [OPEN, CLOSED])
def test_a_landing_that_was_undone_is_reverted_though_github_says_open_again(
    sessions: sessionmaker[Session], github_state: PullRequestState
) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(state=github_state))
        append(session, repository, [landing("one", 1), revert("two", "one")])
        assert state_of(session) is PullState.REVERTED


def test_landed_reverted_and_landed_again_is_landed(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(state=CLOSED))
        append(session, repository, [landing("one", 1), revert("two", "one"), landing("three", 1)])
        assert state_of(session) is PullState.LANDED


@pytest.mark.parametrize(("github_state", "shown"), [(OPEN, PullState.OPEN), (CLOSED, PullState.CLOSED)])
def test_what_no_commit_names_is_what_github_says(
    sessions: sessionmaker[Session], github_state: PullRequestState, shown: PullState
) -> None:
    with sessions.begin() as session:
        store(session, a_pull(state=github_state))
        assert state_of(session) is shown


@pytest.mark.parametrize(
    ("base", "default_branch", "shown"),
    [
        ("main", "main", PullState.LANDED),
        ("main", None, PullState.LANDED),
        ("release/2.4", "main", PullState.CLOSED),
    ],
)
def test_a_merge_that_no_commit_names_lands_only_on_the_default_branch(
    sessions: sessionmaker[Session], base: str, default_branch: str | None, shown: PullState
) -> None:
    with sessions.begin() as session:
        store(session, a_pull(state=MERGED, base_ref=base), default_branch=default_branch)
        assert state_of(session) is shown


def test_a_landing_that_is_no_longer_on_the_branch_does_not_count(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(state=CLOSED))
        append(session, repository, [a_judged_commit("zero"), landing("one", 1)])
        rewind_to(session, repository, 0)
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert (detail.summary.state, detail.landings, detail.summary.landed_at) == (PullState.CLOSED, (), None)


def test_landings_of_another_repository_do_not_count(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, a_pull())
        append(session, store(session, slug="octo/engine"), [landing("one", 1)])
        assert state_of(session) is PullState.OPEN


def test_hours_to_landing_run_to_the_first_landing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(state=CLOSED))
        again = landing("three", 1, at=A_TIME + timedelta(hours=90))
        append(session, repository, [landing("one", 1), revert("two", "one"), again])
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert detail.summary.landed_at == A_TIME + timedelta(hours=30)
        assert detail.summary.hours_to_landing == 30.0


def test_one_pull_request_is_read_with_its_landings_and_reviews(sessions: sessionmaker[Session]) -> None:
    ada, grace = a_person(company="Example"), a_person("grace", id=2)
    pull = a_pull(
        state=CLOSED,
        author=ada,
        labels=("Merged", "module: cuda"),
        reviews=[
            a_review("PRR_3", author=grace, submitted_at=A_TIME + timedelta(hours=5)),
            a_review("PRR_1", author=ada, state="COMMENTED", submitted_at=A_TIME + timedelta(hours=1)),
            a_review("PRR_2", author=None, state="PENDING", submitted_at=None),
        ],
    )
    with sessions.begin() as session:
        repository = store(session, pull)
        append(session, repository, [landing("one", 1)])
        detail = read_pull(session, SLUG, 1)
    assert detail is not None
    assert (detail.summary.author, detail.summary.company, detail.summary.labels) == (
        "ada",
        "Example",
        ("Merged", "module: cuda"),
    )
    assert (detail.base_ref, detail.head_ref, detail.head_sha) == ("main", "branch-1", f"{1:040x}")
    assert detail.landings == (
        PullLanding(
            kind=LandingKind.LANDED,
            sha=a_sha("one"),
            subject=a_commit("one").subject,
            at=A_TIME + timedelta(hours=30),
        ),
    )
    assert set(detail.reviews) == {
        PullReview(author="ada", state="COMMENTED", submitted_at=A_TIME + timedelta(hours=1), association="NONE"),
        PullReview(author="grace", state="APPROVED", submitted_at=A_TIME + timedelta(hours=5), association="NONE"),
        PullReview(author=None, state="PENDING", submitted_at=None, association="NONE"),
    }
    assert detail.hours_to_first_review == 5.0  # one's own comment is no review


def test_a_pull_request_of_a_deleted_account_has_no_author(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, a_pull(author=None))
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert (detail.summary.author, detail.summary.author_kind, detail.summary.company) == (None, None, None)


def test_what_is_not_stored_is_none(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, a_pull(1))
        assert read_pull(session, SLUG, 2) is None
        assert read_pull(session, "octo/nothing", 1) is None


def test_a_former_name_reads_the_same_repository(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        note_github_facts(session, repository, 42, "pytorch/torch", "main", A_TIME)
        detail = read_pull(session, SLUG, 1)
        assert detail is not None
        assert detail.summary.repository == "pytorch/torch"


def test_a_list_is_newest_first_and_read_to_its_end_by_keys(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, *pulls(5))
        first = read_pulls(session, PullFilter(), limit=2)
        second = read_pulls(session, PullFilter(), before_key=first.next_key, limit=2)
        third = read_pulls(session, PullFilter(), before_key=second.next_key, limit=2)
        assert [[row.number for row in page.rows] for page in (first, second, third)] == [[5, 4], [3, 2], [1]]
        assert third.next_key is None


def test_a_last_page_that_is_full_names_no_next_one(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, *pulls(2))
        assert read_pulls(session, PullFilter(), limit=2).next_key is None


def test_pull_requests_of_one_second_are_neither_lost_nor_doubled_between_pages(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        store(session, *(a_pull(number, created_at=A_TIME) for number in range(1, 8)))
        found, key = [], None
        while True:
            page = read_pulls(session, PullFilter(), before_key=key, limit=2)
            found += [row.number for row in page.rows]
            key = page.next_key
            if key is None:
                break
        assert sorted(found) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "key", ["", "5", "2024-05-06T12:00:00Z", "2024-99-06T12:00:00Z~1", "x~1", "2024-05-06T12:00:00Z~9999999999"]
)
def test_a_key_that_no_page_gave_is_refused(sessions: sessionmaker[Session], key: str) -> None:
    with sessions.begin() as session, pytest.raises(ValueError, match=r".+"):
        read_pulls(session, PullFilter(), before_key=key)


def test_a_list_is_filtered(sessions: sessionmaker[Session]) -> None:
    grace = a_person("Grace", id=2)
    with sessions.begin() as session:
        store(session, a_pull(1, title="Use 100% of the Stream_API"), a_pull(2, author=grace), a_pull(3, author=None))
        store(session, a_pull(1, title="Elsewhere"), slug="octo/engine")
        assert numbers(session, PullFilter(repository=SLUG)) == [3, 2, 1]
        assert numbers(session, PullFilter(repository="octo/engine")) == [1]
        assert numbers(session, PullFilter(repository="octo/nothing")) == []
        assert numbers(session, PullFilter(author="GRACE")) == [2]
        assert numbers(session, PullFilter(author="gra")) == []
        assert numbers(session, PullFilter(text="100% of the stream_api")) == [1]
        assert numbers(session, PullFilter(text="100_")) == []
        assert numbers(session, PullFilter(repository=SLUG, number=2)) == [2]
        assert numbers(session, PullFilter(repository=SLUG, since=a_pull(2).created_at)) == [3, 2]
        assert numbers(session, PullFilter(repository=SLUG, until=a_pull(2).created_at)) == [1]


def test_a_list_is_filtered_by_the_state_shown_and_counted_by_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        given = [a_pull(1, state=CLOSED), a_pull(2), a_pull(3, state=CLOSED), a_pull(4), a_pull(5, state=MERGED)]
        repository = store(session, *given)
        append(session, repository, [landing("one", 1), landing("four", 4), revert("two", "four")])
        assert numbers(session, PullFilter(state=PullState.LANDED)) == [5, 1]
        assert numbers(session, PullFilter(state=PullState.REVERTED)) == [4]
        assert numbers(session, PullFilter(state=PullState.OPEN)) == [2]
        assert numbers(session, PullFilter(state=PullState.CLOSED)) == [3]
        counted = {
            PullState.OPEN: 1,
            PullState.STALE: 0,
            PullState.LANDED: 2,
            PullState.REVERTED: 1,
            PullState.CLOSED: 1,
        }
        assert count_pulls(session) == {SLUG: counted}
        landed, others = PullFilter(state=PullState.LANDED), PullFilter(except_state=PullState.LANDED)
        newest = read_latest_pulls(session, (landed, others, PullFilter(repository="octo/nothing")), limit=2)
        assert [[row.number for row in rows] for rows in newest] == [[5, 1], [4, 3], []]


def test_dates_before_1000_and_far_ahead_are_paged_too(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        dates = [datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)]
        store(session, *(a_pull(number, created_at=at) for number, at in enumerate(dates, start=1)))
        first = read_pulls(session, PullFilter(), limit=1)
        assert [row.number for row in read_pulls(session, PullFilter(), before_key=first.next_key).rows] == [1]
