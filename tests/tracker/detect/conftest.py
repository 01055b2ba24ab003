"""Scanning short texts with the shipped rules."""

from collections.abc import Callable
from functools import lru_cache

import pytest

from tracker.detect import Detector, Dialect, build_detector, scan
from tracker.rules import read_rules
from tracker.ruleset import Language, Purpose, load_ruleset

Found = list[tuple[str, str]]
"""(construct, symbol) of each site and neutral construct, in the order of the text."""
Scan = Callable[..., Found]


@lru_cache(maxsize=1)
def shipped_detector() -> Detector:
    return build_detector(load_ruleset(read_rules()))


def found_in(text: str | bytes, language: Language, purpose: Purpose = Purpose.CODE) -> Found:
    content = text.encode() if isinstance(text, str) else text
    occurrences = scan(content, Dialect(language, purpose), shipped_detector())
    return [(occurrence.site.construct.value, occurrence.site.symbol) for occurrence in occurrences]


@pytest.fixture(scope="session")
def detector() -> Detector:
    return shipped_detector()
