"""Commits of a clone, named one by one -> their judgements, as JSON. No database is needed.

Each is compared with its first parent, wherever it stands in history, by the same walk that fills the ledger.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta, timezone
from itertools import groupby, islice

from jobs.commit_links import LinkResolver
from jobs.walk import Walker
from tracker.classify import JudgedCommit, stock_change
from tracker.errors import RepositoryError
from tracker.ledger import Entry
from tracker.ruleset import Ruleset
from tracker.sources.git_mirror import Mirror
from tracker.trailers import LinkKind
from tracker.upstream import Commit

_AT_A_TIME = 64

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """One commit, judged."""

    repository: str
    judged: JudgedCommit
    reverts: str | None
    """Sha of the commit it undoes, as written where none fits; None: it undoes none."""
    reland_of: str | None


PassOver = Callable[[str, RepositoryError], None]
"""Takes note of a revision that cannot be judged, and why; or raises that."""


def raise_error(revision: str, error: RepositoryError) -> None:  # noqa: ARG001 - the contract of PassOver
    """Let nothing pass: one revision that cannot be judged ends the work."""
    raise error


def classify_commits(
    mirror: Mirror,
    slug: str,
    ruleset: Ruleset,
    revisions: Iterable[str],
    *,
    accounts_at_most: int | None = 0,
    pass_over: PassOver = raise_error,
) -> Iterator[Classification]:
    """Yield the classification of each commit, in the order asked for.

    Args:
        accounts_at_most: of how many sites of a commit it is said why they are judged so; None: of all.
        slug: the repository whose territories hold and whose pull requests the messages name.
        revisions: shas, or whatever else names a commit.
        pass_over: called with each revision that names no commit, or one of whose tree a part is missing.

    Raises:
        RepositoryError: as `pass_over` lets it through.
    """
    walker = Walker(mirror, slug, ruleset, accounts_at_most=accounts_at_most)
    links = LinkResolver(mirror, slug)
    asked = iter(revisions)
    while group := list(islice(asked, _AT_A_TIME)):
        for judged in _judge_each(mirror, walker, group, pass_over):
            yield Classification(
                repository=slug,
                judged=judged,
                reverts=links.resolve(judged.commit, judged.trailers, LinkKind.REVERTS),
                reland_of=links.resolve(judged.commit, judged.trailers, LinkKind.RELANDS),
            )


def as_json(classification: Classification) -> Json:
    """Return what `tracker classify` prints of one commit; these keys are an interface."""
    judged = classification.judged
    judgement = judged.judgement
    change = stock_change(judgement.entries)
    return {
        "repo": classification.repository,
        "sha": judged.commit.sha,
        "date": written_date(judged.commit),
        "pr": judged.trailers.pull_request,
        "reverts": classification.reverts,
        "reland_of": classification.reland_of,
        "verdict": judgement.verdict.value,
        "mechanism": judgement.mechanism.value if judgement.mechanism else "",
        "vendors": list(judgement.vendors),
        "area": judgement.area.value if judgement.area else "",
        "revert": judged.trailers.is_revert,
        "removed": judgement.removed,
        "added": judgement.added,
        "let_in": change.let_in,
        "net": change.net,
        "ruleset": judged.ruleset,
        "entries": [_entry_as_json(entry) for entry in judgement.entries],
        "skipped": [{"path": file.path, "blob": file.blob, "reason": file.reason.value} for file in judged.skipped],
    }


def written_date(commit: Commit) -> str:
    """Return the committer date in ISO 8601, with the offset from UTC that the committer's clock had."""
    zone = timezone(timedelta(minutes=commit.committer.offset_minutes))
    return commit.committed_at.astimezone(zone).isoformat()


def _judge_each(
    mirror: Mirror, walker: Walker, revisions: Sequence[str], pass_over: PassOver
) -> Iterator[JudgedCommit]:
    """Judge all together, which is faster; one by one where one of them cannot be."""
    shas: dict[str, list[str]] = {}
    for revision in revisions:
        try:
            shas.setdefault(mirror.resolve(revision), []).append(revision)
        except RepositoryError as error:
            pass_over(revision, error)
    try:
        judged = {one.commit.sha: one for one in _judge(mirror, walker, list(shas))}
    except RepositoryError:
        judged = {}
        for sha, named in shas.items():
            try:
                judged |= {one.commit.sha: one for one in _judge(mirror, walker, [sha])}
            except RepositoryError as error:
                for revision in named:
                    pass_over(revision, error)
    order = [sha for revision in revisions for sha, named in shas.items() if revision in named and sha in judged]
    yield from (judged[sha] for sha in order)


def _judge(mirror: Mirror, walker: Walker, shas: Sequence[str]) -> Iterator[JudgedCommit]:
    parents = {commit.sha: commit.parent for commit in list(mirror.read_commits(shas))}
    for whether, run in groupby(shas, key=mirror.is_shallow_boundary):
        if whether:
            # What changed where a shallow clone ends is not known: the commit opens a ledger and has no verdict.
            yield from map(walker.baseline, run)
        else:
            yield from walker.walk([(sha, parents[sha]) for sha in run])


def _entry_as_json(entry: Entry) -> Json:
    return {
        "path": entry.path,
        "line": entry.lines[0] if entry.lines else None,
        "lines": list(entry.lines),
        "territory": entry.territory.value,
        "area": entry.place.area.value,
        "construct": entry.site.construct.value,
        "vendor": entry.site.vendor,
        "symbol": entry.site.symbol,
        "rule": entry.site.rule,
        "delta": entry.delta,
        "mechanism": entry.mechanism.value,
        "replaced_by": entry.replaced_by,
    }
