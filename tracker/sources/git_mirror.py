"""A git repository to read history from: a local clone, read in place, or our own bare mirror of a URL.

Commits of the first-parent line, what they change, blobs and trees, as facts. A local clone is never written to and
none of its configuration is obeyed: objects are read through an empty repository of our own that borrows them, so that
replacements, grafts, filters, promisors and hooks of the clone have no say. What stands upstream is decoded and never
judged here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from tracker.classify import SkippedFile
from tracker.errors import RepositoryError
from tracker.sources.git_borrower import Borrower
from tracker.sources.git_changes import ChangeReader, ChangesRead
from tracker.sources.git_objects import ObjectReader
from tracker.sources.git_plumbing import parse_commit, parse_tree
from tracker.sources.git_process import GitFailed, reading_environment, run_git
from tracker.sources.git_remote import Progress, Remote, fetch_mirror, is_url, without_secrets
from tracker.sources.git_trees import MAX_COMMIT_BYTES, Pair, TreeReader
from tracker.upstream import Commit, FileVersion, SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where a repository's parts are on this machine."""

    git_dir: Path
    objects: Path
    boundary: frozenset[str]
    """Commits whose parents a shallow clone lacks."""


def open_mirror(location: str, *, folder: Path, slug: str, authorization: str | None = None) -> "Mirror":
    """Open the repository at a path, or the mirror of a URL (which may first have to be fetched).

    Args:
        folder: where mirrors are kept; unused for a path.
        slug: owner/name, which names the mirror.
        authorization: value of the HTTP Authorization header for the URL's host.

    Raises:
        RepositoryError: there is no git repository at the path.
    """
    if location.startswith("-") or not location.strip() or "\0" in location:
        raise RepositoryError(f"{location!r} is neither the path nor the URL of a git repository")
    if not is_url(location):
        return Mirror(location, path=Path(location).expanduser().resolve())
    owner, _, name = slug.partition("/")
    if not name or {owner, name} & {"", ".", ".."} or "/" in name:
        raise RepositoryError(f"{slug!r} is no repository's name: it is written owner/name")
    path = folder / owner / f"{name}.git"
    return Mirror(location, path=path, authorization=authorization)


class Mirror:
    """One repository, open for reading; not for several threads."""

    def __init__(self, location: str, *, path: Path, authorization: str | None = None) -> None:
        self.location = location
        self.path = path
        """Where the repository is, or will be once it is fetched; a worker process may open it by this path."""
        self._remote = is_url(location)
        self._authorization = authorization
        self._borrower: Borrower | None = None
        self._layout: Layout | None = None
        self._objects: ObjectReader | None = None
        self._changes: ChangeReader | None = None
        if not self._remote:
            self._layout = _find(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git, and forget what only it needed."""
        for reader in (self._objects, self._changes):
            if reader is not None:
                reader.close()
        self._objects = self._changes = None
        if self._borrower is not None:
            self._borrower.close()
            self._borrower = None

    def fetch(self, ref: str | None = None, *, progress: Progress | None = None) -> None:
        """Bring the mirror of a URL up to date; a local clone is left as it is.

        Args:
            ref: branch, tag or sha to follow; None: the remote's default branch.

        Raises:
            UpstreamUnavailable: the remote cannot be reached now; what was fetched before can still be read.
            AuthenticationFailed: it refuses us.
            RepositoryError: it is no repository, is empty, or has no such reference.
        """
        if self._remote:
            fetch_mirror(self.path, self.location, ref=ref, authorization=self._authorization, progress=progress)
            self.close()
            self._layout = None

    @property
    def remote(self) -> Remote | None:
        """Return what the mirror is fetched from; None: this is a local clone.

        Raises:
            RepositoryError: it was not fetched yet.
        """
        if not self._remote:
            return None
        return Remote(git_dir=self.git_dir, url=self.location, authorization=self._authorization)

    @property
    def git_dir(self) -> Path:
        return self._find().git_dir

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits; None where what is here of their histories has none.

        Raises:
            RepositoryError: one of them, or a part of its history, is missing.
        """
        try:
            return run_git(["merge-base", one, other], environment=self._environment()).decode().strip()
        except GitFailed as error:
            if error.stderr.strip():
                raise
            return None

    def default_branch(self) -> str:
        """Return the branch that HEAD stands for; where it is detached, the one its origin's does, or "HEAD".

        Raises:
            RepositoryError: the repository has no commits.
        """
        for name, prefix in (("HEAD", "refs/heads/"), ("refs/remotes/origin/HEAD", "refs/remotes/")):
            try:
                target = self._ask("symbolic-ref", "--quiet", name).removeprefix(prefix)
                self.resolve(target)
            except RepositoryError:
                continue
            return target
        try:
            self.resolve("HEAD")
        except RepositoryError as error:
            raise RepositoryError(f"{self._shown} has no commits on its default branch; name a branch") from error
        return "HEAD"

    def resolve(self, revision: str) -> str:
        """Return the sha of the commit that a branch, tag, sha or other revision names.

        Raises:
            RepositoryError: it names none here.
        """
        if not revision.strip() or revision.startswith("-") or not revision.isprintable():
            raise RepositoryError(f"{revision!r} is no revision")
        try:
            return self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except GitFailed as error:
            raise RepositoryError(f"{self._shown} has no commit {revision}") from error

    def holds(self, revision: str) -> bool:
        """Tell whether a revision names a commit that is here."""
        try:
            self.resolve(revision)
        except RepositoryError:
            return False
        return True

    def first_parent_line(self, revision: str) -> list[Pair]:
        """Return (sha, first parent) of each commit on the first-parent line of a revision, oldest first.

        Raises:
            RepositoryError: there is no such revision, or the line is broken by a missing commit.
        """
        sha = self.resolve(revision)
        try:
            output = run_git(["rev-list", "--first-parent", "--reverse", sha], environment=self._environment())
        except GitFailed as error:
            raise RepositoryError(f"the history of {revision} is not whole in {self._shown} ({error})") from error
        shas = output.decode().split()
        return list(zip(shas, [None, *shas[:-1]], strict=True))

    def read_commits(self, shas: Sequence[str]) -> Iterator[Commit]:
        """Yield the commits, in the order asked for; at a shallow clone's boundary there is no parent.

        Raises:
            RepositoryError: one is missing or cannot be read.
        """
        boundary = self._find().boundary
        contents = self._object_reader().read(shas, kind="commit", max_bytes=MAX_COMMIT_BYTES)
        for sha, content in zip(shas, contents, strict=True):
            if isinstance(content, SkipReason):
                raise RepositoryError(f"{self._shown} has no commit {sha} that can be read ({content.value})")
            commit = parse_commit(sha, content)
            yield replace(commit, parent=None) if sha in boundary else commit

    def read_changes(self, pairs: Sequence[Pair]) -> Iterator[ChangesRead]:
        """Yield what each commit changes against the parent named with it, in the order asked for.

        Raises:
            RepositoryError: a commit or a tree is missing.
        """
        if self._changes is None:
            self._changes = ChangeReader(self._environment(), self._object_reader())
        yield from self._changes.read(pairs)

    def read_blobs(self, oids: Sequence[str], max_bytes: int) -> Iterator[bytes | SkipReason]:
        """Yield the content of each blob, or why it was not read, in the order asked for."""
        yield from self._object_reader().read(oids, kind="blob", max_bytes=max_bytes)

    def read_blob(self, oid: str, max_bytes: int) -> bytes | SkipReason:
        """Return the content of one blob, or why it was not read."""
        return next(iter(list(self.read_blobs([oid], max_bytes))))

    def tree(self, revision: str) -> Iterator[FileVersion | SkippedFile]:
        """Yield every file, symlink and submodule of a commit's tree, in git's order of paths.

        Where git cannot read the whole tree, what it holds all the same is yielded, with the folders that are no trees.

        Raises:
            RepositoryError: there is no such revision, or a part of its tree is missing.
        """
        sha = self.resolve(revision)
        try:
            output = run_git(["ls-tree", "-r", "-z", "--full-tree", sha], environment=self._environment())
        except GitFailed:
            try:
                yield from TreeReader(self._object_reader()).files(sha)
            except RepositoryError as error:
                raise RepositoryError(f"the tree of {revision} is not whole in {self._shown} ({error})") from error
            return
        yield from parse_tree(output)

    def is_shallow_boundary(self, sha: str) -> bool:
        """Tell whether a shallow clone ends at this commit: what came before it is not here."""
        return sha in self._find().boundary

    @property
    def _shown(self) -> str:
        return without_secrets(self.location)

    def _find(self) -> Layout:
        if self._layout is None:
            if not self.path.exists():
                raise RepositoryError(f"{self._shown} was not fetched yet")
            self._layout = _find(self.path)
        return self._layout

    def _ask(self, *arguments: str) -> str:
        """Ask the repository itself, for what its references say."""
        environment = reading_environment(git_dir=self._find().git_dir)
        return run_git(arguments, environment=environment).decode("utf-8", "backslashreplace").strip()

    def _object_reader(self) -> ObjectReader:
        if self._objects is None:
            self._objects = ObjectReader(self._environment())
        return self._objects

    def _environment(self) -> Mapping[str, str]:
        """Return the environment in which objects are read: an empty repository that borrows them."""
        layout = self._find()
        if self._borrower is None:
            self._borrower = Borrower(layout.boundary)
        return reading_environment(git_dir=self._borrower.path, objects=layout.objects)


def _find(path: Path) -> Layout:
    """Find the parts of the repository at a path, which may also be its work tree.

    Raises:
        RepositoryError: there is none, or one with ids of another length.
    """
    if not path.is_dir():
        raise RepositoryError(f"{path} is no folder: name a clone's folder or a URL")
    # Only this folder and not the ones above it: a repository that happens to be around it is not meant.
    environment = reading_environment() | {"GIT_CEILING_DIRECTORIES": str(path.parent)}
    question = ["rev-parse", "--show-object-format", "--absolute-git-dir", "--git-path", "objects"]
    try:
        answer = run_git([*question, "--git-path", "shallow"], environment=environment, folder=path)
    except GitFailed as error:
        raise RepositoryError(f"{path} is no git repository") from error
    form, git_dir, objects, shallow = answer.decode("utf-8", "surrogateescape").splitlines()
    if form != "sha1":
        raise RepositoryError(f"{path} names its objects by {form}; only sha1 repositories can be read")
    boundary = path / shallow
    shas = boundary.read_text().split() if boundary.exists() else []
    return Layout(git_dir=Path(git_dir), objects=(path / objects).resolve(), boundary=frozenset(shas))
