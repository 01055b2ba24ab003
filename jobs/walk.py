"""Commits -> judged commits: what each changes, scanned on both sides, judged with its message.

The one path by which history is read, be it a whole one or its newest commit: every command and job that needs sites
goes through a `Walker`. What it yields depends on the repository and the ruleset only, not on how history is cut into
pieces, so that pieces can be read by several processes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from jobs.blob_scans import REMEMBERED_COST, BlobScans, ScannedGroup
from tracker.classify import (
    ACCOUNTS_KEPT,
    JudgedCommit,
    Judgement,
    ScannedChange,
    ScannedFile,
    SkippedFile,
    Tally,
    judge,
    needs_quotes,
    needs_text,
    opening_entries,
)
from tracker.detect import ScannedText
from tracker.ledger import Entry, LineEntry, LineSums
from tracker.ruleset import Ruleset
from tracker.sites import Verdict
from tracker.sources.git_changes import ChangesRead
from tracker.sources.git_mirror import Mirror
from tracker.sources.git_trees import Pair
from tracker.territory import regions_in
from tracker.trailers import parse_trailers
from tracker.upstream import Commit, FileChange, FileVersion

_GROUP_CHANGES = 400
"""File changes read and judged together: enough to keep git busy, few enough that their texts fit in memory."""
_TREE_GROUP = 400

_Side = tuple[FileVersion, ScannedFile]
"""A side of a change with the blob that its text is in."""


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a tree that was read."""

    scanned: ScannedFile
    lines: int
    """Of code, see `count_lines`."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change with a site on either side, before its texts are read."""

    before: _Side | None
    after: _Side | None
    bare: ScannedChange
    needs_text: bool
    quoted: tuple[bool, bool]
    """Where judging needs no texts: whether lines of its sides are quoted."""


class Walker:
    """Reads one repository's history with one ruleset; not for several threads."""

    def __init__(
        self,
        mirror: Mirror,
        slug: str,
        ruleset: Ruleset,
        *,
        remembered_cost: int = REMEMBERED_COST,
        accounts_at_most: int | None = ACCOUNTS_KEPT,
    ) -> None:
        """Open nothing yet.

        Args:
            remembered_cost: how much of what was scanned is remembered, see `BlobScans`.
            accounts_at_most: of how many sites of a commit it is said why they are judged so; None: of all.
        """
        self._mirror = mirror
        self._slug = slug
        self._ruleset = ruleset
        self._accounts_at_most = accounts_at_most
        self._scans = BlobScans(mirror, slug, ruleset, remembered_cost=remembered_cost)

    def walk(self, pairs: Sequence[Pair]) -> Iterator[JudgedCommit]:
        """Yield each commit of a piece of the first-parent line, judged, in the order asked for.

        Args:
            pairs: each commit with the parent it is compared with.

        Raises:
            RepositoryError: a commit or a tree is missing.
        """
        for group in _groups(self._mirror.read_changes(pairs)):
            commits = list(self._mirror.read_commits([read.sha for read in group]))
            scanned = self._scans.scan(side for read in group for side in _sides(read.changes))
            lines = [LineSums() for _ in group]
            changes = [self._changes(read.changes, scanned, sums) for read, sums in zip(group, lines, strict=True)]
            texts = self._scans.texts(_blobs_needed(change for of_commit in changes for change in of_commit))
            for commit, read, of_commit, sums in zip(commits, group, changes, lines, strict=True):
                skipped = read.skipped + _skipped(read.changes, scanned)
                yield self._judged(commit, of_commit, texts, skipped, sums.entries())

    def baseline(self, revision: str) -> JudgedCommit:
        """Return a commit with everything that stands in its tree as entries, for a ledger that begins with it.

        Raises:
            RepositoryError: there is no such revision, or a part of its tree is missing.
        """
        commit = next(iter(list(self._mirror.read_commits([self._mirror.resolve(revision)]))))
        files = list(self.read_tree(revision))
        entries: list[Entry] = []
        lines = LineSums()
        for file in files:
            if isinstance(file, TreeFile):
                entries.extend(opening_entries(file.scanned))
                lines.add(file.scanned.place, file.lines)
        judgement = Judgement(
            verdict=Verdict.NONE,
            mechanism=None,
            area=None,
            vendors=(),
            removed=0,
            added=0,
            tally=Tally(),
            entries=tuple(entries),
        )
        return JudgedCommit(
            commit=commit,
            trailers=parse_trailers(commit.message, self._slug),
            judgement=judgement,
            skipped=tuple(file for file in files if isinstance(file, SkippedFile)),
            lines=lines.entries(baseline=True),
            ruleset=self._ruleset.digest,
        )

    def scan_tree(self, revision: str) -> Iterator[ScannedFile | SkippedFile]:
        """Yield each file of a commit's tree that holds sites, and each that was not read, in git's order of paths.

        Raises:
            RepositoryError: there is no such revision, or a part of its tree is missing.
        """
        for file in self.read_tree(revision):
            if isinstance(file, SkippedFile):
                yield file
            elif file.scanned.occurrences:
                yield file.scanned

    def read_tree(self, revision: str) -> Iterator[TreeFile | SkippedFile]:
        """Yield each file of a commit's tree in a language that is scanned, and each that was not read, in git's order.

        Raises:
            RepositoryError: there is no such revision, or a part of its tree is missing.
        """
        files = list(self._mirror.tree(revision))
        for start in range(0, len(files), _TREE_GROUP):
            group = files[start : start + _TREE_GROUP]
            scanned = self._scans.scan(file for file in group if isinstance(file, FileVersion))
            for file in group:
                if isinstance(file, SkippedFile):
                    yield file
                    continue
                reason = scanned.skipped(file)
                text = scanned.text(file)
                if reason is not None:
                    yield SkippedFile(path=file.path, blob=file.blob, reason=reason)
                elif text:
                    yield TreeFile(self._scanned(file, text), text.lines)

    def _changes(self, changes: Sequence[FileChange], scanned: ScannedGroup, lines: LineSums) -> list[_Change]:
        """Return the changes that have a site on either side; count the lines of all."""
        kept: list[_Change] = []
        for change in changes:
            before, after = scanned.text(change.before), scanned.text(change.after)
            if before and change.before:
                lines.add(self._scans.reading(change.before.path).place, -before.lines)
            if after and change.after:
                lines.add(self._scans.reading(change.after.path).place, after.lines)
            if _may_change_sites(change, before, after):
                kept.append(self._change(self._side(change.before, before), self._side(change.after, after)))
        return kept

    def _change(self, before: _Side | None, after: _Side | None) -> _Change:
        bare = ScannedChange(before=before and before[1], after=after and after[1])
        judged_by_text = needs_text(bare)
        quotes = needs_quotes(bare) if self._accounts_at_most != 0 and not judged_by_text else (False, False)
        return _Change(before, after, bare, judged_by_text, quotes)

    def _side(self, file: FileVersion | None, text: ScannedText | None) -> _Side | None:
        if file is None or text is None:
            return None
        return file, self._scanned(file, text)

    def _scanned(self, file: FileVersion, text: ScannedText) -> ScannedFile:
        place = self._scans.reading(file.path).place
        regions = regions_in(place, text.regions)
        return ScannedFile(path=file.path, place=place, occurrences=text.occurrences, regions=regions)

    def _judged(
        self,
        commit: Commit,
        changes: Sequence[_Change],
        texts: dict[str, bytes],
        skipped: tuple[SkippedFile, ...],
        lines: tuple[LineEntry, ...],
    ) -> JudgedCommit:
        trailers = parse_trailers(commit.message, self._slug)
        judgement = judge(
            trailers,
            [_with_texts(change, texts) for change in changes],
            self._ruleset,
            accounts_at_most=self._accounts_at_most,
        )
        return JudgedCommit(
            commit=commit,
            trailers=trailers,
            judgement=judgement,
            skipped=skipped,
            lines=lines,
            ruleset=self._ruleset.digest,
        )


def _groups(reads: Iterable[ChangesRead]) -> Iterator[list[ChangesRead]]:
    group: list[ChangesRead] = []
    size = 0
    for read in reads:
        group.append(read)
        size += len(read.changes) + 1
        if size >= _GROUP_CHANGES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _sides(changes: Iterable[FileChange]) -> Iterator[FileVersion]:
    for change in changes:
        if change.before is not None:
            yield change.before
        if change.after is not None:
            yield change.after


def _may_change_sites(change: FileChange, before: ScannedText | None, after: ScannedText | None) -> bool:
    """Whether a change has a site on either side, and the same ones in the same places of the tree on both are not all.

    What is left out leaves no entry, and nothing that is judged depends on it.
    """
    if not (before and before.count) and not (after and after.count):
        return False
    if before is None or after is None or change.renamed or before.regions or after.regions:
        return True
    return not before.has_sites_of(after)


def _skipped(changes: Iterable[FileChange], scanned: ScannedGroup) -> tuple[SkippedFile, ...]:
    """Return what was not read of a commit's own files; of the parent's files, the parent says it."""
    return tuple(
        SkippedFile(path=change.after.path, blob=change.after.blob, reason=reason)
        for change in changes
        if change.after is not None and (reason := scanned.skipped(change.after)) is not None
    )


def _blobs_needed(changes: Iterable[_Change]) -> Iterator[str]:
    for change in changes:
        for side, quoted in zip((change.before, change.after), change.quoted, strict=True):
            if side is not None and (change.needs_text or quoted):
                yield side[0].blob


def _with_texts(change: _Change, texts: dict[str, bytes]) -> ScannedChange:
    before, after = change.before, change.after
    if not change.needs_text:
        quotes = change.quoted
        return ScannedChange(
            before=_with_quotable(before, texts) if before and quotes[0] else change.bare.before,
            after=_with_quotable(after, texts) if after and quotes[1] else change.bare.after,
        )
    return ScannedChange(
        before=before and replace(before[1], text=texts.get(before[0].blob)),
        after=after and replace(after[1], text=texts.get(after[0].blob)),
    )


def _with_quotable(side: _Side, texts: dict[str, bytes]) -> ScannedFile:
    return replace(side[1], quotable=texts.get(side[0].blob))
