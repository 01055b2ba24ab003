from dataclasses import replace
from datetime import date

from dashboards.headline import text_of
from dashboards.trend_words import projection_sentence, trend_sentence
from tracker.trend import Projection, Trend

FALLING = Trend(n=103, left_out=1, start=5000, end=4000, per_week=-9.7, low=-12.3, high=-7.25)
LEVEL = Trend(n=103, left_out=1, start=10, end=12, per_week=0.5, low=-1.04, high=2.5)
REACHED = Projection(
    target=0,
    n=102,
    is_trend=True,
    reached=1,
    middle=date(2031, 5, 5),
    earliest=date(2029, 1, 1),
    latest=date(2034, 2, 6),
)


def test_the_pace_of_both_series_is_said_with_interval_and_n() -> None:
    assert text_of(trend_sentence(FALLING, LEVEL)) == (
        "Over 103 weeks (1 not read, or in part, left out) coupling shrank by 9.7 sites a week "
        "(95% interval −12 to −7.2 a week), adoption has no clear trend (95% interval −1.0 to 2.5 a week)."
    )


def test_a_series_that_was_read_whole_leaves_nothing_out() -> None:
    rising = Trend(n=30, left_out=0, per_week=51.4, low=36.6, high=64.1)
    assert text_of(trend_sentence(rising, rising)) == (
        "Over 30 weeks coupling grew by 51 sites a week (95% interval 37 to 64 a week), "
        "adoption grew by 51 neutral constructs a week (95% interval 37 to 64 a week)."
    )


def test_too_little_that_was_read_has_no_sentence() -> None:
    assert trend_sentence(Trend(n=3, left_out=0), LEVEL) == ()
    assert projection_sentence(None) == ()
    assert projection_sentence(Projection(target=0, n=0, is_trend=False)) == ()


def test_a_projection_is_said_with_its_chance_and_what_it_is_drawn_from() -> None:
    assert text_of(projection_sentence(REACHED)) == (
        "At this pace coupling reaches zero in 2031-05, 80% between 2029-01 and 2034-02 "
        "(drawn from 102 weekly changes)."
    )


def test_no_trend_towards_zero_is_said_as_such() -> None:
    assert text_of(projection_sentence(Projection(target=0, n=102, is_trend=False))) == (
        "There is no trend towards zero coupling to project (drawn from 102 weekly changes)."
    )


def test_what_lies_beyond_twenty_years_has_no_date() -> None:
    assert "and more than 20 years from now" in text_of(projection_sentence(replace(REACHED, latest=None)))
    far = replace(REACHED, earliest=None, middle=None, latest=None)
    assert text_of(projection_sentence(far)) == (
        "At this pace coupling does not reach zero within 20 years (drawn from 102 weekly changes)."
    )
