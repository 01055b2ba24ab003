"""The text `slug[=path or URL of a clone][@ref][ since DATE][ quiet DAYS]` -> a repository to watch.

The last @ begins the branch, except the one before a URL's host; a path that holds @ or a comma itself stands in double
quotes: `owner/name="/clones/a@b,c"@main since 2022-01-31`.
"""

import re
from dataclasses import dataclass, replace
from datetime import date

from tracker.errors import SettingsError

DEFAULT_SLUG = "pytorch/pytorch"

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_QUOTED = re.compile(r'"([^"]*)"')
_PART = re.compile(r'(?:[^,\n"]|"[^"]*"?)+')
_SCHEME_AND_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*|[\w.-]+@[\w.-]+:")
"""What an @ may stand in without beginning a branch: a URL up to its path, or git's user@host:path up to its colon."""
_PASSWORD = re.compile(r"://[^/:@\s]*:[^@/\s]*@")
_WORD = re.compile(r"\s+(since|quiet)\s+(\S+)\Z")
_LONGEST_QUIET = 100_000
_NO_REVISION = re.compile(r"\A-|[\s~^:?*\[\\]|\.\.")
"""As git-check-ref-format(1) has it; a revision that begins with - would be read as an option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySetting:
    """A repository to watch."""

    slug: str
    """owner/name."""
    mirror: str | None = None
    """Path or URL of a clone to read; None: what GitHub serves, mirrored under the var folder."""
    ref: str | None = None
    """Branch or revision to follow; None: the default branch."""
    since: date | None = None
    """Reading begins with the first commit of this day (UTC) or later; None: with the first of all."""
    quiet_days: float | None = None
    """How old the newest commit may be before it counts as unmoved; None: as the settings say."""


def parse_repository(text: str) -> RepositorySetting:
    """Return the repository that one entry names.

    Raises:
        SettingsError: it is not of the form above, or its URL holds a password.
    """
    text, words = text.strip(), dict[str, str]()
    while found := _WORD.search(text):
        if found[1] in words:
            raise SettingsError((f"{found[1]} stands twice in {text!r}",))
        text, words[found[1]] = text[: found.start()], found[2]
    slug, equals, location = text.partition("=")
    mirror: str | None = None
    if equals:
        mirror, ref = _split_location(location)
    else:
        slug, _, ref = slug.partition("@")
    return replace(
        checked_repository(slug, mirror, ref),
        since=parse_day(words["since"]) if "since" in words else None,
        quiet_days=parse_quiet_days(words["quiet"]) if "quiet" in words else None,
    )


def parse_day(text: str) -> date:
    """Return the day that is written so.

    Raises:
        SettingsError: none is.
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise SettingsError((f"{text!r} is no date like 2020-01-31",)) from error


def parse_quiet_days(text: str) -> float:
    """Return for how many days a repository may be quiet.

    Raises:
        SettingsError: it is no number, or none that can be.
    """
    try:
        days = float(text)
    except ValueError:
        days = 0
    if not 0 < days <= _LONGEST_QUIET:
        raise SettingsError((f"{text!r} is no number of days; more than 0 is needed",))
    return days


def is_revision(text: str) -> bool:
    """Tell the name of a branch, a tag or a commit from an expression over one."""
    return bool(text.strip()) and not _NO_REVISION.search(text)


def split_repositories(text: str) -> tuple[str, ...]:
    """Split at commas and line ends that are not inside double quotes; empty parts are left out."""
    return tuple(part.strip() for part in _PART.findall(text) if part.strip())


def checked_repository(slug: str, mirror: str | None, ref: str | None) -> RepositorySetting:
    """Return the repository of these parts.

    Raises:
        SettingsError: one of the parts cannot be right.
    """
    slug, ref = slug.strip(), (ref or "").strip()
    if not _SLUG.fullmatch(slug):
        raise SettingsError((f"{slug!r} is no repository name: write owner/name, e.g. {DEFAULT_SLUG}",))
    if mirror is not None and not mirror.strip():
        raise SettingsError((f"{slug}: the path or URL of its clone is empty",))
    if mirror and _PASSWORD.search(mirror):
        raise SettingsError((f"{slug}: the clone's URL holds a password; set TRACKER_GITHUB_TOKEN instead",))
    if _NO_REVISION.search(ref):
        raise SettingsError((f"{slug}: {ref!r} is no branch or revision",))
    return RepositorySetting(slug=slug, mirror=mirror.strip() if mirror else None, ref=ref or None)


def _split_location(location: str) -> tuple[str, str]:
    quoted = _QUOTED.match(location)
    if quoted:
        rest = location[quoted.end() :]
        if rest and not rest.startswith("@"):
            raise SettingsError((f"after a path in double quotes only @branch may follow, not {rest!r}",))
        return quoted[1], rest[1:]
    host = _SCHEME_AND_HOST.match(location)
    begin = host.end() if host else 0
    path, at, ref = location[begin:].rpartition("@")
    return (location[:begin] + path, ref) if at else (location, "")
