from datetime import UTC, datetime, timedelta

import pytest

from dashboards.wording import (
    change,
    csv_cell,
    day,
    duration,
    moment,
    number,
    percent,
    plural,
    short_sha,
    signed,
    times_each,
    visible,
)

THIN = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (999, "999"), (12345, f"12{THIN}345"), (-4, f"{MINUS}4"), (None, "unknown")],
)
def test_numbers_have_thousands_and_unknown_is_a_word(value: int | None, shown: str) -> None:
    assert number(value) == shown


@pytest.mark.parametrize(("value", "shown"), [(3, "+3"), (0, "0"), (-1200, f"{MINUS}1{THIN}200"), (None, "unknown")])
def test_changes_carry_their_sign_and_no_change_carries_none(value: int | None, shown: str) -> None:
    assert signed(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "0%"), (0.5, "50%"), (1.0, "100%"), (0.0001, "<1%"), (None, "unknown"), (-0.1, f"{MINUS}10%")],
)
def test_a_share_is_shown_in_percent_and_a_small_one_is_not_called_zero(share: float | None, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (100, 92, "8.0% fewer"),
        (100, 151, "51% more"),
        (7, 7, "as many"),
        (0, 5, "5 more"),
        (0, 0, "as many"),
        (None, 5, "change unknown"),
        (5, None, "change unknown"),
    ],
)
def test_a_change_is_said_against_what_was(before: int | None, after: int | None, words: str) -> None:
    assert change(before, after) == words


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(seconds=7), "7 s"),
        (timedelta(minutes=5, seconds=20), "5 min"),
        (timedelta(hours=2, minutes=5), "2 h 5 min"),
        (timedelta(hours=3), "3 h"),
        (timedelta(days=3, hours=4), "3 d 4 h"),
        (timedelta(days=2, minutes=9), "2 d"),
        (timedelta(days=400), "400 d"),
        (timedelta(seconds=-3), "0 s"),
        (None, "unknown"),
    ],
)
def test_a_span_is_said_in_its_largest_units(span: timedelta | None, words: str) -> None:
    assert duration(span) == words


def test_times_are_utc_and_what_never_happened_is_unknown() -> None:
    at = datetime(2020, 1, 6, 12, 30, tzinfo=UTC)
    assert (day(at), moment(at)) == ("2020-01-06", "2020-01-06 12:30\N{NO-BREAK SPACE}UTC")
    assert (day(None), moment(None), short_sha(None)) == ("unknown", "unknown", "unknown")
    assert short_sha("0123456789abcdef") == "0123456789"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("left\u202eright", "left<U+202E>right"),
        ("zero\u200bwidth", "zero<U+200B>width"),
        ("nul\x00bell\x07", "nul<U+0000>bell<U+0007>"),
        ("half \ud83d of a pair", "half <U+D83D> of a pair"),
        ("family 👨\u200d👩", "family 👨\u200d👩"),
        ("ümläut 中文", "ümläut 中文"),
        (None, "unknown"),
    ],
)
def test_signs_that_hide_or_reorder_text_are_written_out(text: str | None, shown: str) -> None:
    assert visible(text) == shown


def test_a_text_without_end_is_cut() -> None:
    assert len(visible("x" * 100_000)) == 2_002


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "－1"])
def test_text_that_a_spreadsheet_would_run_is_made_harmless(formula: str) -> None:
    assert csv_cell(formula).startswith("'")


@pytest.mark.parametrize(("value", "cell"), [("a=b", "a=b"), (-3, "-3"), (None, ""), ("", ""), (0.5, "0.5")])
def test_numbers_and_ordinary_text_are_left_as_they_are(value: object, cell: str) -> None:
    assert csv_cell(value) == cell


def test_one_is_singular_and_zero_is_not() -> None:
    assert [plural(count, "entry", "entries") for count in (0, 1, 2)] == ["0 entries", "1 entry", "2 entries"]
    assert plural(3, "site") == "3 sites"


def test_a_line_with_several_sites_is_named_once_with_their_number() -> None:
    assert times_each((88, 12, 88)) == ((12, 1), (88, 2))
    assert times_each(()) == ()
