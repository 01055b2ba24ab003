"""Rows of an export -> CSV, JSON lines or Parquet, streamed in constant memory; equal rows give equal bytes.

A file is written beside its name and takes its place when it is whole, so that no half-written export is ever read.
"""

import csv
import io
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from db.export_columns import ColumnKind, ExportColumn
from jobs.progress import Progress, no_progress
from tracker.errors import TrackerError

ROWS_AT_ONCE = 10_000

Value = str | int | bool | None
Row = Sequence[Value]


class Format(StrEnum):
    """How an export is written."""

    CSV = "csv"
    """UTF-8 with a head line; a value that is not there is empty, a flag is true or false."""
    JSON = "json"
    """JSON lines: one object a line."""
    PARQUET = "parquet"
    """Apache Parquet, compressed; the columns' meanings are in the schema's metadata."""


def write_export(
    columns: Sequence[ExportColumn],
    rows: Iterable[Row],
    form: Format,
    out: BinaryIO,
    progress: Progress = no_progress,
) -> int:
    """Write the rows and return how many there were."""
    counted = _Counted(rows, progress)
    _WRITERS[form](columns, iter(counted), out)
    return counted.count


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` at the end, or leaves no trace when writing fails.

    Raises:
        TrackerError: there is no folder for it, or it must not be written there.
    """
    if path.is_dir():
        raise TrackerError(f"{path} is a folder; name the file to write")
    if not path.parent.is_dir():
        raise TrackerError(f"the folder {path.parent} does not exist; make it first, or name another file")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise TrackerError(f"{path} cannot be written: {error.strerror}") from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class _Counted:
    def __init__(self, rows: Iterable[Row], progress: Progress) -> None:
        self._rows = rows
        self._progress = progress
        self.count = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.count += 1
            if self.count % 1000 == 0:
                self._progress("writing rows", self.count, None)
            yield row


def _write_csv(columns: Sequence[ExportColumn], rows: Iterator[Row], out: BinaryIO) -> None:
    head: Row = [column.name for column in columns]
    for batch in _batches(itertools.chain([head], rows)):
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([_csv_value(value) for value in row] for row in batch)
        out.write(text.getvalue().encode("utf-8", "backslashreplace"))


def _csv_value(value: Value) -> str | int:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case _:
            return value


def _write_json(columns: Sequence[ExportColumn], rows: Iterator[Row], out: BinaryIO) -> None:
    names = [column.name for column in columns]
    for batch in _batches(rows):
        lines = [json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n" for row in batch]
        out.write("".join(lines).encode("utf-8", "backslashreplace"))


def _write_parquet(columns: Sequence[ExportColumn], rows: Iterator[Row], out: BinaryIO) -> None:
    # Imported here: it takes longer to load than most commands take to run.
    import pyarrow  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    text, number, flag = pyarrow.string(), pyarrow.int64(), pyarrow.bool_()
    types = {
        ColumnKind.TEXT: (text, text),
        ColumnKind.INTEGER: (number, number),
        ColumnKind.FLAG: (flag, flag),
        ColumnKind.TIME: (text, pyarrow.timestamp("s", tz="UTC")),
        ColumnKind.DAY: (text, pyarrow.date32()),
    }
    schema = pyarrow.schema(
        [pyarrow.field(column.name, types[column.kind][1], metadata={"meaning": column.meaning}) for column in columns]
    )
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for batch in _batches(rows):
            arrays = []
            for column, values in zip(columns, zip(*batch, strict=True), strict=True):
                given, kept = types[column.kind]
                arrays.append(pyarrow.array(map(_plain, values), type=given, size=len(batch)).cast(kept))
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _plain(value: Value) -> Value:
    """Make a text that no UTF-8 can hold (a lone surrogate) one that it can."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while batch := list(itertools.islice(rows, ROWS_AT_ONCE)):
        yield batch


_WRITERS: dict[Format, Callable[[Sequence[ExportColumn], Iterator[Row], BinaryIO], None]] = {
    Format.CSV: _write_csv,
    Format.JSON: _write_json,
    Format.PARQUET: _write_parquet,
}
