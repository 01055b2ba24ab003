"""Rules of regions: parts of a neutral file that stand elsewhere than the file, by what their text says."""

from dataclasses import dataclass
from enum import StrEnum

from tracker.ruleset.texts import Example, Language
from tracker.sites import Area, Territory


class RegionKind(StrEnum):
    """By what a region is found."""

    CLASS = "class"
    """A class, with its decorators, for one vendor: by its name, or by a marker in it or in its file."""
    ENUMERATION = "enumeration"
    """A type whose members name vendors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionRule:
    """One kind of region."""

    id: str
    """Permanent, as the ids of other rules."""
    kind: RegionKind
    territory: Territory
    """Where such a region stands, in a file that is neutral."""
    areas: tuple[Area, ...]
    """Only in files that are for this; empty: in any."""
    languages: tuple[Language, ...]
    is_one: str
    """A regular expression that the own name of a class of this kind, or of one of its bases, matches."""
    names: str
    """A regular expression of a class's whole name in which <> stands for each word of the one vendor it names."""
    marker: str
    """The name of the attribute of a class or a module that says whose it is, before any name does; empty: none."""
    least_vendors: int
    """How many different vendors an enumeration must name."""
    why: str
    source: str
    flags: tuple[Example, ...]
    """Texts in which the rule finds a region."""
    ignores: tuple[Example, ...]
