"""What a commit does to one file, scanned: the material that pairing and judgement work on."""

from dataclasses import dataclass, field

from tracker.sites import Occurrence, Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """One side of a file change, scanned."""

    path: str
    place: Place
    occurrences: tuple[Occurrence, ...]
    """In the order of the text; neutral constructs included."""
    text: bytes | None = field(default=None, repr=False)
    """The content, where judging may need lines; None where no site changes or the file was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedChange:
    """What a commit does to one file; a rename has two sides with different paths."""

    before: ScannedFile | None
    after: ScannedFile | None

    @property
    def renamed(self) -> bool:
        return self.before is not None and self.after is not None and self.before.path != self.after.path
