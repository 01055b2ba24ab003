"""Releases from the tags of a clone, where GitHub cannot be asked."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.repositories import Repository
from tracker.errors import RepositoryError
from tracker.releases import Release, ReleaseKind
from tracker.sources.git_releases import read_tag_releases


def test_tags_of_versions_are_releases_with_their_commit_and_date(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "engine.git")
    sha = repository.commit({"a.py": "x = 1\n"})
    for name in ("v1.0.0", "1.0.1", "ciflow/trunk/1", "trunk/abc", "nightly", "vendor"):
        repository.set_reference(f"refs/tags/{name}", sha)
    repository.git("tag", "-a", "-m", "two", "v2.0.0-rc1", "main")
    at = datetime.fromtimestamp(int(repository.git("log", "-1", "--format=%ct", "main")), UTC)
    tagged_at = int(repository.git("for-each-ref", "--format=%(creatordate:unix)", "refs/tags/v2.0.0-rc1"))
    assert read_tag_releases(repository.path) == (
        Release(name="1.0.1", sha=sha, at=at, kind=ReleaseKind.PATCH),
        Release(name="v1.0.0", sha=sha, at=at, kind=ReleaseKind.RELEASE),
        Release(name="v2.0.0-rc1", sha=sha, at=datetime.fromtimestamp(tagged_at, UTC), kind=ReleaseKind.CANDIDATE),
    )


def test_a_tag_of_something_else_than_a_commit_is_no_release(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "engine.git")
    repository.commit({"a.py": "x = 1\n"})
    repository.set_reference("refs/tags/v1.0.0", repository.git("rev-parse", "main^{tree}").strip())
    assert read_tag_releases(repository.path) == ()


def test_a_clone_without_tags_has_no_releases_and_what_is_no_clone_is_said_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "engine.git")
    repository.commit({"a.py": "x = 1\n"})
    assert read_tag_releases(repository.path) == ()
    with pytest.raises(RepositoryError, match="cannot be listed"):
        read_tag_releases(tmp_path / "nothing")
