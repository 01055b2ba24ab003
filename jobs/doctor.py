"""Looks whether everything is there that the product needs: one sentence for each thing, with the remedy where not.

Nothing is changed but that the var folder is made, and no secret is told: of a token only whether there is one and
whether it has the form of one.
"""

import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from pathlib import Path

import httpx
from sqlalchemy.exc import SQLAlchemyError

from db import schema
from db.base import open_database
from jobs.descriptions import describe
from jobs.load_rules import load_rules
from jobs.one_at_a_time import prepare_folder
from jobs.serve import listening
from tracker.alerting import load_alert_rules
from tracker.errors import TrackerError
from tracker.settings import Settings
from tracker.sources.git_mirror import open_mirror
from tracker.sources.git_process import reading_environment, run_git
from tracker.sources.git_remote import is_url, without_secrets

LEAST_PYTHON = (3, 11)
LEAST_GIT = (2, 31)
"""The first that takes settings from its environment."""
LEAST_FREE_BYTES = 1 << 30
"""PyTorch's clone takes about as much; its database a tenth of that."""
MOST_SKEW_SECONDS = 60.0
SECONDS_TO_ANSWER = 5.0
PROXIES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")

_TOKEN = re.compile(r"gh[opsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}|[0-9a-f]{40}")


class Health(StrEnum):
    """How a thing is."""

    OK = "ok"
    NOTE = "note"
    """Something will not work, as it was set up or as the network is; the rest does."""
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found of one thing."""

    name: str
    health: Health
    sentence: str
    """With the remedy, where there is something to do."""


Answer = tuple[Health, str]


def examine(settings: Settings, environ: Mapping[str, str], now: Callable[[], datetime]) -> list[Finding]:
    """Return what was found of each thing, in the order in which they are needed."""
    looks: tuple[tuple[str, Callable[[], Answer]], ...] = (
        ("python", lambda: look_at_python(sys.version_info[:3])),
        ("git", _git),
        ("folder", lambda: _folder(settings)),
        ("database", lambda: _database(settings)),
        ("rules", lambda: _rules(settings)),
        ("clones", lambda: _clones(settings)),
        ("token", lambda: look_at_token(settings)),
        ("upstream", lambda: _upstream(settings, environ, now)),
        ("port", lambda: _port(settings)),
    )
    return [_looked(name, look) for name, look in looks]


def _looked(name: str, look: Callable[[], Answer]) -> Finding:
    try:
        health, sentence = look()
    except (TrackerError, OSError, SQLAlchemyError) as error:
        health, sentence = Health.BAD, describe(error)
    return Finding(name=name, health=health, sentence=sentence)


def look_at_python(version: tuple[int, ...]) -> Answer:
    """Say whether a version of Python will do."""
    text = ".".join(map(str, version))
    if version < LEAST_PYTHON:
        return Health.BAD, f"Python {text} is too old: install 3.11 or newer, and make PYTHON=python3.12 run"
    return Health.OK, f"Python {text}"


def look_at_git(text: str) -> Answer:
    """Say whether what `git version` prints will do."""
    found = re.search(r"(\d+)\.(\d+)(?:\.\d+)*", text)
    if found is None:
        return (
            Health.BAD,
            f"git says {text!r}, which names no version: install git 2.31 or newer",
        )
    if (int(found[1]), int(found[2])) < LEAST_GIT:
        return Health.BAD, f"git {found[0]} is too old: install 2.31 or newer"
    return Health.OK, f"git {found[0]}"


def _git() -> Answer:
    return look_at_git(run_git(["version"], environment=reading_environment()).decode("utf-8", "replace").strip())


def _folder(settings: Settings) -> Answer:
    prepare_folder(settings.var_folder)
    path = settings.var_folder.absolute()
    free = shutil.disk_usage(path).free
    if free < LEAST_FREE_BYTES:
        remedy = "make room, or set TRACKER_VAR_FOLDER to a folder on another disk"
        return Health.BAD, f"{path} has {free / 1e9:.1f} GB left, and a clone of PyTorch needs about 1: {remedy}"
    return Health.OK, f"{path} can be written, {free / 1e9:.0f} GB are free"


def _database(settings: Settings) -> Answer:
    engine = open_database(settings.database_url, read_only=True)
    try:
        if engine.dialect.name == "sqlite" and not Path(engine.url.database or "").exists():
            return Health.OK, f"{settings.database_label} is not there yet; the first run makes it"
        schema.check(engine)
    finally:
        engine.dispose()
    return Health.OK, f"{settings.database_label} answers, and its schema is the right one"


def _rules(settings: Settings) -> Answer:
    ruleset = load_rules(settings)
    alerts = load_alert_rules(ruleset.alerts_text)
    return Health.OK, f"ruleset {ruleset.digest[:10]} and {len(alerts)} alert rules are valid"


def _clones(settings: Settings) -> Answer:
    paths = [each for each in settings.repositories if each.mirror is not None and not is_url(each.mirror)]
    for each in paths:
        with open_mirror(each.mirror or "", folder=Path(), slug=each.slug) as clone:
            clone.resolve(each.ref or clone.default_branch())
    return Health.OK, f"{len(paths)} clones are named by their path, and can be read" if paths else "none is named"


def look_at_token(settings: Settings) -> Answer:
    """Say whether there is a token, or a GitHub App, and whether it has the form of one."""
    if settings.github_app_id is not None:
        return Health.OK, "a GitHub App is set"
    if settings.github_token is None:
        remedy = "set TRACKER_GITHUB_TOKEN_FILE to a file with a token that may read public repositories"
        return Health.NOTE, f"there is none, so that pull requests are not crawled (commits are): {remedy}"
    if not _TOKEN.fullmatch(settings.github_token.reveal()):
        return Health.BAD, "what is set has not the form of a GitHub token (ghp_..., github_pat_...): set it again"
    return Health.OK, "one is set, and has the form of one; whether GitHub takes it the first crawl says"


def _upstream(settings: Settings, environ: Mapping[str, str], now: Callable[[], datetime]) -> Answer:
    """Ask for the API's root, whose Date says by how much the clock here is wrong."""
    proxy = next((f"{name}={without_secrets(environ[name])}" for name in PROXIES if environ.get(name)), None)
    by = f" through the proxy {proxy}" if proxy else ""
    try:
        answer = httpx.head(settings.github_url, timeout=SECONDS_TO_ANSWER)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        remedy = "is the proxy right?" if proxy else "is there a network, or a proxy to be named in https_proxy?"
        return Health.NOTE, f"{settings.github_url} cannot be reached{by} ({error}): {remedy} What is stored is served"
    if answer.status_code == httpx.codes.PROXY_AUTHENTICATION_REQUIRED:
        return Health.NOTE, f"{proxy or 'a proxy'} wants a password: name it in https_proxy=http://USER:PASSWORD@HOST"
    return look_at_clock(answer.headers.get("date"), now(), f"{settings.github_url} answers{by}")


def look_at_clock(date: str | None, now: datetime, answers: str) -> Answer:
    """Say whether the clock here and the one upstream, by its header Date, agree."""
    if date is None:
        return Health.NOTE, f"{answers}, and does not say what time it is"
    try:
        skew = (now - parsedate_to_datetime(date).astimezone(UTC)).total_seconds()
    except ValueError:
        return Health.NOTE, f"{answers}, and says that it is {date!r:.60}, which is no time"
    if abs(skew) > MOST_SKEW_SECONDS:
        wrong = "ahead of" if skew > 0 else "behind"
        return Health.BAD, f"{answers}; the clock here is {abs(skew):.0f} s {wrong} its: set it, best by NTP"
    return Health.OK, f"{answers}, and the clocks agree"


def _port(settings: Settings) -> Answer:
    with listening(settings.host, settings.port):
        return Health.OK, f"{settings.host} port {settings.port} is free"
