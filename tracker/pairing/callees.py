"""Functions that are called where a site stood: which of them does its work, and which merely names it as well."""

import re

from tracker.pairing.context import CommitContext
from tracker.pairing.definitions import defined_names
from tracker.pairing.marks import Mark
from tracker.pairing.neutral_words import names_something, sounds_like_a_device_helper
from tracker.pairing.words import alphabetic_words, identifiers

_SAYS = re.compile(rb"(?i)warn|deprecat|log(?:ger|$|_)|print|error|exception|assert")
"""Names of functions that only tell somebody something."""


def is_called(name: bytes, text: bytes) -> bool:
    """Whether a piece of code names a function of its own module or class, and not another object's."""
    return re.search(rb"(?:^|[^.\w]|\bself\.|\bcls\.)" + re.escape(name), text) is not None


def called_instead(mark: Mark, added: bytes, deleted: bytes, context: CommitContext) -> bytes | None:
    """A function called in the added lines and not in the deleted ones, that does the site's work elsewhere."""
    known = set(identifiers(deleted))
    wanted = set(alphabetic_words(mark.site.symbol.encode()))
    shorter = added.count(b"\n") < deleted.count(b"\n")
    added = _without_definitions(mark, added)
    for name in dict.fromkeys(identifiers(added)):
        if name in known or (name + b"(") not in added or not names_something(name) or _SAYS.search(name):
            continue
        if names_it_too(mark, name):
            continue
        shared = len(set(alphabetic_words(name)) & wanted)
        helps = sounds_like_a_device_helper(name)
        if shared >= 2 or (shared and helps):
            return name
        if helps and name in context.new_helpers:
            return name
        if (helps or shorter) and name in context.newly_imported(mark.comparison):
            return name
        if shorter and name in context.new_device_helpers:
            return name
        if shorter and name in context.new_helpers and _speaks_of_the_same(mark, name, added):
            return name
    return None


def _without_definitions(mark: Mark, text: bytes) -> bytes:
    """Return code without the names that it defines, where it defines them: there they are not called."""
    lines = text.split(b"\n")
    for number, line in enumerate(lines):
        for name in defined_names(mark.comparison.after.path, [line]):
            lines[number] = line.replace(name, b"", 1)
    return b"\n".join(lines)


def names_it_too(mark: Mark, helper: bytes) -> bool:
    """Whether a helper of the same file names what vanished and hides no choice of device: then copies were folded."""
    if sounds_like_a_device_helper(helper):
        return False
    after = mark.comparison.after
    return any(
        one.site.symbol == mark.site.symbol
        for found in after.definitions.called(helper.decode(errors="replace"))
        for number in range(found.heading + 1, found.end)
        for one in after.on(number)
    )


def _speaks_of_the_same(mark: Mark, helper: bytes, added: bytes) -> bool:
    """Whether a line that calls the helper names what the vanished line named: what it assigns, or hands on."""
    named = {name for name in identifiers(mark.line) if names_something(name)}
    for line in added.split(b"\n"):
        names = identifiers(line)
        if helper in names and named & set(names):
            return True
    return False
