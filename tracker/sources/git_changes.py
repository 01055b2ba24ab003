"""What each commit changes, many commits at a time, through one long-lived `git diff-tree --stdin`.

Renames are detected by content, which needs blobs; where a clone lacks one git dies, and that one commit is read
without renames and says so. A tree that is missing cannot be passed over: what changed is then not known, and a wrong
number is worse than none.
"""

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tracker.classify import SkippedFile
from tracker.errors import RepositoryError
from tracker.sources.git_plumbing import parse_changes
from tracker.sources.git_process import GitFailed, GitPipe, PipeEnded, run_git
from tracker.upstream import FileChange, SkipReason

_FORM = ["-r", "-z", "--raw", "--no-abbrev", "--root", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]
_RENAMES = ["-M", "-l1000"]
"""More than a thousand files on either side: only those that moved unchanged are paired, in bounded time."""
_REQUEST_BYTES = 82
_GROUP = GitPipe.PAGE_BYTES // _REQUEST_BYTES - 1
"""Commits asked for at a time, so that requests and mark fit a pipe's page."""

Pair = tuple[str, str | None]
"""A commit and the parent it is compared with; None: with the empty tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesRead:
    """What one commit changes against its first parent."""

    sha: str
    changes: tuple[FileChange, ...]
    """In git's order of paths."""
    skipped: tuple[SkippedFile, ...] = ()
    """At most one: that renames could not be looked for, with the object that was missing and an empty path."""


class ChangeReader:
    """Reads changes in one repository; git is started at the first request."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._pipe = GitPipe(["diff-tree", "--stdin", *_FORM, *_RENAMES], environment)

    def read(self, pairs: Sequence[Pair]) -> Iterator[ChangesRead]:
        """Yield the changes of each commit, in the order asked for.

        Raises:
            RepositoryError: a commit or a tree is missing.
        """
        for start in range(0, len(pairs), _GROUP):
            group = pairs[start : start + _GROUP]
            try:
                yield from self._ask(group)
            except PipeEnded:
                # Which of them it was cannot be told: a commit that changes nothing leaves no word either.
                yield from self._ask_one_by_one(group)

    def close(self) -> None:
        self._pipe.close()

    def _ask(self, group: Sequence[Pair]) -> list[ChangesRead]:
        # Git hands a line that names no object back as it is, when all before it is answered.
        mark = f"#{secrets.token_hex(8)}\n".encode()
        self._pipe.send(_request(group) + mark)
        found = dict(parse_changes(self._pipe.read_until(mark)))
        return [ChangesRead(sha=sha, changes=found.get(sha, ())) for sha, _ in group]

    def _ask_one_by_one(self, group: Sequence[Pair]) -> Iterator[ChangesRead]:
        for pair in group:
            try:
                yield from self._ask([pair])
            except PipeEnded as death:
                yield self._without_renames(pair, death.stderr)

    def _without_renames(self, pair: Pair, complaint: str) -> ChangesRead:
        sha, _ = pair
        try:
            output = run_git(
                ["diff-tree", "--stdin", *_FORM, "--no-renames"], environment=self._environment, sent=_request([pair])
            )
        except GitFailed as error:
            raise RepositoryError(
                f"what commit {sha} changes cannot be read, because the clone lacks a tree or a commit ({error}): "
                "run `git fsck` in the clone, or clone it again"
            ) from error
        named = re.search(r"[0-9a-f]{40}", complaint)
        skipped = SkippedFile(path="", blob=named[0] if named else sha, reason=SkipReason.RENAMES_UNREAD)
        return ChangesRead(sha=sha, changes=dict(parse_changes(output)).get(sha, ()), skipped=(skipped,))


def _request(pairs: Sequence[Pair]) -> bytes:
    return "".join(f"{sha} {parent}\n" if parent else f"{sha}\n" for sha, parent in pairs).encode()
