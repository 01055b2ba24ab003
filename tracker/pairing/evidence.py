"""Why a vanished neutral site is gone: what stands in its place, what its line was for, what its definition became.

The questions are asked from the surest to the weakest; each answer carries its reason.
"""

import re
from collections.abc import Iterable

from tracker.pairing.callees import called_instead, is_called, names_it_too
from tracker.pairing.context import CommitContext
from tracker.pairing.counterparts import counterpart_of, successor_of
from tracker.pairing.folding import computed_list, folded_into
from tracker.pairing.gates import (
    head_of,
    is_check,
    is_condition,
    is_decorator,
    is_exception,
    is_gate,
    is_skip,
    opens_branch,
)
from tracker.pairing.lifting import gate_lifted, kept_to_the_processor
from tracker.pairing.lines import Counterpart
from tracker.pairing.marks import Finding, Mark
from tracker.pairing.neutral_words import (
    names_neutral,
    names_something,
    neutral_words,
)
from tracker.pairing.words import alphabetic_words, identifiers, replaced_part
from tracker.sites import Construct, Mechanism, Site

_LIKE = 0.5
_BARELY_LIKE = 0.3
_SMALL_PLACE = 40
"""Deleted lines up to which a neutral word anywhere in the added lines is taken for the replacement."""
_RECEIVER = re.compile(rb"(?:\([^()]*\))?\s*(?:\.|->|::)\s*(\w+)")
_INDEX = re.compile(rb"\d+|\w*(?:index|rank|idx|id)\w*")


def finding_at_a_glance(mark: Mark) -> Finding:
    """Return what became of a vanished site among very many: only whether its file and its definition live on."""
    if not mark.comparison.after.has_text:
        return Finding(Mechanism.RETIRED, "its file is gone")
    definition = mark.definition
    if definition is None or definition.name in mark.comparison.after.definitions.names:
        return Finding(Mechanism.DROPPED, "deleted where its surroundings stay")
    return Finding(Mechanism.RETIRED, "gone with its definition", about=definition.name)


def finding_for(mark: Mark, context: CommitContext) -> Finding:
    """Return what became of a vanished site that is neither moved nor edited."""
    if not mark.comparison.after.has_text:
        return Finding(Mechanism.RETIRED, "its file is gone")
    if mark.place is None:
        return Finding(Mechanism.DROPPED, "it is gone although its line is not")
    renamed = context.ruleset.renamed_to(mark.site.symbol)
    if renamed and renamed in mark.comparison.new_neutral_names:
        return Finding(Mechanism.EDITED, "a new name that means the same", renamed)
    counterpart = counterpart_of(mark)
    if counterpart is not None and counterpart.likeness < _BARELY_LIKE and not _alike_by_position(mark, counterpart):
        counterpart = None
    return (
        kept_to_the_processor(mark)
        or _replaced(mark, counterpart)
        or _copy_folded(mark, counterpart)
        or _term_removed(mark, counterpart)
        or gate_lifted(mark, counterpart)
        or _replaced_near_by(mark, context)
        or _parameter_instead(mark)
        or _gone_with_its_definition(mark, context)
    )


def _alike_by_position(mark: Mark, counterpart: Counterpart) -> bool:
    """Whether a decorator stands where a decorator stood, or a condition where a condition stood."""
    if not counterpart.by_position:
        return False
    return any(kind(mark.line) and kind(counterpart.line) for kind in (is_decorator, opens_branch))


def _replaced(mark: Mark, counterpart: Counterpart | None) -> Finding | None:
    """What the likest added line holds where the site stood."""
    if counterpart is None:
        return None
    start, end = mark.side.columns(mark.occurrence)
    part = replaced_part(mark.line, start, end, counterpart.line)
    if part is None or _holds_vendor(mark, counterpart, part):
        return None
    text = counterpart.line[part[0] : part[1]]
    neutral = _neutral_construct(mark, counterpart, part) or names_neutral(text)
    if neutral:
        return Finding(Mechanism.GENERALISED, "a neutral name stands in its place", neutral)
    if counterpart.likeness < _LIKE:
        return None
    if text.strip(b" ()[],\"'") == b"cpu":
        return Finding(Mechanism.DROPPED, "the processor is named in its place", "cpu")
    return _named_otherwise(mark, text)


def _named_otherwise(mark: Mark, text: bytes) -> Finding | None:
    text = _without_aliases(text, mark.comparison.after.vendor_aliases)
    known = set(identifiers(mark.line))
    names = [name for name in identifiers(text) if names_something(name)]
    names = [name for name in names if name not in known] or names
    if b"cpu" in text.lower() and re.search(rb"!|\bnot\b", text):
        return Finding(Mechanism.GENERALISED, "asked whether it is the processor instead", "cpu")
    if names and names != [b"cpu"] and is_exception(mark.site.symbol):
        return Finding(Mechanism.BROADENED, "an exception for it is lifted", names[0].decode())
    if names and is_called(names[0], text) and names_it_too(mark, names[0]):
        return Finding(Mechanism.DROPPED, "a function that names it as well is called", about=names[0].decode())
    if names and names != [b"cpu"] and not _names_another_thing(mark.site, text):
        return Finding(Mechanism.GENERALISED, "a name without a vendor stands in its place", names[0].decode())
    if mark.site.construct is Construct.LITERAL and _INDEX.fullmatch(text.strip(b" ()[],\"'")):
        return Finding(Mechanism.GENERALISED, "an index without a vendor stands in its place")
    return None


def _names_another_thing(site: Site, text: bytes) -> bool:
    """Whether a text that named one thing of a vendor's was replaced by one that shares no word with it.

    `"aten::cudnn_convolution"` before `"aten::gelu"`: another row of a list. A vendor's bare name says nothing more.
    """
    if site.construct is not Construct.LITERAL:
        return False
    said = set(alphabetic_words(site.symbol.rpartition("::")[2].encode()))
    return len(said) > 1 and not said & set(alphabetic_words(text))


def _without_aliases(text: bytes, aliases: Iterable[bytes]) -> bytes:
    """Return code without paths that begin with a name given to a vendor's module."""
    for alias in aliases:
        text = re.sub(rb"(?<![\w.])" + re.escape(alias) + rb"\b[\w.]*", b"", text)
    return text


def _neutral_construct(mark: Mark, counterpart: Counterpart, part: tuple[int, int]) -> str | None:
    """The neutral construct that stands in the part that replaced the vanished site."""
    after = mark.comparison.after
    for one in after.on(counterpart.number):
        start, end = after.columns(one)
        if one.site.construct is Construct.NEUTRAL and start < part[1] and end > part[0]:
            return one.site.symbol
    return None


def _holds_vendor(mark: Mark, counterpart: Counterpart, part: tuple[int, int]) -> bool:
    """Whether a vendor's site stands in the part that replaced the vanished one."""
    after = mark.comparison.after
    for one in after.on(counterpart.number):
        start, end = after.columns(one)
        if one.site.vendor and start < part[1] and end > part[0]:
            return True
    return False


def _copy_folded(mark: Mark, counterpart: Counterpart | None) -> Finding | None:
    """The line most like its own holds its symbol as often as its own did: of several copies fewer are left."""
    if counterpart is None or counterpart.likeness < _LIKE:
        return None
    here = sum(one.site.symbol == mark.site.symbol for one in mark.side.on(mark.number))
    there = sum(one.site.symbol == mark.site.symbol for one in mark.comparison.after.on(counterpart.number))
    return Finding(Mechanism.DROPPED, "a copy of it stands on the line most like its own") if there >= here else None


def _term_removed(mark: Mark, counterpart: Counterpart | None) -> Finding | None:
    """Its line lives on, with nothing where the site stood."""
    if counterpart is None or counterpart.likeness < _LIKE:
        return None
    fresh = set(neutral_words(counterpart.line)) - set(neutral_words(mark.line))
    if fresh:
        return Finding(Mechanism.GENERALISED, "its line now holds a neutral name", min(fresh).decode())
    receiver = _RECEIVER.match(mark.line, mark.side.columns(mark.occurrence)[1])
    if receiver and set(alphabetic_words(receiver[1])) & set(alphabetic_words(counterpart.line)):
        return Finding(Mechanism.GENERALISED, "called without the vendor now", receiver[1].decode())
    return _term_of_a_gate_removed(mark, counterpart)


def _term_of_a_gate_removed(mark: Mark, counterpart: Counterpart) -> Finding | None:
    head = mark.side.at(head_of(mark.side, mark.number))
    if is_decorator(head) or is_check(head) or is_gate(head) or is_gate(mark.line):
        return Finding(Mechanism.BROADENED, "its term is gone from a gate that stays")
    if not is_condition(mark.line) and not opens_branch(head):
        return None
    if any(one.site.vendor == mark.site.vendor for one in mark.comparison.after.on(counterpart.number)):
        return Finding(Mechanism.DROPPED, "a condition that stays names its vendor still")
    if _is_taken_off_a_list(mark, counterpart):
        return Finding(Mechanism.DROPPED, "taken off a list of vendors that stays")
    return Finding(Mechanism.BROADENED, "its term is gone from a condition that stays")


def _may_stand_for_it(mark: Mark, number: int) -> bool:
    """Whether an added line could hold what replaced a vanished site: none of its vendor, and a gate for a gate."""
    after = mark.comparison.after
    if any(one.site.vendor == mark.site.vendor for one in after.on(number)):
        return False
    return is_decorator(after.at(number)) or not is_decorator(mark.line)


def _is_taken_off_a_list(mark: Mark, counterpart: Counterpart) -> bool:
    """Whether other vendors stay where this one was admitted beside them."""
    if is_skip(mark.line):
        return False
    others = {one.site.vendor for one in mark.comparison.after.on(counterpart.number) if one.site.vendor}
    return bool(others - {mark.site.vendor})


def _replaced_near_by(mark: Mark, context: CommitContext) -> Finding | None:
    """What was added in the same small place."""
    place = mark.place
    if place is None or place.before_end - place.before_start > _SMALL_PLACE:
        return None
    comparison = mark.comparison
    added = [
        number
        for number in range(place.after_start, place.after_end)
        if comparison.hunk_after(number) is not None and _may_stand_for_it(mark, number)
    ]
    text = b"\n".join(comparison.after.at(number) for number in added)
    text = _without_aliases(text, comparison.after.vendor_aliases)
    deleted = b"\n".join(comparison.before.lines[place.before_start : place.before_end])
    known = set(neutral_words(deleted))
    weak = mark.site.construct is not Construct.LITERAL and not mark.site.symbol.startswith(".")
    fresh = [word for word in neutral_words(text) if word not in known and not (weak and word.startswith(b"device"))]
    if fresh:
        return Finding(Mechanism.GENERALISED, "a neutral name is new in the same place", fresh[0].decode())
    helper = called_instead(mark, text, deleted, context)
    if helper:
        return Finding(Mechanism.GENERALISED, "a helper is called in its place", helper.decode(errors="replace"))
    return None


def _parameter_instead(mark: Mark) -> Finding | None:
    """Its definition now gets what is neutral from outside: `def test(self)` became `def test(self, device)`."""
    definition, successor = mark.definition, successor_of(mark)
    if definition is None or successor is None:
        return None
    old = mark.side.at(definition.heading)
    new = mark.comparison.after.at(successor.heading)
    fresh = [word for word in neutral_words(new) if word not in neutral_words(old)]
    if not fresh:
        return None
    return Finding(Mechanism.GENERALISED, "a parameter of its definition stands for it", fresh[0].decode())


def _gone_with_its_definition(mark: Mark, context: CommitContext) -> Finding:
    """Whether the definition it stood in lives on, here or elsewhere."""
    definition = mark.definition
    computed = computed_list(mark)
    if computed:
        return Finding(Mechanism.GENERALISED, "the list it stood in is computed now", computed)
    heir = folded_into(mark)
    if heir is not None:
        return Finding(Mechanism.GENERALISED, "folded with other variants into one definition", heir.own_name)
    if definition is None or successor_of(mark) is not None:
        return Finding(Mechanism.DROPPED, "deleted where its surroundings stay")
    names = definition.name.split(".")
    if any(name in mark.comparison.new_neutral_names for name in names):
        return Finding(Mechanism.GENERALISED, "a neutral one of its definition's name is used instead", names[-1])
    if definition.own_name in context.moved_definitions or definition.own_name.encode() in context.new_helpers:
        return Finding(Mechanism.DROPPED, "a copy of its definition stands elsewhere", about=definition.own_name)
    return Finding(Mechanism.RETIRED, "gone with its definition", about=definition.name)
