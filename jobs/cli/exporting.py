"""tracker export: the record as plain rows."""

import argparse
import sys
from pathlib import Path
from typing import BinaryIO, cast

from db.export_columns import COLUMNS, Export
from jobs.cli.context import Context, add_command, harmless
from jobs.export import Format, whole_file, write_export
from tracker.errors import RepositoryError, TrackerError


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = add_command(
        commands,
        "export",
        _export,
        summary="write the record as CSV, JSON lines or Parquet",
        details="Rows come in an order that upstream decides, without row numbers of this database: equal histories "
        "give equal files.",
        example="tracker export ledger --repo pytorch/pytorch --format parquet -o ledger.parquet",
    )
    parser.add_argument("what", choices=[each.value for each in Export], help="what to write")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="one repository (default: all)")
    parser.add_argument(
        "--format", choices=[each.value for each in Format], default=Format.CSV.value, help="default: csv"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there (default, and -: standard output)")


def _export(arguments: argparse.Namespace, context: Context) -> int:
    form = Format(arguments.format)
    if arguments.output in (None, "-"):
        if form is Format.PARQUET and context.out.isatty():
            raise TrackerError("Parquet is no text for a terminal; name a file with -o FILE")
        context.out.flush()
        _write(arguments, context, form, _binary(context))
        return 0
    path = Path(arguments.output)
    with whole_file(path) as file:
        count = _write(arguments, context, form, file)
    context.note(f"{count:,} rows written to {path}")
    return 0


def _write(arguments: argparse.Namespace, context: Context, form: Format, out: BinaryIO) -> int:
    from db.exports import export_rows
    from db.repositories import read_repository

    with context.reading() as session, context.progress() as progress:
        if arguments.repo is not None and read_repository(session, arguments.repo) is None:
            raise RepositoryError(f"{arguments.repo} is not in the database; `tracker repos list` says what is")
        rows = export_rows(session, arguments.what, arguments.repo)
        count = write_export(COLUMNS[Export(arguments.what)], rows, form, out, progress)
        out.flush()
        return count


def _binary(context: Context) -> BinaryIO:
    out = cast("BinaryIO", context.out.buffer if hasattr(context.out, "buffer") else sys.stdout.buffer)
    return cast("BinaryIO", _OnTerminal(out)) if context.out.isatty() else out


class _OnTerminal:
    """Writes to a terminal what a file would get, with control signs written out."""

    def __init__(self, terminal: BinaryIO) -> None:
        self._terminal = terminal

    def write(self, content: bytes) -> int:
        self._terminal.write(harmless(content.decode()).encode())
        return len(content)

    def flush(self) -> None:
        self._terminal.flush()
