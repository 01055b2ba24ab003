"""The sites of one tree: of a revision in a clone, or of a folder or file on disk. No database is needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jobs.walk import Walker
from tracker.classify import ScannedFile, SkippedFile
from tracker.detect import build_detector, dialect_of, is_binary, scan_text
from tracker.errors import RepositoryError
from tracker.ruleset import Ruleset
from tracker.sources.git_mirror import Mirror
from tracker.sources.git_plumbing import decode_path
from tracker.territory import regions_in, territory_map_for
from tracker.upstream import SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeScan:
    """What stands in one tree."""

    name: str
    """The revision's sha, or the path that was scanned."""
    repository: str
    """The repository whose territories hold."""
    ruleset: str
    """Digest."""
    files: tuple[ScannedFile, ...]
    """Those that hold sites or neutral constructs, by path."""
    skipped: tuple[SkippedFile, ...]


def scan_revision(mirror: Mirror, slug: str, revision: str, ruleset: Ruleset) -> TreeScan:
    """Scan the tree of a commit.

    Raises:
        RepositoryError: there is no such revision, or a part of its tree is missing.
    """
    sha = mirror.resolve(revision)
    files = list(Walker(mirror, slug, ruleset).scan_tree(sha))
    return _tree_scan(sha, slug, ruleset, files)


def scan_folder(path: Path, slug: str, ruleset: Ruleset) -> TreeScan:
    """Scan the files under a folder, or one file; paths are taken from the folder, version control's own passed over.

    Raises:
        RepositoryError: there is nothing at the path.
    """
    if not path.exists():
        raise RepositoryError(f"{path} does not exist")
    root = path if path.is_dir() else path.parent
    found = _files(path) if path.is_dir() else iter([path])
    territory = territory_map_for(slug, ruleset)
    detector = build_detector(ruleset)
    files: list[ScannedFile | SkippedFile] = []
    for file in found:
        name = decode_path(file.relative_to(root).as_posix().encode("utf-8", "surrogateescape"))
        place = territory.place(name)
        dialect = dialect_of(name, place)
        content = SkipReason.SYMLINK if file.is_symlink() else _read(file, ruleset.max_blob_bytes) if dialect else b""
        if isinstance(content, SkipReason):
            files.append(SkippedFile(path=name, blob="", reason=content))
        elif dialect and (text := scan_text(content, dialect, detector)).occurrences:
            regions = regions_in(place, text.regions)
            files.append(ScannedFile(path=name, place=place, occurrences=text.occurrences, regions=regions))
    return _tree_scan(str(path), slug, ruleset, files)


def _tree_scan(name: str, slug: str, ruleset: Ruleset, files: list[ScannedFile | SkippedFile]) -> TreeScan:
    return TreeScan(
        name=name,
        repository=slug,
        ruleset=ruleset.digest,
        files=tuple(file for file in files if isinstance(file, ScannedFile)),
        skipped=tuple(file for file in files if isinstance(file, SkippedFile)),
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield files and symlinks, folders in the order of their names; symlinks are not followed."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and not entry.is_symlink():
            if entry.name not in {".git", ".hg", ".svn"}:
                yield from _files(entry)
        elif entry.is_file() or entry.is_symlink():
            yield entry


def _read(file: Path, max_bytes: int) -> bytes | SkipReason:
    if file.stat().st_size > max_bytes:
        return SkipReason.HUGE
    content = file.read_bytes()
    return SkipReason.BINARY if is_binary(content) else content
