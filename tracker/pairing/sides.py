"""One side of a change with what is derived from its text on demand: lines, columns, definitions."""

import re
from collections.abc import Iterable
from functools import cached_property

from tracker.pairing.changes import ScannedFile
from tracker.pairing.definitions import Definition, Definitions, find_definitions
from tracker.pairing.lines import split_lines
from tracker.sites import Construct, Occurrence, Territory

_IMPORTED = re.compile(rb"\s*(?:import\s+[\w.]+\s+as\s+(\w+)|from\s+[\w.]+\s+import\s+\(?([\w\s,]+))")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")


class Side:
    """A file before or after, or its absence; lines are empty where the text was not kept."""

    def __init__(self, scanned: ScannedFile | None) -> None:
        self.scanned = scanned
        self.path = scanned.path if scanned else ""
        self.has_text = scanned is not None and scanned.text is not None
        self.is_neutral = scanned is not None and scanned.place.territory is Territory.NEUTRAL
        self.has_regions = scanned is not None and bool(scanned.regions)

    def region_of(self, occurrence: Occurrence) -> Territory | None:
        """Return where a region of the file says that an occurrence stands; None where it stands with its file."""
        return self.scanned.region_of(occurrence) if self.scanned and self.has_regions else None

    def is_neutral_at(self, occurrence: Occurrence) -> bool:
        """Whether an occurrence stands in neutral territory."""
        return self.is_neutral and (not self.has_regions or self.region_of(occurrence) is None)

    def territories(self, occurrences: Iterable[Occurrence]) -> set[Territory]:
        """Return where the file stands, and where regions of it say that some occurrences do."""
        if self.scanned is None:
            return set()
        regions = {self.scanned.territory_of(one) for one in occurrences} if self.has_regions else set[Territory]()
        return regions | {self.scanned.place.territory}

    @cached_property
    def sites(self) -> list[Occurrence]:
        """The occurrences that are sites."""
        occurrences = self.scanned.occurrences if self.scanned else ()
        return [one for one in occurrences if one.site.construct is not Construct.NEUTRAL]

    @cached_property
    def neutral_constructs(self) -> list[Occurrence]:
        """The occurrences that are none, but what replaces sites."""
        occurrences = self.scanned.occurrences if self.scanned else ()
        return [one for one in occurrences if one.site.construct is Construct.NEUTRAL]

    @cached_property
    def lines(self) -> list[bytes]:
        return split_lines(self.scanned.text or b"") if self.scanned else []

    @cached_property
    def definitions(self) -> Definitions:
        return find_definitions(self.path, self.lines)

    @cached_property
    def vendor_aliases(self) -> frozenset[bytes]:
        """Names that the text's imports give to a vendor's modules, or to what those hold."""
        lines = {self.number(one) for one in self.sites} if self.has_text else set[int]()
        found = (_IMPORTED.match(self.lines[number]) for number in sorted(lines))
        return frozenset(name for match in found if match for name in _IDENTIFIER.findall(match[1] or match[2]))

    def number(self, occurrence: Occurrence) -> int:
        """Return the number, from 0, of the line on which an occurrence begins."""
        return occurrence.line - 1

    def line(self, occurrence: Occurrence) -> bytes:
        """Return the line of an occurrence; empty without a text."""
        return self.at(self.number(occurrence))

    def at(self, number: int) -> bytes:
        """Return a line by its number from 0; empty beyond the ends."""
        return self.lines[number] if 0 <= number < len(self.lines) else b""

    def columns(self, occurrence: Occurrence) -> tuple[int, int]:
        """Return where in its line an occurrence begins and ends, in bytes."""
        text = self.scanned.text if self.scanned else None
        start = text.rfind(b"\n", 0, occurrence.start) + 1 if text else 0
        return occurrence.start - start, occurrence.end - start

    def on(self, number: int) -> list[Occurrence]:
        """Return the occurrences, neutral constructs too, that begin on a line."""
        return self._by_line.get(number, [])

    def around(self, number: int) -> Definition | None:
        """Return the innermost definition that holds a line."""
        return self.definitions.around(number)

    @cached_property
    def _by_line(self) -> dict[int, list[Occurrence]]:
        found: dict[int, list[Occurrence]] = {}
        for occurrence in self.scanned.occurrences if self.scanned else ():
            found.setdefault(self.number(occurrence), []).append(occurrence)
        return found
