"""tracker doctor: whether everything is there that the product needs."""

import argparse
from dataclasses import asdict
from datetime import UTC, datetime

from jobs.cli.context import Context, add_command
from tracker.errors import SettingsError


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    doctor = add_command(
        commands,
        "doctor",
        _doctor,
        summary="look whether everything is there that the product needs, and say what to do where it is not",
        details="Python, git, the folder and its space, the database and its schema, the rules, clones, the token (it "
        "is never printed), upstream and the clock, the port. A `note` is no hindrance. Exit 1 where anything is bad.",
        example="tracker doctor --json",
    )
    doctor.add_argument("--json", action="store_true", help="one JSON object a line")


def _doctor(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.doctor import Finding, Health, examine
    from jobs.log import Redaction

    try:
        settings = context.settings
    except SettingsError as error:
        found = [Finding(name="settings", health=Health.BAD, sentence=problem) for problem in error.problems]
        redact = Redaction()
    else:
        found = examine(settings, context.environ, lambda: datetime.now(UTC))
        redact = Redaction.of(settings)
    for each in found:
        if arguments.json:
            context.json_line(asdict(each) | {"sentence": redact(each.sentence)})
        else:
            context.say(f"{each.health:4} {each.name}: {redact(each.sentence)}")
    return int(any(each.health is Health.BAD for each in found))
