"""Chunks of commits judged by worker processes, handed over strictly in order.

Each worker has its own clone reader and scans. It hears of work and tells of results through one pipe. A thread of it
waits for the pipe whose other end only its parent holds: a parent that is killed, however suddenly, takes its workers
with it, also those in the middle of a chunk. Only a few chunks are under way at a time, so memory stays bounded however
slow the consumer is.
"""

import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from jobs.blob_scans import REMEMBERED_COST
from jobs.walk import Walker
from tracker.classify import JudgedCommit
from tracker.errors import RepositoryError, TrackerError
from tracker.ruleset import Ruleset
from tracker.sources.git_mirror import open_mirror
from tracker.sources.git_trees import Pair

_GIVEN_TO_ONE = 2
"""Chunks a worker has in hand: the one it works on, and the next."""
_LONGEST_RUN = 8
"""Chunks that follow each other and go to one worker. Longer ones save a little more, and cost more when killed."""
_AHEAD_OF_CONSUMER = 8
"""Chunks for each worker that may be under way or waiting to be taken; they wait as bytes, some 2 MB each."""
_REMEMBERED_BY_ALL = 2 * REMEMBERED_COST
_SECONDS_TO_LEAVE = 0.2
"""For workers at rest; those at work are told to end then, since nobody takes what they would bring."""
_SECONDS_TO_END = 1.0
_SECONDS_TO_DIE = 20.0
"""The system's doing, which takes no time but where a disk stands still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a worker reads."""

    path: str
    """Of the clone on this machine."""
    slug: str
    ruleset: Ruleset
    chunks: Sequence[Sequence[Pair]]
    """Pieces of the first-parent line, oldest first."""
    remembered_cost: int = REMEMBERED_COST
    """What one worker remembers of what it scanned, see `BlobScans`."""


class WorkerLost(TrackerError):
    """A worker process ended before its work."""


def judge_chunks(reading: Reading, *, workers: int) -> Iterator[list[JudgedCommit]]:
    """Yield the judged commits of each chunk, in the order of the chunks; a single worker works in this process.

    Raises:
        RepositoryError: as `Walker.walk`.
        WorkerLost: a worker process was killed.
    """
    workers = min(workers, len(reading.chunks))
    if workers > 1:
        # Many workers remember less each: memory is bounded, however many there are.
        share = min(REMEMBERED_COST, _REMEMBERED_BY_ALL // workers)
        yield from _judge_in_processes(replace(reading, remembered_cost=share), workers)
        return
    with _opened(reading) as walker:
        for chunk in reading.chunks:
            yield list(walker.walk(chunk))


@contextmanager
def _opened(reading: Reading) -> Iterator[Walker]:
    with open_mirror(reading.path, folder=Path(), slug=reading.slug) as mirror:
        yield Walker(mirror, reading.slug, reading.ruleset, remembered_cost=reading.remembered_cost)


def _judge_in_processes(reading: Reading, workers: int) -> Iterator[list[JudgedCommit]]:
    context = get_context("spawn")
    started: list[tuple[BaseProcess, Connection]] = []
    try:
        for number in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, reading), name=f"reader-{number}", daemon=True)
            process.start()
            theirs.close()
            started.append((process, ours))
        yield from _Dispatch(len(reading.chunks), [pipe for _, pipe in started]).results()
    finally:
        _end(started)


class _Dispatch:
    """Gives the numbers of chunks to workers and puts the results in order.

    A worker reads on where it has read before, for a run of chunks: it remembers most of what it meets again there.
    Towards the end runs grow shorter, so that all workers end together.
    """

    def __init__(self, chunks: int, pipes: Sequence[Connection]) -> None:
        self._chunks = chunks
        self._hands = [_Hand(pipe) for pipe in pipes]
        self._unassigned = 0
        self._waiting: dict[int, bytes] = {}

    def results(self) -> Iterator[list[JudgedCommit]]:
        for due in range(self._chunks):
            self._give(due)
            while due not in self._waiting:
                self._take()
                self._give(due)
            result = pickle.loads(self._waiting.pop(due))  # noqa: S301 - from our own workers
            if isinstance(result, TrackerError):
                raise result
            yield result

    def _give(self, due: int) -> None:
        for hand in self._hands:
            while len(hand.given) < _GIVEN_TO_ONE and (number := self._next_for(hand)) is not None:
                if number > due + _AHEAD_OF_CONSUMER * len(self._hands):
                    break
                hand.run.popleft()
                hand.given.append(number)
                # A worker that has died says so when its results are read.
                with suppress(BrokenPipeError, ConnectionResetError):
                    hand.pipe.send(number)

    def _next_for(self, hand: "_Hand") -> int | None:
        if not hand.run:
            left = self._chunks - self._unassigned
            size = min(_LONGEST_RUN, -(-left // (2 * len(self._hands))))
            hand.run.extend(range(self._unassigned, self._unassigned + size))
            self._unassigned += size
        return hand.run[0] if hand.run else None

    def _take(self) -> None:
        ready = wait([hand.pipe for hand in self._hands])
        for hand in self._hands:
            if hand.pipe not in ready:
                continue
            try:
                self._waiting[hand.given[0]] = hand.pipe.recv_bytes()
            except (EOFError, ConnectionResetError, IndexError) as error:
                raise WorkerLost(
                    "a worker process ended before its work: killed, perhaps for want of memory, or by a fault whose "
                    "traceback it wrote; what was read before is stored, run again to go on"
                ) from error
            hand.given.popleft()


@dataclass(slots=True)
class _Hand:
    """A worker as its parent sees it."""

    pipe: Connection
    run: deque[int] = field(default_factory=deque)
    """Chunks it will be given, one after the other."""
    given: deque[int] = field(default_factory=deque)
    """Chunks it has and has not answered."""


def _end(started: Sequence[tuple[BaseProcess, Connection]]) -> None:
    """End the workers within seconds: those at rest leave when their pipe closes, the others are told to."""
    for _, pipe in started:
        pipe.close()
    processes = [process for process, _ in started]
    _join(processes, _SECONDS_TO_LEAVE)
    for step, seconds in ((BaseProcess.terminate, _SECONDS_TO_END), (BaseProcess.kill, _SECONDS_TO_DIE)):
        for process in processes:
            if process.is_alive():
                step(process)
        _join(processes, seconds)
    for process in processes:
        process.close()


def _join(processes: Sequence[BaseProcess], seconds: float) -> None:
    """Wait for all of them together, so that many take no longer than one."""
    deadline = time.monotonic() + seconds
    for process in processes:
        process.join(max(deadline - time.monotonic(), 0))


def _work(pipe: Connection, reading: Reading) -> None:
    """Judge chunks until the pipe closes; the whole life of a worker process."""
    # The parent hears Ctrl-C too, and decides; told to end, leave through the `with`, so that git ends as well.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    with _opened(reading) as walker, suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            pipe.send(_judge(walker, reading.chunks[pipe.recv()]))


def _end_with_parent() -> None:
    """Wait until the parent has ended, and end with it: a chunk may take a minute, and nobody waits for it any more.

    Git ends when its pipe closes, and the next borrower clears away what this one leaves in the temporary folder.
    """
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _judge(walker: Walker, chunk: Sequence[Pair]) -> list[JudgedCommit] | RepositoryError:
    try:
        return list(walker.walk(chunk))
    except TrackerError as error:
        # Not all of our errors survive the way through a pipe as they are.
        return RepositoryError(str(error))


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.exit(1)
