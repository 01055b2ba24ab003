"""What a commit says it reverts or relands -> the commit it means, found in a clone without a database.

The rules are those by which the database resolves stored commits (`tracker.trailers.targets`), but that a sha may name
any commit of the clone. A reference that fits none stays as it was written.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tracker.sources.git_mirror import Mirror
from tracker.trailers import CommitReference, LinkKind, LinkMethod, Trailers, parse_trailers
from tracker.trailers.targets import KnownCommit, bare_title, beginning_of, find_targets, pull_number_of
from tracker.upstream import Commit

_COMMITS_AT_A_TIME = 2_000
_DIGITS = 7
"""Of a sha or of a source id, by which they are looked up; messages seldom name fewer."""

Known = KnownCommit[str]
_Name = tuple[LinkMethod, str]


@dataclass(slots=True)
class _Line:
    """What can be looked up of a first-parent line, each time from the oldest commit to the newest."""

    positions: dict[str, int] = field(default_factory=dict)
    named: dict[_Name, list[Known]] = field(default_factory=dict)
    """By method and by what is surely the same of two names of one commit."""

    def add(self, commit: Commit, trailers: Trailers) -> None:
        """Note the next commit of the line."""
        known = KnownCommit(
            key=commit.sha,
            position=len(self.positions),
            sha=commit.sha,
            subject=commit.subject,
            is_revert=trailers.is_revert,
            source_id=trailers.source_id,
            differential=trailers.differential,
            pull_request=trailers.pull_request,
        )
        self.positions[commit.sha] = known.position
        names: dict[LinkMethod, str | None] = {
            LinkMethod.SHA: commit.sha[:_DIGITS],
            LinkMethod.CHANGESET: trailers.source_id and trailers.source_id[:_DIGITS],
            LinkMethod.DIFFERENTIAL: trailers.differential,
            LinkMethod.PULL: str(trailers.pull_request) if trailers.pull_request is not None else None,
            LinkMethod.TITLE: bare_title(commit.subject),
        }
        for method, name in names.items():
            if name:
                self.named.setdefault((method, name), []).append(known)

    def look_up(self, reference: CommitReference) -> Iterable[Known]:
        """Return at least the commits that a reference fits."""
        target, method = reference.target, reference.method
        beginning = beginning_of(target) if method is LinkMethod.TITLE else None
        match method:
            case LinkMethod.SHA | LinkMethod.CHANGESET:
                name = target[:_DIGITS].lower()
                beginning = name if len(name) < _DIGITS else None
            case LinkMethod.PULL:
                name = str(pull_number_of(target))
            case LinkMethod.TITLE:
                name = bare_title(target)
            case _:
                name = target
        if beginning is None:
            return self.named.get((method, name), ())
        fitting = [each for each in self.named if each[0] is method and each[1].startswith(beginning)]
        return [commit for each in fitting for commit in self.named[each]]


class LinkResolver:
    """Resolves references of commits in one clone; history is read once it is needed."""

    def __init__(self, mirror: Mirror, slug: str) -> None:
        self._mirror = mirror
        self._slug = slug
        self._line = _Line()

    def resolve(self, commit: Commit, trailers: Trailers, kind: LinkKind) -> str | None:
        """Return the sha of what a commit reverts or relands, as written where none fits; None if it says nothing."""
        named = [reference for reference in trailers.references if reference.kind is kind]
        for reference in named:
            if reference.method is LinkMethod.SHA and self._mirror.holds(reference.target):
                return self._mirror.resolve(reference.target)
        if not named:
            return None
        if commit.sha not in self._line.positions:
            self._line = self._read_line(commit.sha)
        before = self._line.positions[commit.sha]

        def look_up(reference: CommitReference) -> list[Known]:
            return [known for known in self._line.look_up(reference) if known.position < before]

        found = [target for _, target in find_targets(named, look_up) if target is not None]
        return found[0].sha if found else named[0].target

    def _read_line(self, sha: str) -> _Line:
        line = _Line()
        shas = [each for each, _ in self._mirror.first_parent_line(sha)]
        for start in range(0, len(shas), _COMMITS_AT_A_TIME):
            for commit in self._mirror.read_commits(shas[start : start + _COMMITS_AT_A_TIME]):
                line.add(commit, parse_trailers(commit.message, self._slug))
        return line
