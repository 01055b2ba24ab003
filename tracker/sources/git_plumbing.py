"""Bytes that git prints -> facts: commit objects, changes, trees, object headers and remote references. Runs nothing.

Formats: https://git-scm.com/docs/git-diff-tree#_raw_output_format, git-cat-file (batch output), git-ls-tree,
git-ls-remote. Text that is not UTF-8 never fails: a path keeps its odd bytes as backslash escapes (so that two paths
stay apart), a message shows U+FFFD; NUL, which no database holds in a text, shows so too.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from tracker.errors import RepositoryError
from tracker.upstream import Commit, FileChange, FileKind, FileVersion, Signature

ABSENT_OID = "0" * 40
EARLIEST = 0
"""1970-01-01, in seconds since then: git itself writes no earlier date."""
LATEST = 4_102_444_800
"""2100-01-01: a later committer date is a wrong clock, and would stretch every series to its year."""

_NOT_CHARSETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"})
"""Codecs that Python knows and no commit is written in; some are slow, or give half characters."""

_SIGNATURE_END = re.compile(rb"> *(-?\d+)(?: +([+-]\d+))? *$")
_SHA = re.compile(rb"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectHeader:
    """What `cat-file --batch` says before an object's content."""

    oid: str
    kind: str
    """blob, tree, commit or tag; "missing" where the object is not there."""
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteReferences:
    """What `ls-remote --symref` says."""

    head: str | None
    """The reference that HEAD stands for: refs/heads/main; None where the remote does not say."""
    shas: dict[str, str]
    """Reference name -> object id."""


def parse_commit(sha: str, content: bytes) -> Commit:
    """Read a commit object as `cat-file` gives it; its first parent is the one recorded, even if it is not there.

    Raises:
        RepositoryError: it has no author or committer line, so that it is no commit.
    """
    head, _, body = content.partition(b"\n\n")
    parents: list[str] = []
    lines: dict[bytes, bytes] = {}
    for line in head.split(b"\n"):
        # A line that continues another (gpgsig, mergetag) begins with a space, and so has an empty key.
        key, _, value = line.partition(b" ")
        if key == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif key:
            lines.setdefault(key, value)
    if b"author" not in lines or b"committer" not in lines:
        raise RepositoryError(f"object {sha} is no commit that can be read: run `git fsck` in the clone")
    encoding = lines.get(b"encoding", b"").decode("ascii", "replace")
    return Commit(
        sha=sha,
        parent=parents[0] if parents else None,
        parents=len(parents),
        author=parse_signature(lines[b"author"], encoding),
        committer=parse_signature(lines[b"committer"], encoding),
        message=decode_text(body, encoding),
    )


def parse_signature(line: bytes, encoding: str = "") -> Signature:
    """Read "NAME <MAIL> SECONDS ZONE"; whatever is missing is empty, a date that cannot be is clamped."""
    name, _, rest = line.partition(b"<")
    mail = rest.partition(b">")[0]
    date = _SIGNATURE_END.search(line)
    # Python refuses to read thousands of digits as a number.
    seconds = int(date[1][:20]) if date else EARLIEST
    within = min(max(seconds, EARLIEST), LATEST)
    return Signature(
        name=decode_text(name.strip(), encoding),
        mail=decode_text(mail.strip(), encoding),
        at=datetime.fromtimestamp(within, UTC),
        offset_minutes=_offset_minutes(date[2]) if date and date[2] else 0,
        clamped=date is None or within != seconds,
    )


def decode_text(text: bytes, encoding: str = "") -> str:
    """Decode a message or a name: by the commit's encoding header where it holds, else as UTF-8."""
    return _decode_declared(text, encoding).replace("\0", "\ufffd")


def decode_path(path: bytes) -> str:
    r"""Decode a path as UTF-8; a byte that is not is written \xNN and a backslash twice, so that no two are alike."""
    return path.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def parse_changes(output: bytes) -> Iterator[tuple[str, tuple[FileChange, ...]]]:
    """Read what `diff-tree --stdin -r -z --raw --no-abbrev` prints: (sha, changes) for each commit that has any.

    Raises:
        RepositoryError: the output has another form.
    """
    fields = iter(output.split(b"\0"))
    sha, changes = "", []
    for field in fields:
        if field.startswith(b":"):
            changes.append(_parse_change(field, fields))
        elif _SHA.fullmatch(field):
            if sha:
                yield sha, tuple(changes)
            sha, changes = field.decode(), []
        elif field:
            raise RepositoryError(f"git diff-tree printed something unexpected: {field[:80]!r}")
    if sha:
        yield sha, tuple(changes)


def parse_tree(output: bytes) -> Iterator[FileVersion]:
    """Read what `ls-tree -r -z --full-tree` prints, in its order."""
    for record in output.split(b"\0"):
        if record:
            meta, _, path = record.partition(b"\t")
            mode, _, oid = meta.split(b" ")
            yield FileVersion(path=decode_path(path), blob=oid.decode(), kind=_kind(mode))


def parse_object_header(line: bytes) -> ObjectHeader:
    """Read the line before an object in `cat-file --batch` output: "OID KIND SIZE", or "OID missing"."""
    words = line.split()
    if len(words) == 3 and words[2].isdigit():
        return ObjectHeader(oid=words[0].decode(), kind=words[1].decode(), size=int(words[2]))
    if len(words) >= 2 and words[-1] in {b"missing", b"ambiguous"}:
        return ObjectHeader(oid=words[0].decode("ascii", "replace"), kind="missing", size=0)
    raise RepositoryError(f"git cat-file printed something unexpected: {line[:80]!r}")


def parse_references(output: bytes) -> RemoteReferences:
    """Read what `ls-remote --symref` prints."""
    head: str | None = None
    shas: dict[str, str] = {}
    for line in output.decode("utf-8", "backslashreplace").splitlines():
        value, _, name = line.partition("\t")
        if value.startswith("ref: "):
            head = value.removeprefix("ref: ") if name == "HEAD" else head
        elif name:
            shas[name] = value
    return RemoteReferences(head=head, shas=shas)


def _parse_change(meta: bytes, fields: Iterator[bytes]) -> FileChange:
    """Read ":MODE MODE OID OID STATUS" with the path after it, or the two paths of a rename."""
    before_mode, after_mode, before_oid, after_oid, status = meta[1:].split(b" ")
    path = decode_path(next(fields))
    after_path = decode_path(next(fields)) if status[:1] in {b"R", b"C"} else path
    return FileChange(
        before=_side(path, before_mode, before_oid),
        after=_side(after_path, after_mode, after_oid),
    )


def _side(path: str, mode: bytes, oid: bytes) -> FileVersion | None:
    if mode == b"000000":
        return None
    return FileVersion(path=path, blob=oid.decode(), kind=_kind(mode))


def _kind(mode: bytes) -> FileKind:
    """Read an octal mode as git does: what is neither a file nor a symlink is a submodule."""
    if mode.startswith(b"10"):
        return FileKind.REGULAR
    return FileKind.SYMLINK if mode.startswith(b"12") else FileKind.SUBMODULE


def _decode_declared(text: bytes, encoding: str) -> str:
    if encoding:
        try:
            if codecs.lookup(encoding).name not in _NOT_CHARSETS:
                return text.decode(encoding)
        except (LookupError, ValueError):
            # An unknown header, or a wrong one: git, too, then takes the bytes as they are.
            pass
    return text.decode("utf-8", "replace")


def _offset_minutes(zone: bytes) -> int:
    """Read "-0530" as -330; a zone no clock has (some commits say +051800) counts as UTC."""
    digits = int(zone[1:]) if len(zone) < 8 else 0
    minutes = digits // 100 * 60 + digits % 100
    if minutes > 14 * 60:
        return 0
    return -minutes if zone.startswith(b"-") else minutes
