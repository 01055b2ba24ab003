"""Single sites that are gone or new, where they stand, and what became of each."""

from dataclasses import dataclass

from tracker.pairing.definitions import Definition
from tracker.pairing.differences import Comparison
from tracker.pairing.lines import Hunk
from tracker.pairing.sides import Side
from tracker.sites import Mechanism, Occurrence, Site


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """One occurrence that is gone from the text before or new in the text after."""

    comparison: Comparison
    occurrence: Occurrence
    gone: bool

    @property
    def side(self) -> Side:
        return self.comparison.before if self.gone else self.comparison.after

    @property
    def site(self) -> Site:
        return self.occurrence.site

    @property
    def number(self) -> int:
        """The number of its line, from 0."""
        return self.side.number(self.occurrence)

    @property
    def line(self) -> bytes:
        return self.side.line(self.occurrence)

    @property
    def place(self) -> Hunk | None:
        """The changed place it stands in; None on an unchanged line and without texts."""
        if self.gone:
            return self.comparison.place_before(self.number)
        return self.comparison.place_after(self.number)

    @property
    def definition(self) -> Definition | None:
        return self.side.around(self.number)


@dataclass(frozen=True, slots=True)
class Finding:
    """A mechanism with its reason."""

    mechanism: Mechanism
    reason: str
    """One of few, the same words for all sites of which it holds; rules/pairing.toml explains each."""
    replaced_by: str | None = None
    about: str | None = None
    """The definition that the reason speaks of, where it speaks of one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fate:
    """What became of one site, and why that is said."""

    mark: Mark
    mechanism: Mechanism
    reason: str
    replaced_by: str | None = None
    """What visibly took the place, where something did."""
    about: str | None = None
    """The definition that the reason speaks of, where it speaks of one."""
    partner: Mark | None = None
    """The site it was paired with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exclusivity:
    """A place that admits more vendors than before, or fewer, while its site stays."""

    comparison: Comparison
    vendor: str
    """Whose exclusivity it was."""
    lost: bool
    mark: Mark
    """What shows it: a name that is new beside the vendor's, or gone from beside it."""
    reason: str
