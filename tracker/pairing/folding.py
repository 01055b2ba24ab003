"""What many places became at once: variants folded into one definition, a list of names that is computed now."""

import re
from collections import defaultdict
from collections.abc import Sequence

from tracker.pairing.counterparts import successor_of
from tracker.pairing.definitions import Definition
from tracker.pairing.differences import Comparison
from tracker.pairing.gates import openers
from tracker.pairing.marks import Mark
from tracker.pairing.words import identifiers

_TELLING = 16
"""Signs of a line from which on it tells one body from another."""
_ASSIGNS = re.compile(rb"\s*(?:(?i:set|list)\s*\(\s*(?:APPEND\s+)?(\w+)|(\w+)\s*\+?=\s*[\[({])")
_COMPUTES = re.compile(
    rb"(?i)(?:OUTPUT_VARIABLE|GLOB(?:_RECURSE)?|\bset\s*\()\s+?\s*(\w+)|^\s*(\w+)\s*\+?=\s*[^\s\[({]"
)
_FEW = 2
_CLOSELY_COMPARED = 20_000
"""Product of helpers that are gone and definitions that are new up to which their bodies are compared."""


def folded_into(mark: Mark) -> Definition | None:
    """Return the definition into which this vanished site's one and other variants were folded; None where not.

    Variants are definitions that go together and share a helper, one of them at least for a vendor. The helper lives on
    as the body of a new definition that brings no vendor's name: what ran once for each vendor runs once for all.
    """
    definition = mark.definition
    if definition is None or successor_of(mark) is not None:
        return None
    comparison = mark.comparison
    if comparison.heirs is None:
        comparison.heirs = _find_heirs(comparison)
    return comparison.heirs.get(definition.name)


def computed_list(mark: Mark) -> str | None:
    """Return the name of a list that the vanished site was written in and that is computed now; None where none is."""
    side, place = mark.side, mark.place
    if place is None:
        return None
    opener = next(iter(openers(side, mark.number)), None)
    found = _ASSIGNS.match(side.at(opener)) if opener is not None else None
    if found is None or opener is None or mark.comparison.hunk_before(opener) is None:
        return None
    name = found[1] or found[2]
    for number in range(place.after_start, place.after_end):
        computes = _COMPUTES.search(mark.comparison.after.at(number))
        if computes and name in (computes[1], computes[2]) and mark.comparison.hunk_after(number) is not None:
            return name.decode(errors="replace")
    return None


def _find_heirs(comparison: Comparison) -> dict[str, Definition]:
    """By the name of a variant that is gone: the new definition that holds the body of what it called."""
    before, after = comparison.before, comparison.after
    gone = [one for one in before.definitions.all if one.own_name not in after.definitions.own_names]
    new = [one for one in after.definitions.all if one.own_name not in before.definitions.own_names]
    if len(gone) <= _FEW or not new:
        return {}
    names = {one.own_name.encode() for one in gone}
    callers: dict[bytes, list[Definition]] = defaultdict(list)
    for one in gone:
        called = {name for line in before.lines[one.heading + 1 : one.end] for name in identifiers(line)}
        for name in called & names - {one.own_name.encode()}:
            callers[name].append(one)
    helpers = [one for one in gone if _is_shared_by_variants(comparison, callers[one.own_name.encode()])]
    if len(helpers) * len(new) > _CLOSELY_COMPARED:
        return {}
    bodies = [(one, _telling(after.lines, one)) for one in new if not _serves_a_vendor(comparison, one)]
    heirs: dict[str, Definition] = {}
    for helper in helpers:
        said = _telling(before.lines, helper)
        heir = next((one for one, body in bodies if said and len(said & body) * 2 >= len(said)), None)
        if heir is not None:
            heirs.update((caller.name, heir) for caller in callers[helper.own_name.encode()])
    return heirs


def _is_shared_by_variants(comparison: Comparison, callers: Sequence[Definition]) -> bool:
    """Whether several call it, of which one is a vendor's by its name, decorators or parameters."""
    headings = (number for one in callers for number in range(one.first, one.heading + 1))
    return len(callers) >= _FEW and any(one.site.vendor for number in headings for one in comparison.before.on(number))


def _serves_a_vendor(comparison: Comparison, definition: Definition) -> bool:
    """Whether a new definition brings a vendor's name, or a line calls it that holds one."""
    after = comparison.after
    numbers = (after.number(one) for one in comparison.gained)
    if any(definition.first <= number < definition.end for number in numbers):
        return True
    call = definition.own_name.encode() + b"("
    return any(call in after.line(one) for one in after.sites)


def _telling(lines: Sequence[bytes], definition: Definition) -> frozenset[bytes]:
    body = (line.strip() for line in lines[definition.heading + 1 : definition.end])
    return frozenset(line for line in body if len(line) >= _TELLING)
