"""How a long job says how far it is: one call for each step, shown as bars, as a plain line now and then, or not.

On the command line a line comes after a second and then now and then, also while a long step makes no call: whoever
waits knows that something happens, and what.

Both say how fast it goes and how long it will take at that pace.

A job calls its `Progress` often (at least once for each batch) and lets what it raises pass: that is also how a job
is asked to stop.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

SECONDS_BETWEEN_LINES = 15.0
SECONDS_TO_FIRST_LINE = 1.0
_SECONDS_ESTIMATED_FROM = 180.0
"""A chunk of commits takes a minute on a slow machine: a pace of less time would jump."""


class Stopped(Exception):
    """The job was asked to stop; what it has committed stays, the next run goes on from there."""


class Progress(Protocol):
    """Takes note of how far a job is."""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Note that `done` of `total` steps of a stage are done.

        Args:
            stage: what is being done, in words: "reading commits".
            total: None where it is not known.

        Raises:
            Stopped: the job must end now.
        """


def no_progress(stage: str, done: int, total: int | None) -> None:
    """Take note of nothing."""


def until_stopped(progress: Progress, stop: threading.Event) -> Progress:
    """Return a progress that also ends the job once `stop` is set."""

    def note(stage: str, done: int, total: int | None) -> None:
        if stop.is_set():
            raise Stopped("the service is stopping")
        progress(stage, done, total)

    return note


@contextmanager
def shown_progress(stream: TextIO) -> Iterator[Progress]:
    """Show progress on a stream: bars on a terminal, else a line after a second and then every 15 seconds."""
    if stream.isatty():
        with _bars(stream) as bars:
            yield _on_bars(bars)
    else:
        with _told(lambda line: print(line, file=stream, flush=True)) as progress:
            yield progress


@contextmanager
def _told(write: Callable[[str], object]) -> Iterator[Progress]:
    """Write how far it is after a second and then every 15, whether a call was made since the last line or not."""
    latest: list[tuple[str, int, int | None]] = []
    note = plain_progress(write, seconds=0)
    ended = threading.Event()

    def keep(stage: str, done: int, total: int | None) -> None:
        latest[:] = [(stage, done, total)]

    def tell() -> None:
        seconds = SECONDS_TO_FIRST_LINE
        while not ended.wait(seconds):
            for step in tuple(latest):
                note(*step)
            seconds = SECONDS_BETWEEN_LINES

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield keep
    finally:
        ended.set()
        teller.join()


def plain_progress(
    write: Callable[[str], object],
    clock: Callable[[], float] = time.monotonic,
    *,
    seconds: float = SECONDS_BETWEEN_LINES,
) -> Progress:
    """Return a progress that writes a line at most every so many seconds; shorter jobs write none.

    Args:
        clock: seconds from any origin.
    """
    last = clock()
    begun: dict[str, tuple[float, int]] = {}

    def note(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        now = clock()
        since, already = begun.setdefault(stage, (now, done))
        if now - last >= seconds:
            last = now
            share = f" of {total:,} ({done / total:.0%})" if total else ""
            steps = f": {done:,}{share}" if done or total else ""
            write(f"{stage}{steps}{_pace(done - already, now - since, done, total)}")

    return note


def _pace(steps: int, seconds: float, done: int, total: int | None) -> str:
    """Say how fast a stage goes, and how long what is left of it takes; nothing before there is a pace."""
    if steps <= 0 or seconds <= 0:
        return ""
    rate = steps / seconds
    left = f", {written_time((total - done) / rate)} left" if total and total > done else ""
    return f", {rate:,.0f} a second{left}" if rate >= 10 else f", {rate:.1f} a second{left}"


def written_time(seconds: float) -> str:
    """Return a length of time in its largest unit: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


class _Rate(ProgressColumn):
    """Steps a second, once there is a pace."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


def _bars(stream: TextIO) -> Bars:
    console = Console(file=stream)
    return Bars(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        console=console,
        speed_estimate_period=_SECONDS_ESTIMATED_FROM,
        transient=True,
    )


def _on_bars(bars: Bars) -> Progress:
    tasks: dict[str, TaskID] = {}

    def note(stage: str, done: int, total: int | None) -> None:
        if stage not in tasks:
            tasks[stage] = bars.add_task(stage, total=total)
        bars.update(tasks[stage], completed=done, total=total)

    return note
