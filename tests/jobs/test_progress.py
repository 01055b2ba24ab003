import io
import threading

import pytest

from jobs import progress
from jobs.progress import Stopped, no_progress, plain_progress, shown_progress, until_stopped, written_time


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_short_job_writes_no_line() -> None:
    lines: list[str] = []
    note = plain_progress(lines.append, iter([0.0, 1.0, 14.9]).__next__)
    note("reading commits", 1, 10)
    note("reading commits", 10, 10)
    assert lines == []


def test_a_long_job_writes_a_line_every_fifteen_seconds() -> None:
    lines: list[str] = []
    note = plain_progress(lines.append, iter([0.0, 15.0, 16.0, 31.0]).__next__)
    note("reading commits", 1200, 4800)
    note("reading commits", 1300, 4800)
    note("fetching", 7, None)
    assert lines == ["reading commits: 1,200 of 4,800 (25%)", "fetching: 7"]


def test_a_line_says_how_fast_it_goes_and_how_long_it_will_take() -> None:
    lines: list[str] = []
    note = plain_progress(lines.append, iter([0.0, 0.0, 20.0, 40.0, 60.0, 80.0]).__next__)
    note("judging anew", 500, 4500)
    note("judging anew", 1500, 4500)
    note("judging anew", 4500, 4500)
    note("writing rows", 1000, None)
    note("writing rows", 1040, None)
    assert lines == [
        "judging anew: 1,500 of 4,500 (33%), 50 a second, 60 s left",
        "judging anew: 4,500 of 4,500 (100%), 100 a second",
        "writing rows: 1,000",
        "writing rows: 1,040, 2.0 a second",
    ]


def test_a_length_of_time_is_written_in_its_largest_unit() -> None:
    assert [written_time(seconds) for seconds in (0.4, 89, 90, 5399, 5400, 12600)] == [
        "0 s",
        "89 s",
        "2 min",
        "90 min",
        "1.5 h",
        "3.5 h",
    ]


def test_a_stream_that_is_no_terminal_gets_no_bars() -> None:
    stream = io.StringIO()
    with shown_progress(stream) as note:
        note("reading commits", 1, 2)
    assert stream.getvalue() == ""


class Lines(io.StringIO):
    """Remembers that something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


def test_whoever_waits_is_told_of_a_step_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SECONDS_TO_FIRST_LINE", 0.01)
    stream = Lines()
    with shown_progress(stream) as note:
        note("reading the opening stock", 0, None)
        assert stream.written.wait(60)
    assert set(stream.getvalue().splitlines()) == {"reading the opening stock"}


def test_a_terminal_gets_a_bar_for_each_stage() -> None:
    stream = Terminal()
    with shown_progress(stream) as note:
        note("reading commits", 1, 2)
        note("reading commits", 2, 2)
        note("adding up weeks", 1, None)
    assert "reading commits" in stream.getvalue()
    assert "adding up weeks" in stream.getvalue()


def test_progress_ends_a_job_once_it_is_asked_to_stop() -> None:
    stop = threading.Event()
    note = until_stopped(no_progress, stop)
    note("reading commits", 1, 2)
    stop.set()
    with pytest.raises(Stopped):
        note("reading commits", 2, 2)
