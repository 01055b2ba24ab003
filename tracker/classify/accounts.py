"""Why each neutral site of a commit was judged as it was: its line, what took its place, the reason in words.

Nothing is judged here: an account says of each fate what judging it has found.
"""

from dataclasses import dataclass

from tracker.classify.quoting import Line, Span, quote, quote_at
from tracker.pairing import Exclusivity, Fate, Mark, Pairing
from tracker.pairing.counterparts import counterpart_of, predecessor_of
from tracker.pairing.lines import Counterpart
from tracker.pairing.sides import Side
from tracker.sites import Mechanism, Site

ACCOUNTS_KEPT = 2_000
"""Accounts of one commit that are kept; how many more there were is kept too."""
_ALIKE = 0.3
"""How alike a line must be to be shown as what a vanished one became."""
_CHURN = frozenset({Mechanism.MOVED, Mechanism.EDITED})


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAccount:
    """What became of one neutral site, and why that is said."""

    site: Site
    gone: bool
    line: Line
    """Where it stands, or stood."""
    opposite: Line | None
    """On the other side of the change: the line it was paired with, or the likest one added in its place or, of a new
    site, deleted there."""
    mechanism: Mechanism
    reason: str
    about: str | None
    """The definition that the reason speaks of, where it speaks of one."""
    replaced_by: str | None

    @property
    def why(self) -> str:
        """The reason, with the definition it speaks of."""
        return f"{self.reason}: {self.about}" if self.about else self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusivityAccount:
    """A place that admits more vendors than before, or fewer, while its site stays; it counts as one site."""

    vendor: str
    """Whose place it was, or is now."""
    lost: bool
    """Counts as broadened; else as introduced."""
    site: Site
    """What shows it: the name that is new beside the vendor's, or gone from beside it."""
    line: Line
    opposite: Line | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """Everything behind one commit's tally, as far as it is kept."""

    sites: tuple[SiteAccount, ...] = ()
    """By path and line, gone ones first; of a pair only the half that is gone."""
    exclusivities: tuple[ExclusivityAccount, ...] = ()
    left_out: int = 0
    """How many more there were than are kept."""


def accounts_of(pairing: Pairing, at_most: int | None = ACCOUNTS_KEPT) -> Accounts:
    """Return why the sites of one commit are judged as they are; what the verdict counts goes before what it does not.

    Args:
        at_most: how many accounts are made; None: all.
    """
    fates = [fate for fate in pairing.fates if fate.partner is None or fate.mark.gone]
    exclusivities = pairing.exclusivities
    wanted = len(fates) + len(exclusivities)
    if at_most is not None and wanted > at_most:
        exclusivities = exclusivities[:at_most]
        fates = sorted(fates, key=lambda fate: (fate.mechanism in _CHURN, *_order(fate)))[
            : at_most - len(exclusivities)
        ]
    return Accounts(
        sites=tuple(_site_account(fate) for fate in sorted(fates, key=_order)),
        exclusivities=tuple(_exclusivity_account(one) for one in exclusivities),
        left_out=wanted - len(fates) - len(exclusivities),
    )


def _order(fate: Fate) -> tuple[str, bool, int, int]:
    mark = fate.mark
    return mark.side.path, not mark.gone, mark.occurrence.line, mark.occurrence.start


def _site_account(fate: Fate) -> SiteAccount:
    return SiteAccount(
        site=fate.mark.site,
        gone=fate.mark.gone,
        line=_line(fate.mark),
        opposite=_line(fate.partner) if fate.partner is not None else _opposite(fate.mark, fate.replaced_by),
        mechanism=fate.mechanism,
        reason=fate.reason,
        about=fate.about,
        replaced_by=fate.replaced_by,
    )


def _exclusivity_account(one: Exclusivity) -> ExclusivityAccount:
    return ExclusivityAccount(
        vendor=one.vendor,
        lost=one.lost,
        site=one.mark.site,
        line=_line(one.mark),
        opposite=_opposite(one.mark, None),
        reason=one.reason,
    )


def _line(mark: Mark) -> Line:
    side, occurrence = mark.side, mark.occurrence
    if side.has_text:
        return quote(side.path, occurrence.line, side.line(occurrence), side.columns(occurrence))
    content = side.scanned.quotable if side.scanned else None
    if content is None:
        return Line(path=side.path, number=occurrence.line, text="")
    return quote_at(side.path, occurrence.line, content, (occurrence.start, occurrence.end))


def _opposite(mark: Mark, replaced_by: str | None) -> Line | None:
    """The line that took the place of a vanished site's line, or whose place a new site's line took."""
    if mark.place is None:
        return None
    found = counterpart_of(mark) if mark.gone else predecessor_of(mark)
    if found is None or (found.likeness < _ALIKE and not found.by_position):
        return None
    other = mark.comparison.after if mark.gone else mark.comparison.before
    return _quote_counterpart(other, found, replaced_by)


def _quote_counterpart(side: Side, found: Counterpart, replaced_by: str | None) -> Line:
    return quote(side.path, found.number + 1, found.line, _span_of(found.line, replaced_by))


def _span_of(line: bytes, symbol: str | None) -> Span | None:
    if not symbol:
        return None
    word = symbol.encode("utf-8", "replace")
    start = line.find(word)
    return (start, start + len(word)) if start >= 0 else None
