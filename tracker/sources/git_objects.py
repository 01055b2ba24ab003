"""Objects by id, many at a time, through one long-lived `git cat-file --batch`.

A missing, corrupt or huge object is answered with the reason and never ends the reading; a huge one passes by in
pieces, so that memory stays bounded whatever a repository holds.
"""

from collections.abc import Iterator, Mapping, Sequence

from tracker.errors import RepositoryError
from tracker.sources.git_plumbing import parse_object_header
from tracker.sources.git_process import GitPipe, PipeEnded
from tracker.upstream import SkipReason

_REQUEST_BYTES = 41
_WINDOW = GitPipe.PAGE_BYTES // _REQUEST_BYTES
"""Requests that may be unanswered at a time."""
_DEATHS_IN_A_ROW = 100
"""So many unreadable objects one after the other: the clone is broken, not an object."""


class ObjectReader:
    """Reads objects of one repository; git is started at the first request."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._pipe = GitPipe(["cat-file", "--batch"], environment)
        self._deaths = 0

    def read(self, oids: Sequence[str], *, kind: str, max_bytes: int) -> Iterator[bytes | SkipReason]:
        """Yield one answer for each id, in their order: the content, or why there is none.

        Args:
            kind: blob or commit; an object of another kind counts as missing.
            max_bytes: an object larger than this is HUGE and its content is passed over.

        Raises:
            RepositoryError: git could not read a hundred objects in a row.
        """
        sent = answered = 0
        try:
            while answered < len(oids):
                # Topped up in halves: fewer and larger writes.
                if sent - answered <= _WINDOW // 2:
                    sent = self._send(oids, sent, answered + _WINDOW)
                try:
                    answer = self._receive(kind, max_bytes)
                    self._deaths = 0
                except PipeEnded as death:
                    answer = self._mourn(death)
                    sent = answered + 1
                answered += 1
                yield answer
        finally:
            if sent != answered:
                # Whoever asked has gone away: the answers still under way would be taken for those of the next.
                self._pipe.close()

    def close(self) -> None:
        self._pipe.close()

    def _send(self, oids: Sequence[str], start: int, end: int) -> int:
        wanted = oids[start:end]
        if wanted:
            self._pipe.send(("\n".join(wanted) + "\n").encode())
        return start + len(wanted)

    def _receive(self, kind: str, max_bytes: int) -> bytes | SkipReason:
        header = parse_object_header(self._pipe.read_line())
        if header.kind == "missing":
            return SkipReason.MISSING_OBJECT
        if header.kind != kind:
            self._pipe.skip(header.size + 1)
            return SkipReason.MISSING_OBJECT
        if header.size > max_bytes:
            self._pipe.skip(header.size + 1)
            return SkipReason.HUGE
        return self._pipe.read_exactly(header.size + 1)[:-1]

    def _mourn(self, death: PipeEnded) -> SkipReason:
        """Git dies over an object it cannot read; it had answered all the earlier ones."""
        self._deaths += 1
        if self._deaths >= _DEATHS_IN_A_ROW:
            raise RepositoryError(f"the clone cannot be read ({death}): run `git fsck` in it, or clone it again")
        return SkipReason.CORRUPT_OBJECT
