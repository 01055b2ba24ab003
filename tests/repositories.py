"""Small real git repositories for tests: objects are written as git defines them, byte for byte, without running git.

`Repository(tmp_path / "upstream.git")` makes a bare repository with an unborn branch `main`; `commit({...})` adds a
commit on the current branch from changes to its tip and returns its sha. Anything that git can hold can be written:
raw bytes in contents, messages and paths (a path's byte 0xff is written "\\udcff"), symlinks, submodules, merges, odd
headers and dates, and objects that are missing.
Format: https://git-scm.com/book/en/v2/Git-Internals-Git-Objects.
"""

import hashlib
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

FIRST_DATE = datetime(2020, 1, 6, 12, tzinfo=UTC)
"""The first commit's date where a test gives none; each later one follows a day after its predecessor."""

AUTHOR = "Ada Author <ada@example.com>"


@dataclass(frozen=True, slots=True)
class Symlink:
    target: str | bytes


@dataclass(frozen=True, slots=True)
class Executable:
    content: str | bytes


@dataclass(frozen=True, slots=True)
class Submodule:
    sha: str = "1" * 40


@dataclass(frozen=True, slots=True)
class Object:
    """A tree entry that names an object id as it is, there or not."""

    oid: str
    mode: str = "100644"


Content = str | bytes | Symlink | Executable | Submodule | Object | None
"""What stands at a path after a commit; None deletes it."""

_Tree = dict[bytes, tuple[str, str]]
"""Path -> (mode, object id)."""


class Repository:
    """A bare repository under construction."""

    def __init__(self, path: Path, *, branch: str = "main") -> None:
        self.path = path
        self.branch = branch
        self._trees: dict[str, _Tree] = {}
        self._dates: dict[str, datetime] = {}
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags"):
            (path / folder).mkdir(parents=True, exist_ok=True)
        (path / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n")
        self.set_head(branch)

    # Commits

    def commit(
        self,
        changes: Mapping[str, Content],
        message: str | bytes = "Change something",
        *,
        at: datetime | None = None,
        author: str | bytes = AUTHOR,
        committer: str | bytes | None = None,
        authored_at: datetime | None = None,
        parents: Sequence[str] | None = None,
        moves: Mapping[str, str] | None = None,
        headers: bytes = b"",
    ) -> str:
        """Write a commit on the current branch and return its sha.

        Args:
            changes: path -> content, against the first parent's tree.
            at: committer date; its own offset from UTC is kept. Without it, a day after the first parent.
            authored_at: author date; the committer date where not given.
            parents: without it, the branch's tip (none where the branch is unborn).
            moves: old path -> new path, done before `changes`.
            headers: further header lines of the commit object, each ending in a newline (encoding, gpgsig).
        """
        if parents is None:
            tip = self.tip()
            parents = [tip] if tip else []
        tree = dict(self._trees[parents[0]]) if parents else {}
        self._apply(tree, changes, moves or {})
        at = at or (self._dates[parents[0]] + timedelta(days=1) if parents else FIRST_DATE)
        lines = [b"tree " + self.write_tree(tree).encode()]
        lines += [b"parent " + parent.encode() for parent in parents]
        lines.append(b"author " + _bytes(author) + b" " + git_date(authored_at or at))
        lines.append(b"committer " + _bytes(committer or author) + b" " + git_date(at))
        sha = self.write_object("commit", b"\n".join(lines) + b"\n" + headers + b"\n" + _bytes(message))
        self._trees[sha], self._dates[sha] = tree, at
        self.set_branch(self.branch, sha)
        return sha

    def merge(self, other: str, changes: Mapping[str, Content] | None = None, message: str = "Merge") -> str:
        """Merge a commit into the current branch: its changes are whatever `changes` says, no more."""
        tip = self.tip()
        if tip is None:
            raise ValueError("an unborn branch cannot be merged into")
        return self.commit(changes or {}, message, parents=[tip, other])

    def raw_commit(self, body: bytes, *, tree_of: str | None = None) -> str:
        """Write a commit object as given, move the current branch to it and return its sha.

        Args:
            tree_of: the commit whose tree the object names, so that commits can be built on top of it.
        """
        sha = self.write_object("commit", body)
        self._trees[sha] = dict(self._trees[tree_of]) if tree_of else {}
        self._dates[sha] = FIRST_DATE
        self.set_branch(self.branch, sha)
        return sha

    def tree_of(self, sha: str) -> str:
        """Return the id of a commit's tree."""
        return self.write_tree(self._trees[sha])

    # References

    def tip(self, branch: str | None = None) -> str | None:
        """Return the sha a branch points to, None where it is unborn; without a name, the current branch's."""
        path = self.path / "refs/heads" / (branch or self.branch)
        return path.read_text().strip() if path.exists() else None

    def set_branch(self, branch: str, sha: str) -> None:
        """Point a branch to a commit: also how a branch is rewritten."""
        self.set_reference(f"refs/heads/{branch}", sha)

    def set_reference(self, name: str, sha: str) -> None:
        """Write any reference: refs/tags/v1.0, refs/pull/7/head."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sha + "\n")

    def switch(self, branch: str) -> None:
        """Make later commits go to another branch; HEAD stays where it is."""
        self.branch = branch

    def set_head(self, target: str) -> None:
        """Point HEAD to a branch, or detach it at a sha."""
        is_sha = len(target) == 40 and not set(target) - set("0123456789abcdef")
        (self.path / "HEAD").write_text(f"{target}\n" if is_sha else f"ref: refs/heads/{target}\n")

    # Objects

    def write_object(self, kind: str, content: bytes) -> str:
        """Write a loose object and return its id."""
        data = f"{kind} {len(content)}\0".encode() + content
        oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        path = self.object_path(oid)
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(zlib.compress(data, 1))
        return oid

    def write_tree(self, tree: _Tree) -> str:
        """Write the tree objects of a flat listing and return the root's id."""
        entries: dict[bytes, tuple[str, str]] = {}
        folders: dict[bytes, _Tree] = {}
        for path, entry in tree.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(name, {})[rest] = entry
            else:
                entries[name] = entry
        for name, inside in folders.items():
            entries[name] = ("40000", self.write_tree(inside))
        # Git sorts a folder as if its name ended in a slash.
        ordered = sorted(entries.items(), key=lambda item: item[0] + (b"/" if item[1][0] == "40000" else b""))
        return self.write_object(
            "tree", b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for name, (mode, oid) in ordered)
        )

    def object_path(self, oid: str) -> Path:
        return self.path / "objects" / oid[:2] / oid[2:]

    def remove_object(self, oid: str) -> None:
        """Make an object missing, as in a clone that lacks it."""
        self.object_path(oid).unlink()

    def git(self, *arguments: str) -> str:
        """Run git in the repository (to pack it, to check it) and return what it prints."""
        command = ["git", f"--git-dir={self.path}", "-c", "gc.auto=0", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def _apply(self, tree: _Tree, changes: Mapping[str, Content], moves: Mapping[str, str]) -> None:
        for old, new in moves.items():
            tree[_bytes(new)] = tree.pop(_bytes(old))
        for path, content in changes.items():
            if content is None:
                del tree[_bytes(path)]
            else:
                tree[_bytes(path)] = self._entry(content)

    def _entry(self, content: str | bytes | Symlink | Executable | Submodule | Object) -> tuple[str, str]:
        match content:
            case Symlink(target):
                return "120000", self.write_object("blob", _bytes(target))
            case Executable(inside):
                return "100755", self.write_object("blob", _bytes(inside))
            case Submodule(sha):
                return "160000", sha
            case Object(oid, mode):
                return mode, oid
            case _:
                return "100644", self.write_object("blob", _bytes(content))


def blob_id(content: str | bytes) -> str:
    """Return the object id that git gives to a file's content."""
    data = _bytes(content)
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def git_date(at: datetime) -> bytes:
    """Return a date as a commit object holds it: seconds since 1970 and the offset from UTC."""
    offset = at.utcoffset()
    if offset is None:
        raise ValueError(f"a date without a zone: {at}")
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"{int(at.timestamp())} {sign}{abs(minutes) // 60:02}{abs(minutes) % 60:02}".encode()


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
