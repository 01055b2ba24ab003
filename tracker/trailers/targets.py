"""References of one message -> the commits they mean, among those that stand before it on its line.

The surest reference that fits any commit decides; a weaker one only says the same again, or is of another commit (the
number in a quoted title, a pull request told in passing) and is left out. References of one kind and method that follow
each other name several commits, each of which is found for itself. Where several commits fit, the latest is meant.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar

from tracker.trailers.links import TITLE_EDGES, CommitReference, LinkKind, LinkMethod

Key = TypeVar("Key")
"""However the caller names a commit: a row id, a sha."""

_NUMBERS = re.compile(r"(?:\s*\(#\d+\))+\s*$")
_TAGS = re.compile(r"\s*(?:\[[^\]]*\]\s*)+")
_CUT_OFF = "…"
_LEAST_BEGINNING = 20
"""Signs of a title that was cut off: fewer may be the beginning of any."""
_MOST_DIGITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCommit(Generic[Key]):
    """A commit that may be meant."""

    key: Key
    position: int
    sha: str
    subject: str
    is_revert: bool
    source_id: str | None
    differential: str | None
    pull_request: int | None


LookUp = Callable[[CommitReference], Iterable[KnownCommit[Key]]]
"""Returns at least those earlier commits of the line that a reference fits."""


def find_targets(
    references: Iterable[CommitReference], look_up: LookUp[Key]
) -> Iterator[tuple[CommitReference, KnownCommit[Key] | None]]:
    """Yield the references that count, by kind and in the order given, with the commit that each means.

    None: no commit fits, nor does any surer reference of the kind fit one.
    """
    named = list(references)
    for kind in LinkKind:
        settled: list[KnownCommit[Key]] = []
        seen: set[str] = set()
        for _, rank in groupby((one for one in named if one.kind is kind), key=lambda one: one.method):
            found: list[KnownCommit[Key]] = []
            for reference in rank:
                if reference.target in seen:
                    continue
                target = _target(reference, settled, look_up)
                if target is None and settled:
                    continue
                seen.add(reference.target)
                found += [target] if target is not None else []
                yield reference, target
            settled = settled or found


def fits(commit: KnownCommit[Key], reference: CommitReference) -> bool:
    """Return whether a reference may mean a commit."""
    target = reference.target
    match reference.method:
        case LinkMethod.SHA:
            return commit.sha.startswith(target.lower())
        case LinkMethod.CHANGESET:
            return commit.source_id is not None and commit.source_id.startswith(target.lower())
        case LinkMethod.DIFFERENTIAL:
            return commit.differential == target
        case LinkMethod.PULL:
            return commit.pull_request is not None and commit.pull_request == pull_number_of(target)
        case LinkMethod.TITLE:
            beginning = beginning_of(target)
            bare = bare_title(commit.subject)
            return bare.startswith(beginning) if beginning is not None else bare == bare_title(target) != ""


def plain_title(subject: str) -> str:
    """Return a subject without its trailing pull request numbers and the punctuation at its edges."""
    title = subject.strip(TITLE_EDGES)
    # `Back out "title (#1)" (#2)`: a number may stand before the last quote.
    while (shorter := _NUMBERS.sub("", title).strip(TITLE_EDGES)) != title:
        title = shorter
    return title


def bare_title(subject: str) -> str:
    """Return a plain title without the tags before it: `[pytorch][PR] title` is quoted of what landed as `title`."""
    title = plain_title(subject)
    return _TAGS.sub("", title, count=1) if _TAGS.match(title) else title


def beginning_of(title: str) -> str | None:
    """Return what a title that was cut off (`A long ti…`) begins with; None where it is whole or too little is left."""
    bare = bare_title(title)
    beginning = bare.removesuffix(_CUT_OFF).rstrip()
    return beginning if bare.endswith(_CUT_OFF) and len(beginning) >= _LEAST_BEGINNING else None


def pull_number_of(target: str) -> int | None:
    """Return the number that `#12` or `12` says; None where it is none of a pull request."""
    digits = target.lstrip("#")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _MOST_DIGITS:
        return None
    return int(digits)


def _target(
    reference: CommitReference, settled: Iterable[KnownCommit[Key]], look_up: LookUp[Key]
) -> KnownCommit[Key] | None:
    known = list(settled)
    candidates = known or look_up(reference)
    fitting = [commit for commit in candidates if fits(commit, reference)]
    return max(fitting, key=lambda commit: (*_likelihood(commit, reference), commit.position), default=None)


def _likelihood(commit: KnownCommit[Key], reference: CommitReference) -> tuple[bool, bool]:
    """Order commits that fit: what lands again is no revert (though one may bear its revision); whole titles first."""
    original = reference.kind is LinkKind.REVERTS or not commit.is_revert
    whole = reference.method is not LinkMethod.TITLE or plain_title(commit.subject) == plain_title(reference.target)
    return original, whole
