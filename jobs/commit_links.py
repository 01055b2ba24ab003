"""What a commit says it reverts or relands -> the commit it means, found in a clone without a database.

The rules are those by which the database resolves stored commits (`db.links`): the surest reference first, and of the
commits that fit the latest one before. A reference that fits none stays as it was written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from db.links import plain_title
from tracker.sources.git_mirror import Mirror
from tracker.trailers import CommitReference, LinkKind, LinkMethod, Trailers, parse_trailers
from tracker.upstream import Commit

_SURENESS = {method: number for number, method in enumerate(LinkMethod)}
_COMMITS_AT_A_TIME = 2_000
_SOURCE_ID_DIGITS = 7
"""The fewest of a source id that a message names."""


@dataclass(slots=True)
class _Line:
    """What can be looked up of a first-parent line, each time from the oldest commit to the newest."""

    positions: dict[str, int] = field(default_factory=dict)
    by_source: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """First digits of a source id -> (source id, sha)."""
    by_differential: dict[str, list[str]] = field(default_factory=dict)
    by_pull: dict[int, list[str]] = field(default_factory=dict)
    by_title: dict[str, list[str]] = field(default_factory=dict)


class LinkResolver:
    """Resolves references of commits in one clone; history is read once it is needed."""

    def __init__(self, mirror: Mirror, slug: str) -> None:
        self._mirror = mirror
        self._slug = slug
        self._line = _Line()

    def resolve(self, commit: Commit, trailers: Trailers, kind: LinkKind) -> str | None:
        """Return the sha of what a commit reverts or relands, as written where none fits; None if it says nothing."""
        named = [reference for reference in trailers.references if reference.kind is kind]
        named.sort(key=lambda reference: _SURENESS[reference.method])
        for reference in named:
            found = self._find(commit, reference)
            if found is not None:
                return found
        return named[0].target if named else None

    def _find(self, commit: Commit, reference: CommitReference) -> str | None:
        if reference.method is LinkMethod.SHA:
            return self._mirror.resolve(reference.target) if self._mirror.holds(reference.target) else None
        if commit.sha not in self._line.positions:
            self._line = self._read_line(commit.sha)
        before = self._line.positions[commit.sha]
        fitting = [sha for sha in self._fitting(reference) if self._line.positions[sha] < before]
        return fitting[-1] if fitting else None

    def _fitting(self, reference: CommitReference) -> Sequence[str]:
        target = reference.target
        match reference.method:
            case LinkMethod.CHANGESET:
                named = self._line.by_source.get(target[:_SOURCE_ID_DIGITS].lower(), ())
                return [sha for source_id, sha in named if source_id.startswith(target.lower())]
            case LinkMethod.DIFFERENTIAL:
                return self._line.by_differential.get(target, ())
            case LinkMethod.PULL:
                digits = target.lstrip("#")
                return self._line.by_pull.get(int(digits), ()) if digits.isdecimal() and len(digits) < 11 else ()
            case _:
                return self._line.by_title.get(plain_title(target), ())

    def _read_line(self, sha: str) -> _Line:
        line = _Line()
        shas = [each for each, _ in self._mirror.first_parent_line(sha)]
        for start in range(0, len(shas), _COMMITS_AT_A_TIME):
            for commit in self._mirror.read_commits(shas[start : start + _COMMITS_AT_A_TIME]):
                self._note(line, commit)
        return line

    def _note(self, line: _Line, commit: Commit) -> None:
        trailers = parse_trailers(commit.message, self._slug)
        line.positions[commit.sha] = len(line.positions)
        line.by_title.setdefault(plain_title(commit.subject), []).append(commit.sha)
        if trailers.differential is not None:
            line.by_differential.setdefault(trailers.differential, []).append(commit.sha)
        if trailers.pull_request is not None:
            line.by_pull.setdefault(trailers.pull_request, []).append(commit.sha)
        if trailers.source_id is not None:
            first = trailers.source_id[:_SOURCE_ID_DIGITS]
            line.by_source.setdefault(first, []).append((trailers.source_id, commit.sha))
