"""tracker crawl and backfill: read upstream now, with progress."""

import argparse
from typing import TYPE_CHECKING

from jobs.cli.context import Context, add_command

if TYPE_CHECKING:
    from jobs.runner import RunReport


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    crawl = add_command(
        commands,
        "crawl",
        _crawl,
        summary="read what is new in commits or pull requests, once",
        details="It does not wait for the pause after an earlier failure. A repository that is not under watch yet is "
        "added. Exit 1 when a crawl did not go well.",
        example="tracker crawl commits --repo huggingface/accelerate",
    )
    crawl.add_argument("what", choices=["commits", "pulls"], help="what to read")
    crawl.add_argument("--repo", metavar="OWNER/NAME", help="one repository (default: all under watch)")


def _crawl(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.duties import open_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.runner import PAUSING
    from tracker.settings import parse_repository

    prepare_folder(context.settings.var_folder)
    named = parse_repository(arguments.repo) if arguments.repo is not None else None
    reports: list[RunReport | None] = []
    with open_duties(context.settings) as duties, context.progress() as progress:
        for slug in [duties.watch_one(named)] if named is not None else duties.watch():
            if arguments.what == "commits":
                reports.append(duties.crawl_commits(slug, progress=progress, no_pause_after=PAUSING))
                reports.append(duties.roll_up(slug))
            else:
                reports.append(duties.crawl_pulls(slug, progress=progress, no_pause_after=PAUSING))
        reports.append(duties.evaluate_alerts())
    return finish(context, reports)


def finish(context: Context, reports: "list[RunReport | None]") -> int:
    """Say how each run went, failures on standard error, and return the exit code."""
    code = 0
    for report in reports:
        if report is None:
            continue
        name = f"{report.job} {report.repository}".strip()
        if report.outcome == "ok":
            seconds = (report.ended_at - report.started_at).total_seconds()
            done = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in report.counts.items())
            context.say(f"{name}: {done or 'done'} ({seconds:.1f} s)")
        else:
            context.note(f"tracker: {name}: {report.message}")
            code = 1
    return code
