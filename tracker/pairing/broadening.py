"""New names of other vendors in a list, condition, decorator or literal that admitted fewer before.

They are not counted as added; the place counts once as broadened. A new branch for a vendor, its name on an import
line, and its name in a list of what is kept out are not broadening.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from tracker.pairing.differences import Comparison
from tracker.pairing.gates import body_leaves, is_import, is_skip, opens_branch
from tracker.pairing.marks import Exclusivity, Mark
from tracker.pairing.words import likeness
from tracker.sites import Occurrence

FROM_OUTSIDE = "neutral.private-use"
"""The rule of the device type that any vendor outside the tree registers itself under."""
_LET_IN = "vendors from outside the tree are now admitted beside it"
_SHUT_OUT = "vendors from outside the tree are no longer admitted beside it"
_LIKE = 0.4
_JOINED = re.compile(rb"\bor\b|\|\||,|\bin\b|\|")
_APART = re.compile(rb"(?<![=!<>])=(?!=)|\bif\b|\belse\b|\?|(?<!:):(?!:)|\bnot\s+in\b")
"""An assignment, a ternary, another condition."""
_AND = re.compile(rb"\band\b|&&")
_REFUSED = re.compile(rb"\bnot\b|!")
_TERNARY = re.compile(rb"\bif\b.*\belse\b|\?.*:")
_ASSIGNED = re.compile(rb"\s*(\w+)\s*=(?!=)")
_ITEM = re.compile(rb"\s*[\"']?[\w.:]+[\"']?\s*,?\s*(?:#.*)?$")
_CONTINUED = re.compile(rb"\s*(?:or\b|\|\|)|.*(?:\bor|\|\|)\s*\\?$")
_NEGATED = re.compile(rb"\bnot\b|!")


def opened_or_closed(comparisons: Iterable[Comparison]) -> Iterator[Exclusivity]:
    """Yield places of a vendor that admit vendors from outside the tree now, or no longer, while their sites stay.

    The device type that those register under is no vendor's, so that the multisets of sites do not say it.
    """
    for one in comparisons:
        if not (one.before.is_neutral and one.after.is_neutral and one.before.has_text and one.after.has_text):
            continue
        for gone, constructs in zip((True, False), one.neutral_constructs, strict=True):
            marks = (Mark(one, each, gone=gone) for each in constructs if each.site.rule == FROM_OUTSIDE)
            for mark in (mark for mark in marks if mark.side.is_neutral_at(mark.occurrence)):
                vendor = _left_alone(mark) if gone else _admitted_beside(mark)
                if vendor:
                    reason = _SHUT_OUT if gone else _LET_IN
                    yield Exclusivity(comparison=one, vendor=vendor, lost=not gone, mark=mark, reason=reason)


def _left_alone(mark: Mark) -> str | None:
    """The vendor that stands alone on the line that a vanished name shared with it."""
    comparison, place = mark.comparison, mark.place
    if place is None or _TERNARY.search(mark.line) or not _JOINED.search(mark.line) or is_skip(mark.line):
        return None
    for number in range(place.after_start, place.after_end):
        found = comparison.after.on(number)
        alike = likeness(mark.line, comparison.after.at(number)) >= _LIKE
        if alike and not any(one.site.rule == FROM_OUTSIDE for one in found):
            stand = {one.site.vendor for one in found}
            return next((one for one in _other_vendors(mark, mark.side.on(mark.number)) if one in stand), None)
    return None


def broadened(gained: Sequence[Mark]) -> tuple[list[Mark], list[Exclusivity]]:
    """Return the new sites that broadening brought, and one lost exclusivity for each place."""
    brought: list[Mark] = []
    lost: dict[tuple[int, int, str], Exclusivity] = {}
    for mark in gained:
        vendor = _admitted_beside(mark)
        if vendor:
            brought.append(mark)
            place = mark.place
            key = (mark.comparison.number, place.after_start if place else mark.number, vendor)
            reason = "another vendor is admitted beside it"
            found = Exclusivity(comparison=mark.comparison, vendor=vendor, lost=True, mark=mark, reason=reason)
            lost.setdefault(key, found)
    return brought + list(_prepared(gained, brought)), list(lost.values())


def _prepared(gained: Sequence[Mark], brought: Sequence[Mark]) -> Iterator[Mark]:
    """Yield new sites that only prepare what broadening brought: the import of a name, the line that assigns it."""
    taken = {id(mark) for mark in brought}
    admitted = {(mark.comparison.number, mark.site.symbol) for mark in brought}
    if not admitted:
        return
    rest = [mark for mark in gained if id(mark) not in taken]
    for mark in rest:
        number, line = mark.comparison.number, mark.line
        assigned = _ASSIGNED.match(line)
        name = assigned[1].decode() if assigned else mark.site.symbol.rpartition(".")[2]
        if (number, name) not in admitted or not (assigned or is_import(mark.side, mark.number)):
            continue
        if any(_uses(other, mark, name) for other in rest):
            continue
        yield mark


def _uses(other: Mark, mark: Mark, name: str) -> bool:
    """Whether another new site that nothing admits is that name, elsewhere in the file."""
    return (
        other.comparison.number == mark.comparison.number and other.number != mark.number and other.site.symbol == name
    )


def _admitted_beside(mark: Mark) -> str | None:
    """The vendor whose place a new site now shares; None where it does not."""
    after, number = mark.side, mark.number
    if not after.has_text or not mark.comparison.before.has_text or is_import(after, number):
        return None
    line = mark.line
    if is_skip(line) and not _NEGATED.search(line):
        return None
    if opens_branch(line) and body_leaves(after, number) and not _NEGATED.search(line):
        return None
    return _on_its_line(mark, line) or _in_its_list(mark)


def _on_its_line(mark: Mark, line: bytes) -> str | None:
    """Another vendor's site that this one is joined to, and that stood on the line that this one was."""
    comparison, place = mark.comparison, mark.place
    if place is None:
        return None
    others = [one.site.vendor for one in comparison.after.on(mark.number) if _are_joined(mark, one, line)]
    for old in range(place.before_start, place.before_end):
        text = comparison.before.at(old)
        if comparison.hunk_before(old) is None or likeness(text, line) < _LIKE:
            continue
        if opens_branch(line) and not opens_branch(text):
            continue
        stood = {one.site.vendor for one in comparison.before.on(old)}
        shared = [vendor for vendor in others if vendor in stood]
        if shared and mark.site.vendor not in stood:
            return shared[0]
    return None


def _are_joined(mark: Mark, other: Occurrence, line: bytes) -> bool:
    """Whether what stands between two vendors' names on one line makes them alternatives: a comma, an `or`.

    Two that are both refused (`not a and not b`) are alternatives as well; what stands behind `not in` or under another
    condition is not.
    """
    if not other.site.vendor or other.site.vendor == mark.site.vendor:
        return False
    (_, first_end), (second, second_end) = sorted([mark.side.columns(mark.occurrence), mark.side.columns(other)])
    between = line[first_end:second]
    if _APART.search(between):
        return False
    if not _AND.search(between):
        return bool(_JOINED.search(between))
    return all(_REFUSED.search(part) for part in (_AND.split(line[:first_end])[-1], _AND.split(line[:second_end])[-1]))


def _in_its_list(mark: Mark) -> str | None:
    """Another vendor's site on a neighbouring unchanged line of the same list or condition."""
    line = mark.line
    if not _ITEM.match(line) and not _CONTINUED.match(line):
        return None
    comparison = mark.comparison
    for step in (-1, 1):
        near = mark.number + step
        text = comparison.after.at(near)
        if not text.strip() or comparison.hunk_after(near) is not None:
            continue
        alike = _ITEM.match(text) if _ITEM.match(line) else _CONTINUED.match(line) or _CONTINUED.match(text)
        others = _other_vendors(mark, comparison.after.on(near))
        if alike and others:
            return others[0]
    return None


def _other_vendors(mark: Mark, occurrences: Iterable[Occurrence]) -> list[str]:
    found = (one.site.vendor for one in occurrences)
    return [vendor for vendor in found if vendor and vendor != mark.site.vendor]
