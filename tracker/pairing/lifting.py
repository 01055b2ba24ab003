"""Gates that are gone: decorators, skips, checks and conditions for one vendor, and what became of what they kept."""

import re

from tracker.pairing.counterparts import is_alive, successor_of
from tracker.pairing.gates import (
    asks_for_version,
    body_leaves,
    body_stays,
    carrier_of,
    head_of,
    is_check,
    is_column,
    is_decorator,
    is_gate,
    is_guard,
    opens_branch,
)
from tracker.pairing.lines import Counterpart
from tracker.pairing.marks import Finding, Mark
from tracker.sites import Mechanism

_SAME_STATEMENT = 0.6
_ANY_ACCELERATOR = 3
"""Vendors in one condition from which on it asks for any accelerator and is nobody's exclusivity."""
_ONLY_PROCESSOR = re.compile(rb"(?i)\bonly_?(?:on_?)?cpu\b")


def gate_lifted(mark: Mark, counterpart: Counterpart | None) -> Finding | None:
    """A gate that is gone while what it kept stays; an old version's guard is no gate for a vendor."""
    if asks_for_version(mark.line):
        return None
    head = head_of(mark.side, mark.number)
    line = mark.side.at(head)
    lives = successor_of(mark) is not None
    if is_decorator(line):
        lifted = lives and (is_gate(line) or is_gate(mark.line)) and not _is_gated_still(mark)
        return Finding(Mechanism.BROADENED, "the gate above a definition that stays is lifted") if lifted else None
    if mark.definition is not None and not lives:
        return None
    if opens_branch(line) or is_guard(mark.line):
        replaced = counterpart is not None and counterpart.likeness >= _SAME_STATEMENT
        return None if replaced else _condition_lifted(mark, head)
    if is_check(line):
        return Finding(Mechanism.BROADENED, "a check for it is gone")
    return _entry_lifted(mark, head) if is_gate(line) else None


def _is_gated_still(mark: Mark) -> bool:
    """Whether what took the place of its definition has the same decorator."""
    successor = successor_of(mark)
    if successor is None:
        return False
    return any(
        one.site.symbol == mark.site.symbol
        for number in range(successor.first, successor.heading)
        for one in mark.comparison.after.on(number)
    )


def _condition_lifted(mark: Mark, head: int) -> Finding | None:
    vendors = {one.site.vendor for one in mark.side.on(mark.number) if one.site.vendor}
    if len(vendors) >= _ANY_ACCELERATOR:
        return Finding(Mechanism.DROPPED, "a condition that admitted any accelerator is gone")
    if body_stays(mark.comparison, head):
        return Finding(Mechanism.BROADENED, "the code under the condition now runs without it")
    if not is_guard(mark.line) and body_leaves(mark.side, head):
        return Finding(Mechanism.BROADENED, "a skip or refusal for it is lifted")
    return None


def _entry_lifted(mark: Mark, head: int) -> Finding | None:
    """A skip or special case inside a table's entry or a call: lifted if what carries it stays."""
    carrier = carrier_of(mark.side, head)
    if carrier is not None and not is_alive(mark.comparison, carrier):
        return Finding(Mechanism.RETIRED, "gone with the entry it stood in")
    if carrier is None and mark.definition is None:
        return None
    if is_column(mark.side.at(head)):
        return Finding(Mechanism.DROPPED, "what held for it apart is gone from an entry that stays")
    return Finding(Mechanism.BROADENED, "a skip or special case is lifted")


def kept_to_the_processor(mark: Mark) -> Finding | None:
    """A decorator that goes while its definition is kept to the processor: nothing is admitted by that."""
    if not is_decorator(mark.side.at(head_of(mark.side, mark.number))):
        return None
    successor = successor_of(mark)
    after = mark.comparison.after
    if successor is None or not any(
        _ONLY_PROCESSOR.search(after.at(number)) and mark.comparison.hunk_after(number) is not None
        for number in range(successor.first, successor.heading)
    ):
        return None
    return Finding(Mechanism.DROPPED, "its definition runs on the processor only now")
