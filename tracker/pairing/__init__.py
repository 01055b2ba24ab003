"""One commit's file changes -> what became of each neutral site that is gone or new.

In this order: moved to another file, edited in its file, admitted by broadening; then each site that is left is looked
at in its place (`tracker.pairing.evidence`). Territories other than neutral are not judged here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tracker.pairing.broadening import FROM_OUTSIDE, broadened, opened_or_closed
from tracker.pairing.changes import ScannedChange, ScannedFile, needs_quotes
from tracker.pairing.context import CommitContext
from tracker.pairing.differences import Comparison
from tracker.pairing.evidence import finding_at_a_glance, finding_for
from tracker.pairing.gates import governs_imports_only, is_import
from tracker.pairing.marks import Exclusivity, Fate, Finding, Mark
from tracker.pairing.moves import Pair, edited_pairs, moved_pairs
from tracker.pairing.regions import fates_across_regions, neutral_marks
from tracker.pairing.vendors import names_further_vendors
from tracker.ruleset import Ruleset
from tracker.sites import Mechanism, Territory

__all__ = [
    "Exclusivity",
    "Fate",
    "Mark",
    "Pairing",
    "ScannedChange",
    "ScannedFile",
    "needs_quotes",
    "needs_text",
    "pair",
]

_OWNED = frozenset({Territory.VENDOR, Territory.VENDOR_TEST, Territory.INTERFACE, Territory.THIRD_PARTY})
_CLOSELY_JUDGED = 5_000
"""Vanished sites of one commit up to which each is looked at in its place."""
_WEAK = frozenset({Mechanism.DROPPED, Mechanism.RETIRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """What became of the neutral sites of one commit."""

    fates: tuple[Fate, ...]
    exclusivities: tuple[Exclusivity, ...]


def needs_text(change: ScannedChange) -> bool:
    """Whether judging a change may need its two texts: neutral sites differ, or who is admitted beside them."""
    before, after = change.before, change.after
    if before is None or after is None:
        return False
    if Territory.NEUTRAL not in (before.place.territory, after.place.territory):
        return False
    regions = bool(before.regions or after.regions)
    old, new = (
        Counter((one.site, file.region_of(one)) if regions else one.site for one in file.occurrences if one.site.vendor)
        for file in (before, after)
    )
    if not old or old != new:
        return bool(old)
    outside = (sum(one.site.rule == FROM_OUTSIDE for one in side.occurrences) for side in (before, after))
    return len(set(outside)) > 1


def pair(comparisons: Sequence[Comparison], ruleset: Ruleset) -> Pairing:
    """Return the fate of every neutral site that differs, and the exclusivities that changed without one."""
    staying = [one for one in comparisons if not one.crosses]
    gone = [mark for one in staying for mark in neutral_marks(one, gone=True)]
    new = [mark for one in staying for mark in neutral_marks(one, gone=False)]
    fates: list[Fate] = [fate for one in comparisons if one.crosses for fate in _crossing(one)]
    across = fates_across_regions(staying, gone, new)
    fates += across
    across_ids = {id(fate.mark) for fate in across}
    gone, new = ([mark for mark in marks if id(mark) not in across_ids] for marks in (gone, new))
    moved = moved_pairs(gone, new)
    fates += _paired(moved, Mechanism.MOVED, "stands in another file")
    gone, new = _rest(gone, new, moved)
    renamed = edited_pairs(gone, new)
    widened = [two for two in renamed if names_further_vendors(two[0].site.symbol, two[1].site.symbol, ruleset)]
    widened_ids = {id(mark) for two in widened for mark in two}
    edited = [two for two in renamed if id(two[0]) not in widened_ids]
    fates += _paired(edited, Mechanism.EDITED, "renamed in its file")
    fates += _paired(widened, Mechanism.BROADENED, "its new name admits further vendors")
    gone, new = _rest(gone, new, renamed)
    admitted, exclusivities = broadened(new)
    exclusivities += opened_or_closed(comparisons)
    fates += [_fate(mark, Finding(Mechanism.BROADENED, "admitted beside another vendor")) for mark in admitted]
    taken = {id(mark) for mark in admitted}
    fates += [_fate(mark, Finding(Mechanism.INTRODUCED, "new")) for mark in new if id(mark) not in taken]
    context = CommitContext(comparisons, ruleset, [old for old, _ in moved])
    fates += _vanished(gone, comparisons, context)
    return Pairing(fates=tuple(_with_who_was_let_in(fates, new)), exclusivities=tuple(exclusivities))


def _with_who_was_let_in(fates: Iterable[Fate], new: Iterable[Mark]) -> Iterator[Fate]:
    """Say of each vanished exclusivity which vendors were let in, where its place names them now."""
    named: dict[int, set[str]] = defaultdict(set)
    for mark in new:
        if mark.place is not None:
            named[id(mark.place)].add(mark.site.vendor)
    for fate in fates:
        others = named[id(fate.mark.place)] - {fate.mark.site.vendor} if fate.mark.gone else set[str]()
        if others and fate.mechanism is Mechanism.BROADENED and fate.replaced_by is None:
            yield replace(fate, replaced_by=", ".join(sorted(others)))
        else:
            yield fate


def _crossing(comparison: Comparison) -> list[Fate]:
    """A file renamed out of neutral territory or into it, judged as a whole."""
    away = comparison.before.is_neutral
    other = (comparison.after if away else comparison.before).scanned
    if other is None or other.place.territory not in _OWNED:
        finding = Finding(Mechanism.MOVED, "its file was renamed")
    elif away:
        finding = Finding(Mechanism.RELOCATED, "its file was renamed into a vendor's territory")
    else:
        finding = Finding(Mechanism.INTRODUCED, "its file was renamed out of a vendor's territory")
    return [_fate(mark, finding) for mark in neutral_marks(comparison, gone=away)]


def _rest(gone: Iterable[Mark], new: Iterable[Mark], pairs: Iterable[Pair]) -> tuple[list[Mark], list[Mark]]:
    taken = {id(mark) for two in pairs for mark in two}
    return [mark for mark in gone if id(mark) not in taken], [mark for mark in new if id(mark) not in taken]


def _paired(pairs: Iterable[Pair], mechanism: Mechanism, reason: str) -> list[Fate]:
    return [
        Fate(mark=mark, mechanism=mechanism, reason=reason, replaced_by=other.site.symbol, partner=other)
        for two in pairs
        for mark, other in (two, two[::-1])
    ]


def _fate(mark: Mark, finding: Finding) -> Fate:
    return Fate(
        mark=mark,
        mechanism=finding.mechanism,
        reason=finding.reason,
        replaced_by=finding.replaced_by,
        about=finding.about,
    )


def _vanished(gone: Sequence[Mark], comparisons: Sequence[Comparison], context: CommitContext) -> list[Fate]:
    """Look at each vanished site in its place; then relocations; imports follow the uses of what they import."""
    imports = [mark for mark in gone if _only_imports(mark)]
    import_ids = {id(mark) for mark in imports}
    uses = [mark for mark in gone if id(mark) not in import_ids]
    closely = sum(mark.comparison.after.has_text for mark in uses) <= _CLOSELY_JUDGED
    fates = [_fate(mark, finding_for(mark, context) if closely else finding_at_a_glance(mark)) for mark in uses]
    fates = _in_company(_relocated(fates, comparisons))
    by_file: dict[int, list[Fate]] = defaultdict(list)
    for fate in fates:
        by_file[fate.mark.comparison.number].append(fate)
    return fates + [_follow(mark, by_file[mark.comparison.number]) for mark in imports]


def _relocated(fates: Sequence[Fate], comparisons: Sequence[Comparison]) -> list[Fate]:
    """Turn what is merely gone into relocated where its symbol is new in a vendor's territory or an interface.

    Most symbols of one place or definition must be new there: a single `"cuda"` is new in many places by chance.
    """
    there: Counter[tuple[str, str]] = Counter()
    for one in comparisons:
        if file := one.after.scanned:
            owned = (gained for gained in one.gained if file.territory_of(gained) in _OWNED)
            there.update((gained.site.vendor, gained.site.symbol) for gained in owned)
    if not there:
        return list(fates)
    groups: dict[tuple[int, str], list[Fate]] = defaultdict(list)
    for fate in fates:
        if fate.mechanism in _WEAK:
            groups[fate.mark.comparison.number, _whereabouts(fate.mark)].append(fate)
    found: set[int] = set()
    for group in groups.values():
        wanted = Counter((fate.mark.site.vendor, fate.mark.site.symbol) for fate in group)
        if (wanted & there).total() * 2 >= len(group):
            for fate in group:
                key = (fate.mark.site.vendor, fate.mark.site.symbol)
                if there[key] > 0:
                    there[key] -= 1
                    found.add(id(fate))
    reason = "stands in a vendor's territory now"
    return [
        Fate(mark=fate.mark, mechanism=Mechanism.RELOCATED, reason=reason) if id(fate) in found else fate
        for fate in fates
    ]


def _whereabouts(mark: Mark) -> str:
    definition = mark.definition
    return definition.name if definition else ""


def _in_company(fates: Sequence[Fate]) -> list[Fate]:
    """In one place of one definition, sites that are merely gone follow what became of at least as many others.

    They also follow the name of the definition they stand in where its uses went with it: what replaced those does
    what it did.
    """
    groups: dict[tuple[int, str], list[Fate]] = defaultdict(list)
    for fate in fates:
        if fate.mark.place:
            groups[id(fate.mark.place), _whereabouts(fate.mark)].append(fate)
    uses = Counter((fate.mark.site, fate.mechanism) for fate in fates)
    followed: dict[int, Fate] = {}
    for group in groups.values():
        strong = [fate for fate in group if fate.mechanism not in _WEAK]
        named = [
            fate for fate in strong if _names_its_definition(fate.mark) and uses[fate.mark.site, fate.mechanism] > 1
        ]
        if len(strong) * 2 < len(group) and not named:
            continue
        strong = named or strong
        if not strong:
            continue
        mechanism = Counter(fate.mechanism for fate in strong).most_common(1)[0][0]
        finding = Finding(mechanism, "as what stood beside it", strong[0].replaced_by)
        followed.update((id(fate), _fate(fate.mark, finding)) for fate in group if fate.mechanism in _WEAK)
    return [followed.get(id(fate), fate) for fate in fates]


def _names_its_definition(mark: Mark) -> bool:
    definition = mark.definition
    return definition is not None and definition.heading == mark.number and definition.own_name == mark.site.symbol


def _only_imports(mark: Mark) -> bool:
    return is_import(mark.side, mark.number) or governs_imports_only(mark.side, mark.number)


def _follow(mark: Mark, fates: Sequence[Fate]) -> Fate:
    """Give an import what became of most uses of its name among its file's fates; an unused one is dropped.

    An include names no symbol: it follows all of its file.
    """
    here = list(fates)
    if not mark.line.lstrip().startswith(b"#"):
        name = mark.site.symbol.replace("::", ".").rpartition(".")[2]
        here = [fate for fate in here if name in fate.mark.site.symbol]
    votes = Counter(fate.mechanism for fate in here)
    if votes:
        return _fate(mark, Finding(votes.most_common(1)[0][0], "imported for what became so"))
    if not mark.comparison.after.has_text:
        return _fate(mark, Finding(Mechanism.RETIRED, "its file is gone"))
    return _fate(mark, Finding(Mechanism.DROPPED, "an import that nothing used"))
