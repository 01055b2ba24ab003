"""tracker crawl and backfill: read upstream now, with progress."""

import argparse
from datetime import UTC, datetime
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
    backfill = add_command(
        commands,
        "backfill",
        _backfill,
        summary="read the whole history of a repository's default branch, with every processor",
        details="Interrupted, it goes on where it last committed when it is run again; done, it adds nothing. A "
        "repository that is not under watch yet is added.",
        example="tracker backfill --repo pytorch/pytorch --mirror /clones/pytorch --until main --workers 4",
    )
    backfill.add_argument("--repo", metavar="OWNER/NAME", required=True)
    backfill.add_argument("--mirror", metavar="PATH_OR_URL", help="a clone to read (default: GitHub's)")
    backfill.add_argument(
        "--since",
        metavar="DATE",
        type=_date,
        help="begin with the first commit of this day (UTC), and with what stood before it as the opening stock",
    )
    backfill.add_argument("--until", metavar="REV", help="branch, tag or commit to end with (default: the branch)")
    backfill.add_argument(
        "--workers", metavar="N", type=_workers, help="processes that read (default: one for each processor)"
    )


def _crawl(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.duties import open_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.runner import PAUSING
    from tracker.errors import TrackerError
    from tracker.settings import parse_repository

    prepare_folder(context.settings.var_folder)
    named = parse_repository(arguments.repo) if arguments.repo is not None else None
    reports: list[RunReport | None] = []
    with open_duties(context.settings) as duties, context.progress() as progress:
        slugs = [duties.watch_one(named)] if named is not None else duties.watch()
        if not slugs:
            raise TrackerError("no repository is under watch; add one with `tracker repos add owner/name`")
        for slug in slugs:
            if arguments.what == "commits":
                reports.append(duties.crawl_commits(slug, progress=progress, no_pause_after=PAUSING))
                reports.append(duties.roll_up(slug))
            else:
                reports.append(duties.crawl_pulls(slug, progress=progress, no_pause_after=PAUSING))
        reports.append(duties.evaluate_alerts())
    return finish(context, reports)


def _backfill(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.backfill import backfill
    from jobs.duties import open_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.runner import PAUSING
    from tracker.settings.repositories import checked_repository

    wanted = checked_repository(arguments.repo, arguments.mirror, None)
    prepare_folder(context.settings.var_folder)
    with open_duties(context.settings) as duties, context.progress() as progress:
        slug = duties.watch_one(wanted)

        def work() -> dict[str, int | str]:
            return backfill(
                duties.sessions,
                slug,
                duties.settings,
                duties.ruleset,
                mirror=arguments.mirror,
                since=arguments.since,
                until=arguments.until,
                workers=arguments.workers,
                progress=progress,
            )

        report = duties.runner.run("backfill", slug, work, no_pause_after=PAUSING)
        more = [duties.roll_up(slug), duties.evaluate_alerts()]
    if report is not None and report.outcome == "ok":
        for name, value in report.counts.items():
            context.say(f"{name.replace('_', ' ')}: {value:,}" if isinstance(value, int) else f"{name}: {value}")
        return finish(context, more)
    return finish(context, [report, *more])


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


def _date(text: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no date like 2020-01-31") from error


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes from 1 to 256")
    return int(text)
