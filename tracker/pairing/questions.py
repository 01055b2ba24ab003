"""What judging asks of lines and names, by the ids under which rules/pairing.toml explains it with examples.

This is a list of what other modules here ask; nothing of the judgement goes through it.
"""

from collections.abc import Callable, Mapping

from tracker.pairing.gates import (
    asks_for_version,
    is_check,
    is_condition,
    is_decorator,
    is_exception,
    is_gate,
    is_guard,
    is_skip,
    opens_branch,
)
from tracker.pairing.neutral_words import names_neutral, sounds_like_a_device_helper


def _of_a_line(asked: Callable[[bytes], object]) -> Callable[[str], bool]:
    return lambda text: bool(asked(text.encode()))


ANSWERS: Mapping[str, Callable[[str], bool]] = {
    "pairing.exception": is_exception,
    "pairing.skip": _of_a_line(is_skip),
    "pairing.gate": _of_a_line(is_gate),
    "pairing.version": _of_a_line(asks_for_version),
    "pairing.check": _of_a_line(is_check),
    "pairing.condition": _of_a_line(is_condition),
    "pairing.branch": _of_a_line(opens_branch),
    "pairing.guard": _of_a_line(is_guard),
    "pairing.decorator": _of_a_line(is_decorator),
    "pairing.neutral-word": _of_a_line(names_neutral),
    "pairing.device-helper": _of_a_line(sounds_like_a_device_helper),
}
"""Whether it is so of a text."""
