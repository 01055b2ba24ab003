from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from dashboards.plain import csv_text, plain
from tracker.sites import Verdict


@dataclass(frozen=True, slots=True)
class Fact:
    at: datetime
    verdict: Verdict
    parts: tuple[int | None, ...]


def test_facts_become_objects_with_times_in_utc_and_kinds_by_value() -> None:
    at = datetime(2020, 1, 6, 14, tzinfo=timezone(timedelta(hours=2)))
    assert plain(Fact(at, Verdict.NONE, (1, None))) == {
        "at": "2020-01-06T12:00:00Z",
        "verdict": "none",
        "parts": [1, None],
    }


def test_mappings_and_dates_have_a_plain_form() -> None:
    assert plain({Verdict.CHURN: date(2020, 1, 6), "x": True, "y": 0.5}) == {"churn": "2020-01-06", "x": True, "y": 0.5}


def test_what_has_no_plain_form_is_a_mistake_and_not_text() -> None:
    with pytest.raises(TypeError, match="object"):
        plain(object())


def test_rows_become_text_that_no_spreadsheet_runs() -> None:
    rows = [
        {"a": "=cmd()", "b": -3, "c": None},
        {"a": 'say "x", y', "b": datetime(2020, 1, 6, tzinfo=UTC), "c": ("p", "q")},
        {"a": True, "b": {"x": 1}, "c": "two\nlines"},
    ]
    assert csv_text(["a", "b", "c"], rows) == (
        'a,b,c\r\n\'=cmd(),-3,\r\n"say ""x"", y",2020-01-06T00:00:00Z,p q\r\ntrue,x:1,"two\nlines"\r\n'
    )
