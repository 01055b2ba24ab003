"""Fates -> tally, verdict, dominant mechanism, area and vendors: the guide's arithmetic and nothing else."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tracker.classify.accounts import Accounts
from tracker.classify.judgement import Judgement, Tally
from tracker.ledger import Entry
from tracker.pairing import Fate, Pairing
from tracker.pairing.differences import Comparison
from tracker.sites import Area, Mechanism, Occurrence, Territory, Verdict

_DECOUPLING = (Mechanism.GENERALISED, Mechanism.BROADENED, Mechanism.RELOCATED)
_REMOVAL = (Mechanism.DROPPED, Mechanism.RETIRED)
_COUPLING = (Mechanism.INTRODUCED,)
_CHURN = (Mechanism.EDITED, Mechanism.MOVED)
_OWNED = frozenset(
    {
        Territory.VENDOR,
        Territory.VENDOR_TEST,
        Territory.INTERFACE,
        Territory.THIRD_PARTY,
        Territory.GENERATED,
    }
)


def decide(
    comparisons: Sequence[Comparison], pairing: Pairing, entries: tuple[Entry, ...], accounts: Accounts
) -> Judgement:
    """Return the judgement of one commit from what became of its sites."""
    sites = Counter(fate.mechanism for fate in pairing.fates if _counts(fate))
    counts = sites.copy()
    for exclusivity in pairing.exclusivities:
        counts[Mechanism.BROADENED if exclusivity.lost else Mechanism.INTRODUCED] += 1
    verdict = _verdict(counts, comparisons)
    judged = verdict in (Verdict.DECOUPLING, Verdict.REMOVAL, Verdict.COUPLING, Verdict.CHURN)
    vendors, areas = _where(pairing)
    return Judgement(
        verdict=verdict,
        mechanism=_mechanism(verdict, counts) if judged else None,
        area=areas[0] if judged and areas else None,
        vendors=vendors if judged else (),
        removed=sum(sites[mechanism] for mechanism in (*_DECOUPLING, *_REMOVAL)),
        added=sites[Mechanism.INTRODUCED],
        tally=Tally(**{mechanism.value: counts[mechanism] for mechanism in _TALLIED}),
        entries=entries,
        accounts=accounts,
    )


_TALLIED = (*_DECOUPLING, *_REMOVAL, *_COUPLING, *_CHURN)


def _counts(fate: Fate) -> bool:
    """Of a pair only the vanished half counts; a name brought by broadening counts with its place, not as a site.

    A symbol that stays in its file and only changes its construct is the same token for the reader.
    """
    if fate.mechanism is Mechanism.EDITED and fate.partner and fate.partner.site.symbol == fate.mark.site.symbol:
        return False
    if fate.mechanism in _CHURN:
        return fate.mark.gone
    return fate.mark.gone or fate.mechanism is Mechanism.INTRODUCED


def _verdict(counts: Counter[Mechanism], comparisons: Iterable[Comparison]) -> Verdict:
    decoupled, removed, added = (
        sum(counts[mechanism] for mechanism in mechanisms) for mechanisms in (_DECOUPLING, _REMOVAL, _COUPLING)
    )
    total = decoupled + removed + added
    for count, verdict in (
        (decoupled, Verdict.DECOUPLING),
        (removed, Verdict.REMOVAL),
        (added, Verdict.COUPLING),
    ):
        if count * 2 > total:
            return verdict
    if total or any(counts[mechanism] for mechanism in _CHURN):
        return Verdict.CHURN
    return _outside(comparisons)


def _outside(comparisons: Iterable[Comparison]) -> Verdict:
    """What a commit is that changes no neutral site."""
    changed = set[Territory]()
    for one in comparisons:
        if _symbols(one.lost) != _symbols(one.gained):
            for side, differing in ((one.before, one.lost), (one.after, one.gained)):
                changed |= side.territories(differing)
    if Territory.INFRASTRUCTURE in changed:
        return Verdict.INFRASTRUCTURE
    return Verdict.VENDOR_INTERNAL if changed & _OWNED else Verdict.NONE


def _symbols(occurrences: Iterable[Occurrence]) -> Counter[tuple[str, str]]:
    return Counter((one.site.vendor, one.site.symbol) for one in occurrences)


def _mechanism(verdict: Verdict, counts: Counter[Mechanism]) -> Mechanism:
    """The largest of the verdict's own mechanisms; of all where none has the majority."""
    own = {
        Verdict.DECOUPLING: _DECOUPLING,
        Verdict.REMOVAL: _REMOVAL,
        Verdict.COUPLING: _COUPLING,
    }.get(verdict, (*_DECOUPLING, *_REMOVAL, *_COUPLING))
    if not any(counts[mechanism] for mechanism in own):
        own = _CHURN
    return max(own, key=lambda mechanism: counts[mechanism])


def _where(pairing: Pairing) -> tuple[tuple[str, ...], list[Area]]:
    """Vendors and areas, dominant first; sites that moved or were edited decide only where nothing else does."""
    vendors: Counter[str] = Counter()
    areas: Counter[Area] = Counter()
    kept_vendors: Counter[str] = Counter()
    kept_areas: Counter[Area] = Counter()
    for fate in pairing.fates:
        if not _counts(fate):
            continue
        place = fate.mark.side.scanned.place if fate.mark.side.scanned else None
        kept = fate.mechanism in _CHURN
        (kept_vendors if kept else vendors)[fate.mark.site.vendor] += 1
        if place:
            (kept_areas if kept else areas)[place.area] += 1
    for exclusivity in pairing.exclusivities:
        vendors[exclusivity.vendor] += 1
        file = exclusivity.comparison.after.scanned
        if file:
            areas[file.place.area] += 1
    chosen = vendors or kept_vendors
    order = sorted(chosen, key=lambda vendor: (-chosen[vendor], -kept_vendors[vendor], vendor))
    where = areas or kept_areas
    return tuple(order), sorted(where, key=lambda area: (-where[area], -kept_areas[area], area))
