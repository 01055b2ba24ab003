"""Weeks for series that tests write down."""

from datetime import date, timedelta

MONDAY = date(2020, 1, 6)


def weeks(count: int) -> list[date]:
    """Return so many Mondays from 6 January 2020 on."""
    return [MONDAY + timedelta(weeks=index) for index in range(count)]
