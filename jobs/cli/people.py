"""tracker people: what is kept of people, and how it goes."""

import argparse
from datetime import UTC, datetime

from jobs.cli.context import Context, add_command


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    people = add_command(
        commands, "people", None, summary="erase what is kept of a person", example="tracker people forget octocat"
    )
    group = people.add_subparsers(title="commands", metavar="COMMAND", required=True)
    forget = add_command(
        group,
        "forget",
        _forget,
        summary="erase a GitHub account for good",
        details="Its logins, company and digests of mail addresses go; what it did stays in every figure. Later crawls "
        "do not bring it back. Backups made before still hold it.",
        example="tracker people forget octocat --mail octocat@example.com",
    )
    forget.add_argument("login", metavar="LOGIN", help="as the account is, or was, called")
    forget.add_argument(
        "--mail", metavar="ADDRESS", action="append", default=[], help="an address to forget too; may be repeated"
    )


def _forget(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.configure import with_mail_key
    from jobs.forget_people import digest_of, forget

    settings = with_mail_key(context.settings)
    with context.writing() as session:
        done = forget(session, arguments.login, arguments.mail, digest_of(settings), datetime.now(UTC))
    context.say(
        f"erased: {done.accounts} accounts, {done.logins} logins, {done.statements} stated companies, and the "
        f"digests and mail domains of {done.commits} commits; figures stay, and later crawls bring nothing back"
    )
    return 0
