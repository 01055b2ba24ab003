"""tracker repos: which repositories are under watch."""

import argparse
from datetime import UTC, datetime
from pathlib import Path

from jobs.cli.context import Context, add_command
from jobs.cli.crawling import day
from tracker.errors import RepositoryError, SettingsError
from tracker.settings import parse_repository
from tracker.settings.repositories import checked_repository, parse_quiet_days


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    repos = add_command(
        commands,
        "repos",
        None,
        summary="say which repositories are under watch",
        example="tracker repos add huggingface/accelerate",
    )
    group = repos.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add = add_command(
        group,
        "add",
        _add,
        summary="watch a repository; a running service crawls it within a minute",
        details="One that was removed before is taken up again with its history. Where it is under watch already, what "
        "is named is changed, except where reading began.",
        example="tracker repos add deepspeedai/DeepSpeed --mirror /clones/DeepSpeed --ref master --since 2022-01-01",
    )
    add.add_argument("slug", metavar="OWNER/NAME", help="as on GitHub; the settings' form is understood")
    add.add_argument("--mirror", metavar="PATH_OR_URL", help="a clone to read instead of GitHub's")
    add.add_argument("--ref", metavar="BRANCH", help="what to follow (default: the default branch)")
    add.add_argument("--since", metavar="DATE", type=day, help="begin with the first commit of this day (UTC)")
    add.add_argument(
        "--quiet-days",
        metavar="DAYS",
        type=_quiet_days,
        help="how old its newest commit may be before that is an alert (default: TRACKER_QUIET_DAYS)",
    )
    listing = add_command(
        group, "list", _list, summary="list the repositories under watch", example="tracker repos list"
    )
    listing.add_argument("--all", action="store_true", help="also those no longer watched")
    remove = add_command(
        group,
        "remove",
        _remove,
        summary="stop watching a repository; its history stays",
        example="tracker repos remove deepspeedai/DeepSpeed",
    )
    remove.add_argument("slug", metavar="OWNER/NAME")


def _add(arguments: argparse.Namespace, context: Context) -> int:
    from db.repositories import add_repository, note_github_facts
    from jobs.locations import absolute_location
    from jobs.repositories import ask_github

    given = parse_repository(arguments.slug)
    wanted = checked_repository(given.slug, arguments.mirror or given.mirror, arguments.ref or given.ref)
    mirror = absolute_location(wanted.mirror) if wanted.mirror else None
    _check_clone(mirror, wanted.ref, wanted.slug)
    # A clone can be of anything; a name on GitHub can be checked.
    facts = ask_github(wanted.slug, context.settings) if mirror is None else None
    slug, now = facts.slug if facts else wanted.slug, datetime.now(UTC)
    with context.writing() as session:
        row = add_repository(
            session,
            slug,
            mirror=mirror,
            ref=wanted.ref,
            since=arguments.since or given.since,
            quiet_days=arguments.quiet_days or given.quiet_days,
            now=now,
        )
        if facts is not None:
            note_github_facts(session, row.id, facts.github_id, facts.slug, facts.default_branch, now)
        read_from = f", read from {row.mirror}" if row.mirror else ""
        begins = f", beginning with {row.since}" if row.since else ""
        context.say(f"{row.slug} is under watch{read_from}{begins}")
    return 0


def _check_clone(location: str | None, ref: str | None, slug: str) -> None:
    """Refuse a path at which there is no clone, or none with the branch; a URL is asked when it is fetched."""
    from tracker.sources.git_mirror import open_mirror
    from tracker.sources.git_remote import is_url

    if location is None or is_url(location):
        return
    with open_mirror(location, folder=Path(), slug=slug) as clone:
        if ref is not None:
            clone.resolve(ref)


def _list(arguments: argparse.Namespace, context: Context) -> int:
    from db.repositories import read_repositories
    from db.stored_lines import count_read

    rows = []
    with context.reading() as session:
        for row in read_repositories(session, removed=arguments.all):
            state = "demonstration" if row.demo else "removed" if row.removed_at else "watched"
            branch, read = row.ref or row.default_branch or "", count_read(session, row.id)
            rows.append((row.slug, state, row.mirror or "", branch, read, row.since or "", row.quiet_days or ""))
    context.table(("repository", "state", "read from", "branch", "commits read", "since", "quiet days"), rows)
    return 0


def _remove(arguments: argparse.Namespace, context: Context) -> int:
    from db.repositories import read_repository, remove_repository

    with context.writing() as session:
        if not remove_repository(session, arguments.slug, datetime.now(UTC)):
            known = read_repository(session, arguments.slug)
            why = "was removed before" if known else "was never under watch"
            raise RepositoryError(f"{arguments.slug} {why}; `tracker repos list` says what is under watch")
    context.say(f"{arguments.slug} is no longer under watch; its history stays")
    return 0


def _quiet_days(text: str) -> float:
    try:
        return parse_quiet_days(text)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
