"""What an operator can set: environment variables and `tracker.toml` -> one immutable, showable `Settings`."""

from tracker.settings.fields import Settings
from tracker.settings.reading import read_settings
from tracker.settings.repositories import DEFAULT_SLUG, RepositorySetting, parse_repository
from tracker.settings.secret import Secret

__all__ = ["DEFAULT_SLUG", "RepositorySetting", "Secret", "Settings", "parse_repository", "read_settings"]
