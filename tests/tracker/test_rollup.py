from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.rollup import Flow, StockSeries, aligned, neutrality, stock_series, week_of, weeks_between

JANUARY_6 = date(2020, 1, 6)
JANUARY_13 = date(2020, 1, 13)
JANUARY_20 = date(2020, 1, 20)
THROUGH = datetime(2020, 1, 22, tzinfo=UTC)


def test_a_week_is_named_by_its_monday() -> None:
    assert week_of(datetime(2020, 1, 6, tzinfo=UTC)) == JANUARY_6
    assert week_of(datetime(2020, 1, 12, 23, 59, 59, tzinfo=UTC)) == JANUARY_6
    assert week_of(datetime(2020, 1, 13, tzinfo=UTC)) == JANUARY_13


def test_a_week_is_that_of_the_utc_day() -> None:
    sunday_evening_in_california = datetime(2020, 1, 12, 20, tzinfo=timezone(timedelta(hours=-8)))
    assert week_of(sunday_evening_in_california) == JANUARY_13


def test_the_first_days_of_a_year_may_lie_in_a_week_of_the_year_before() -> None:
    assert week_of(datetime(2021, 1, 1, tzinfo=UTC)) == date(2020, 12, 28)


def test_the_first_and_the_last_day_of_the_calendar_have_a_week() -> None:
    assert week_of(datetime(1, 1, 1, tzinfo=UTC)) == date(1, 1, 1)
    assert week_of(datetime(9999, 12, 31, tzinfo=UTC)) == date(9999, 12, 27)


@given(st.datetimes(timezones=st.timezones(), allow_imaginary=False, min_value=datetime(2, 1, 1)))  # noqa: DTZ001 - zoned by the strategy
def test_every_time_lies_in_the_iso_week_of_its_utc_day(at: datetime) -> None:
    if at.year > 9998:
        return
    day = at.astimezone(UTC).date()
    year, week, _ = day.isocalendar()
    assert week_of(at) == date.fromisocalendar(year, week, 1)


def test_weeks_between_two_mondays_include_both() -> None:
    assert weeks_between(JANUARY_6, JANUARY_20) == (JANUARY_6, JANUARY_13, JANUARY_20)
    assert weeks_between(JANUARY_6, JANUARY_6) == (JANUARY_6,)
    assert weeks_between(JANUARY_13, JANUARY_6) == ()


def test_flows_add_up_to_openings_and_closings() -> None:
    flows = [
        Flow(week=JANUARY_6, key="nvidia", added=10),
        Flow(week=JANUARY_13, key="nvidia", added=2, removed=5),
        Flow(week=JANUARY_20, key="amd", added=1),
    ]
    assert stock_series(flows, first=JANUARY_6, last=JANUARY_20, data_through=THROUGH) == StockSeries(
        weeks=(JANUARY_6, JANUARY_13, JANUARY_20),
        opening={"amd": (0, 0, 0), "nvidia": (0, 10, 7)},
        added={"amd": (0, 0, 1), "nvidia": (10, 2, 0)},
        removed={"amd": (0, 0, 0), "nvidia": (0, 5, 0)},
        closing={"amd": (0, 0, 1), "nvidia": (10, 7, 7)},
        data_through=THROUGH,
    )


def test_what_stood_there_when_reading_began_is_in_the_opening_and_not_added() -> None:
    flows = [Flow(week=JANUARY_6, key="nvidia", found=100, added=1, removed=4)]
    series = stock_series(flows, first=JANUARY_6, last=JANUARY_13, data_through=THROUGH)
    assert series.opening == {"nvidia": (100, 97)}
    assert series.added == {"nvidia": (1, 0)}
    assert series.closing == {"nvidia": (97, 97)}


def test_a_week_in_which_nothing_happened_is_a_zero_flow_and_carries_the_stock_on() -> None:
    series = stock_series(
        [Flow(week=JANUARY_6, key="nvidia", added=3)], first=JANUARY_6, last=JANUARY_20, data_through=THROUGH
    )
    assert series.added["nvidia"] == (3, 0, 0)
    assert series.closing["nvidia"] == (3, 3, 3)


def test_several_flows_of_one_week_and_key_add_up() -> None:
    flows = [Flow(week=JANUARY_6, key="amd", added=3), Flow(week=JANUARY_6, key="amd", added=4, removed=1)]
    series = stock_series(flows, first=JANUARY_6, last=JANUARY_6, data_through=THROUGH)
    assert (series.added, series.removed, series.closing) == ({"amd": (7,)}, {"amd": (1,)}, {"amd": (6,)})


def test_a_commit_dated_outside_the_line_counts_in_its_first_or_last_week() -> None:
    flows = [
        Flow(week=date(1970, 1, 5), key="nvidia", added=5),
        Flow(week=date(2106, 2, 1), key="nvidia", removed=2),
    ]
    series = stock_series(flows, first=JANUARY_6, last=JANUARY_13, data_through=THROUGH)
    assert series.closing == {"nvidia": (5, 3)}


def test_a_line_whose_last_commit_is_dated_before_its_first_is_one_week() -> None:
    flows = [Flow(week=JANUARY_20, key="nvidia", added=5), Flow(week=JANUARY_6, key="nvidia", removed=2)]
    series = stock_series(flows, first=JANUARY_20, last=JANUARY_6, data_through=THROUGH)
    assert (series.weeks, series.closing) == ((JANUARY_6,), {"nvidia": (3,)})


def test_nothing_read_is_no_week_and_no_zero() -> None:
    assert StockSeries() == StockSeries(weeks=(), opening={}, added={}, removed={}, closing={}, data_through=None)


def test_keys_come_largest_stock_first() -> None:
    flows = [Flow(week=JANUARY_6, key=key, added=count) for key, count in (("amd", 1), ("nvidia", 9), ("aws", 1))]
    series = stock_series(flows, first=JANUARY_6, last=JANUARY_6, data_through=THROUGH)
    assert series.keys == ("nvidia", "amd", "aws")


flows = st.builds(
    Flow,
    week=st.sampled_from([JANUARY_6, JANUARY_13, JANUARY_20]),
    key=st.sampled_from(["nvidia", "amd"]),
    found=st.integers(0, 9),
    added=st.integers(0, 9),
    removed=st.integers(0, 9),
)


@given(st.lists(flows))
def test_the_closing_of_a_week_is_the_opening_of_the_next_and_the_last_is_the_sum_of_all(
    given_flows: list[Flow],
) -> None:
    series = stock_series(given_flows, first=JANUARY_6, last=JANUARY_20, data_through=THROUGH)
    for key, closing in series.closing.items():
        assert series.closing[key] == tuple(
            opening + added - removed
            for opening, added, removed in zip(series.opening[key], series.added[key], series.removed[key], strict=True)
        )
        found = [
            sum(flow.found for flow in given_flows if flow.key == key and flow.week == week) for week in series.weeks
        ]
        assert series.opening[key][1:] == tuple(end + more for end, more in zip(closing[:-1], found[1:], strict=True))
        total = sum(flow.found + flow.added - flow.removed for flow in given_flows if flow.key == key)
        assert closing[-1] == total


def test_aligned_series_have_none_where_a_week_was_not_read() -> None:
    laid = aligned(
        {"nvidia": (10, 0)}, (JANUARY_13, JANUARY_20), (JANUARY_6, JANUARY_13, JANUARY_20, date(2020, 1, 27))
    )
    assert laid == {"nvidia": (None, 10, 0, None)}


@pytest.mark.parametrize(("neutral", "sites", "share"), [(1, 3, 0.25), (0, 3, 0.0), (5, 0, 1.0), (0, 0, None)])
def test_neutrality_is_a_share_and_nothing_where_there_is_nothing(
    neutral: int, sites: int, share: float | None
) -> None:
    assert neutrality(neutral, sites) == share
