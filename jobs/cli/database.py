"""tracker db: the database's schema and its backup."""

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
    from db import schema
    from db.base import open_database

    engine = open_database(context.settings.database_url, read_only=True)
    try:
        schema.backup(engine, Path(arguments.file))
    finally:
        engine.dispose()
    context.say(f"{context.settings.database_label} was copied to {arguments.file}")
    return 0
