"""Commits -> judged commits: what each changes, scanned on both sides, judged with its message.

The one path by which history is read, be it a whole one or its newest commit: every command and job that needs sites
goes through a `Walker`. What it yields depends on the repository and the ruleset only, not on how history is cut into
pieces, so that pieces can be read by several processes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jobs.blob_scans import REMEMBERED_COST, BlobScans, ScannedGroup
from tracker.classify import (
    Accounts,
    JudgedCommit,
    Judgement,
    Line,
    ScannedChange,
    ScannedFile,
    SiteAccount,
    SkippedFile,
    Tally,
    account_for,
    judge,
    needs_text,
)
from tracker.ledger import Entry
from tracker.ruleset import Ruleset
from tracker.sites import Mechanism, Occurrence, Site, Verdict
from tracker.sources.git_changes import ChangesRead
from tracker.sources.git_mirror import Mirror
from tracker.sources.git_trees import Pair
from tracker.trailers import parse_trailers
from tracker.upstream import Commit, FileChange, FileVersion

_GROUP_CHANGES = 400
"""File changes read and judged together: enough to keep git busy, few enough that their texts fit in memory."""
_TREE_GROUP = 400

_Side = tuple[FileVersion, ScannedFile]
"""A side of a change with the blob that its text is in."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change with a site on either side, before its texts are read."""

    before: _Side | None
    after: _Side | None
    bare: ScannedChange
    needs_text: bool


class Walker:
    """Reads one repository's history with one ruleset; not for several threads."""

    def __init__(self, mirror: Mirror, slug: str, ruleset: Ruleset, *, remembered_cost: int = REMEMBERED_COST) -> None:
        """Open nothing yet.

        Args:
            remembered_cost: how much of what was scanned is remembered, see `BlobScans`.
        """
        self._mirror = mirror
        self._slug = slug
        self._ruleset = ruleset
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
            changes = [self._changes(read.changes, scanned) for read in group]
            texts = self._scans.texts(_blobs_needed(change for of_commit in changes for change in of_commit))
            for commit, read, of_commit in zip(commits, group, changes, strict=True):
                yield self._judged(commit, of_commit, texts, read.skipped + _skipped(read.changes, scanned))

    def accounts(self, pair: Pair) -> Accounts:
        """Return why one commit is judged as `walk` judges it, each site with its line.

        Raises:
            RepositoryError: the commit or a tree is missing.
        """
        read = next(iter(self._mirror.read_changes([pair])))
        changes = self._changes(read.changes, self._scans.scan(_sides(read.changes)))
        sides = [(gone, side) for change in changes for gone, side in ((True, change.before), (False, change.after))]
        files = [(gone, side) for gone, side in sides if side is not None]
        texts = self._scans.texts(file.blob for _, (file, _) in files)
        found = account_for([_with_texts(change, texts) for change in changes], self._ruleset)
        # What is judged without its text, because the whole file came or went, has its lines shown all the same.
        lines = {(gone, file.path): texts.get(file.blob, b"").split(b"\n") for gone, (file, _) in files}
        return replace(found, sites=tuple(_with_texts_of_lines(one, lines) for one in found.sites))

    def baseline(self, revision: str) -> JudgedCommit:
        """Return a commit with everything that stands in its tree as entries, for a ledger that begins with it.

        Raises:
            RepositoryError: there is no such revision, or a part of its tree is missing.
        """
        commit = next(iter(list(self._mirror.read_commits([self._mirror.resolve(revision)]))))
        files = list(self.scan_tree(revision))
        entries = [entry for file in files if isinstance(file, ScannedFile) for entry in _opening(file)]
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
            ruleset=self._ruleset.digest,
        )

    def scan_tree(self, revision: str) -> Iterator[ScannedFile | SkippedFile]:
        """Yield each file of a commit's tree that holds sites, and each that was not read, in git's order of paths.

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
                occurrences = scanned.occurrences(file)
                if reason is not None:
                    yield SkippedFile(path=file.path, blob=file.blob, reason=reason)
                elif occurrences:
                    place = self._scans.reading(file.path).place
                    yield ScannedFile(path=file.path, place=place, occurrences=occurrences)

    def _changes(self, changes: Sequence[FileChange], scanned: ScannedGroup) -> list[_Change]:
        """Return the changes that have a site on either side."""
        kept: list[_Change] = []
        for change in changes:
            before, after = scanned.occurrences(change.before), scanned.occurrences(change.after)
            if before or after:
                kept.append(_change(self._side(change.before, before), self._side(change.after, after)))
        return kept

    def _side(self, file: FileVersion | None, occurrences: Sequence[Occurrence] | None) -> _Side | None:
        if file is None or occurrences is None:
            return None
        place = self._scans.reading(file.path).place
        return file, ScannedFile(path=file.path, place=place, occurrences=tuple(occurrences))

    def _judged(
        self, commit: Commit, changes: Sequence[_Change], texts: dict[str, bytes], skipped: tuple[SkippedFile, ...]
    ) -> JudgedCommit:
        trailers = parse_trailers(commit.message, self._slug)
        return JudgedCommit(
            commit=commit,
            trailers=trailers,
            judgement=judge(trailers, [_with_texts(change, texts) for change in changes], self._ruleset),
            skipped=skipped,
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


def _skipped(changes: Iterable[FileChange], scanned: ScannedGroup) -> tuple[SkippedFile, ...]:
    """Return what was not read of a commit's own files; of the parent's files, the parent says it."""
    return tuple(
        SkippedFile(path=change.after.path, blob=change.after.blob, reason=reason)
        for change in changes
        if change.after is not None and (reason := scanned.skipped(change.after)) is not None
    )


def _change(before: _Side | None, after: _Side | None) -> _Change:
    bare = ScannedChange(before=before and before[1], after=after and after[1])
    return _Change(before, after, bare, needs_text(bare))


def _blobs_needed(changes: Iterable[_Change]) -> Iterator[str]:
    for change in changes:
        if change.needs_text:
            yield from (side[0].blob for side in (change.before, change.after) if side is not None)


def _with_texts(change: _Change, texts: dict[str, bytes]) -> ScannedChange:
    if not change.needs_text:
        return change.bare
    before, after = change.before, change.after
    return ScannedChange(
        before=before and replace(before[1], text=texts.get(before[0].blob)),
        after=after and replace(after[1], text=texts.get(after[0].blob)),
    )


def _with_texts_of_lines(account: SiteAccount, lines: Mapping[tuple[bool, str], Sequence[bytes]]) -> SiteAccount:
    became = account.became and _with_text(account.became, lines.get((False, account.became.path), ()))
    return replace(account, line=_with_text(account.line, lines[account.gone, account.line.path]), became=became)


def _with_text(line: Line, lines: Sequence[bytes]) -> Line:
    if line.text or line.number > len(lines):
        return line
    return replace(line, text=lines[line.number - 1].decode("utf-8", "replace").rstrip())


def _opening(file: ScannedFile) -> Iterator[Entry]:
    lines: dict[Site, list[int]] = {}
    for occurrence in file.occurrences:
        lines.setdefault(occurrence.site, []).append(occurrence.line)
    for site in sorted(lines):
        yield Entry(
            path=file.path,
            place=file.place,
            site=site,
            delta=len(lines[site]),
            mechanism=Mechanism.BASELINE,
            lines=tuple(lines[site]),
        )
