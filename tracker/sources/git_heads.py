"""The heads of pull requests, fetched through git references: no request to the API, and no limit on what they hold.

Heads are named as patterns that only one reference fits: git then passes over one that is not there, where a whole name
would end the fetch of all the others. A batch that fails is cut in two until what cannot be fetched stands alone.
"""

import re
from collections.abc import Container, Iterable, Sequence

from tracker.errors import RepositoryError
from tracker.sources.git_mirror import Mirror
from tracker.sources.git_process import reading_environment, run_git
from tracker.sources.git_remote import Progress, Remote, fetch_references, keep_house, locked, secret_header

BASES = "refs/pull-bases"
"""Where the branches stand that pull requests are to be merged into, other than the one that is followed."""

MOST_FAILED = 60
"""So many failed fetches in one batch: the remote is to blame, and not single references."""

_HEAD_PATTERNS = ("refs/pull/*/head", "refs/remotes/*/pull/*/head", "refs/remotes/*/pr/*")
"""As GitHub has them, and as people fetch them into clones of their own; the first one that is there counts."""
_NUMBER = re.compile(r"refs/(?:remotes/[^/]+/)?(?:pull/(\d{1,10})/head|pr/(\d{1,10}))")
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock$|[\x00-\x20~^:?*\[\\\x7f]))[^/.-][^\n]*[^/.]")
"""What `git check-ref-format` lets a branch be called, so that no name from outside is a pattern or an option."""


class PullHeads:
    """The heads of the pull requests of one repository, in its mirror or in a local clone, which is left as it is."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror

    def fetch(
        self, numbers: Iterable[int], branches: Iterable[str] = (), *, progress: Progress | None = None
    ) -> dict[int, str]:
        """Bring heads, and branches that they are based on, into the mirror of a URL that was fetched before.

        Returns why for each head that could not be fetched; one that the remote does not have is no failure, and
        absent from `read` afterwards.

        Raises:
            UpstreamUnavailable: the remote cannot be reached now.
            AuthenticationFailed: it refuses us.
            RepositoryError: the mirror was not fetched yet, or hardly anything can be fetched into it.
        """
        remote = self._mirror.remote
        if remote is None:
            return {}
        bases = [f"refs/heads/{branch}" for branch in sorted(set(branches)) if is_branch_name(branch)]
        _fetch_all(remote, bases, BASES, progress)
        failures = _fetch_all(remote, [f"refs/pull/{number}/head" for number in sorted(numbers)], "", progress)
        self._mirror.close()
        return {int(name.split("/")[2]): why for name, why in failures.items()}

    def read(self) -> dict[int, str]:
        """Return the heads that are here, by number."""
        form = "--format=%(objectname) %(refname)"
        environment = reading_environment(git_dir=self._mirror.git_dir)
        found: dict[int, str] = {}
        for pattern in reversed(_HEAD_PATTERNS):
            output = run_git(["for-each-ref", form, pattern], environment=environment)
            for line in output.decode("utf-8", "replace").splitlines():
                sha, _, name = line.partition(" ")
                number = _NUMBER.fullmatch(name)
                if number is not None:
                    found[int(number[1] or number[2])] = sha
        return found

    def forget(self, kept: Container[int]) -> int:
        """Take the references of all other heads out of the mirror, and return how many there were."""
        if self._mirror.remote is None:
            return 0
        gone = {number: sha for number, sha in self.read().items() if number not in kept}
        lines = [f"delete refs/pull/{number}/head {sha}\n" for number, sha in sorted(gone.items())]
        if lines:
            environment = reading_environment(git_dir=self._mirror.git_dir)
            run_git(["update-ref", "--stdin"], environment=environment, sent="".join(lines).encode())
        return len(gone)

    def base_tip(self, branch: str) -> str | None:
        """Return the commit of a branch that pull requests are based on; None where it is not here."""
        if not is_branch_name(branch):
            return None
        for prefix in (f"{BASES}/heads", "refs/heads", "refs/remotes/origin"):
            if self._mirror.holds(f"{prefix}/{branch}"):
                return self._mirror.resolve(f"{prefix}/{branch}")
        return None


def is_branch_name(branch: str) -> bool:
    """Tell whether a branch can be called so."""
    return _BRANCH.fullmatch(branch) is not None


def _fetch_all(remote: Remote, names: Sequence[str], into: str, progress: Progress | None) -> dict[str, str]:
    """Fetch references and return why for each that could not be; halves of a batch that fails are tried again."""
    failures: dict[str, str] = {}
    waiting = [names] if names else []
    secret = secret_header(remote.url, remote.authorization)
    failed = 0
    with locked(remote.git_dir.with_suffix(".lock"), remote.url):
        while waiting:
            group = waiting.pop()
            try:
                refspecs = [_refspec(name, into) for name in group]
                fetch_references(remote.git_dir, remote.url, refspecs, secret, progress, prune=True)
            except RepositoryError as error:
                failed += 1
                if failed > MOST_FAILED:
                    raise
                if len(group) == 1:
                    failures[group[0]] = str(error)
                else:
                    waiting += [group[: len(group) // 2], group[len(group) // 2 :]]
        keep_house(remote.git_dir)
    return failures


def _refspec(name: str, into: str) -> str:
    """Return what fetches one reference, as a pattern where hardly another one can fit it."""
    source = f"{name[:-1]}*" if name.endswith(("/head", "/base")) else name
    return f"+{source}:{into + source.removeprefix('refs') if into else source}"
