"""Blobs -> their sites, each distinct blob read and scanned once while it is remembered.

Equal contents in equal dialects have equal sites, so what is remembered is keyed by blob and dialect and never grows
stale. Memory is bounded by what is remembered (in occurrences) and by the texts of one group of files (in bytes).
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tracker.detect import Dialect, ScannedText, SegmentScans, build_detector, dialect_of, is_binary, scan_text
from tracker.ruleset import Ruleset
from tracker.sites import Place
from tracker.sources.git_mirror import Mirror
from tracker.territory import territory_map_for
from tracker.upstream import FileKind, FileVersion, SkipReason

REMEMBERED_COST = 150_000
"""In segments or, of short texts, occurrences, and one for each blob: some 50 MB."""
_TEXT_BYTES = 24 << 20
_PATHS_KEPT = 1 << 16

_detector_of = lru_cache(maxsize=2)(build_detector)
"""Compiled once per process: it takes longer than reading a day's commits."""

Scan = ScannedText | SkipReason
"""What stands in a blob, or why it was not read."""

_Key = tuple[str, int]
"""A blob and the number of the dialect it is read in."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a path says of a file before its content is known."""

    place: Place
    dialect: Dialect | None
    """None: never scanned (prose, images, data)."""
    number: int
    """Stands for the dialect in keys."""


class BlobScans:
    """Scans the files of one repository with one ruleset."""

    def __init__(self, mirror: Mirror, slug: str, ruleset: Ruleset, *, remembered_cost: int = REMEMBERED_COST) -> None:
        self._mirror = mirror
        self._territory = territory_map_for(slug, ruleset)
        self._detector = _detector_of(ruleset)
        self._segments = SegmentScans(self._detector)
        self._max_bytes = ruleset.max_blob_bytes
        self._remembered = _Remembered(remembered_cost)
        self._readings: dict[str, Reading] = {}
        self._numbers: dict[Dialect | None, int] = {}
        self._texts: dict[str, bytes] = {}
        self._text_bytes = 0

    def reading(self, path: str) -> Reading:
        """Return where a path stands and how its content is read."""
        reading = self._readings.get(path)
        if reading is None:
            if len(self._readings) >= _PATHS_KEPT:
                self._readings.clear()
            place = self._territory.place(path)
            dialect = dialect_of(path, place)
            number = self._numbers.setdefault(dialect, len(self._numbers))
            reading = self._readings[path] = Reading(place, dialect, number)
        return reading

    def scan(self, files: Iterable[FileVersion]) -> "ScannedGroup":
        """Read and scan what is not remembered of a group of files; the texts read last are kept for `texts`."""
        self._texts.clear()
        self._text_bytes = 0
        scans: dict[_Key, Scan] = {}
        unread: dict[str, dict[int, Dialect]] = {}
        for file in files:
            reading = self.reading(file.path)
            key = (file.blob, reading.number)
            if file.kind is not FileKind.REGULAR or reading.dialect is None or key in scans:
                continue
            remembered = self._remembered.get(key)
            if remembered is None:
                unread.setdefault(file.blob, {})[reading.number] = reading.dialect
            else:
                scans[key] = remembered
        for key, found in self._read(unread):
            scans[key] = found
            self._remembered.put(key, found)
        return ScannedGroup(self, scans)

    def texts(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of blobs that `scan` has found readable; what cannot be read is left out."""
        wanted = list(dict.fromkeys(blobs))
        found = {blob: self._texts[blob] for blob in wanted if blob in self._texts}
        missing = [blob for blob in wanted if blob not in found]
        contents = zip(missing, self._mirror.read_blobs(missing, self._max_bytes), strict=True)
        return found | {blob: content for blob, content in contents if not isinstance(content, SkipReason)}

    def _read(self, unread: dict[str, dict[int, Dialect]]) -> Iterator[tuple[_Key, Scan]]:
        blobs = list(unread)
        for blob, content in zip(blobs, self._mirror.read_blobs(blobs, self._max_bytes), strict=True):
            for number, dialect in unread[blob].items():
                yield (blob, number), self._scan(content, dialect)
            if not isinstance(content, SkipReason) and self._text_bytes + len(content) <= _TEXT_BYTES:
                self._texts[blob] = content
                self._text_bytes += len(content)

    def _scan(self, content: bytes | SkipReason, dialect: Dialect) -> Scan:
        if isinstance(content, SkipReason):
            return content
        return SkipReason.BINARY if is_binary(content) else scan_text(content, dialect, self._detector, self._segments)


class ScannedGroup:
    """The files of one group, scanned."""

    def __init__(self, scans: BlobScans, found: dict[_Key, Scan]) -> None:
        self._scans = scans
        self._found = found

    def text(self, file: FileVersion | None) -> ScannedText | None:
        """Return what stands in a file; None where it is absent, of a kind that is never scanned, or was not read."""
        found = self._look_up(file)
        return None if isinstance(found, SkipReason) else found

    def skipped(self, file: FileVersion | None) -> SkipReason | None:
        """Return why a file was not read; None where it was, or need not be."""
        if file is not None and file.kind is FileKind.SYMLINK:
            return SkipReason.SYMLINK
        if file is not None and file.kind is FileKind.SUBMODULE:
            return SkipReason.SUBMODULE
        found = self._look_up(file)
        return found if isinstance(found, SkipReason) else None

    def _look_up(self, file: FileVersion | None) -> Scan | None:
        if file is None or file.kind is not FileKind.REGULAR:
            return None
        return self._found.get((file.blob, self._scans.reading(file.path).number))


class _Remembered:
    """The scans used last, as many as fit."""

    def __init__(self, cost: int) -> None:
        self._most = cost
        self._cost = 0
        self._scans: OrderedDict[_Key, Scan] = OrderedDict()

    def get(self, key: _Key) -> Scan | None:
        found = self._scans.get(key)
        if found is not None:
            self._scans.move_to_end(key)
        return found

    def put(self, key: _Key, found: Scan) -> None:
        self._scans[key] = found
        self._cost += _cost(found)
        while self._cost > self._most:
            _, forgotten = self._scans.popitem(last=False)
            self._cost -= _cost(forgotten)


def _cost(found: Scan) -> int:
    return 1 if isinstance(found, SkipReason) else found.cost
