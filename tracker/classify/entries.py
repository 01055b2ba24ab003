"""Comparisons and fates -> ledger entries: the balance before plus the entries is the balance after, path by path.

A renamed file leaves its old path and enters its new one with everything it holds; what it keeps counts as moved and
nowhere else.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tracker.ledger import Entry
from tracker.pairing import Fate
from tracker.pairing.changes import ScannedFile
from tracker.pairing.differences import Comparison
from tracker.sites import Construct, Mechanism, Occurrence, Site, Territory

Key = tuple[str, Site, str, Mechanism, int]
"""Path, site, the region's territory (empty: the path's), mechanism, sign."""
Judged = dict[tuple[int, bool, int], Fate]
"""Fates by the change's number, whether the site is gone, and where its occurrence begins."""


def entries_of(comparisons: Sequence[Comparison], fates: Iterable[Fate]) -> tuple[Entry, ...]:
    """Return one entry per path, site, territory, mechanism and sign, in that order."""
    judged: Judged = {(fate.mark.comparison.number, fate.mark.gone, fate.mark.occurrence.start): fate for fate in fates}
    files: dict[str, ScannedFile] = {}
    groups: dict[Key, list[tuple[Occurrence, Fate | None]]] = defaultdict(list)
    for comparison in comparisons:
        for gone, file in ((True, comparison.before.scanned), (False, comparison.after.scanned)):
            if file is None:
                continue
            for occurrence, mechanism, fate in _postings(comparison, file, judged, gone=gone):
                files[file.path] = file
                region = file.region_of(occurrence) if file.regions else None
                groups[file.path, occurrence.site, region or "", mechanism, -1 if gone else 1].append(
                    (occurrence, fate)
                )
    return tuple(_entry(key, files[key[0]], groups[key]) for key in sorted(groups))


def opening_entries(file: ScannedFile) -> Iterator[Entry]:
    """Yield what stands in a file of the tree with which a ledger begins, by site and region."""
    lines: dict[tuple[Site, str], list[int]] = {}
    for occurrence in file.occurrences:
        region = (file.region_of(occurrence) if file.regions else None) or ""
        lines.setdefault((occurrence.site, region), []).append(occurrence.line)
    for site, region in sorted(lines):
        standing = lines[site, region]
        yield Entry(
            path=file.path,
            place=file.place,
            site=site,
            delta=len(standing),
            mechanism=Mechanism.BASELINE,
            lines=tuple(standing),
            region=Territory(region) if region else None,
        )


def _postings(
    comparison: Comparison, file: ScannedFile, judged: Judged, *, gone: bool
) -> Iterator[tuple[Occurrence, Mechanism, Fate | None]]:
    """Yield what leaves or enters one side's path."""
    sites = comparison.lost if gone else comparison.gained
    constructs = comparison.neutral_constructs[0 if gone else 1]
    for one in (*sites, *constructs):
        fate = judged.get((comparison.number, gone, one.start))
        yield one, fate.mechanism if fate else Mechanism.OUTSIDE, fate
    if comparison.change.renamed:
        differing = {one.start for one in (*sites, *constructs)}
        for one in file.occurrences:
            if one.start not in differing:
                yield one, _carried(one, file), None


def _carried(occurrence: Occurrence, file: ScannedFile) -> Mechanism:
    """What a renamed file keeps moves with it; outside neutral territory nothing is judged."""
    if file.territory_of(occurrence) is Territory.NEUTRAL and occurrence.site.construct is not Construct.NEUTRAL:
        return Mechanism.MOVED
    return Mechanism.OUTSIDE


def _entry(key: Key, file: ScannedFile, postings: list[tuple[Occurrence, Fate | None]]) -> Entry:
    path, site, region, mechanism, sign = key
    replacements = Counter(fate.replaced_by for _, fate in postings if fate and fate.mark.gone and fate.replaced_by)
    return Entry(
        path=path,
        place=file.place,
        site=site,
        delta=sign * len(postings),
        mechanism=mechanism,
        lines=tuple(sorted(occurrence.line for occurrence, _ in postings)),
        replaced_by=replacements.most_common(1)[0][0] if replacements else None,
        region=Territory(region) if region else None,
    )
