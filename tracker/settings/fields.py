"""Everything an operator can set, with its default."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tracker.settings.repositories import DEFAULT_SLUG, RepositorySetting
from tracker.settings.secret import Secret

_PASSWORD = re.compile(r"(?P<user>://[^/:@\s]*):[^/\s]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Immutable, and safe to show: secrets and the database's URL stay hidden."""

    database_url: str = field(default="sqlite:///var/tracker.db", repr=False)
    """May hold a password: show `database_label` instead."""
    var_folder: Path = Path("var")
    """Where the database, the mirrors and the key for mail addresses are kept."""
    github_url: str = "https://api.github.com"
    """Root of the REST and GraphQL API, without a slash at the end; GitHub Enterprise: https://HOST/api/v3."""
    git_url: str = "https://github.com"
    """What /owner/name.git is appended to for cloning."""
    github_token: Secret | None = None
    github_token_file: Path | None = None
    """`jobs.configure` reads it into `github_token`."""
    github_app_id: str | None = None
    github_app_installation: int | None = None
    github_app_key: Secret | None = None
    """The GitHub App's private key, PEM."""
    github_app_key_file: Path | None = None
    """`jobs.configure` reads it into `github_app_key`."""
    rules_folder: Path | None = None
    """Holds territory maps of one's own, territory-NAME.toml, which `jobs.load_rules` adds to those that ship."""
    repositories: tuple[RepositorySetting, ...] = (RepositorySetting(slug=DEFAULT_SLUG),)
    host: str = "127.0.0.1"
    port: int = 8000
    webhook_secret: Secret | None = None
    """What GitHub signs deliveries of webhooks with; None: they are not taken."""
    webhook_secret_file: Path | None = None
    """`jobs.configure` reads it into `webhook_secret`."""
    webhook_database_url: str | None = field(default=None, repr=False)
    """The database under a role that may do no more than mark; None: the database's own URL."""
    affiliations_file: Path | None = None
    """Who works where, by the operator's word, in gitdm's format; None: nobody says so."""
    mail_key: Secret | None = None
    """Key of the HMAC under which mail addresses are stored; `jobs.configure` makes and keeps one where none is set."""
    crawl_commits_minutes: float = 10
    crawl_pulls_minutes: float = 15
    roll_up_minutes: float = 60
    """At the latest; it also runs after each crawl that read something."""
    alerts_minutes: float = 5
    """At the latest; alerts are also evaluated after each roll-up."""
    audit_hours: float = 24
    audit_sample: int = 3
    """How many commits a scheduled audit compares with full scans."""
    stale_hours: float = 6
    """A crawl that has not succeeded for so long is stale: pages, `/readyz` and alerts say so."""
    quiet_days: float = 7
    """How old the newest commit of a repository may be before its upstream counts as unmoved; a repository may have
    its own."""
    stale_pull_days: float = 60
    """An open pull request of which GitHub has told no update for so many days is shown as stale."""
    workers: int = 0
    """Worker processes of a backfill; 0: one for each processor."""
    log_format: str = "auto"
    """human, json, or auto: human on a terminal, JSON lines otherwise."""
    log_level: str = "info"
    debug: bool = False
    """Show tracebacks on the command line."""

    @property
    def database_label(self) -> str:
        """The database's URL without its password."""
        return _PASSWORD.sub(r"\g<user>:***@", self.database_url)

    @property
    def mirrors_folder(self) -> Path:
        return self.var_folder / "mirrors"

    def clone_url(self, slug: str) -> str:
        """Return where a repository without a mirror of its own is cloned from."""
        return f"{self.git_url}/{slug}.git"
