from datetime import UTC, date, datetime, timedelta

from dashboards.series import (
    came_in,
    flow_between,
    in_last_year,
    in_periods,
    largest,
    last,
    stayed,
    stock_between,
    total,
    year_before,
)
from tracker.rollup import FlowSeries, StockSeries, weeks_between

MONDAY = date(2020, 1, 6)
WEEKS = weeks_between(MONDAY, date(2020, 1, 20))
THROUGH = datetime(2020, 1, 22, tzinfo=UTC)


def a_stock(**closing: tuple[int, ...]) -> StockSeries:
    return StockSeries(
        weeks=WEEKS, opening=closing, added=closing, removed=closing, closing=closing, data_through=THROUGH
    )


def test_an_edit_that_turns_a_name_into_a_site_stays_and_still_changes_the_stock() -> None:
    flow = FlowSeries(
        weeks=WEEKS,
        added={"edited": (2, 0, 0), "moved": (0, 4, 0), "introduced": (9, 9, 9)},
        removed={"edited": (0, 0, 1), "moved": (0, 4, 0), "broadened": (9, 9, 9)},
    )
    assert stayed(flow) == (2, 0, -1)
    assert stayed(FlowSeries()) == ()


def test_a_period_keeps_the_weeks_that_overlap_it() -> None:
    series = a_stock(nvidia=(5, 6, 7))
    assert stock_between(series, date(2020, 1, 19), None).weeks == (date(2020, 1, 13), date(2020, 1, 20))
    assert stock_between(series, None, date(2020, 1, 13)).closing == {"nvidia": (5,)}
    assert stock_between(series, None, None) == series


def test_a_period_that_was_not_read_has_no_weeks_and_no_zeros() -> None:
    series = stock_between(a_stock(nvidia=(5, 6, 7)), date(2021, 1, 1), None)
    assert (series.weeks, series.closing) == ((), {"nvidia": ()})
    flow = FlowSeries(weeks=WEEKS, added={"introduced": (3, 0, 1)})
    assert flow_between(flow, None, date(2019, 1, 1)).weeks == ()


def test_the_largest_are_kept_and_the_rest_is_added_up() -> None:
    numbers = {"a": (1, 9), "b": (0, 0), "c": (5, 3), "d": (1, 2), "e": (1, 1)}
    assert largest(numbers, 1) == {"a": (1, 9), "others": (7, 6)}


def test_a_rest_of_one_is_named_and_what_never_was_is_left_out() -> None:
    assert largest({"a": (1, 9), "b": (0, 0), "c": (5, 3)}, 1) == {"a": (1, 9), "c": (5, 3)}
    assert largest({}, 3) == {}


def test_totals_ends_and_years() -> None:
    assert total({"a": (1, 2), "b": (3, 4)}) == (4, 6)
    assert total({}) == ()
    assert (last((1, 2)), last(())) == (2, None)
    assert year_before(tuple(range(53))) == 0
    assert year_before(tuple(range(52))) is None


def test_a_year_of_flow_leaves_out_what_only_moved() -> None:
    numbers = {"introduced": (100, *(1,) * 52), "moved": (7,) * 53, "edited": (7,) * 53, "dropped": (0,) * 52 + (3,)}
    assert in_last_year(numbers) == 55


def test_names_let_in_by_broadening_are_apart_from_introduced_ones() -> None:
    flow = FlowSeries(weeks=WEEKS[:2], added={"introduced": (1, 2), "broadened": (0, 4), "moved": (9, 9)})
    assert came_in(flow) == {"introduced": (1, 2), "let in": (0, 4)}
    assert came_in(FlowSeries(weeks=WEEKS[:2], added={"broadened": (0, 0)})) == {"introduced": (0, 0)}


def test_weeks_are_added_up_to_months_by_their_monday() -> None:
    weeks = weeks_between(date(2020, 1, 6), date(2021, 6, 28))
    periods = in_periods(weeks, {"a": (1,) * len(weeks)})
    assert (periods.name, periods.starts[:2], periods.sums["a"][:3]) == (
        "month",
        (date(2020, 1, 1), date(2020, 2, 1)),
        (4, 4, 5),
    )
    assert sum(periods.sums["a"]) == len(weeks)


def test_a_short_span_stays_weekly_and_a_long_one_becomes_quarters() -> None:
    assert in_periods(WEEKS, {"a": (1, 2, 3)}).sums == {"a": (1, 2, 3)}
    weeks = weeks_between(MONDAY, MONDAY + timedelta(weeks=260))
    periods = in_periods(weeks, {"a": (1,) * len(weeks)})
    assert (periods.name, periods.starts[1], sum(periods.sums["a"])) == ("quarter", date(2020, 4, 1), 261)


def test_no_weeks_make_no_periods() -> None:
    assert in_periods((), {"a": ()}).starts == ()
