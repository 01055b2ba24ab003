from datetime import date

import numpy as np
import pytest

from tests.tracker.trend.weekly import weeks
from tracker.trend import Turn, turns_of


def test_a_series_that_falls_after_it_rose_turns_once() -> None:
    # Rises by 3 and 5 in turn for 40 changes, then falls by 1 and 3.
    changes = [3, 5] * 20 + [-1, -3] * 20
    values = [float(sum(changes[:index])) for index in range(81)]
    assert turns_of(weeks(81), values) == (Turn(week=date(2020, 10, 19), before=4, n_before=40, after=-2, n_after=40),)


def test_a_steady_series_does_not_turn() -> None:
    assert turns_of(weeks(80), [5.0 * index for index in range(80)]) == ()
    assert turns_of(weeks(80), [100.0 + index % 2 for index in range(80)]) == ()


def test_one_week_that_moves_a_thousand_sites_is_no_turn() -> None:
    values = [float(index % 3) + (1000 if index >= 40 else 0) for index in range(80)]
    assert turns_of(weeks(80), values) == ()


def test_a_short_series_and_nothing_read_do_not_turn() -> None:
    assert turns_of(weeks(20), [float(index * index) for index in range(20)]) == ()
    assert turns_of(weeks(80), [None] * 80) == ()


def test_weeks_that_were_not_read_have_no_change_and_the_turn_keeps_its_week() -> None:
    changes = [3, 5] * 20 + [-1, -3] * 20
    values: list[float | None] = [float(sum(changes[:index])) for index in range(81)]
    values[10] = None
    assert turns_of(weeks(81), values) == (Turn(week=date(2020, 10, 19), before=4, n_before=38, after=-2, n_after=40),)


@pytest.mark.slow
def test_series_without_a_turn_seldom_show_one_and_those_with_one_show_it() -> None:
    draw, shown, found = np.random.default_rng(1), 0, 0
    for _ in range(200):
        changes = draw.normal(0, 20, 200)
        shown += bool(turns_of(weeks(201), list(np.concatenate(([0.0], np.cumsum(changes))))))
        changes[100:] += 20
        found += len(turns_of(weeks(201), list(np.concatenate(([0.0], np.cumsum(changes)))))) == 1
    assert shown <= 10
    assert found >= 180
