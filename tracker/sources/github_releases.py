"""Releases of a repository from GitHub, by PyGithub: tags that mark versions, with the releases that belong to them.

Only references that begin like a version are asked for: pytorch/pytorch has a tag for each commit and each run of its
CI. A tag that is an object of its own, or has no release to give its date, costs one request more, once.
"""

from collections.abc import Collection, Iterator
from contextlib import closing
from datetime import datetime
from itertools import islice

from github.GitRef import GitRef
from github.Repository import Repository

from tracker.releases import Release, release_kind
from tracker.sources.github_auth import aware, facts_of, opened, translated
from tracker.sources.github_transport import Credentials

MOST_REFERENCES = 5_000
MOST_LOOKED_UP = 300
"""In one run; what is left is for the next one."""


def fetch_releases(api_url: str, credentials: Credentials, slug: str, known: Collection[str]) -> tuple[Release, ...]:
    """Return the releases whose names are not known yet, by name.

    Raises:
        NotServed: there is no such repository, or the credentials may not see it.
        AuthenticationFailed, RateLimited, PayloadError, UpstreamUnavailable: as they say.
    """
    with translated(), closing(opened(api_url, credentials)) as github:
        repository = github.get_repo(slug)
        facts_of(repository)
        published = _published(repository)
        new = [reference for reference in _version_references(repository) if _name(reference) not in known]
        releases = [_release(repository, reference, published) for reference in new[:MOST_LOOKED_UP]]
    return tuple(sorted((found for found in releases if found is not None), key=lambda found: found.name))


def _published(repository: Repository) -> dict[str, tuple[datetime | None, bool]]:
    """Return when each tag was published as a release, and whether as a pre-release."""
    return {
        release.tag_name: (
            aware(release.published_at) if release.published_at is not None else None,
            bool(release.prerelease),
        )
        for release in islice(repository.get_releases(), MOST_REFERENCES)
        if not release.draft
    }


def _version_references(repository: Repository) -> Iterator[GitRef]:
    """Yield the references that mark versions; names without a `v` are looked for where there is none with it."""
    for beginnings in (("v",), tuple("0123456789")):
        found = [
            reference
            for beginning in beginnings
            for reference in islice(repository.get_git_matching_refs(f"tags/{beginning}"), MOST_REFERENCES)
            if release_kind(_name(reference)) is not None
        ]
        if found:
            yield from found
            return


def _name(reference: GitRef) -> str:
    return reference.ref.removeprefix("refs/tags/")


def _release(
    repository: Repository, reference: GitRef, published: dict[str, tuple[datetime | None, bool]]
) -> Release | None:
    """Return the release that a reference marks; None where its tag marks no commit."""
    name, target = _name(reference), reference.object
    at, prerelease = published.get(name, (None, False))
    kind = release_kind(name, prerelease=prerelease)
    sha: str = target.sha
    if target.type == "tag":
        tag = repository.get_git_tag(sha)
        if tag.object.type != "commit":
            return None
        # Tags of the first years of git name nobody who made them.
        sha, at = tag.object.sha, at or (aware(tag.tagger.date) if tag.tagger is not None else None)
    elif target.type != "commit":
        return None
    if kind is None:
        return None
    return Release(name=name, sha=sha, at=at or aware(repository.get_git_commit(sha).committer.date), kind=kind)
