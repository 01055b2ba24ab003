"""What is derived can be dropped: deriving it anew gives the same rows, and mends those that were wrong."""

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, sessionmaker

from db.commits import rewind_to
from db.derived import Rebuilt, derived_digest, rebuild_derived
from db.exports import Export, export_rows
from db.tables import LandingRow, WeeklyCellRow
from tests.builders import a_judged_commit, an_entry, some_trailers
from tests.db.test_landings import revert
from tests.stored import a_repository, append


def a_history(session: Session, slug: str = "pytorch/pytorch") -> int:
    repository = a_repository(session, slug)
    commits = [
        a_judged_commit("first", [an_entry(delta=3)], trailers=some_trailers(pull_request=1)),
        a_judged_commit("second", [an_entry("b.py", delta=-1)], trailers=some_trailers(pull_request=2)),
        revert("third", of="second"),
    ]
    append(session, repository, commits)
    return repository


def test_derived_rows_that_are_right_are_the_same_when_they_are_derived_anew(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_history(session)
        cells = list(export_rows(session, Export.CELLS))
        landings = session.execute(select(LandingRow.commit_id, LandingRow.number, LandingRow.kind)).all()
        assert rebuild_derived(session, repository) == Rebuilt(cells=2, landings=len(landings), as_before=True)
        assert list(export_rows(session, Export.CELLS)) == cells
        assert session.execute(select(LandingRow.commit_id, LandingRow.number, LandingRow.kind)).all() == landings


def test_derived_rows_that_were_lost_come_back_exactly(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_history(session)
        digest = derived_digest(session, repository)
        session.execute(delete(WeeklyCellRow))
        session.execute(delete(LandingRow))
        assert not rebuild_derived(session, repository).as_before
        assert derived_digest(session, repository) == digest


def test_a_cell_that_is_wrong_is_found_and_mended(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_history(session)
        digest = derived_digest(session, repository)
        session.execute(update(WeeklyCellRow).values(added=WeeklyCellRow.added + 1))
        assert not rebuild_derived(session, repository).as_before
        assert derived_digest(session, repository) == digest


def test_another_repository_is_not_touched(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_history(session, "a/one"), a_history(session, "b/other")
        session.execute(delete(WeeklyCellRow).where(WeeklyCellRow.repository_id == other))
        digest = derived_digest(session, other)
        rebuild_derived(session, one)
        assert derived_digest(session, other) == digest


def test_commits_off_the_line_are_derived_nowhere(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_history(session)
        rewind_to(session, repository, 0)
        rebuilt = rebuild_derived(session, repository)
        assert (rebuilt.cells, rebuilt.landings) == (1, 1)


def test_a_repository_without_commits_has_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        assert rebuild_derived(session, a_repository(session)) == Rebuilt(cells=0, landings=0, as_before=True)
