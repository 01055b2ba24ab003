"""Releases of a repository from the tags of a clone: what marks a version, with the commit and the tag's date."""

from datetime import UTC, datetime
from pathlib import Path

from tracker.errors import RepositoryError
from tracker.releases import Release, release_kind
from tracker.sources.git_process import GitFailed, reading_environment, run_git

_FIELDS = ("refname:strip=2", "objecttype", "objectname", "*objecttype", "*objectname", "creatordate:unix")
_PATTERNS = ("refs/tags/v[0-9]*", "refs/tags/[0-9]*")
"""A star of git's stops at a slash: the thousands of tags in folders are not even listed."""


def read_tag_releases(git_dir: Path) -> tuple[Release, ...]:
    """Return the releases that the tags of a clone mark, by name; tags without a date are left out.

    Raises:
        RepositoryError: git cannot list the tags.
    """
    form = "--format=" + "%00".join(f"%({field})" for field in _FIELDS)
    try:
        answer = run_git(["for-each-ref", form, *_PATTERNS], environment=reading_environment(git_dir=git_dir))
    except GitFailed as failure:
        raise RepositoryError(f"the tags of {git_dir} cannot be listed: {failure.stderr.strip()[:300]}") from failure
    found = (_release(line) for line in answer.decode("utf-8", "replace").splitlines())
    return tuple(sorted((release for release in found if release is not None), key=lambda release: release.name))


def _release(line: str) -> Release | None:
    name, kind_of_object, sha, peeled_kind, peeled, at = line.split("\0")
    kind = release_kind(name)
    commit = sha if kind_of_object == "commit" else peeled if peeled_kind == "commit" else None
    if kind is None or commit is None or not at.isdecimal() or int(at) > _LATEST:
        return None
    return Release(name=name, sha=commit, at=datetime.fromtimestamp(int(at), UTC), kind=kind)


_LATEST = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp())
