"""A classified commit -> why it was judged as it was, in lines for a person: the arithmetic, then site by site."""

from collections.abc import Iterator
from itertools import groupby

from jobs.classify_commits import Classification, written_date
from tracker.classify import ExclusivityAccount, JudgedCommit, Line, SiteAccount
from tracker.ledger import Entry
from tracker.ruleset import Ruleset
from tracker.sites import Construct, Mechanism, Territory

_LONGEST = 160
"""Signs of a line of code that are shown."""


def explain(classification: Classification, ruleset: Ruleset) -> str:
    """Return the explanation of a commit that was classified with its accounts: all of them, each with its lines."""
    judged = classification.judged
    judgement, commit = judged.judgement, judged.commit
    lines = [f"{commit.sha[:12]}  {written_date(commit)}  {commit.subject}"]
    lines.append(f"  verdict: {judgement.verdict.value}{_because(judged)}")
    if judgement.vendors:
        lines.append(f"  vendors: {', '.join(judgement.vendors)}; area: {judgement.area}")
    for name, target in (("reverts", classification.reverts), ("lands again", classification.reland_of)):
        if target is not None:
            lines.append(f"  {name}: {target}")
    accounts = judgement.accounts
    for _, run in groupby(accounts.sites, key=_kind):
        lines += _explain_alike(list(run), ruleset)
    for one in accounts.exclusivities:
        lines += _explain_exclusivity(one)
    if accounts.left_out:
        lines.append(f"  and {accounts.left_out} more sites, which are not told")
    others = sum(entry.mechanism is Mechanism.OUTSIDE for entry in judgement.entries)
    if others:
        lines.append(f"  and {others} entries outside neutral code, or of neutral constructs")
    lines += [f"  not read: {file.path or file.blob} ({file.reason.value})" for file in judged.skipped]
    return "\n".join(lines)


def _kind(account: SiteAccount) -> tuple[object, ...]:
    return account.line.path, account.gone, account.site, account.mechanism, account.why, account.replaced_by


def _explain_alike(run: list[SiteAccount], ruleset: Ruleset) -> Iterator[str]:
    first = run[0]
    sign = "-" if first.gone else "+"
    where = ",".join(str(one.line.number) for one in run[:8]) + (",..." if len(run) > 8 else "")
    yield f"  {sign}{len(run)} {first.site.symbol}  {first.line.path}:{where}"
    replaced = f" ({first.replaced_by})" if first.replaced_by else ""
    yield f"      {first.mechanism.value}: {first.why}{replaced}"
    kind = f"{first.site.construct.value}, {first.site.vendor}"
    yield f"      found by {first.site.rule} ({kind}): {ruleset.rule(first.site.rule).why}"
    for one in run:
        yield from _lines(one.line, one.opposite, gone=one.gone)


def _explain_exclusivity(one: ExclusivityAccount) -> Iterator[str]:
    if one.lost:
        yield f"  a place of {one.vendor} alone admits others now, counted once as broadened: {one.line.path}"
    else:
        yield f"  a place is {one.vendor}'s alone now, counted once as introduced: {one.line.path}"
    yield f"      {one.reason}: {one.site.symbol}"
    yield from _lines(one.line, one.opposite, gone=not one.lost)


def _lines(line: Line, opposite: Line | None, *, gone: bool) -> Iterator[str]:
    """The line and what stands, or stood, on the other side of the change."""
    yield f"      {'-' if gone else '+'}{line.number:<6} {_cut(line)}"
    if opposite is not None:
        path = f"{opposite.path}:" if opposite.path != line.path else ""
        yield f"      {'=>' if gone else '<='} {path}{opposite.number:<4} {_cut(opposite)}"


def _cut(line: Line) -> str:
    stripped = line.text.strip()
    if line.cut_before:
        stripped = "..." + stripped
    if len(stripped) > _LONGEST:
        return stripped[: _LONGEST - 3] + "..."
    return stripped + ("..." if line.cut_after else "")


def _because(judged: JudgedCommit) -> str:
    """Return the arithmetic behind a verdict, where there is any."""
    tally = judged.judgement.tally
    decoupled, removed = tally.decoupled, tally.removed
    if not (decoupled or removed or tally.introduced or tally.moved or tally.edited):
        neutral = any(_counts(entry) for entry in judged.judgement.entries)
        return "" if neutral else " (no site of neutral code changes)"
    ways = f"{tally.generalised} generalised, {tally.broadened} broadened, {tally.relocated} relocated"
    parts = [
        f"D = {decoupled} decoupled ({ways})",
        f"R = {removed} removed ({tally.dropped} dropped, {tally.retired} retired)",
        f"A = {tally.introduced} introduced",
        f"{tally.moved} moved and {tally.edited} edited, which do not count",
    ]
    return ": " + ", ".join(parts)


def _counts(entry: Entry) -> bool:
    return entry.territory is Territory.NEUTRAL and entry.site.construct is not Construct.NEUTRAL
