"""How a long job says how far it is: one call for each step, shown as bars, as a plain line now and then, or not.

A job calls its `Progress` often (at least once for each batch) and lets what it raises pass: that is also how a job
is asked to stop.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

SECONDS_BETWEEN_LINES = 15.0


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
    """Show progress on a stream: bars on a terminal, else a plain line every 15 seconds."""
    if stream.isatty():
        with _bars(stream) as bars:
            yield _on_bars(bars)
    else:
        yield plain_progress(lambda line: print(line, file=stream, flush=True))


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

    def note(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        now = clock()
        if now - last >= seconds:
            last = now
            write(f"{stage}: {done:,}" + (f" of {total:,} ({done / total:.0%})" if total else ""))

    return note


def _bars(stream: TextIO) -> Bars:
    console = Console(file=stream)
    return Bars(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )


def _on_bars(bars: Bars) -> Progress:
    tasks: dict[str, TaskID] = {}

    def note(stage: str, done: int, total: int | None) -> None:
        if stage not in tasks:
            tasks[stage] = bars.add_task(stage, total=total)
        bars.update(tasks[stage], completed=done, total=total)

    return note
