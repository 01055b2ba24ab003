from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.repositories import (
    add_repository,
    note_github_facts,
    read_repositories,
    read_repository,
    remove_repository,
)
from db.runs import end_run, read_freshness, start_run
from db.tables import RepositorySlugRow
from tests.builders import A_DAY, a_judged_commit
from tests.stored import SLUG, append
from tracker.errors import TrackerError

LATER = A_DAY + timedelta(days=1)


def slugs(session: Session) -> list[str]:
    return [row.slug for row in read_repositories(session)]


def test_an_added_repository_is_under_watch(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        add_repository(session, SLUG, mirror="clones/pytorch", ref="main", demo=True, now=A_DAY)
    with sessions() as session:
        (row,) = read_repositories(session)
        assert (row.slug, row.mirror, row.ref, row.demo) == (SLUG, "clones/pytorch", "main", True)
        assert (row.added_at, row.removed_at, row.github_id, row.default_branch) == (A_DAY, None, None, None)


def test_repositories_come_by_name(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        for slug in ("pytorch/vision", "huggingface/accelerate", "pytorch/pytorch"):
            add_repository(session, slug, now=A_DAY)
        assert slugs(session) == ["huggingface/accelerate", "pytorch/pytorch", "pytorch/vision"]


def test_adding_a_repository_again_keeps_it_and_changes_only_what_is_said(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        first = add_repository(session, SLUG, mirror="clones/pytorch", ref="main", now=A_DAY).id
        again = add_repository(session, "PyTorch/pytorch", ref="viable/strict", now=LATER)
        assert again.id == first
        assert (again.slug, again.mirror, again.ref, again.added_at) == (SLUG, "clones/pytorch", "viable/strict", A_DAY)


def test_a_removed_repository_is_no_longer_watched_and_keeps_its_history(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, SLUG, now=A_DAY)
        append(session, row.id, [a_judged_commit("first")])
        assert remove_repository(session, SLUG, LATER)
        assert not remove_repository(session, SLUG, LATER)
        assert slugs(session) == []
        assert [row.slug for row in read_repositories(session, removed=True)] == [SLUG]
        assert add_repository(session, SLUG, now=LATER).id == row.id
        assert slugs(session) == [SLUG]


def test_a_repository_that_was_never_added_is_not_there(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        assert read_repository(session, SLUG) is None
        assert not remove_repository(session, SLUG, A_DAY)


def test_a_renamed_repository_is_found_by_all_its_names(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, "PyTorchLightning/pytorch-lightning", now=A_DAY)
        note_github_facts(session, row.id, 171328146, "Lightning-AI/pytorch-lightning", "master", LATER)
        assert (row.slug, row.github_id, row.default_branch) == ("Lightning-AI/pytorch-lightning", 171328146, "master")
        for name in (
            "PyTorchLightning/pytorch-lightning",
            "Lightning-AI/pytorch-lightning",
            "lightning-ai/PYTORCH-LIGHTNING",
        ):
            found = read_repository(session, name)
            assert found is not None
            assert found.id == row.id
        assert add_repository(session, "PyTorchLightning/pytorch-lightning", now=LATER).id == row.id
        names = session.execute(select(RepositorySlugRow.slug, RepositorySlugRow.seen_at)).all()
        assert sorted(map(tuple, names)) == [
            ("Lightning-AI/pytorch-lightning", LATER),
            ("PyTorchLightning/pytorch-lightning", A_DAY),
        ]


def test_the_runs_of_a_renamed_repository_follow_its_name(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, "a/old", now=A_DAY)
        add_repository(session, "a/other", now=A_DAY)
        for slug in ("a/old", "a/other", ""):
            end_run(session, start_run(session, "crawl_pulls", slug, A_DAY), "ok", {}, "", A_DAY)
        note_github_facts(session, row.id, 1, "a/new", "main", LATER)
        states = {fresh.repository: fresh.last_success_at for fresh in read_freshness(session) if fresh.outcome}
        assert states == {"a/new": A_DAY, "a/other": A_DAY, "": A_DAY}


def test_a_present_name_is_stronger_than_a_former_one(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        old = add_repository(session, "a/old", now=A_DAY)
        note_github_facts(session, old.id, 1, "a/new", "main", A_DAY)
        taken = add_repository(session, "b/other", now=A_DAY)
        note_github_facts(session, taken.id, 2, "a/old", "main", LATER)  # someone else took the name
        found = read_repository(session, "a/old")
        assert found is not None
        assert found.id == taken.id


def test_facts_noted_again_change_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, SLUG, now=A_DAY)
        for at in (A_DAY, LATER):
            note_github_facts(session, row.id, 65600975, SLUG, "main", at)
        assert len(session.scalars(select(RepositorySlugRow)).all()) == 1


def test_a_clone_says_the_default_branch_without_knowing_githubs_id(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, SLUG, now=A_DAY)
        other = add_repository(session, "a/b", now=A_DAY)
        note_github_facts(session, row.id, 65600975, SLUG, "main", A_DAY)
        note_github_facts(session, row.id, None, SLUG, "export-D33921052", A_DAY)
        note_github_facts(session, other.id, None, "a/b", None, A_DAY)
        assert (row.github_id, row.default_branch) == (65600975, "export-D33921052")
        assert (other.github_id, other.default_branch) == (None, None)


def test_a_name_that_now_belongs_to_another_repository_stops_the_crawl(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, SLUG, now=A_DAY)
        note_github_facts(session, row.id, 1, SLUG, "main", A_DAY)
        with pytest.raises(TrackerError, match=r"is another repository now \(GitHub's id 2, was 1\)"):
            note_github_facts(session, row.id, 2, SLUG, "main", LATER)


def test_a_repository_watched_under_two_names_is_refused(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        row = add_repository(session, "a/new", now=A_DAY)
        note_github_facts(session, row.id, 1, "a/new", "main", A_DAY)
        twin = add_repository(session, "a/old", now=A_DAY)
        with pytest.raises(TrackerError, match="a/old and a/new are the same repository on GitHub; remove one of them"):
            note_github_facts(session, twin.id, 1, "a/new", "main", LATER)
