"""Commits of a clone, named one by one -> their judgements, as JSON. No database is needed.

Each is compared with its first parent, wherever it stands in history, by the same walk that fills the ledger.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta, timezone
from itertools import groupby, islice

from jobs.commit_links import LinkResolver
from jobs.walk import Walker
from tracker.classify import JudgedCommit
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


def classify_commits(
    mirror: Mirror, slug: str, ruleset: Ruleset, revisions: Iterable[str], *, accounts_at_most: int | None = 0
) -> Iterator[Classification]:
    """Yield the classification of each commit, in the order asked for.

    Args:
        accounts_at_most: of how many sites of a commit it is said why they are judged so; None: of all.
        slug: the repository whose territories hold and whose pull requests the messages name.
        revisions: shas, or whatever else names a commit.

    Raises:
        RepositoryError: one names no commit, or a part of its tree is missing.
    """
    walker = Walker(mirror, slug, ruleset, accounts_at_most=accounts_at_most)
    links = LinkResolver(mirror, slug)
    asked = iter(revisions)
    while group := list(islice(asked, _AT_A_TIME)):
        shas = [mirror.resolve(revision) for revision in group]
        for judged in _judge(mirror, walker, shas):
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
        "ruleset": judged.ruleset,
        "entries": [_entry_as_json(entry) for entry in judgement.entries],
        "skipped": [{"path": file.path, "blob": file.blob, "reason": file.reason.value} for file in judged.skipped],
    }


def written_date(commit: Commit) -> str:
    """Return the committer date in ISO 8601, with the offset from UTC that the committer's clock had."""
    zone = timezone(timedelta(minutes=commit.committer.offset_minutes))
    return commit.committed_at.astimezone(zone).isoformat()


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
