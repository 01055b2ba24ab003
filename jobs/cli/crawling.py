"""tracker crawl and backfill: read upstream now, with progress."""

import argparse
from datetime import UTC, date, datetime

from db.base import in_transaction
from db.repositories import add_repository, read_repositories, read_repository
from jobs.cli.context import Context, add_command
from jobs.duties import Duties, open_duties
from jobs.one_at_a_time import prepare_folder
from jobs.runner import PAUSING, RunReport, utc_now
from tracker.errors import TrackerError
from tracker.settings import RepositorySetting, parse_repository
from tracker.settings.repositories import checked_repository


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
    settings = context.settings
    prepare_folder(settings.var_folder)
    with open_duties(settings) as duties, context.progress() as progress:
        reports: list[RunReport | None] = []
        for slug in _slugs(duties, arguments.repo):
            crawl = duties.crawl_commits if arguments.what == "commits" else duties.crawl_pulls
            report = crawl(slug, progress=progress, no_pause_after=PAUSING)
            reports.append(report)
            if arguments.what == "commits" and report is not None:
                reports.append(duties.roll_up(slug))
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


def _slugs(duties: Duties, slug: str | None) -> list[str]:
    """Return the repositories to crawl; one that is named, or that the settings name, is added where it is missing."""
    if slug is not None:
        return [watched(duties, parse_repository(slug))]
    duties.watch()
    with in_transaction(duties.readers) as session:
        slugs = [row.slug for row in read_repositories(session)]
    if not slugs:
        raise TrackerError("no repository is under watch; add one with `tracker repos add owner/name`")
    return slugs


def watched(duties: Duties, repository: RepositorySetting) -> str:
    """Add a repository where it is not under watch, with what the settings say of it, and return its present name."""
    with in_transaction(duties.readers) as session:
        row = read_repository(session, repository.slug)
    configured = {each.slug.lower(): each for each in duties.settings.repositories}.get(repository.slug.lower())
    mirror = repository.mirror or (configured.mirror if configured and row is None else None)
    ref = repository.ref or (configured.ref if configured and row is None else None)
    with in_transaction(duties.sessions) as session:
        return add_repository(session, repository.slug, mirror=mirror, ref=ref, now=utc_now()).slug
