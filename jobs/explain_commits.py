"""A classified commit -> why it was judged as it was, in lines for a person: the arithmetic, then site by site."""

from collections.abc import Iterator
from itertools import groupby

from jobs.classify_commits import Classification, written_date
from tracker.classify import JudgedCommit, SiteAccount
from tracker.classify.accounts import ExclusivityAccount
from tracker.ledger import Entry
from tracker.ruleset import Ruleset
from tracker.sites import Construct, Mechanism, Territory

_LONGEST = 160
"""Signs of a line of code that are shown."""
_ALIKE_SHOWN = 3
"""How many sites of one path with the same symbol, mechanism and reason are shown line by line."""


def explain(classification: Classification, ruleset: Ruleset) -> str:
    """Return the explanation of a commit that was classified with its accounts."""
    judged = classification.judged
    judgement, commit = judged.judgement, judged.commit
    lines = [f"{commit.sha[:12]}  {written_date(commit)}  {commit.subject}"]
    lines.append(f"  verdict: {judgement.verdict.value}{_because(judged)}")
    if judgement.vendors:
        lines.append(f"  vendors: {', '.join(judgement.vendors)}; area: {judgement.area}")
    for name, target in (("reverts", classification.reverts), ("lands again", classification.reland_of)):
        if target is not None:
            lines.append(f"  {name}: {target}")
    accounts = classification.accounts
    if accounts is not None:
        for _, run in groupby(accounts.sites, key=_kind):
            lines += _explain_alike(list(run), ruleset)
        lines += [_explain_exclusivity(one) for one in accounts.exclusivities]
    others = sum(entry.mechanism is Mechanism.OUTSIDE for entry in judgement.entries)
    if others:
        lines.append(f"  and {others} entries outside neutral code, or of neutral constructs")
    lines += [f"  not read: {file.path or file.blob} ({file.reason.value})" for file in judged.skipped]
    return "\n".join(lines)


def _kind(account: SiteAccount) -> tuple[object, ...]:
    return account.line.path, account.gone, account.site, account.mechanism, account.reason


def _explain_alike(run: list[SiteAccount], ruleset: Ruleset) -> Iterator[str]:
    first = run[0]
    sign = "-" if first.gone else "+"
    where = ",".join(str(one.line.number) for one in run[:8]) + (",..." if len(run) > 8 else "")
    yield f"  {sign}{len(run)} {first.site.symbol}  {first.line.path}:{where}"
    replaced = f" ({first.replaced_by})" if first.replaced_by else ""
    yield f"      {first.mechanism.value}: {first.reason}{replaced}"
    kind = f"{first.site.construct.value}, {first.site.vendor}"
    yield f"      found by {first.site.rule} ({kind}): {ruleset.rule(first.site.rule).why}"
    for one in run[:_ALIKE_SHOWN]:
        yield f"      {sign}{one.line.number:<6} {_cut(one.line.text)}"
        if one.became is not None:
            path = f"{one.became.path}:" if one.became.path != one.line.path else ""
            yield f"      => {path}{one.became.number:<4} {_cut(one.became.text)}"


def _explain_exclusivity(one: ExclusivityAccount) -> str:
    if one.lost:
        return f"  a place of {one.vendor} alone admits others now, counted once as broadened: {one.path}"
    return f"  a place is {one.vendor}'s alone now, counted once as introduced: {one.path}"


def _cut(text: str) -> str:
    stripped = text.strip()
    return stripped if len(stripped) <= _LONGEST else stripped[: _LONGEST - 3] + "..."


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
        f"D = {decoupled} decoupled ({ways})",
        f"R = {removed} removed ({tally.dropped} dropped, {tally.retired} retired)",
        f"A = {tally.introduced} introduced",
        f"{tally.moved} moved and {tally.edited} edited, which do not count",
    ]
    return ": " + ", ".join(parts)


def _counts(entry: Entry) -> bool:
    return entry.place.territory is Territory.NEUTRAL and entry.site.construct is not Construct.NEUTRAL
