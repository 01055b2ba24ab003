"""What each commit changes, many commits at a time, through one long-lived `git diff-tree --stdin`.

Renames are detected by content, which needs blobs; where a clone lacks one git dies, and that one commit is read
without renames and says so. What git answers is taken only where it adds up to what the trees hold
(`tracker.sources.git_trees`): a malformed tree, which git compares wrongly or not at all, is read without git's help. A
tree that is missing cannot be passed over: what changed is then not known, and a wrong number is worse than none.
"""

import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tracker.classify import SkippedFile
from tracker.sources.git_objects import ObjectReader
from tracker.sources.git_plumbing import parse_changes
from tracker.sources.git_process import GitFailed, GitPipe, PipeEnded, run_git
from tracker.sources.git_trees import Pair, TreeDifference, TreeReader, net
from tracker.upstream import FileChange, FileVersion, SkipReason

_FORM = ["-r", "-z", "--raw", "--no-abbrev", "--root", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none"]
_RENAMES = ["-M", "-l1000"]
"""More than a thousand files on either side: only those that moved unchanged are paired, in bounded time."""
_REQUEST_BYTES = 82
_GROUP = GitPipe.PAGE_BYTES // _REQUEST_BYTES - 1
"""Commits asked for at a time, so that requests and mark fit a pipe's page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesRead:
    """What one commit changes against its first parent."""

    sha: str
    changes: tuple[FileChange, ...]
    """In git's order of paths."""
    skipped: tuple[SkippedFile, ...] = ()
    """Folders that are no trees that can be read; and that renames could not be looked for, with an empty path and the
    object that was missing (the commit's own, where a tree is malformed)."""


class ChangeReader:
    """Reads changes in one repository; git is started at the first request."""

    def __init__(self, environment: Mapping[str, str], objects: ObjectReader) -> None:
        self._trees = TreeReader(objects)
        self._environment = dict(environment)
        self._pipe = GitPipe(["diff-tree", "--stdin", *_FORM, *_RENAMES], environment)

    def read(self, pairs: Sequence[Pair]) -> Iterator[ChangesRead]:
        """Yield the changes of each commit, in the order asked for.

        Raises:
            RepositoryError: a commit or a tree is missing.
        """
        for start in range(0, len(pairs), _GROUP):
            group = pairs[start : start + _GROUP]
            # Compared first: it ends a comparison without end, which git would try to finish.
            differences = self._trees.differences(group)
            for read, difference in zip(self._answers(group), differences, strict=True):
                yield _checked(read, difference)

    def close(self) -> None:
        self._pipe.close()

    def _answers(self, group: Sequence[Pair]) -> Iterator[ChangesRead]:
        try:
            yield from self._ask(group)
        except PipeEnded:
            # Which of them it was cannot be told: a commit that changes nothing leaves no word either.
            yield from self._ask_one_by_one(group)

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
        named = re.search(r"[0-9a-f]{40}", complaint)
        skipped = (_without_a_look_for_renames(named[0] if named else sha),)
        try:
            output = run_git(
                ["diff-tree", "--stdin", *_FORM, "--no-renames"], environment=self._environment, sent=_request([pair])
            )
        except GitFailed:
            # A tree is malformed: what it holds is known all the same.
            return ChangesRead(sha=sha, changes=(), skipped=skipped)
        return ChangesRead(sha=sha, changes=dict(parse_changes(output)).get(sha, ()), skipped=skipped)


def _checked(read: ChangesRead, difference: TreeDifference) -> ChangesRead:
    """Return git's answer if it is what differs between the trees, else that difference itself."""
    gone = Counter(change.before for change in read.changes if change.before is not None)
    come = Counter(change.after for change in read.changes if change.after is not None)
    if net(gone, come) == (difference.gone, difference.come):
        return replace(read, skipped=(*difference.skipped, *read.skipped))
    return ChangesRead(
        sha=read.sha,
        changes=_changes(difference),
        skipped=(*difference.skipped, *(read.skipped or (_without_a_look_for_renames(read.sha),))),
    )


def _changes(difference: TreeDifference) -> tuple[FileChange, ...]:
    """Return one change for each path, or several where trees name it several times; by path."""
    gone: dict[str, list[FileVersion]] = {}
    for file in _ordered(difference.gone):
        gone.setdefault(file.path, []).append(file)
    changes: list[tuple[str, FileChange]] = []
    for file in _ordered(difference.come):
        before = gone[file.path].pop(0) if gone.get(file.path) else None
        changes.append((file.path, FileChange(before=before, after=file)))
    changes += [(path, FileChange(before=file, after=None)) for path, files in gone.items() for file in files]
    return tuple(change for _, change in sorted(changes, key=lambda one: one[0]))


def _ordered(files: Counter[FileVersion]) -> list[FileVersion]:
    return sorted(files.elements(), key=lambda file: (file.path, file.blob, file.kind))


def _without_a_look_for_renames(oid: str) -> SkippedFile:
    return SkippedFile(path="", blob=oid, reason=SkipReason.RENAMES_UNREAD)


def _request(pairs: Sequence[Pair]) -> bytes:
    return "".join(f"{sha} {parent}\n" if parent else f"{sha}\n" for sha, parent in pairs).encode()
