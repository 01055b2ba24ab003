from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import Row, select
from sqlalchemy.orm import Session, sessionmaker

from db.cells import By, Totals, read_flow, read_neutrality, read_stock, read_totals, rebuild_weeks
from db.commits import rewind_to
from db.tables import WeeklyCellRow
from tests.builders import A_DAY, a_judged_commit, a_neutral_construct, a_place, a_site, an_entry
from tests.stored import SLUG, a_repository, append
from tracker.rollup import FlowSeries, StockSeries
from tracker.sites import Area, Construct, Mechanism, Territory

WEEK = timedelta(weeks=1)
JANUARY_6, JANUARY_13, JANUARY_20 = (date(2020, 1, day) for day in (6, 13, 20))
NVIDIA, AMD = a_site("torch.cuda.x"), a_site("is_hip", vendor="amd", construct=Construct.PREDICATE)


def cells(session: Session) -> list[Row[*tuple[object, ...]]]:
    return sorted(session.execute(select(WeeklyCellRow.__table__)), key=repr)


def test_a_cell_holds_what_was_added_and_removed_in_its_week(sessions: sessionmaker[Session]) -> None:
    batch = [
        a_judged_commit("first", [an_entry("a.py", site=NVIDIA, delta=3), an_entry("b.py", site=NVIDIA, delta=2)]),
        a_judged_commit("second", [an_entry("a.py", site=NVIDIA, delta=-1)], at=A_DAY + timedelta(days=6)),
        a_judged_commit("third", [an_entry("a.py", site=NVIDIA, delta=-1)], at=A_DAY + WEEK),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), batch)
        query = select(WeeklyCellRow.week, WeeklyCellRow.mechanism, WeeklyCellRow.added, WeeklyCellRow.removed)
        assert sorted(map(tuple, session.execute(query))) == [
            (JANUARY_6, Mechanism.DROPPED, 0, 1),
            (JANUARY_6, Mechanism.INTRODUCED, 5, 0),
            (JANUARY_13, Mechanism.DROPPED, 0, 1),
        ]


def test_every_dimension_has_cells_of_its_own(sessions: sessionmaker[Session]) -> None:
    entries = [
        an_entry("a.py", site=NVIDIA),
        an_entry("a.py", site=AMD),
        an_entry("b.py", site=NVIDIA, place=a_place(area=Area.TEST, subsystem="test")),
        an_entry("c.py", site=NVIDIA, place=a_place(subsystem="autograd")),
        an_entry("d.py", site=NVIDIA, place=a_place(Territory.VENDOR), mechanism=Mechanism.OUTSIDE),
        an_entry("e.py", site=a_neutral_construct(), mechanism=Mechanism.OUTSIDE),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", entries)])
        assert len(cells(session)) == 6


def test_cells_dropped_and_rebuilt_are_the_same(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for index in range(12):
            entries = [
                an_entry(f"{index % 3}.py", site=(NVIDIA, AMD)[index % 2], delta=(-1) ** index * (1 + index % 4)),
                an_entry("baseline.py", site=NVIDIA, mechanism=Mechanism.BASELINE),
            ]
            at = A_DAY + WEEK * (index // 2) - timedelta(days=10 * (index % 5))
            append(session, repository, [a_judged_commit(str(index), entries, at=at)])
        before = cells(session)
        assert rebuild_weeks(session, repository, None) == len(before)
        assert cells(session) == before
        assert rebuild_weeks(session, repository, [JANUARY_6, JANUARY_6, JANUARY_13]) == len(
            [cell for cell in before if cell[1] in (JANUARY_6, JANUARY_13)]
        )
        assert cells(session) == before


def test_a_week_that_lost_its_commits_loses_its_cells(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry()])])
        append(session, repository, [a_judged_commit("second", [an_entry()], at=A_DAY + WEEK)])
        assert rebuild_weeks(session, repository, rewind_to(session, repository, 0).weeks) == 0
        assert [cell[1] for cell in cells(session)] == [JANUARY_6]


def test_rebuilding_one_repository_leaves_the_others_alone(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "huggingface/accelerate")
        for repository in (one, other):
            append(session, repository, [a_judged_commit("first", [an_entry()])])
        rewind_to(session, one, -1)
        assert rebuild_weeks(session, one, None) == 0
        assert [cell[0] for cell in cells(session)] == [other]


def a_history(session: Session) -> int:
    """Three weeks, the second without a commit."""
    repository = a_repository(session)
    vendors_own = a_place(Territory.VENDOR, area=Area.CORE)
    batch = [
        a_judged_commit(
            "first",
            [
                an_entry("a.py", site=NVIDIA, delta=10, mechanism=Mechanism.BASELINE),
                an_entry("a.py", site=AMD, delta=4),
                an_entry("v.py", site=NVIDIA, delta=50, mechanism=Mechanism.OUTSIDE, place=vendors_own),
                an_entry("a.py", site=a_neutral_construct(), delta=1, mechanism=Mechanism.OUTSIDE),
            ],
        ),
        a_judged_commit(
            "second",
            [
                an_entry("a.py", site=NVIDIA, delta=-3, mechanism=Mechanism.GENERALISED),
                an_entry("a.py", site=NVIDIA, delta=-1, mechanism=Mechanism.MOVED),
                an_entry("b.py", site=NVIDIA, delta=1, mechanism=Mechanism.MOVED, place=a_place(area=Area.TEST)),
                an_entry("a.py", site=a_neutral_construct(), delta=2, mechanism=Mechanism.OUTSIDE),
            ],
            at=A_DAY + 2 * WEEK,
        ),
    ]
    append(session, repository, batch)
    return repository


def test_the_stock_counts_sites_of_neutral_code_by_vendor(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        assert read_stock(session, repository=SLUG) == StockSeries(
            weeks=(JANUARY_6, JANUARY_13, JANUARY_20),
            opening={"amd": (0, 4, 4), "nvidia": (10, 10, 10)},
            added={"amd": (4, 0, 0), "nvidia": (0, 0, 1)},
            removed={"amd": (0, 0, 0), "nvidia": (0, 0, 4)},
            closing={"amd": (4, 4, 4), "nvidia": (10, 10, 7)},
            data_through=A_DAY + 2 * WEEK,
        )


@pytest.mark.parametrize(
    ("by", "closing"),
    [
        (By.AREA, {"core": (14, 14, 10), "test": (0, 0, 1)}),
        (By.SUBSYSTEM, {"core": (14, 14, 11)}),
        (By.CONSTRUCT, {"api": (10, 10, 7), "predicate": (4, 4, 4)}),
        (By.TERRITORY, {"neutral": (14, 14, 11), "vendor": (50, 50, 50)}),
        ("vendor", {"amd": (4, 4, 4), "nvidia": (10, 10, 7)}),
    ],
)
def test_the_stock_is_broken_down_by_any_dimension(
    sessions: sessionmaker[Session], by: By, closing: dict[str, tuple[int, ...]]
) -> None:
    with sessions.begin() as session:
        a_history(session)
        assert read_stock(session, repository=SLUG, by=by).closing == closing


def test_the_stock_is_filtered_by_any_dimension(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        stocks = [
            read_stock(session, repository=SLUG, vendor="amd"),
            read_stock(session, repository=SLUG, vendor="groq"),
            read_stock(session, repository=SLUG, area=Area.TEST),
            read_stock(session, repository=SLUG, construct=Construct.PREDICATE),
            read_stock(session, repository=SLUG, territory=Territory.VENDOR),
            read_stock(session, repository=SLUG, territory=None),
            read_stock(session, repository=SLUG, subsystem="none such"),
        ]
    assert [stock.closing for stock in stocks] == [
        {"amd": (4, 4, 4)},
        {},
        {"nvidia": (0, 0, 1)},
        {"amd": (4, 4, 4)},
        {"nvidia": (50, 50, 50)},
        {"amd": (4, 4, 4), "nvidia": (60, 60, 57)},
        {},
    ]


def test_names_that_merely_contain_a_vendors_word_can_be_left_out(sessions: sessionmaker[Session]) -> None:
    name = a_site("cudagraph_pool", construct=Construct.NAME)
    with sessions.begin() as session:
        entries = [an_entry(site=name, delta=5), an_entry(site=NVIDIA, delta=2)]
        append(session, a_repository(session), [a_judged_commit("first", entries)])
        assert read_stock(session, repository=SLUG).closing == {"nvidia": (7,)}
        assert read_stock(session, repository=SLUG, names=False).closing == {"nvidia": (2,)}
        assert read_stock(session, repository=SLUG, names=False, construct=Construct.NAME).closing == {"nvidia": (5,)}
        assert read_flow(session, repository=SLUG, names=False).added == {"introduced": (2,)}
        assert read_totals(session, repository=SLUG).sites == {"nvidia": 2}


def test_adoption_is_a_series_of_its_own(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        adoption = read_stock(session, repository=SLUG, by=By.AREA, construct=Construct.NEUTRAL)
        assert adoption.closing == {"core": (1, 1, 3)}


def test_the_flow_is_by_mechanism_and_leaves_out_what_stood_there_before(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        assert read_flow(session, repository=SLUG) == FlowSeries(
            weeks=(JANUARY_6, JANUARY_13, JANUARY_20),
            added={"generalised": (0, 0, 0), "introduced": (4, 0, 0), "moved": (0, 0, 1)},
            removed={"generalised": (0, 0, 3), "introduced": (0, 0, 0), "moved": (0, 0, 1)},
            data_through=A_DAY + 2 * WEEK,
        )


def test_neutrality_is_by_area_and_week(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        assert read_neutrality(session, repository=SLUG) == {
            "core": (1 / 15, 1 / 15, 3 / 13),
            "test": (None, None, 0.0),
        }


def test_a_repository_of_which_nothing_was_read_has_no_series_and_not_zeros(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        for slug in (SLUG, "never/added"):
            assert read_stock(session, repository=slug) == StockSeries()
            assert read_flow(session, repository=slug) == FlowSeries()
            assert read_neutrality(session, repository=slug) == {}
            assert read_totals(session, repository=slug) == Totals(repository=slug, data_through=None)


def test_a_repository_without_a_site_has_weeks_and_no_key(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first")])
        assert read_stock(session, repository=SLUG) == StockSeries(weeks=(JANUARY_6,), data_through=A_DAY)


def test_weeks_after_the_last_commit_read_are_absent(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_history(session)
        weeks = rewind_to(session, repository, 0).weeks
        rebuild_weeks(session, repository, weeks)
        stock = read_stock(session, repository=SLUG)
        assert (stock.weeks, stock.data_through) == ((JANUARY_6,), A_DAY)


def test_a_commit_with_a_wild_date_moves_no_end_of_the_series(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        wild = [datetime(1970, 1, 1, tzinfo=UTC), datetime(2106, 2, 7, tzinfo=UTC)]
        batch = [
            a_judged_commit("first", [an_entry(delta=5)]),
            *(a_judged_commit(str(at), [an_entry(delta=-1)], at=at) for at in wild),
            a_judged_commit("last", [an_entry(delta=-1)], at=A_DAY + WEEK),
        ]
        append(session, a_repository(session), batch)
        stock = read_stock(session, repository=SLUG)
        assert (stock.weeks, stock.closing) == ((JANUARY_6, JANUARY_13), {"nvidia": (4, 2)})


def test_totals_are_those_of_now_and_of_a_year_ago(sessions: sessionmaker[Session]) -> None:
    neutral = a_neutral_construct()
    batch = [
        a_judged_commit("old", [an_entry(site=NVIDIA, delta=10), an_entry(site=AMD, delta=1)]),
        a_judged_commit(
            "new",
            [
                an_entry(site=NVIDIA, delta=-4),
                an_entry(site=AMD, delta=-1),
                an_entry(site=neutral, delta=2, mechanism=Mechanism.OUTSIDE),
                an_entry("v.cu", site=NVIDIA, delta=99, place=a_place(Territory.VENDOR)),
            ],
            at=A_DAY + 52 * WEEK,
        ),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), batch)
        assert read_totals(session, repository=SLUG) == Totals(
            repository=SLUG,
            data_through=A_DAY + 52 * WEEK,
            sites={"nvidia": 6},
            sites_year_ago={"amd": 1, "nvidia": 10},
            neutral_constructs=2,
            neutral_constructs_year_ago=0,
        )


def test_a_line_younger_than_a_year_has_no_totals_of_a_year_ago(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_history(session)
        totals = read_totals(session, repository=SLUG)
        assert (totals.sites, totals.sites_year_ago, totals.neutral_constructs_year_ago) == (
            {"amd": 4, "nvidia": 7},
            None,
            None,
        )
