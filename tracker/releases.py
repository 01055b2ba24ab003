"""The name of a tag -> the kind of release it marks; pure. Tags that mark no version are no releases.

pytorch/pytorch holds a tag for each commit of main (`trunk/<sha>`) and for each run of its CI (`ciflow/*`) beside
`v2.1.0` and `v2.1.0-rc3`; others write versions without the `v`, or with `.post1` behind.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_VERSION = re.compile(
    r"v?\d{1,4}\.\d{1,4}(?P<patch>\.\d{1,4})?(?P<more>\.\d{1,4})?(?P<rest>[-.+_]?[a-z][\w.+-]*)?", re.IGNORECASE
)
_LONGEST = 100
_POST = re.compile(r"[-._]?post\d*", re.IGNORECASE)


class ReleaseKind(StrEnum):
    """What a version is."""

    RELEASE = "release"
    """The first of its minor version: v2.1.0, or v2.1."""
    PATCH = "patch"
    CANDIDATE = "candidate"
    """Not final: rc, alpha, beta, dev, or whatever GitHub calls a pre-release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A version of a repository."""

    name: str
    """Of the tag."""
    sha: str
    """The commit; 40 hexadecimal digits."""
    at: datetime
    """When it was published; else when the tag, or the commit it names, was made."""
    kind: ReleaseKind


def release_kind(name: str, *, prerelease: bool = False) -> ReleaseKind | None:
    """Return what a tag marks; None: no version."""
    found = _VERSION.fullmatch(name) if len(name) <= _LONGEST else None
    if found is None:
        return None
    rest = found["rest"] or ""
    if prerelease or (rest and not _POST.fullmatch(rest)):
        return ReleaseKind.CANDIDATE
    first = (found["patch"] or ".0").strip(".0") == "" and (found["more"] or ".0").strip(".0") == "" and not rest
    return ReleaseKind.RELEASE if first else ReleaseKind.PATCH
