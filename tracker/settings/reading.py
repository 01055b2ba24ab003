"""Environment variables and the text of `tracker.toml` -> `Settings`, with every problem reported at once.

The environment goes before the file, the file before the defaults. A key that is not known is a problem with a
suggestion, never ignored. Nothing is read from disk here: files that hold secrets are only named.
"""

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tracker.errors import SettingsError
from tracker.settings.fields import Settings
from tracker.settings.repositories import (
    RepositorySetting,
    checked_repository,
    parse_day,
    parse_quiet_days,
    parse_repository,
    split_repositories,
)
from tracker.settings.secret import Secret

PREFIX = "TRACKER_"

_FOREIGN = re.compile(r"TRACKER_(TEST_.*|SERVICE_HOST|SERVICE_PORT.*|PORT_\d+_.*|SETTINGS_FILE)")
"""Not settings: the tests' switches, what Kubernetes adds beside a service named `tracker`, and where the file is."""
_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}

Value = TypeVar("Value")


def read_settings(environ: Mapping[str, str], toml_text: str | None = None) -> Settings:
    """Return the settings that the environment and the file's text give.

    A variable that is set but empty counts as not set. Without TRACKER_DATABASE_URL the database is an SQLite file in
    the var folder.

    Raises:
        SettingsError: with one sentence for each problem.
    """
    reader = _Reader(environ, toml_text or "")
    plain = Settings()
    var_folder = reader.take("var_folder", _path, plain.var_folder)
    settings = Settings(
        var_folder=var_folder,
        database_url=reader.take("database_url", _text, f"sqlite:///{var_folder}/tracker.db"),
        github_url=reader.take("github_url", _web_address, plain.github_url),
        git_url=reader.take("git_url", _git_root, plain.git_url),
        github_token=reader.take("github_token", _secret, None),
        github_token_file=reader.take("github_token_file", _path, None),
        github_app_id=reader.take("github_app_id", _text, None),
        github_app_installation=reader.take("github_app_installation", _whole(1, 2**53), None),
        github_app_key=reader.take("github_app_key", _secret, None),
        github_app_key_file=reader.take("github_app_key_file", _path, None),
        rules_folder=reader.take("rules_folder", _path, None),
        repositories=reader.take("repositories", _repositories, plain.repositories),
        host=reader.take("host", _text, plain.host),
        port=reader.take("port", _whole(0, 65535), plain.port),
        webhook_secret=reader.take("webhook_secret", _long_secret, None),
        webhook_secret_file=reader.take("webhook_secret_file", _path, None),
        webhook_database_url=reader.take("webhook_database_url", _text, None),
        affiliations_file=reader.take("affiliations_file", _path, None),
        mail_key=reader.take("mail_key", _long_secret, None),
        crawl_commits_minutes=reader.take("crawl_commits_minutes", _interval, plain.crawl_commits_minutes),
        crawl_pulls_minutes=reader.take("crawl_pulls_minutes", _interval, plain.crawl_pulls_minutes),
        roll_up_minutes=reader.take("roll_up_minutes", _interval, plain.roll_up_minutes),
        alerts_minutes=reader.take("alerts_minutes", _interval, plain.alerts_minutes),
        audit_hours=reader.take("audit_hours", _interval, plain.audit_hours),
        audit_sample=reader.take("audit_sample", _whole(1, 10_000), plain.audit_sample),
        stale_hours=reader.take("stale_hours", _interval, plain.stale_hours),
        quiet_days=reader.take("quiet_days", _interval, plain.quiet_days),
        stale_pull_days=reader.take("stale_pull_days", _interval, plain.stale_pull_days),
        workers=reader.take("workers", _whole(0, 256), plain.workers),
        log_format=reader.take("log_format", _one_of("auto", "human", "json"), plain.log_format),
        log_level=reader.take("log_level", _one_of("debug", "info", "warning", "error"), plain.log_level),
        debug=reader.take("debug", _switch, plain.debug),
    )
    reader.finish(_credential_problems(settings))
    return settings


class _Reader:
    """Takes settings by name out of both sources, remembers which are known, and collects problems."""

    def __init__(self, environ: Mapping[str, str], toml_text: str) -> None:
        self._problems: list[str] = []
        self._known: set[str] = set()
        self._environ = {
            name.removeprefix(PREFIX).lower(): value.strip()
            for name, value in environ.items()
            if name.startswith(PREFIX) and value.strip() and not _FOREIGN.fullmatch(name)
        }
        if self._environ.get("port", "").startswith("tcp://"):
            # Kubernetes sets TRACKER_PORT so, beside a service named `tracker`.
            del self._environ["port"]
        self._file: dict[str, Any] = {}
        try:
            self._file = tomllib.loads(toml_text)
        except tomllib.TOMLDecodeError as error:
            self._problems.append(f"tracker.toml is no valid TOML: {error}")

    def take(self, name: str, parse: Callable[[Any], Value], default: Value) -> Value:
        """Return one setting; a value that does not parse is a problem, and the default stands in for it."""
        self._known.add(name)
        if name in self._environ:
            shown, value = PREFIX + name.upper(), self._environ[name]
        elif name in self._file:
            shown, value = f"{name} in tracker.toml", self._file[name]
        else:
            return default
        try:
            return parse(value)
        except SettingsError as error:
            self._problems.extend(f"{shown}: {problem}" for problem in error.problems)
            return default

    def finish(self, more: tuple[str, ...]) -> None:
        """Raise when anything was wrong, names that nobody asked for included."""
        given = [(PREFIX, name) for name in self._environ] + [("", name) for name in self._file]
        for prefix, name in given:
            if name not in self._known:
                self._problems.append(self._unknown(prefix, name))
        if self._problems or more:
            raise SettingsError((*self._problems, *more))

    def _unknown(self, prefix: str, name: str) -> str:
        def spelt(name: str) -> str:
            return PREFIX + name.upper() if prefix else f"{name} in tracker.toml"

        near = difflib.get_close_matches(name, sorted(self._known), n=1)
        return f"{spelt(name)} is no setting" + (f"; did you mean {spelt(near[0])}?" if near else "")


def _credential_problems(settings: Settings) -> tuple[str, ...]:
    app = settings.github_app_id is not None
    app_parts = (settings.github_app_key is not None or settings.github_app_key_file is not None) and (
        settings.github_app_installation is not None
    )
    problems = []
    if settings.github_token is not None and settings.github_token_file is not None:
        problems.append("TRACKER_GITHUB_TOKEN and TRACKER_GITHUB_TOKEN_FILE are both set; keep one")
    if settings.github_app_key is not None and settings.github_app_key_file is not None:
        problems.append("TRACKER_GITHUB_APP_KEY and TRACKER_GITHUB_APP_KEY_FILE are both set; keep one")
    if settings.webhook_secret is not None and settings.webhook_secret_file is not None:
        problems.append("TRACKER_WEBHOOK_SECRET and TRACKER_WEBHOOK_SECRET_FILE are both set; keep one")
    if app and not app_parts:
        problems.append(
            "TRACKER_GITHUB_APP_ID needs TRACKER_GITHUB_APP_INSTALLATION and TRACKER_GITHUB_APP_KEY_FILE beside it"
        )
    if app and (settings.github_token is not None or settings.github_token_file is not None):
        problems.append("a GitHub App and a token are both set; keep one of them")
    return tuple(problems)


def _refuse(sentence: str) -> SettingsError:
    return SettingsError((sentence,))


def _text(value: object) -> str:
    if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
        return str(value).strip()
    raise _refuse("a text is needed")


def _path(value: object) -> Path:
    return Path(_text(value))


def _secret(value: object) -> Secret:
    if not isinstance(value, str):
        # The value is not repeated: messages are logged.
        raise _refuse("a text is needed")
    return Secret(value.strip())


def _long_secret(value: object) -> Secret:
    secret = _secret(value)
    if len(secret.reveal()) < 16:
        raise _refuse("at least 16 signs are needed, best 32 or more at random")
    return secret


def _web_address(value: object) -> str:
    text = _text(value).rstrip("/")
    parts = urlsplit(text)
    if parts.username or parts.password:
        raise _refuse("the address holds a user or password; set TRACKER_GITHUB_TOKEN instead")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _refuse(f"{text!r} is no address like https://api.github.com")
    return text


def _git_root(value: object) -> str:
    text = _text(value).rstrip("/")
    if "://" in text and not text.startswith("file://"):
        return _web_address(text)
    return text


def _number(value: object) -> float:
    try:
        number = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _refuse(f"{value!r} is no number")
    return number


def _interval(value: object) -> float:
    number = _number(value)
    if not 0 < number <= 100_000:
        raise _refuse(f"{number:g} is no possible time; more than 0 is needed")
    return number


def _whole(least: int, most: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        number = _number(value)
        if number != int(number) or not least <= number <= most:
            raise _refuse(f"{value!r} is no whole number from {least} to {most}")
        return int(number)

    return parse


def _one_of(*choices: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        text = _text(value).lower()
        if text not in choices:
            raise _refuse(f"{text!r} is none of {', '.join(choices)}")
        return text

    return parse


def _switch(value: object) -> bool:
    known = _SWITCH.get(str(value).lower())
    if known is None:
        raise _refuse(f"{value!r} is neither true nor false")
    return known


def _repositories(value: object) -> tuple[RepositorySetting, ...]:
    """Accept the environment's text, or a list of such texts or tables of slug, mirror, ref, since and quiet_days."""
    entries = list(split_repositories(value)) if isinstance(value, str) else value
    if not isinstance(entries, list) or not entries:
        raise _refuse("a list of owner/name is needed")
    problems: list[str] = []
    repositories: dict[str, RepositorySetting] = {}
    for entry in entries:
        try:
            repository = _repository(entry)
        except SettingsError as error:
            problems.extend(error.problems)
            continue
        if repository.slug.lower() in repositories:
            problems.append(f"{repository.slug} stands there twice")
        repositories[repository.slug.lower()] = repository
    if problems:
        raise SettingsError(tuple(problems))
    return tuple(repositories.values())


def _repository(entry: object) -> RepositorySetting:
    match entry:
        case str():
            return parse_repository(entry)
        case {"slug": str() as slug, **rest} if rest.keys() <= {"mirror", "ref", "since", "quiet_days"}:
            # A date of TOML is written as a text is.
            parts = {name: str(part) if isinstance(part, (date, float)) else _text(part) for name, part in rest.items()}
            return replace(
                checked_repository(slug, parts.get("mirror"), parts.get("ref")),
                since=parse_day(parts["since"]) if "since" in parts else None,
                quiet_days=parse_quiet_days(parts["quiet_days"]) if "quiet_days" in parts else None,
            )
    raise _refuse("an entry is a text or a table of slug, mirror, ref, since and quiet_days")
