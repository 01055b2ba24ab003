"""tracker db: the database's schema, its backup, what is derived in it, who may read it, and what its columns mean."""

import argparse
from pathlib import Path

from jobs.cli.context import Context, add_command


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    database = add_command(
        commands, "db", None, summary="make, check and back up the database", example="tracker db upgrade"
    )
    group = database.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_command(
        group,
        "upgrade",
        _upgrade,
        summary="make the tables, or bring those of an older version up to date",
        details="`tracker run` and `tracker schedule` do it themselves.",
        example="TRACKER_DATABASE_URL=postgresql://tracker@db/tracker tracker db upgrade",
    )
    add_command(
        group,
        "check",
        _check,
        summary="say whether the tables are those that this version needs; exit 1 when not",
        example="tracker db check",
    )
    backup = add_command(
        group,
        "backup",
        _backup,
        summary="copy an SQLite database into a new file, while it is in use",
        example="tracker db backup /backups/tracker-monday.db",
    )
    backup.add_argument("file", metavar="FILE", help="a file that does not exist yet")
    restore = add_command(
        group,
        "restore",
        _restore,
        summary="put a backup in the place of an SQLite database",
        details="It refuses while a tracker writes into that database, and where it is not empty. A backup of "
        "an earlier version is brought up to date.",
        example="tracker db restore /backups/tracker-monday.db --force",
    )
    restore.add_argument("file", metavar="FILE", help="what `tracker db backup` wrote")
    restore.add_argument("--force", action="store_true", help="overwrite a database that is not empty, or in use")
    rebuild = add_command(
        group,
        "rebuild",
        _rebuild,
        summary="drop what is derived from the record (weekly cells, landings) and derive it anew",
        details="Readers see the old rows until the new ones are there. It says whether they are the same, as they "
        "should be.",
        example="tracker db rebuild --repo pytorch/pytorch",
    )
    rebuild.add_argument("--repo", metavar="OWNER/NAME", help="one repository (default: all)")
    grants = add_command(
        group,
        "grants",
        _grants,
        summary="print, or run, what lets a role of PostgreSQL read and nothing else",
        details="`tracker web` needs no more. Run it as the owner of the tables; later tables are included.",
        example="tracker db grants tracker_web --apply",
    )
    grants.add_argument("role", metavar="ROLE", help="an existing role, e.g. of the web processes")
    grants.add_argument("--apply", action="store_true", help="run the statements instead of only printing them")
    add_command(
        group,
        "dictionary",
        _dictionary,
        summary="print the data dictionary: every table and export, column by column, in Markdown",
        example="tracker db dictionary > docs/data.md",
    )


def _upgrade(_arguments: argparse.Namespace, context: Context) -> int:
    from db import schema
    from db.base import open_database

    engine = open_database(context.settings.database_url)
    try:
        schema.upgrade(engine)
    finally:
        engine.dispose()
    context.say(f"{context.settings.database_label} is up to date")
    return 0


def _check(_arguments: argparse.Namespace, context: Context) -> int:
    from db.rejudging import read_outdated_counts
    from jobs.load_rules import load_rules

    with context.reading() as session:
        outdated = read_outdated_counts(session, load_rules(context.settings).digest)
        context.say(f"{context.settings.database_label} is as this version needs it")
    for slug, commits in outdated.items():
        context.say(
            f"{slug}: the stored verdicts of {commits} commits come from another ruleset; the next crawl judges them "
            f"anew, and so does `tracker rejudge --repo {slug}`, which says what changed"
        )
    return 0


def _backup(arguments: argparse.Namespace, context: Context) -> int:
    from db.backups import backup
    from db.base import open_database

    engine = open_database(context.settings.database_url, read_only=True)
    try:
        backup(engine, Path(arguments.file))
    finally:
        engine.dispose()
    context.say(f"{context.settings.database_label} was copied to {arguments.file}")
    return 0


def _restore(arguments: argparse.Namespace, context: Context) -> int:
    from contextlib import ExitStack

    from db import schema
    from db.backups import restore
    from db.base import open_database
    from jobs.one_at_a_time import replacing_database

    engine = open_database(context.settings.database_url)
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        if not arguments.force:
            stack.enter_context(replacing_database(context.settings.database_url))
        restore(engine, Path(arguments.file), force=arguments.force)
        schema.upgrade(engine)
    context.say(f"{context.settings.database_label} is what {arguments.file} holds")
    return 0


def _rebuild(arguments: argparse.Namespace, context: Context) -> int:
    from db.derived import rebuild_derived
    from db.repositories import read_repositories, read_repository
    from tracker.errors import RepositoryError

    with context.writing() as session:
        named = read_repository(session, arguments.repo) if arguments.repo is not None else None
        if arguments.repo is not None and named is None:
            raise RepositoryError(f"{arguments.repo} is not in the database; `tracker repos list` says what is")
        for repository in [named] if named is not None else read_repositories(session, removed=True):
            rebuilt = rebuild_derived(session, repository.id)
            same = "as before" if rebuilt.as_before else "other rows than before"
            context.say(f"{repository.slug}: {rebuilt.cells:,} weekly cells, {rebuilt.landings:,} landings, {same}")
    return 0


def _grants(arguments: argparse.Namespace, context: Context) -> int:
    from db.base import open_database
    from db.grants import grant_reading, reading_grants

    engine = open_database(context.settings.database_url)
    try:
        for statement in (grant_reading if arguments.apply else reading_grants)(engine, arguments.role):
            context.say(f"{statement};")
    finally:
        engine.dispose()
    return 0


def _dictionary(_arguments: argparse.Namespace, context: Context) -> int:
    from db.dictionary import render_dictionary

    context.out.write(render_dictionary())
    return 0
