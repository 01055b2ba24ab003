from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tracker.trend.weekly import weeks
from tracker.trend import LEAST_WEEKS, Trend, trend_of, weekly_changes

FALLING = [1000.0 - 2 * index for index in range(30)]


def test_a_straight_line_has_its_own_pace_and_no_doubt() -> None:
    found = trend_of(weeks(30), FALLING)
    assert (found.n, found.left_out, found.first, found.last) == (30, 0, date(2020, 1, 6), date(2020, 7, 27))
    assert (found.start, found.end) == (1000, 942)
    assert (found.per_week, found.low, found.high) == pytest.approx((-2, -2, -2))
    assert found.direction == -1


def test_one_week_that_is_far_off_does_not_bend_the_pace() -> None:
    assert trend_of(weeks(30), [*FALLING[:10], 5000.0, *FALLING[11:]]).per_week == pytest.approx(-2)


def test_the_pace_is_the_median_of_the_slopes_between_any_two_weeks() -> None:
    # 0 for 20 weeks, then 1, 2 ... 10: of 435 pairs 190 are flat, so that the median is the 28th of those that rise.
    values = [0.0] * 20 + [float(index) for index in range(1, 11)]
    slopes = sorted(
        (values[later] - values[earlier]) / (later - earlier) for later in range(30) for earlier in range(later)
    )
    assert trend_of(weeks(30), values).per_week == pytest.approx(slopes[217])


def test_a_week_that_was_not_read_is_left_out_and_counted_and_not_taken_for_zero() -> None:
    values: list[float | None] = [*FALLING[:5], None, None, *FALLING[7:]]
    found = trend_of(weeks(30), values)
    assert (found.n, found.left_out) == (28, 2)
    assert found.per_week == pytest.approx(-2)


def test_a_short_series_has_its_n_and_no_pace() -> None:
    assert trend_of(weeks(LEAST_WEEKS - 1), FALLING[: LEAST_WEEKS - 1]) == Trend(
        n=25, left_out=0, first=date(2020, 1, 6), last=date(2020, 6, 22), start=1000, end=952
    )


def test_nothing_read_has_no_pace_and_no_zero() -> None:
    assert trend_of(weeks(3), [None, None, None]) == Trend(n=0, left_out=3)
    assert trend_of([], []) == Trend(n=0, left_out=0)
    assert Trend(n=0, left_out=0).direction == 0


def test_a_level_series_goes_nowhere() -> None:
    found = trend_of(weeks(30), [7.0] * 30)
    assert (found.per_week, found.low, found.high, found.direction) == (0, 0, 0, 0)


def test_the_interval_is_wider_the_more_confidence_is_asked_for() -> None:
    values = list(np.cumsum(np.random.default_rng(3).normal(0, 10, 60)))
    narrow, wide = (trend_of(weeks(60), values, confidence=confidence) for confidence in (0.5, 0.95))
    assert wide.low is not None
    assert narrow.low is not None
    assert narrow.high is not None
    assert wide.high is not None
    assert wide.low < narrow.low < narrow.high < wide.high


def test_changes_are_only_between_weeks_that_were_both_read() -> None:
    assert list(weekly_changes(weeks(6), [1, 3, None, 10, 9, 9])) == [2, -1, 0]
    assert list(weekly_changes([weeks(3)[0], weeks(3)[2]], [1, 3])) == []


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 10_000)), min_size=1, max_size=45),
    st.integers(-500, 500),
    st.integers(1, 9),
)
def test_a_shift_changes_no_pace_a_scale_scales_it_and_the_same_series_says_the_same(
    values: list[int | None], shift: int, scale: int
) -> None:
    found = trend_of(weeks(len(values)), values)
    assert found == trend_of(weeks(len(values)), values)
    moved = trend_of(weeks(len(values)), [None if value is None else value * scale + shift for value in values])
    assert found.n + found.left_out == len(values)
    assert (moved.n, moved.left_out, moved.direction) == (found.n, found.left_out, found.direction)
    if found.per_week is not None and found.low is not None and found.high is not None:
        assert moved.per_week == pytest.approx(found.per_week * scale)
        assert found.low <= found.high


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent changes", "changes that depend on each other", "heavy tails"])
def test_the_interval_holds_the_true_pace_of_a_stock_nine_times_in_ten_and_that_of_ranks_seldom(kind: str) -> None:
    draw, held, held_by_ranks = np.random.default_rng(1), 0, 0
    for _ in range(60):
        changes = draw.standard_t(2.5, 103) * 10 if kind == "heavy tails" else draw.normal(0, 20, 103)
        if kind == "changes that depend on each other":
            for index in range(1, 103):
                changes[index] += 0.4 * changes[index - 1]
        found = trend_of(weeks(104), list(5000 + np.concatenate(([0.0], np.cumsum(changes - 3)))))
        assert found.low is not None
        assert found.high is not None
        assert found.rank_low is not None
        assert found.rank_high is not None
        held += found.low <= -3 <= found.high
        held_by_ranks += found.rank_low <= -3 <= found.rank_high
    assert 51 <= held <= 60
    assert held_by_ranks < 24
