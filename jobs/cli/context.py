"""What every command works with: the environment, the settings, and where it prints.

Commands import what they need when they run: help, and commands that need no database, answer at once.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from jobs.configure import load_settings
from jobs.log import set_up_logging
from tracker.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from jobs.progress import Progress


class UsageProblem(Exception):
    """Arguments that the parser accepts one by one do not go together; the message says what is right."""


Command = Callable[[argparse.Namespace, "Context"], int]


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def harmless(text: str) -> str:
    """Write out control signs as JSON does: names and titles of a repository must not command a terminal."""
    return _CONTROL.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


@dataclass(kw_only=True)
class Context:
    """One run of the command line."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    folder: Path = field(default_factory=Path)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)

    @cached_property
    def settings(self) -> Settings:
        """The settings, read when a command first asks; logging is set up with them."""
        settings = load_settings(self.environ, self.folder)
        # A command says itself what went wrong; the log is for what nobody expected.
        set_up_logging(settings, self.err, level=None if settings.log_level == "debug" else "error")
        return settings

    def say(self, line: str) -> None:
        """Print one line of the result."""
        print(harmless(line), file=self.out)

    def note(self, line: str) -> None:
        """Print one line beside the result, on standard error."""
        print(harmless(line), file=self.err)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table: laid out on a terminal, tab-separated otherwise."""
        texts = [["" if cell is None else harmless(str(cell)) for cell in row] for row in rows]
        if not self.out.isatty():
            for line in (list(head), *texts):
                self.say("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in line))
            return
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(*head, box=None, pad_edge=False, header_style="bold")
        for line in texts:
            table.add_row(*map(Text, line))
        Console(file=self.out).print(table)

    def json_line(self, document: Mapping[str, object]) -> None:
        """Print one JSON object a line."""
        self.say(json.dumps(document, ensure_ascii=False, default=str))

    @contextmanager
    def progress(self) -> Iterator["Progress"]:
        """Show progress on standard error while the context lasts."""
        from jobs.progress import shown_progress

        with shown_progress(self.err) as progress:
            yield progress

    @contextmanager
    def reading(self) -> Iterator["Session"]:
        """Yield a session that only reads, of a database whose schema is the right one."""
        from db.base import in_transaction, session_factory
        from jobs.reading_engine import reading_engine

        with reading_engine(self.settings) as engine, in_transaction(session_factory(engine)) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator["Session"]:
        """Yield a session that writes; the database is made, or brought up to date, first."""
        from db import schema
        from db.base import in_transaction, open_database, session_factory

        engine = open_database(self.settings.database_url)
        try:
            schema.upgrade(engine)
            with in_transaction(session_factory(engine)) as session:
                yield session
        finally:
            engine.dispose()


def add_command(
    group: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Command | None,
    *,
    summary: str,
    example: str,
    details: str = "",
) -> argparse.ArgumentParser:
    """Add a command with its help and an example; `run` is None for a command that only groups others."""
    parser = group.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.{' ' + details if details else ''}",
        epilog=f"example:\n  {example}",
        formatter_class=HelpFormatter,
    )
    if run is not None:
        parser.set_defaults(run=run)
    return parser


def version() -> str:
    """Return this product's version."""
    try:
        return metadata.version("decoupling-tracker")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Fills the description as usual, and leaves the example as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("example"):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)  # noqa: SLF001 - argparse has no other way
