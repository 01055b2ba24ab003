"""Why each neutral site of a commit was judged as it was: its line, what took its place, the reason in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracker.pairing import Fate, Mark, ScannedChange, pair
from tracker.pairing.counterparts import counterpart_of
from tracker.pairing.differences import Comparison
from tracker.ruleset import Ruleset
from tracker.sites import Mechanism, Site

_ALIKE = 0.3
"""How alike a line must be to be shown as what a vanished one became."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a file of the commit or, for a site that is gone, of its parent."""

    path: str
    number: int
    """From 1."""
    text: str
    """Without its end; empty where the judgement needed no text of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAccount:
    """What became of one neutral site, and why that is said."""

    site: Site
    gone: bool
    line: Line
    mechanism: Mechanism
    reason: str
    replaced_by: str | None
    became: Line | None
    """Of a site that is gone: the line it was paired with, or the likest one added in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusivityAccount:
    """A place that admits more vendors than before, or fewer, while its site stays."""

    path: str
    vendor: str
    lost: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Everything behind one commit's tally."""

    sites: tuple[SiteAccount, ...]
    """By path and line, gone ones first; of a pair only the half that is gone."""
    exclusivities: tuple[ExclusivityAccount, ...]


def account_for(changes: Sequence[ScannedChange], ruleset: Ruleset) -> Accounts:
    """Return why a commit's changes are judged as `judge` judges them."""
    comparisons = [Comparison(change, number) for number, change in enumerate(changes)]
    pairing = pair(comparisons, ruleset)
    sites = sorted(_accounts(pairing.fates), key=lambda one: (one.line.path, not one.gone, one.line.number))
    return Accounts(
        sites=tuple(sites),
        exclusivities=tuple(
            ExclusivityAccount(path=one.comparison.after.path, vendor=one.vendor, lost=one.lost)
            for one in pairing.exclusivities
        ),
    )


def _accounts(fates: Sequence[Fate]) -> Iterator[SiteAccount]:
    for fate in fates:
        if fate.partner is not None and not fate.mark.gone:
            continue
        yield SiteAccount(
            site=fate.mark.site,
            gone=fate.mark.gone,
            line=_line(fate.mark),
            mechanism=fate.mechanism,
            reason=fate.reason,
            replaced_by=fate.replaced_by,
            became=_became(fate),
        )


def _line(mark: Mark) -> Line:
    return Line(path=mark.side.path, number=mark.occurrence.line, text=_text(mark.line))


def _became(fate: Fate) -> Line | None:
    mark = fate.mark
    if fate.partner is not None:
        return _line(fate.partner)
    if not mark.gone or mark.place is None or not mark.comparison.after.has_text:
        return None
    found = counterpart_of(mark)
    if found is None or (found.likeness < _ALIKE and not found.by_position):
        return None
    return Line(path=mark.comparison.after.path, number=found.number + 1, text=_text(found.line))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip()
