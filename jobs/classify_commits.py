"""Commits of a clone, named one by one -> their judgements, as JSON or as an explanation. No database is needed.

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
from tracker.sites import Construct, Mechanism, Territory
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


def classify_commits(mirror: Mirror, slug: str, ruleset: Ruleset, revisions: Iterable[str]) -> Iterator[Classification]:
    """Yield the classification of each commit, in the order asked for.

    Args:
        slug: the repository whose territories hold and whose pull requests the messages name.
        revisions: shas, or whatever else names a commit.

    Raises:
        RepositoryError: one names no commit, or a part of its tree is missing.
    """
    walker = Walker(mirror, slug, ruleset)
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


def explain(classification: Classification) -> str:
    """Return why a commit was judged as it was, in lines for a person."""
    judged = classification.judged
    judgement, commit = judged.judgement, judged.commit
    lines = [f"{commit.sha[:12]}  {written_date(commit)}  {commit.subject}"]
    lines.append(f"  verdict: {judgement.verdict.value}{_because(judged)}")
    if judgement.vendors:
        lines.append(f"  vendors: {', '.join(judgement.vendors)}; area: {judgement.area}")
    for name, target in (("reverts", classification.reverts), ("lands again", classification.reland_of)):
        if target is not None:
            lines.append(f"  {name}: {target}")
    judged_entries = [entry for entry in judgement.entries if entry.mechanism is not Mechanism.OUTSIDE]
    others = len(judgement.entries) - len(judged_entries)
    lines += [_explain_entry(entry) for entry in judged_entries]
    if others:
        lines.append(f"  and {others} entries outside neutral code, or of neutral constructs")
    lines += [f"  not read: {file.path or file.blob} ({file.reason.value})" for file in judged.skipped]
    return "\n".join(lines)


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
        "territory": entry.place.territory.value,
        "area": entry.place.area.value,
        "construct": entry.site.construct.value,
        "vendor": entry.site.vendor,
        "symbol": entry.site.symbol,
        "rule": entry.site.rule,
        "delta": entry.delta,
        "mechanism": entry.mechanism.value,
        "replaced_by": entry.replaced_by,
    }


def _because(judged: JudgedCommit) -> str:
    """Return the arithmetic behind a verdict, where there is any."""
    tally = judged.judgement.tally
    decoupled = tally.generalised + tally.broadened + tally.relocated
    removed = tally.dropped + tally.retired
    if not (decoupled or removed or tally.introduced or tally.moved or tally.edited):
        neutral = any(_counts(entry) for entry in judged.judgement.entries)
        return "" if neutral else " (no site of neutral code changes)"
    ways = f"{tally.generalised} generalised, {tally.broadened} broadened, {tally.relocated} relocated"
    parts = [
        f"{decoupled} decoupled ({ways})",
        f"{removed} removed ({tally.dropped} dropped, {tally.retired} retired)",
        f"{tally.introduced} introduced",
        f"{tally.moved} moved and {tally.edited} edited, which do not count",
    ]
    return ": " + ", ".join(parts)


def _counts(entry: Entry) -> bool:
    return entry.place.territory is Territory.NEUTRAL and entry.site.construct is not Construct.NEUTRAL


def _explain_entry(entry: Entry) -> str:
    lines = ",".join(str(line) for line in entry.lines[:8]) + (",..." if len(entry.lines) > 8 else "")
    replaced = f" -> {entry.replaced_by}" if entry.replaced_by else ""
    return (
        f"  {entry.delta:+d} {entry.mechanism.value:<11} {entry.path}:{lines}  {entry.site.symbol}{replaced}"
        f"  [{entry.site.construct.value}, {entry.site.vendor}, {entry.site.rule}]"
    )
