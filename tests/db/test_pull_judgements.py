"""What is said of a pull request's effect: of its landing where it stands, else of what its head would do."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.pull_judgements import JudgementSource
from db.pull_verdicts import read_due_heads, replace_pull_verdict
from db.pull_writes import upsert_pulls
from db.pulls import PullFilter, PullSummary, count_pulls, read_largest_proposals, read_pulls
from tests.builders import RULESET, a_judged_commit, a_judgement, a_sha, an_entry, some_trailers
from tests.pull_builders import A_TIME, a_pull
from tests.stored import SLUG, a_repository, append
from tracker.classify import HeadProblem, JudgedCommit, JudgedHead, Judgement, Tally
from tracker.reception import PullState
from tracker.sites import Area, Mechanism, Verdict
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import PullRequest, PullRequestState

OPEN, CLOSED, MERGED = PullRequestState.OPEN, PullRequestState.CLOSED, PullRequestState.MERGED
LONG_AGO = A_TIME - timedelta(days=365)


def decoupling(count: int = 2) -> Judgement:
    return a_judgement(
        [an_entry(delta=-count, mechanism=Mechanism.GENERALISED)],
        verdict=Verdict.DECOUPLING,
        mechanism=Mechanism.GENERALISED,
        area=Area.CORE,
        vendors=("nvidia",),
        tally=Tally(generalised=count),
    )


def coupling(count: int = 1) -> Judgement:
    return a_judgement(
        [an_entry(delta=count)],
        verdict=Verdict.COUPLING,
        mechanism=Mechanism.INTRODUCED,
        area=Area.TEST,
        vendors=("amd", "nvidia"),
        tally=Tally(introduced=count),
    )


def landing(name: str, number: int, judgement: Judgement) -> JudgedCommit:
    return a_judged_commit(name, trailers=some_trailers(pull_request=number), judgement=judgement)


def revert(name: str, of: str, judgement: Judgement) -> JudgedCommit:
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha(of))
    trailers = some_trailers(is_revert=True, references=(reference,))
    return a_judged_commit(name, trailers=trailers, judgement=judgement)


def propose(session: Session, repository: int, judged: dict[int, Judgement | None]) -> None:
    """Judge the heads of open pull requests; None: in vain."""
    for due in read_due_heads(session, repository, RULESET, LONG_AGO):
        if due.number in judged:
            judgement = judged[due.number]
            head = JudgedHead(
                number=due.number,
                head_sha=due.head_sha,
                base_sha="b" * 40,
                base_ref="main",
                judgement=judgement,
                problem=None if judgement is not None else HeadProblem.NO_MERGE_BASE,
                ruleset=RULESET,
            )
            replace_pull_verdict(session, due, head, A_TIME)


def store(session: Session, *pulls: PullRequest) -> int:
    repository = a_repository(session)
    upsert_pulls(session, repository, pulls, A_TIME)
    return repository


def rows(session: Session, **wanted: object) -> dict[int, PullSummary]:
    return {row.number: row for row in read_pulls(session, PullFilter(**wanted)).rows}  # type: ignore[arg-type]


def told(row: PullSummary) -> tuple[object, ...]:
    return row.judged_by, row.verdict, row.mechanism, row.area, row.vendors, row.removed, row.added


NOTHING = (None, None, None, None, (), None, None)


def test_an_open_one_is_told_by_what_its_head_would_do(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        propose(session, repository, {1: coupling(3)})
        assert told(rows(session)[1]) == (
            JudgementSource.HEAD,
            Verdict.COUPLING,
            Mechanism.INTRODUCED,
            Area.TEST,
            ("amd", "nvidia"),
            0,
            3,
        )


def test_a_landed_one_is_told_by_what_its_landing_did_whatever_its_head_would_have(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        propose(session, repository, {1: coupling()})
        append(session, repository, [landing("one", 1, decoupling())])
        assert told(rows(session)[1])[:2] == (JudgementSource.LANDED, Verdict.DECOUPLING)


def test_one_that_was_reverted_is_told_by_its_head_and_landed_again_by_the_last_landing(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        append(session, repository, [landing("one", 1, decoupling(2)), revert("two", "one", coupling(2))])
        assert told(rows(session)[1]) == NOTHING
        propose(session, repository, {1: decoupling(5)})
        assert (rows(session)[1].judged_by, rows(session)[1].removed) == (JudgementSource.HEAD, 5)
        append(session, repository, [landing("three", 1, decoupling(4))])
        assert (rows(session)[1].judged_by, rows(session)[1].removed) == (JudgementSource.LANDED, 4)


def test_one_that_was_closed_without_landing_keeps_what_its_head_would_have_done(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        propose(session, repository, {1: decoupling()})
        upsert_pulls(session, repository, [a_pull(1, state=CLOSED, updated_at=A_TIME)], A_TIME)
        assert (rows(session)[1].state, rows(session)[1].judged_by) == (PullState.CLOSED, JudgementSource.HEAD)


@pytest.mark.parametrize("state", [OPEN, CLOSED, MERGED])
def test_nothing_is_told_where_nothing_was_judged(sessions: sessionmaker[Session], state: PullRequestState) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1, state=state))
        propose(session, repository, {1: None})
        assert told(rows(session)[1]) == NOTHING


def test_one_that_only_github_calls_merged_is_not_told_by_its_head(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        propose(session, repository, {1: decoupling()})
        upsert_pulls(session, repository, [a_pull(1, state=MERGED, updated_at=A_TIME)], A_TIME)
        assert rows(session)[1].state is PullState.LANDED
        assert told(rows(session)[1]) == NOTHING
        assert rows(session, verdict=Verdict.DECOUPLING) == {}


def test_a_list_is_filtered_by_what_is_told(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, *(a_pull(number) for number in range(1, 7)))
        append(
            session,
            repository,
            [
                landing("one", 1, decoupling()),
                landing("two", 2, decoupling()),
                revert("three", "two", coupling(2)),
                landing("four", 3, coupling()),
            ],
        )
        propose(session, repository, {2: coupling(), 4: decoupling(), 5: coupling(), 6: None})
        assert set(rows(session, verdict=Verdict.DECOUPLING)) == {1, 4}
        assert set(rows(session, verdict=Verdict.COUPLING)) == {2, 3, 5}
        assert set(rows(session, verdict=Verdict.DECOUPLING, state=PullState.OPEN)) == {4}
        assert set(rows(session, mechanism=Mechanism.INTRODUCED)) == {2, 3, 5}
        assert set(rows(session, vendor="amd")) == {2, 3, 5}
        assert set(rows(session, vendor="nvidia", area=Area.CORE)) == {1, 4}
        assert rows(session, vendor="md") == {}
        assert rows(session, verdict=Verdict.REMOVAL) == {}


def test_the_largest_proposals_come_first_and_only_open_ones(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, *(a_pull(number) for number in range(1, 7)))
        propose(
            session,
            repository,
            {1: coupling(2), 2: decoupling(9), 3: coupling(4), 4: a_judgement(), 5: decoupling(50), 6: coupling(70)},
        )
        append(session, repository, [landing("one", 5, decoupling())])
        closed = replace(a_pull(6), state=CLOSED, updated_at=A_TIME + timedelta(days=1))
        upsert_pulls(session, repository, [closed], A_TIME)

        def largest(limit: int = 9, **wanted: object) -> list[int]:
            found = read_largest_proposals(session, PullFilter(**wanted), limit=limit)  # type: ignore[arg-type]
            return [row.number for row in found]

        assert largest(repository=SLUG) == [2, 3, 1]
        assert largest(2, repository=SLUG) == [2, 3]
        assert largest(repository=SLUG, vendor="amd") == [3, 1]
        assert largest(repository=SLUG, area=Area.CORE) == [2]
        assert largest() == largest(repository="octo/nothing") == []


def test_what_nobody_touched_for_long_or_is_labelled_so_is_stale(sessions: sessionmaker[Session]) -> None:
    before = datetime(2024, 6, 1, tzinfo=A_TIME.tzinfo)
    fresh = before + timedelta(seconds=1)
    with sessions.begin() as session:
        repository = store(
            session,
            a_pull(1),
            a_pull(2, updated_at=fresh),
            a_pull(3, updated_at=fresh, labels=("module: cuda", "Stale")),
            a_pull(4, updated_at=fresh, labels=("not stale at all",)),
            a_pull(5, state=CLOSED),
            a_pull(6),
        )
        append(session, repository, [landing("one", 6, decoupling())])
        found = rows(session, stale_before=before)
        assert {number: row.state for number, row in found.items()} == {
            1: PullState.STALE,
            2: PullState.OPEN,
            3: PullState.STALE,
            4: PullState.OPEN,
            5: PullState.CLOSED,
            6: PullState.LANDED,
        }
        assert set(rows(session, stale_before=before, state=PullState.STALE)) == {1, 3}
        assert set(rows(session, state=PullState.OPEN)) == {1, 2, 3, 4}
        counts = count_pulls(session, stale_before=before)[SLUG]
        assert (counts[PullState.OPEN], counts[PullState.STALE]) == (2, 2)
