from datetime import date

import numpy as np
import pytest

from tests.tracker.trend.weekly import weeks
from tracker.trend import Projection, project, trend_of, weekly_changes


def projected(values: list[float | None], target: float) -> Projection:
    return project(trend_of(weeks(len(values)), values), weekly_changes(weeks(len(values)), values), target)


def test_a_straight_line_reaches_zero_in_the_week_in_which_it_does() -> None:
    # 942 in the last of 30 weeks, 27 July 2020, 2 less each week: 471 weeks more.
    values: list[float | None] = [1000.0 - 2 * index for index in range(30)]
    assert projected(values, 0) == Projection(
        target=0,
        n=29,
        is_trend=True,
        reached=1,
        middle=date(2029, 8, 6),
        earliest=date(2029, 8, 6),
        latest=date(2029, 8, 6),
    )


def test_a_series_that_rises_reaches_a_target_above() -> None:
    assert projected([10.0 * index for index in range(30)], 300).middle == date(2020, 8, 3)


def test_a_series_that_goes_away_from_its_target_has_no_such_trend() -> None:
    rising: list[float | None] = [10.0 * index for index in range(30)]
    assert projected(rising, 0) == Projection(target=0, n=29, is_trend=False)
    assert projected(rising, -5) == Projection(target=-5, n=29, is_trend=False)


def test_a_series_that_may_as_well_be_level_has_no_such_trend() -> None:
    values = [100.0 + (-1) ** index * 30 for index in range(60)]
    assert not projected(list(values), 0).is_trend


def test_a_series_at_its_target_has_no_way_to_go() -> None:
    assert not projected([29.0 - index for index in range(30)], 0).is_trend


def test_a_short_series_and_nothing_read_have_no_such_trend() -> None:
    assert projected([10.0, 8.0, 6.0], 0) == Projection(target=0, n=2, is_trend=False)
    assert projected([None], 0) == Projection(target=0, n=0, is_trend=False)


def test_a_target_beyond_twenty_years_has_no_date() -> None:
    found = projected([100_000.0 - index for index in range(30)], 0)
    assert (found.is_trend, found.reached, found.earliest, found.middle, found.latest) == (True, 0, None, None, None)


@pytest.mark.slow
def test_the_true_week_lies_between_the_earliest_and_the_latest_about_eight_times_in_ten() -> None:
    draw, held, told = np.random.default_rng(2), 0, 0
    for _ in range(50):
        path = 3000 + np.concatenate(([0.0], np.cumsum(draw.normal(-10, 15, 103 + 600))))
        found = projected(list(path[:104]), 0)
        truth = weeks(len(path))[int(np.flatnonzero(path <= 0)[0])]
        if found.is_trend and found.earliest is not None:
            told += 1
            held += found.earliest <= truth <= (found.latest or date.max)
    assert told > 44
    assert 0.66 <= held / told <= 0.94
