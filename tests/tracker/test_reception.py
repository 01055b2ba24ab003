"""Hours from a pull request's opening to what became of it."""

from datetime import UTC, datetime

from tracker.reception import hours_from

OPENED = datetime(2024, 5, 6, 12, tzinfo=UTC)


def test_hours_run_from_opening_to_landing() -> None:
    assert hours_from(OPENED, datetime(2024, 5, 8, 13, 30, tzinfo=UTC)) == 49.5


def test_hours_are_given_to_a_hundredth() -> None:
    assert hours_from(OPENED, datetime(2024, 5, 6, 12, 0, 59, tzinfo=UTC)) == 0.02


def test_a_landing_in_the_second_of_opening_took_no_time() -> None:
    assert hours_from(OPENED, OPENED) == 0.0


def test_what_has_not_landed_has_no_hours() -> None:
    assert hours_from(OPENED, None) is None


def test_a_commit_older_than_the_pull_request_that_names_it_gives_no_hours() -> None:
    assert hours_from(OPENED, datetime(2024, 5, 6, 11, tzinfo=UTC)) is None
