from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.cells import CellFilter, read_stock
from db.commits import rewind_to
from db.moves import MovesBy, read_moves
from tests.builders import A_DAY, a_judged_commit, a_neutral_construct, a_place, a_sha, a_site, an_entry
from tests.stored import SLUG, a_repository, append
from tracker.sites import Area, Construct, Mechanism, Territory
from tracker.trend import Move

WEEK = timedelta(weeks=1)
JANUARY_13 = date(2020, 1, 13)
NVIDIA, AMD = a_site("torch.cuda.x"), a_site("is_hip", vendor="amd", construct=Construct.PREDICATE)


def some_weeks(session: Session) -> int:
    repository = a_repository(session)
    first = [
        an_entry("a.py", site=NVIDIA, delta=3),
        an_entry("b.py", site=AMD, delta=2),
        an_entry("c.py", site=NVIDIA, delta=9, mechanism=Mechanism.BASELINE),
        an_entry("d.py", site=a_neutral_construct(), mechanism=Mechanism.OUTSIDE),
        an_entry("e.py", site=a_site("cudagraph_pool", construct=Construct.NAME), delta=4),
        an_entry("f.py", site=NVIDIA, place=a_place(Territory.VENDOR), mechanism=Mechanism.OUTSIDE),
    ]
    second = [
        an_entry("a.py", site=NVIDIA, delta=-2),
        an_entry("b.py", site=NVIDIA, place=a_place(area=Area.TEST), delta=1),
    ]
    commits = [
        a_judged_commit("first", first, message="Begin"),
        a_judged_commit("second", second, at=A_DAY + WEEK, message="Go on\n\nand on"),
    ]
    append(session, repository, commits)
    return repository


@pytest.mark.parametrize(
    ("by", "moves"),
    [
        (MovesBy.PATH, [Move(key="a.py", added=3, removed=2), Move(key="b.py", added=3, removed=0)]),
        (MovesBy.SYMBOL, [Move(key="is_hip", added=2, removed=0), Move(key="torch.cuda.x", added=4, removed=2)]),
        (
            MovesBy.COMMIT,
            [
                Move(key=a_sha("first"), title="Begin", added=5, removed=0),
                Move(key=a_sha("second"), title="Go on", added=1, removed=2),
            ],
        ),
    ],
)
def test_moves_are_what_came_and_went_in_neutral_code_and_not_what_stood_there_before(
    sessions: sessionmaker[Session], by: MovesBy, moves: list[Move]
) -> None:
    with sessions.begin() as session:
        some_weeks(session)
        found = read_moves(session, CellFilter(repository=SLUG, names=False), by)
        assert sorted(found, key=lambda move: move.key) == sorted(moves, key=lambda move: move.key)


@pytest.mark.parametrize(
    ("wanted", "paths"),
    [
        (CellFilter(repository=SLUG), ["a.py", "b.py", "e.py"]),
        (CellFilter(repository=SLUG, vendor="amd"), ["b.py"]),
        (CellFilter(repository=SLUG, construct=Construct.NAME), ["e.py"]),
        (CellFilter(repository=SLUG, construct=Construct.NEUTRAL), ["d.py"]),
        (CellFilter(repository=SLUG, territory=Territory.VENDOR), ["f.py"]),
        (CellFilter(repository=SLUG, area=Area.BUILD), []),
        (CellFilter(repository="other/one"), []),
    ],
)
def test_moves_are_filtered_as_the_cells_are(
    sessions: sessionmaker[Session], wanted: CellFilter, paths: list[str]
) -> None:
    with sessions.begin() as session:
        some_weeks(session)
        assert sorted(move.key for move in read_moves(session, wanted, MovesBy.PATH)) == paths


def test_a_period_takes_the_weeks_that_overlap_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        some_weeks(session)
        wanted = CellFilter(repository=SLUG, names=False)
        second = read_moves(session, wanted, MovesBy.COMMIT, since=JANUARY_13 + timedelta(days=6))
        assert [move.title for move in second] == ["Go on"]
        first = read_moves(session, wanted, MovesBy.COMMIT, until=JANUARY_13)
        assert [move.title for move in first] == ["Begin"]
        assert read_moves(session, wanted, MovesBy.COMMIT, since=JANUARY_13 + WEEK) == ()


def test_all_moves_together_are_the_change_of_the_stock(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        some_weeks(session)
        stock = read_stock(session, repository=SLUG)
        change = sum(values[-1] for values in stock.closing.values()) - sum(
            values[0] for values in stock.opening.values()
        )
        for by in MovesBy:
            assert sum(move.net for move in read_moves(session, CellFilter(repository=SLUG), by)) == change


def test_commits_that_left_the_line_moved_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = some_weeks(session)
        rewind_to(session, repository, 0)
        found = read_moves(session, CellFilter(repository=SLUG, names=False), MovesBy.COMMIT)
        assert [move.title for move in found] == ["Begin"]


def test_a_commit_dated_far_off_moves_in_the_week_in_which_it_counts(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = some_weeks(session)
        wild = a_judged_commit("wild", [an_entry("w.py", delta=1)], at=datetime(1970, 1, 1, tzinfo=UTC), message="Wild")
        last = a_judged_commit("last", [an_entry("a.py", site=NVIDIA, delta=1)], at=A_DAY + WEEK, message="Last")
        append(session, repository, [wild, last])
        wanted = CellFilter(repository=SLUG, names=False)
        found = read_moves(session, wanted, MovesBy.COMMIT, since=date(2020, 1, 6))
        assert sorted(move.title for move in found) == ["Begin", "Go on", "Last", "Wild"]
