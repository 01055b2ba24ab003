"""Why a vanished neutral site is gone: what stands in its place, what its line was for, what its definition became.

The questions are asked from the surest to the weakest; each answer carries its reason.
"""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tracker.pairing.counterparts import Counterpart, counterpart_of, successor_of
from tracker.pairing.gates import (
    body_leaves,
    body_stays,
    governing_condition,
    is_check,
    is_condition,
    is_decorator,
    is_gate,
    is_guard,
    is_skip,
    opens_branch,
)
from tracker.pairing.marks import Mark
from tracker.pairing.neutral_words import (
    names_neutral,
    names_something,
    neutral_words,
    sounds_like_a_device_helper,
)
from tracker.pairing.words import identifiers, replaced_part, words_of
from tracker.sites import Mechanism

_LIKE = 0.5
_BARELY_LIKE = 0.3
_SMALL_PLACE = 40
"""Deleted lines up to which a neutral word anywhere in the added lines is taken for the replacement."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A mechanism with its reason."""

    mechanism: Mechanism
    reason: str
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitContext:
    """What the commit does elsewhere that bears on one site."""

    new_helpers: AbstractSet[bytes]
    """Names of definitions that this commit adds anywhere."""


def finding_for(mark: Mark, context: CommitContext) -> Finding:
    """Return what became of a vanished site that is neither moved nor edited."""
    if not mark.comparison.after.has_text:
        return Finding(Mechanism.RETIRED, "its file is gone")
    if mark.place is None:
        return Finding(Mechanism.DROPPED, "it is gone although its line is not")
    counterpart = counterpart_of(mark)
    return (
        _by_counterpart(mark, counterpart) or _by_lifted_gate(mark) or _by_place(mark, context) or _by_definition(mark)
    )


def _by_counterpart(mark: Mark, counterpart: Counterpart | None) -> Finding | None:
    """What the likest added line holds where the site stood."""
    if counterpart is None or counterpart.likeness < _BARELY_LIKE:
        return None
    start, end = mark.side.columns(mark.occurrence)
    part = replaced_part(mark.line, start, end, counterpart.line)
    if part is None:
        return _by_removed_term(mark, counterpart)
    text = counterpart.line[part[0] : part[1]]
    neutral = names_neutral(text)
    if neutral and not _is_other_vendor(mark, counterpart, part):
        return Finding(Mechanism.GENERALISED, "a neutral name stands in its place", neutral)
    if counterpart.likeness < _LIKE or _is_other_vendor(mark, counterpart, part):
        return None
    names = [name for name in identifiers(text) if names_something(name)]
    if b"cpu" in text.lower() and (b"!=" in text or b"not" in text or b"!" in text):
        return Finding(Mechanism.GENERALISED, "asked whether it is the processor instead", "cpu")
    if names and names != [b"cpu"]:
        return Finding(Mechanism.GENERALISED, "a name without a vendor stands in its place", names[0].decode())
    return None


def _is_other_vendor(mark: Mark, counterpart: Counterpart, part: tuple[int, int]) -> bool:
    """Whether a vendor's site stands in the part that replaced the vanished one."""
    after = mark.comparison.after
    for one in after.on(counterpart.number):
        start, end = after.columns(one)
        if one.site.vendor and start < part[1] and end > part[0]:
            return True
    return False


def _by_removed_term(mark: Mark, counterpart: Counterpart) -> Finding | None:
    """The line lives on without the site and with nothing in its place."""
    if counterpart.likeness < _LIKE:
        return None
    fresh = set(neutral_words(counterpart.line)) - set(neutral_words(mark.line))
    if fresh:
        return Finding(Mechanism.GENERALISED, "its line now holds a neutral name", min(fresh).decode())
    line = governing_condition(mark)
    if is_decorator(line) or is_check(line) or is_gate(line) or is_gate(mark.line):
        return Finding(Mechanism.BROADENED, "its term is gone from a gate that stays")
    if is_condition(line) and not _is_taken_off_a_list(mark, counterpart):
        return Finding(Mechanism.BROADENED, "its term is gone from a condition that stays")
    return None


def _is_taken_off_a_list(mark: Mark, counterpart: Counterpart) -> bool:
    """Whether other vendors stay where this one was admitted beside them."""
    if is_skip(mark.line):
        return False
    others = {one.site.vendor for one in mark.comparison.after.on(counterpart.number) if one.site.vendor}
    return bool(others - {mark.site.vendor})


def _by_lifted_gate(mark: Mark) -> Finding | None:
    """A gate that is gone while what it kept stays."""
    line, number = mark.line, mark.number
    lives = successor_of(mark) is not None or mark.definition is None
    if not lives:
        return None
    head = governing_condition(mark)
    if is_decorator(head) and (is_gate(head) or is_gate(line)):
        return Finding(Mechanism.BROADENED, "the gate above a definition that stays is lifted")
    if is_guard(line):
        if body_stays(mark.comparison, number):
            return Finding(Mechanism.BROADENED, "the guarded code is now compiled without it")
        return None
    if opens_branch(line):
        if body_stays(mark.comparison, number):
            return Finding(Mechanism.BROADENED, "the code under the condition now runs without it")
        if body_leaves(mark.side, number):
            return Finding(Mechanism.BROADENED, "a skip or refusal for it is lifted")
        return None
    if is_check(head):
        return Finding(Mechanism.BROADENED, "a check for it is gone")
    if is_gate(line) and not is_decorator(line) and mark.definition is None:
        return None
    if is_gate(line):
        return Finding(Mechanism.BROADENED, "a skip or special case is lifted")
    return None


def _by_place(mark: Mark, context: CommitContext) -> Finding | None:
    """What was added in the same small place."""
    place = mark.place
    if place is None or place.before_end - place.before_start > _SMALL_PLACE:
        return None
    comparison = mark.comparison
    added = [
        comparison.after.at(number)
        for number in range(place.after_start, place.after_end)
        if comparison.hunk_after(number) is not None
    ]
    deleted = b"\n".join(comparison.before.lines[place.before_start : place.before_end])
    text = b"\n".join(added)
    fresh = [word for word in neutral_words(text) if word not in neutral_words(deleted)]
    if fresh:
        return Finding(Mechanism.GENERALISED, "a neutral name is new in the same place", fresh[0].decode())
    helper = _new_helper(mark, text, deleted, context)
    if helper:
        return Finding(Mechanism.GENERALISED, "a helper is called in its place", helper.decode(errors="replace"))
    return None


def _new_helper(mark: Mark, added: bytes, deleted: bytes, context: CommitContext) -> bytes | None:
    """A function called in the added lines and not in the deleted ones, that does the site's work elsewhere."""
    known = set(identifiers(deleted))
    wanted = {word.text for word in words_of(mark.site.symbol.encode())}
    for name in identifiers(added):
        if name in known or (name + b"(") not in added or not names_something(name):
            continue
        own = {word.text for word in words_of(name)}
        if name in context.new_helpers and (sounds_like_a_device_helper(name) or own & wanted):
            return name
        if len(own & wanted) >= 2 or (own & wanted and sounds_like_a_device_helper(name)):
            return name
    return None


def _by_definition(mark: Mark) -> Finding:
    """Whether the definition it stood in lives on."""
    definition = mark.definition
    if definition is None or successor_of(mark) is not None:
        return Finding(Mechanism.DROPPED, "deleted where its surroundings stay")
    return Finding(Mechanism.RETIRED, f"gone with {definition.name}")
