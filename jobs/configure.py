"""The process's environment and files -> `Settings`: `tracker.toml`, files that hold secrets, the kept mail key."""

import logging
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tracker.errors import SettingsError
from tracker.settings import Secret, Settings, read_settings

SETTINGS_FILE = "TRACKER_SETTINGS_FILE"
"""Names another file than ./tracker.toml."""
MAIL_KEY_FILE = "mail.key"
SHORTEST_KEY = 16
"""Signs."""

log = logging.getLogger("tracker.settings")


def load_settings(environ: Mapping[str, str], folder: Path) -> Settings:
    """Return the settings of this process, secrets read from the files that the settings name.

    Args:
        folder: where `tracker.toml` is looked for; without one there is no file.

    Raises:
        SettingsError: with one sentence for each problem.
    """
    settings = read_settings(environ, _toml_text(environ, folder))
    problems: list[str] = []
    token = _secret_in(settings.github_token_file, "TRACKER_GITHUB_TOKEN_FILE", problems)
    app_key = _secret_in(settings.github_app_key_file, "TRACKER_GITHUB_APP_KEY_FILE", problems)
    webhook = _secret_in(settings.webhook_secret_file, "TRACKER_WEBHOOK_SECRET_FILE", problems)
    if webhook is not None and len(webhook.reveal()) < SHORTEST_KEY:
        problems.append(f"TRACKER_WEBHOOK_SECRET_FILE holds fewer than {SHORTEST_KEY} signs; best are 32 at random")
    if problems:
        raise SettingsError(tuple(problems))
    return replace(
        settings,
        var_folder=settings.var_folder.expanduser(),
        github_token=settings.github_token or token,
        github_app_key=settings.github_app_key or app_key,
        webhook_secret=settings.webhook_secret or webhook,
    )


def with_mail_key(settings: Settings) -> Settings:
    """Return settings that have a key for mail addresses: the one set, else the one kept in the var folder, made once.

    Raises:
        SettingsError: the key cannot be read or kept.
    """
    if settings.mail_key is not None:
        return settings
    path = settings.var_folder / MAIL_KEY_FILE
    try:
        if not path.exists():
            _keep_new_key(path)
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"{path} cannot be read or made ({error}); set TRACKER_MAIL_KEY",)) from error
    if len(text) < SHORTEST_KEY:
        raise SettingsError((f"{path} holds no key; set TRACKER_MAIL_KEY, or remove the file to have one made",))
    return replace(settings, mail_key=Secret(text))


def _toml_text(environ: Mapping[str, str], folder: Path) -> str | None:
    named = environ.get(SETTINGS_FILE, "").strip()
    path = Path(named).expanduser() if named else folder / "tracker.toml"
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if named:
            raise SettingsError((f"{SETTINGS_FILE} names {path}, and there is no such file",)) from error
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"{path} cannot be read: {error}",)) from error


def _secret_in(path: Path | None, name: str, problems: list[str]) -> Secret | None:
    if path is None:
        return None
    try:
        text = path.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        problems.append(f"{name} names {path}, which cannot be read: {reason}")
        return None
    if not text:
        problems.append(f"{name} names {path}, which is empty")
        return None
    return Secret(text)


def _keep_new_key(path: Path) -> None:
    """Write a new key so that of several processes that start at once all end up with the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp: readable by the owner only, from the start.
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".mail.key.")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        try:
            os.link(temporary, path)
            log.info("made %s, the key under which mail addresses are kept; other machines need the same", path)
        except FileExistsError:
            pass
    finally:
        Path(temporary).unlink()
