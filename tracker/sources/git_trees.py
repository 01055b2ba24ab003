"""What stands in trees, read from their objects: how two commits' trees differ, and all that one of them holds.

Git compares trees in step, which goes wrong where a tree is malformed (a name that holds a slash sorts as if it were a
folder), and it gives up where a folder's object is no tree. Here every entry is read once, in whatever order it stands,
and what two trees hold is compared as multisets. A folder whose object is no tree that can be read counts as empty, on
both sides, and is told; one that the clone lacks is an error, for a wrong number is worse than none.
Format: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tracker.classify import SkippedFile
from tracker.errors import RepositoryError
from tracker.sources.git_objects import ObjectReader
from tracker.sources.git_plumbing import decode_path
from tracker.upstream import FileKind, FileVersion, SkipReason

MAX_COMMIT_BYTES = 64 << 20
"""A larger commit object is no commit that anyone wrote."""
MAX_TREE_BYTES = 256 << 20
MOST_FOLDERS = 1_000_000
"""To be compared at a time: trees that name each other over and over unfold to more than any machine holds."""
_REMEMBERED_ENTRIES = 150_000
"""Some 25 MB."""

_WHOLE = re.compile(rb"(?:[0-7]+ [^\0]+\0.{20})*+", re.DOTALL)
_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_TREE_LINE = re.compile(rb"tree ([0-9a-f]{40})\n")

Pair = tuple[str, str | None]
"""A commit and the parent it is compared with; None: with the empty tree."""
Entry = tuple[bytes, bytes, bytes]
"""The mode in octal digits, the name, and the object's id."""
Entries = Sequence[Entry]


@dataclass(slots=True, kw_only=True)
class TreeDifference:
    """What one commit's tree holds more and less than its parent's."""

    gone: Counter[FileVersion] = field(default_factory=Counter)
    come: Counter[FileVersion] = field(default_factory=Counter)
    skipped: list[SkippedFile] = field(default_factory=list)
    """The commit's own folders that are no trees that can be read."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to compare: of which pair, where it is, and its object on either side (None: there is none)."""

    number: int
    path: bytes
    before: bytes | None
    after: bytes | None


class TreeReader:
    """Reads trees through one repository's object reader."""

    def __init__(self, objects: ObjectReader) -> None:
        self._objects = objects
        self._remembered: OrderedDict[bytes, Entries | None] = OrderedDict()
        self._cost = 0

    def files(self, sha: str) -> list[FileVersion | SkippedFile]:
        """Return all that a commit's tree holds, and its folders that are no trees that can be read, by path.

        Raises:
            RepositoryError: the clone lacks a tree.
        """
        (difference,) = self.differences([(sha, None)])
        found: list[FileVersion | SkippedFile] = [*difference.come.elements(), *difference.skipped]
        return sorted(found, key=lambda file: file.path)

    def differences(self, pairs: Sequence[Pair]) -> list[TreeDifference]:
        """Return how each commit's tree differs from its parent's.

        Raises:
            RepositoryError: the clone lacks a commit or a tree.
        """
        found = [TreeDifference() for _ in pairs]
        roots = self._roots(list(dict.fromkeys(sha for pair in pairs for sha in pair if sha is not None)))
        folders = [
            _Folder(number, b"", roots[parent] if parent is not None else None, roots[sha])
            for number, (sha, parent) in enumerate(pairs)
            if parent is None or roots[parent] != roots[sha]
        ]
        while folders:
            if len(folders) > MOST_FOLDERS:
                raise RepositoryError(
                    f"the tree of commit {pairs[folders[0].number][0]} unfolds to more than {MOST_FOLDERS:,} folders"
                )
            trees = self._read(folders, pairs)
            folders = [deeper for folder in folders for deeper in _compare(folder, trees, found[folder.number])]
        for difference in found:
            difference.gone, difference.come = net(difference.gone, difference.come)
        return found

    def _roots(self, shas: Sequence[str]) -> dict[str, bytes]:
        roots: dict[str, bytes] = {}
        contents = self._objects.read(shas, kind="commit", max_bytes=MAX_COMMIT_BYTES)
        for sha, content in zip(shas, contents, strict=True):
            line = None if isinstance(content, SkipReason) else _TREE_LINE.match(content)
            if line is None:
                raise RepositoryError(
                    f"commit {sha} cannot be read in the clone: run `git fsck` in it, or clone it again"
                )
            roots[sha] = bytes.fromhex(line[1].decode())
        return roots

    def _read(self, folders: Iterable[_Folder], pairs: Sequence[Pair]) -> dict[bytes, Entries | None]:
        """Return the entries of each folder's object; None: it is no tree that can be read."""
        wanted: dict[bytes, _Folder] = {}
        for folder in folders:
            for oid in (folder.before, folder.after):
                if oid is not None:
                    wanted.setdefault(oid, folder)
        trees: dict[bytes, Entries | None] = {}
        for oid in wanted.keys() & self._remembered.keys():
            self._remembered.move_to_end(oid)
            trees[oid] = self._remembered[oid]
        unread = [oid for oid in wanted if oid not in trees]
        answers = self._objects.read([oid.hex() for oid in unread], kind="tree", max_bytes=MAX_TREE_BYTES)
        lacking: list[bytes] = []
        for oid, content in zip(unread, answers, strict=True):
            trees[oid] = None if isinstance(content, SkipReason) else parse_entries(content)
            if isinstance(content, SkipReason):
                lacking.append(oid)
            self._remember(oid, trees[oid])
        for oid in lacking:
            self._check_that_it_is_there(oid.hex(), wanted[oid], pairs)
        return trees

    def _check_that_it_is_there(self, oid: str, folder: _Folder, pairs: Sequence[Pair]) -> None:
        """Let an object pass that is here and no tree: so it stands upstream, and no better clone can be had."""
        for kind in ("blob", "commit", "tag"):
            (answer,) = list(self._objects.read([oid], kind=kind, max_bytes=0))
            if answer not in (SkipReason.MISSING_OBJECT, SkipReason.CORRUPT_OBJECT):
                return
        del self._remembered[bytes.fromhex(oid)]
        sha, where = pairs[folder.number][0], decode_path(folder.path) or "the root"
        raise RepositoryError(
            f"the tree of commit {sha} or of its parent cannot be read, because the clone lacks the object {oid} "
            f"({where}): run `git fsck` in the clone, or clone it again"
        )

    def _remember(self, oid: bytes, entries: Entries | None) -> None:
        self._remembered[oid] = entries
        self._cost += 1 + len(entries or ())
        while self._cost > _REMEMBERED_ENTRIES:
            _, forgotten = self._remembered.popitem(last=False)
            self._cost -= 1 + len(forgotten or ())


def net(gone: Counter[FileVersion], come: Counter[FileVersion]) -> tuple[Counter[FileVersion], Counter[FileVersion]]:
    """Return what goes and what comes without what does both."""
    return gone - come, come - gone


def parse_entries(content: bytes) -> Entries | None:
    """Read a tree object; None where git, too, cannot: it is cut off, a mode is no number, a name is empty."""
    if _WHOLE.fullmatch(content) is None:
        return None
    return _ENTRY.findall(content)


@lru_cache(maxsize=256)
def _kind(mode: bytes) -> FileKind | None:
    """Read a mode as git does, by its highest bits only; None: a folder."""
    match int(mode[-8:], 8) & 0o170000:
        case 0o100000:
            return FileKind.REGULAR
        case 0o120000:
            return FileKind.SYMLINK
        case 0o040000:
            return None
        case _:
            return FileKind.SUBMODULE


def _compare(folder: _Folder, trees: Mapping[bytes, Entries | None], found: TreeDifference) -> Iterable[_Folder]:
    """Note the files in which the two sides differ, and yield the folders in which they do."""
    before, after = (trees[oid] if oid is not None else () for oid in (folder.before, folder.after))
    if after is None and folder.after is not None:
        path = decode_path(folder.path)
        found.skipped.append(SkippedFile(path=path, blob=folder.after.hex(), reason=SkipReason.MALFORMED_TREE))
    start = folder.path + b"/" if folder.path else b""
    gone, come = _exclusive(before or (), after or ())
    folders: dict[bytes, list[bytes]] = {}
    for mode, name, oid in gone:
        kind = _kind(mode)
        if kind is None:
            folders.setdefault(name, []).append(oid)
        else:
            found.gone[_version(start + name, oid, kind)] += 1
    for mode, name, oid in come:
        kind = _kind(mode)
        if kind is not None:
            found.come[_version(start + name, oid, kind)] += 1
            continue
        before_oid = folders[name].pop() if folders.get(name) else None
        # One folder may be written 40000 and 040000.
        if before_oid != oid:
            yield _Folder(folder.number, start + name, before_oid, oid)
    for name, oids in folders.items():
        yield from (_Folder(folder.number, start + name, oid, None) for oid in oids)


def _exclusive(before: Entries, after: Entries) -> tuple[Iterable[Entry], Iterable[Entry]]:
    """Return what only one side holds, in a tree's order; entries that are repeated count as often as they stand."""
    left, right = set(before), set(after)
    if len(left) == len(before) and len(right) == len(after):
        return [one for one in before if one not in right], [one for one in after if one not in left]
    return (Counter(before) - Counter(after)).elements(), (Counter(after) - Counter(before)).elements()


def _version(path: bytes, oid: bytes, kind: FileKind) -> FileVersion:
    return FileVersion(path=decode_path(path), blob=oid.hex(), kind=kind)
