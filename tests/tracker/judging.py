"""Small texts through the real rules, detector and territory map: what the judge is given in the walk."""

from functools import cache
from textwrap import dedent

from tracker.classify import Judgement, ScannedChange, ScannedFile, judge
from tracker.detect import Detector, ScannedText, build_detector, dialect_of, scan_text
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.territory import regions_in, territory_map_for
from tracker.trailers import parse_trailers

SLUG = "example/project"

Outcome = tuple[str, str | None, int, int]
"""Verdict, mechanism, removed, added."""


@cache
def shipped_ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@cache
def _detector() -> Detector:
    return build_detector(shipped_ruleset())


def scanned(path: str, text: str) -> ScannedFile:
    """Return a file as the walk scans it, with its text."""
    place = territory_map_for(SLUG, shipped_ruleset()).place(path)
    content = dedent(text).encode()
    dialect = dialect_of(path, place)
    found = scan_text(content, dialect, _detector()) if dialect else ScannedText()
    regions = regions_in(place, found.regions)
    return ScannedFile(path=path, place=place, occurrences=found.occurrences, regions=regions, text=content)


def change(path: str, before: str | None, after: str | None, *, to: str | None = None) -> ScannedChange:
    """Return what happens to one file; `to` is its new path where it is renamed."""
    return ScannedChange(
        before=scanned(path, before) if before is not None else None,
        after=scanned(to or path, after) if after is not None else None,
    )


def judged(*changes: ScannedChange) -> Judgement:
    """Return the judgement of a commit with an empty message."""
    return judge(parse_trailers("", SLUG), changes, shipped_ruleset())


def outcome(*changes: ScannedChange) -> Outcome:
    """Return what a commit comes to, in brief."""
    found = judged(*changes)
    return found.verdict.value, found.mechanism.value if found.mechanism else None, found.removed, found.added
