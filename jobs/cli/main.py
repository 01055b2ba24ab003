"""Parses the arguments, runs the command, and turns what goes wrong into one sentence and an exit code."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from jobs.cli import alerts, crawling, database, doctor, exporting, judging, people, repositories, rules, service
from jobs.cli.context import Context, HelpFormatter, UsageProblem, version
from jobs.log import Redaction
from tracker.errors import RulesetError, SettingsError, TrackerError

STANDARD_OUTPUT = 1
FAILED, WRONG_USAGE, UNKNOWN, INTERRUPTED, UNREAD = 1, 2, 3, 130, 141

ABOUT = """Follow, commit by commit, where vendor-neutral code of PyTorch and its ecosystem names a vendor's hardware,
and record the trend. Settings are environment variables (TRACKER_DATABASE_URL, TRACKER_REPOSITORIES,
TRACKER_GITHUB_TOKEN_FILE ...) or the same names in lower case in ./tracker.toml."""
EXAMPLES = """examples:
  tracker run                                     crawl, judge and serve on http://127.0.0.1:8000
  tracker demo                                    the same on a small made-up upstream, no network needed
  tracker classify --mirror CLONE --explain SHA   judge one commit, no database needed
exit codes: 0 done, 1 found or failed, 2 wrong usage or settings, 3 unknown, 130 interrupted"""


def main(argv: Sequence[str], context: Context | None = None) -> int:
    """Run one command and return its exit code."""
    context = context or Context()
    try:
        arguments = build_parser().parse_args(argv)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else WRONG_USAGE
    try:
        code: int = arguments.run(arguments, context)
        context.out.flush()
    except BrokenPipeError:
        return _unread()
    except KeyboardInterrupt:
        context.note("tracker: interrupted")
        return INTERRUPTED
    except UsageProblem as problem:
        context.note(f"tracker: {problem}")
        return WRONG_USAGE
    except Exception as error:  # noqa: BLE001 - the command line is an edge: one sentence, no traceback
        return _failed(error, arguments, context)
    return code


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="tracker", description=ABOUT, epilog=EXAMPLES, formatter_class=HelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"tracker {version()}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (service, crawling, judging, exporting, alerts, rules, repositories, people, database, doctor):
        module.add_commands(commands)
    return parser


def _failed(error: Exception, arguments: argparse.Namespace, context: Context) -> int:
    """Say what went wrong and return the code for it; the traceback is for TRACKER_DEBUG=1 alone."""
    redact = Redaction.of(context.settings) if "settings" in context.__dict__ else Redaction()
    if context.environ.get("TRACKER_DEBUG", "").lower() in ("1", "true", "yes", "on"):
        context.note(redact("".join(traceback.format_exception(error)).rstrip()))
    lines = _sentences(error)
    for line in lines:
        context.note(redact(f"tracker: {line}"))
    if getattr(arguments, "unknown_when_it_fails", False):
        context.say(f"UNKNOWN - {redact(lines[0])}")
        return UNKNOWN
    return WRONG_USAGE if isinstance(error, SettingsError) else FAILED


def _sentences(error: Exception) -> list[str]:
    # Imported here, as it takes longer than most commands.
    from sqlalchemy.exc import SQLAlchemyError

    from jobs.descriptions import describe

    match error:
        case SettingsError():
            return list(error.problems)
        case RulesetError():
            return ["the ruleset is invalid", *(f"  {problem}" for problem in error.problems)]
        case TrackerError() | OSError() | SQLAlchemyError():
            return [describe(error)]
        case _:
            return [f"this should not have happened: {describe(error)}; TRACKER_DEBUG=1 shows where"]


def _unread() -> int:
    """Let the interpreter flush what is left into nothing instead of complaining at its end."""
    if sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), STANDARD_OUTPUT)
    return UNREAD
