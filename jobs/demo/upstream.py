"""The demonstration's upstream on disk and on the loopback interface, made anew each time in a folder of its own."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from jobs.demo.facts import DEMO_SLUG
from jobs.demo.heads import proposed_files
from jobs.demo.history import SEED, demo_history
from jobs.demo.pulls import demo_pulls
from jobs.demo.repository import write_repository
from jobs.demo_upstream import DemoGitHub
from tracker.errors import SettingsError

MARK = "made-by-tracker-demo"
"""A file in the folder that says it may be thrown away."""


@contextmanager
def demo_upstream(folder: Path, now: datetime) -> Iterator[DemoGitHub]:
    """Make the folder anew with an upstream repository in it, and serve its pull requests.

    Raises:
        SettingsError: the folder holds something that no demonstration made.
    """
    _clear(folder)
    commits = demo_history(now)
    planned = demo_pulls(commits, now, SEED)
    proposed = proposed_files(commits, planned.pulls)
    heads = write_repository(folder / "upstream.git", commits, planned.numbers, proposed)
    pulls = [replace(pull, head_sha=heads.get(pull.number, pull.head_sha)) for pull in planned.pulls]
    with DemoGitHub(folder / "upstream.git", DEMO_SLUG, pulls) as github:
        yield github


def _clear(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise SettingsError(
            (f"{folder.absolute()} holds something that no demonstration made; move it away or set TRACKER_VAR_FOLDER",)
        )
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(parents=True)
        (folder / MARK).write_text("This folder is thrown away and made anew by `tracker demo`.\n")
    except OSError as error:
        raise SettingsError(
            (f"{folder.absolute()} cannot be written ({error.strerror}); set TRACKER_VAR_FOLDER to a folder that can",)
        ) from error
