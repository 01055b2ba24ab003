"""tracker crawl, backfill and rejudge: read upstream, or judge anew what was read, with progress."""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from jobs.cli.context import Context, add_command
from tracker.errors import SettingsError
from tracker.settings.repositories import parse_day
from tracker.sites import Verdict

if TYPE_CHECKING:
    from db.numbers import PullCoverage
    from db.verdict_changes import Change, Outcome
    from jobs.rejudge import Rejudged
    from jobs.runner import RunReport

_CHANGES_NAMED = 50


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    crawl = add_command(
        commands,
        "crawl",
        _crawl,
        summary="read what is new in commits, pull requests, their heads or releases, once",
        details="heads judges what open pull requests would do if they landed: those whose head moved since, and all "
        "where the rules changed. It does not wait for the pause after an earlier failure. A repository that is not "
        "under watch yet is added. Exit 1 when a crawl did not go well.",
        example="tracker crawl commits --repo huggingface/accelerate",
    )
    crawl.add_argument("what", choices=["commits", "pulls", "heads", "releases"], help="what to read")
    crawl.add_argument("--repo", metavar="OWNER/NAME", help="one repository (default: all under watch)")
    reconcile = add_command(
        commands,
        "reconcile",
        _reconcile,
        summary="compare stored pull requests with the numbers that GitHub gave out, and say what is missing",
        details="Each number is a pull request, an issue, a discussion, or gone. Pull requests that turn up are read. "
        "The schedule does it weekly. Exit 1 where anything is missing, not served, or not asked about yet.",
        example="tracker reconcile --repo pytorch/pytorch",
    )
    reconcile.add_argument("--repo", metavar="OWNER/NAME", help="one repository (default: all under watch)")
    backfill = add_command(
        commands,
        "backfill",
        _backfill,
        summary="read the whole history of a repository's default branch, with every processor",
        details="Interrupted, it goes on where it last committed when it is run again; done, it adds nothing. A "
        "repository that is not under watch yet is added. --since and --until are kept with it: a running service "
        "begins and ends there too. Where a service reads it already, this waits and reads what is left.",
        example="tracker backfill --repo pytorch/pytorch --mirror /clones/pytorch --until main --workers 4",
    )
    backfill.add_argument("--repo", metavar="OWNER/NAME", required=True)
    backfill.add_argument("--mirror", metavar="PATH_OR_URL", help="a clone to read (default: GitHub's)")
    backfill.add_argument(
        "--since",
        metavar="DATE",
        type=day,
        help="begin with the first commit of this day (UTC), and with what stood before it as the opening stock",
    )
    backfill.add_argument(
        "--until", metavar="REV", help="branch, tag or commit to end with and to follow (default: the branch)"
    )
    backfill.add_argument(
        "--workers", metavar="N", type=_workers, help="processes that read (default: one for each processor)"
    )

    rejudge = add_command(
        commands,
        "rejudge",
        _rejudge,
        summary="judge a stored history anew by the present rules, from its clone, and say what changed",
        details="Nothing is asked of GitHub. Interrupted, it goes on when it is run again. A crawl does the same "
        "before it reads what is new, so that a history is never judged by two rulesets.",
        example="tracker rejudge --repo pytorch/pytorch --workers 4",
    )
    rejudge.add_argument("--repo", metavar="OWNER/NAME", required=True)
    rejudge.add_argument("--mirror", metavar="PATH", help="a clone to read (default: the one it is watched with)")
    rejudge.add_argument(
        "--workers", metavar="N", type=_workers, help="processes that read (default: as the settings say)"
    )
    rejudge.add_argument("--all", action="store_true", help="name every commit that changed, not the first 50")


def _crawl(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.duties import open_command_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.runner import PAUSING
    from jobs.turns import waiting
    from tracker.errors import TrackerError
    from tracker.settings import parse_repository

    prepare_folder(context.settings.var_folder)
    named = parse_repository(arguments.repo) if arguments.repo is not None else None
    reports: list[RunReport | None] = []
    with open_command_duties(context.settings) as duties, context.progress() as progress:
        slugs = [duties.watch_one(named)] if named is not None else duties.watch()
        if not slugs:
            raise TrackerError("no repository is under watch; add one with `tracker repos add owner/name`")
        for slug in slugs:
            if arguments.what == "commits":
                turn = waiting(progress)
                reports.append(duties.crawl_commits(slug, progress=progress, no_pause_after=PAUSING, while_taken=turn))
                reports.append(duties.roll_up(slug))
            elif arguments.what == "releases":
                reports.append(duties.read_releases(slug, no_pause_after=PAUSING))
            elif arguments.what == "heads":
                reports.append(duties.judge_heads(slug, progress=progress, no_pause_after=PAUSING))
            else:
                reports.append(duties.crawl_pulls(slug, progress=progress, no_pause_after=PAUSING))
        reports.append(duties.evaluate_alerts())
    return finish(context, reports)


def _reconcile(arguments: argparse.Namespace, context: Context) -> int:
    from db.base import in_transaction
    from db.numbers import read_pull_coverage
    from jobs.duties import open_command_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.runner import PAUSING

    prepare_folder(context.settings.var_folder)
    with open_command_duties(context.settings) as duties, context.progress() as progress:
        slugs = [arguments.repo] if arguments.repo is not None else duties.watch()
        reports = [duties.reconcile_pulls(slug, progress=progress, no_pause_after=PAUSING) for slug in slugs]
        with in_transaction(duties.readers) as session:
            found = [one for one in read_pull_coverage(session) if one.repository in slugs]
    for slug, report in zip(slugs, reports, strict=True):
        if report is None:
            context.note(
                f"tracker: {slug}: its pull requests were not read to the end yet; `tracker crawl pulls` does it"
            )
    if found:
        names = ("repository", "numbers", "pulls", "issues", "discussions", "gone", "unserved", "unchecked", "missing")
        context.table(names, [_coverage_row(one) for one in found])
    gaps = any(one.missing or one.unserved or one.unchecked or one.unread_lists for one in found)
    return max(finish(context, reports), int(gaps or None in reports))


def _coverage_row(one: "PullCoverage") -> tuple[str | int, ...]:
    counts = (one.highest, one.pulls, one.issues, one.discussions, one.deleted + one.transferred)
    return (one.repository, *counts, one.unserved, one.unchecked, one.missing)


def _backfill(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.backfill import backfill
    from jobs.duties import open_command_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.runner import PAUSING
    from jobs.turns import waiting
    from tracker.settings.repositories import checked_repository, is_revision

    wanted = replace(checked_repository(arguments.repo, arguments.mirror, None), since=arguments.since)
    kept = arguments.until if arguments.until is not None and is_revision(arguments.until) else None
    prepare_folder(context.settings.var_folder)
    with ExitStack() as stack:
        progress = stack.enter_context(context.progress())
        progress("starting", 0, None)
        duties = stack.enter_context(open_command_duties(context.settings))
        slug = duties.watch_one(wanted, until=kept)

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

        report = duties.runner.run(
            "backfill", slug, work, no_pause_after=PAUSING, alone=True, while_taken=waiting(progress)
        )
        more = [duties.roll_up(slug), duties.evaluate_alerts()]
    if report is not None and report.outcome == "ok":
        for name, value in report.counts.items():
            context.say(f"{name.replace('_', ' ')}: {value:,}" if isinstance(value, int) else f"{name}: {value}")
        return finish(context, more)
    return finish(context, [report, *more])


def _rejudge(arguments: argparse.Namespace, context: Context) -> int:
    from db.base import in_transaction
    from db.repositories import read_repository
    from jobs.duties import open_command_duties
    from jobs.one_at_a_time import prepare_folder
    from jobs.rejudge import Rejudged, rejudge
    from jobs.runner import PAUSING, Counts
    from jobs.turns import waiting
    from tracker.errors import RepositoryError
    from tracker.settings import parse_repository

    slug = parse_repository(arguments.repo).slug
    prepare_folder(context.settings.var_folder)
    found: list[Rejudged] = []
    with open_command_duties(context.settings) as duties, context.progress() as progress:
        with in_transaction(duties.readers) as session:
            repository = read_repository(session, slug)
        if repository is None:
            raise RepositoryError(f"{slug} is not under watch; add it with `tracker repos add {slug}`")

        def work() -> Counts:
            found.append(
                rejudge(
                    duties.sessions,
                    repository,
                    duties.settings,
                    duties.ruleset,
                    mirror=arguments.mirror,
                    workers=arguments.workers or duties.settings.workers,
                    progress=progress,
                )
            )
            return found[0].counts

        turn = waiting(progress)
        reports = [
            duties.runner.run("rejudge", repository.slug, work, no_pause_after=PAUSING, alone=True, while_taken=turn)
        ]
        reports += [duties.roll_up(repository.slug), duties.evaluate_alerts()]
    for rejudged in found:
        _say_what_changed(context, rejudged, most=None if arguments.all else _CHANGES_NAMED)
    return finish(context, reports)


def _say_what_changed(context: Context, rejudged: "Rejudged", *, most: int | None) -> None:
    context.say(
        f"{rejudged.commits} commits judged anew, {rejudged.before_this_run} stood by these rules already; "
        f"{len(rejudged.changes)} are judged differently than by the rules before, "
        f"{sum(rejudged.moves.values())} with another verdict"
    )
    before, after = rejudged.verdicts_before, rejudged.verdicts_after
    rows = [(verdict, before.get(verdict, 0), after.get(verdict, 0)) for verdict in Verdict]
    context.table(("verdict", "commits before", "commits after"), rows)
    if rejudged.moves:
        moved = [(count, *(verdict.value for verdict in pair)) for pair, count in rejudged.moves.items()]
        context.table(("commits", "before", "after"), moved)
    if rejudged.changes:
        context.table(("commit", "before", "after", "subject"), [_changed(one) for one in rejudged.changes[:most]])
    if most is not None and len(rejudged.changes) > most:
        context.say(f"and {len(rejudged.changes) - most} more; --all names them")


def _changed(change: "Change") -> tuple[str, str, str, str]:
    return change.sha[:12], _judged(change.before), _judged(change.after), change.subject


def _judged(outcome: "Outcome") -> str:
    mechanism = f"/{outcome.mechanism.value}" if outcome.mechanism else ""
    return f"{outcome.verdict.value}{mechanism} -{outcome.removed}+{outcome.added}"


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


def day(text: str) -> date:
    """Return the day that an option names."""
    try:
        return parse_day(text)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes from 1 to 256")
    return int(text)
