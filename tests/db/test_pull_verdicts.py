"""Verdicts of heads: which are due, and that one replaces the other as a whole."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db import pull_verdicts
from db.ledger import StoredEntry, read_balance
from db.pull_verdicts import (
    DueHead,
    HeadVerdict,
    read_due_heads,
    read_head_verdict,
    read_open_numbers,
    replace_pull_verdict,
)
from db.pull_writes import upsert_pulls
from tests.builders import RULESET, a_judged_commit, a_judgement, a_neutral_construct, a_place, a_site, an_entry
from tests.builders import some_trailers as trailers
from tests.pull_builders import A_TIME, a_pull
from tests.stored import a_repository, append
from tracker.classify import HeadProblem, JudgedHead, Tally
from tracker.ledger import Entry
from tracker.sites import Area, Mechanism, Territory, Verdict
from tracker.upstream import PullRequest, PullRequestState, SkipReason

LONG_AGO = A_TIME - timedelta(days=365)
HEAD, BASE = "1" * 40, "b" * 40


def a_head(
    *entries: Entry,
    head: str | None = HEAD,
    ruleset: str = RULESET,
    problem: HeadProblem | None = None,
    tally: Tally | None = None,
) -> JudgedHead:
    judged = a_judgement(
        entries,
        verdict=Verdict.DECOUPLING,
        mechanism=Mechanism.GENERALISED,
        area=Area.CORE,
        vendors=("nvidia", "amd"),
        tally=tally,
    )
    return JudgedHead(
        number=1,
        head_sha=head,
        base_sha=BASE,
        base_ref="main",
        judgement=judged if problem is None else None,
        problem=problem,
        detail="in words" if problem is not None else "",
        files=2,
        skipped={SkipReason.BINARY: 1},
        ruleset=ruleset,
    )


def store(session: Session, *pulls: PullRequest) -> int:
    repository = a_repository(session)
    upsert_pulls(session, repository, pulls, A_TIME)
    return repository


def due(
    session: Session, repository: int, *, ruleset: str = RULESET, retry_before: datetime = LONG_AGO
) -> tuple[DueHead, ...]:
    return read_due_heads(session, repository, ruleset, retry_before)


def numbers(found: tuple[DueHead, ...]) -> list[int]:
    return [one.number for one in found]


def judge(session: Session, repository: int, judged: JudgedHead, *, at: datetime = A_TIME) -> int:
    """Store a verdict for the only pull request that is due, and return its row's id."""
    (one,) = due(session, repository, ruleset=judged.ruleset, retry_before=at)
    replace_pull_verdict(session, one, judged, at)
    return one.pull_request_id


def read(session: Session, row_id: int) -> HeadVerdict:
    found = read_head_verdict(session, row_id)
    assert found is not None
    return found


def test_open_pull_requests_that_were_never_judged_are_due_newest_first(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1), a_pull(2), a_pull(3, state=PullRequestState.CLOSED))
        assert numbers(due(session, repository)) == [2, 1]
        assert read_open_numbers(session, repository) == {1, 2}


def test_what_stands_on_the_default_branch_is_not_due_though_github_says_open(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1), a_pull(2))
        append(session, repository, [a_judged_commit("one", trailers=trailers(pull_request=1))])
        assert numbers(due(session, repository)) == [2]


def test_another_repository_s_pull_requests_are_not_due_here(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, a_pull(1))
        other = a_repository(session, "other/one")
        assert due(session, other) == ()


def test_a_judged_head_is_due_again_by_another_ruleset_only(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, replace(a_pull(1), head_sha=HEAD))
        judge(session, repository, a_head())
        assert due(session, repository, retry_before=A_TIME + timedelta(days=9)) == ()
        assert numbers(due(session, repository, ruleset="f" * 64)) == [1]


def test_a_head_that_moved_is_due(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, replace(a_pull(1), head_sha=HEAD))
        judge(session, repository, a_head())
        upsert_pulls(session, repository, [replace(a_pull(1), head_sha="2" * 40)], A_TIME)
        assert numbers(due(session, repository)) == [1]


def test_a_head_judged_ahead_of_its_description_is_due_once_it_is_described_anew_as_another(
    sessions: sessionmaker[Session],
) -> None:
    old, later = "0" * 40, A_TIME + timedelta(hours=1)
    with sessions.begin() as session:
        repository = store(session, replace(a_pull(1), head_sha=old))
        judge(session, repository, a_head(head=HEAD))
        assert due(session, repository) == ()
        upsert_pulls(session, repository, [replace(a_pull(1), head_sha=HEAD, updated_at=later)], A_TIME)
        assert due(session, repository) == ()
        upsert_pulls(session, repository, [replace(a_pull(1), head_sha=old, updated_at=later)], A_TIME)
        assert numbers(due(session, repository)) == [1]


def test_what_could_not_be_judged_is_due_again_later(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        row_id = judge(session, repository, a_head(head=None, problem=HeadProblem.HEAD_MISSING))
        assert due(session, repository, retry_before=A_TIME) == ()
        assert numbers(due(session, repository, retry_before=A_TIME + timedelta(seconds=1))) == [1]
        assert (read(session, row_id).problem, read(session, row_id).detail) == (HeadProblem.HEAD_MISSING, "in words")


def test_a_verdict_holds_everything_that_was_found(sessions: sessionmaker[Session]) -> None:
    gone = an_entry(
        "torch/\0odd.py", delta=-2, mechanism=Mechanism.GENERALISED, lines=(3, 9), replaced_by="torch.accelerator"
    )
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        row_id = judge(session, repository, a_head(gone, tally=Tally(generalised=2)))
        assert read(session, row_id) == HeadVerdict(
            head_sha=HEAD,
            base_sha=BASE,
            base_ref="main",
            ruleset=RULESET,
            judged_at=A_TIME,
            problem=None,
            detail="",
            files=2,
            skipped={SkipReason.BINARY: 1},
            tally=Tally(generalised=2),
            entries=(
                StoredEntry(
                    path="torch/\N{REPLACEMENT CHARACTER}odd.py",
                    territory=Territory.NEUTRAL,
                    area=Area.CORE,
                    subsystem="core",
                    site=a_site(),
                    delta=-2,
                    mechanism=Mechanism.GENERALISED,
                    lines=(3, 9),
                    replaced_by="torch.accelerator",
                ),
            ),
            entries_total=1,
        )


def test_it_is_replaced_as_a_whole(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        judge(session, repository, a_head(an_entry("torch/a.py"), an_entry("torch/b.py")))
        row_id = judge(session, repository, a_head(an_entry("torch/c.py"), ruleset="f" * 64))
        found = read(session, row_id)
        assert ([entry.path for entry in found.entries], found.ruleset) == (["torch/c.py"], "f" * 64)


def test_of_a_huge_one_the_entries_of_neutral_code_are_kept_first(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pull_verdicts, "MOST_ENTRIES", 1)
    vendor = an_entry("aten/cuda/a.cu", place=a_place(Territory.VENDOR), mechanism=Mechanism.OUTSIDE)
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        row_id = judge(session, repository, a_head(vendor, an_entry("torch/z.py", site=a_neutral_construct())))
        found = read(session, row_id)
        assert ([entry.path for entry in found.entries], found.entries_total) == (["torch/z.py"], 2)


def test_no_balance_holds_any_of_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = store(session, a_pull(1))
        append(session, repository, [a_judged_commit("one", [an_entry("torch/a.py", delta=1)])])
        judge(session, repository, a_head(an_entry("torch/a.py", delta=5)))
        assert read_balance(session, repository, 0) == {("torch/a.py", a_site()): 1}


def test_a_pull_request_that_was_never_judged_has_no_verdict(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        store(session, a_pull(1))
        assert read_head_verdict(session, 1) is None
