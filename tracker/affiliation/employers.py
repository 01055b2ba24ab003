"""An operator's file of who works where, in gitdm's format -> dated employments; no address leaves this module.

Each line names a mail address or a domain, its employer, and `< YYYY-MM-DD` where that held only before a day: several
lines of one address are its employers in turn (https://lwn.net/Articles/290957/, cncf/gitdm's email-map). Beyond that
format a GitHub account may stand there as `@login`. Addresses are hashed while the file is read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from tracker.affiliation.companies import organisation_of_company, words_of
from tracker.affiliation.intervals import OTHER
from tracker.errors import SettingsError
from tracker.ruleset import Ruleset

_LINE = re.compile(r"(?P<who>\S+)\s+(?P<employer>[^<]*[^<\s])\s*(?:<\s*(?P<until>\S+)\s*)?")
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_LOGIN = re.compile(r"@[a-z0-9][a-z0-9-]{0,98}", re.ASCII)
_NOBODY = frozenset({"", "unknown", "notfound", "not found", "none", "hobbyist"})
_MOST_PROBLEMS = 10


class IdentityKind(StrEnum):
    """By what a line of the file names people."""

    MAIL = "mail"
    DOMAIN = "domain"
    LOGIN = "login"


@dataclass(frozen=True, slots=True, kw_only=True)
class Employment:
    """One line of the file."""

    kind: IdentityKind
    identity: str
    """The keyed digest of a mail address; a domain or a login in lower case."""
    employer: str
    """As written."""
    until: datetime | None
    """It held before this time; None: it holds."""


def parse_employers(text: str, mail_digest: Callable[[str], str]) -> tuple[Employment, ...]:
    """Return the employments of a file in its order; a line begun by # says nothing.

    Args:
        mail_digest: mail address -> the keyed digest that stands for it.

    Raises:
        SettingsError: lines that cannot be read, by their numbers: what stands in them is not repeated.
    """
    found, problems = [], []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        said = line.split("#", 1)[0].strip()
        if not said:
            continue
        try:
            found.append(_employment(said, mail_digest))
        except ValueError as error:
            problems.append(f"line {number} of the affiliations file: {error}")
    if problems:
        more = [f"and {len(problems) - _MOST_PROBLEMS} more lines"] if len(problems) > _MOST_PROBLEMS else []
        raise SettingsError((*problems[:_MOST_PROBLEMS], *more))
    return tuple(found)


def organisation_of_employer(employer: str, ruleset: Ruleset) -> str | None:
    """Return the organisation of an employer; `OTHER` for one that the rules do not know, None for nobody."""
    if words_of(employer) in _NOBODY:
        return None
    names = {organisation.name for organisation in ruleset.organisations}
    if employer.lower() in names:
        return employer.lower()
    return organisation_of_company(employer, ruleset) or OTHER


def _employment(said: str, mail_digest: Callable[[str], str]) -> Employment:
    line = _LINE.fullmatch(said)
    if line is None:
        raise ValueError("an address or domain and an employer are needed, and nothing but < YYYY-MM-DD after them")
    kind, identity = _identity(line["who"].lower(), mail_digest)
    return Employment(kind=kind, identity=identity, employer=line["employer"], until=_day(line["until"]))


def _identity(who: str, mail_digest: Callable[[str], str]) -> tuple[IdentityKind, str]:
    # cncf/gitdm writes ! for @, against harvesters.
    mail = who.replace("!", "@", 1) if "@" not in who else who
    if _LOGIN.fullmatch(who):
        return IdentityKind.LOGIN, who[1:]
    name, at, domain = mail.rpartition("@")
    if at and name and domain:
        return IdentityKind.MAIL, mail_digest(mail)
    if _DOMAIN.fullmatch(who):
        return IdentityKind.DOMAIN, who
    raise ValueError("it begins with neither a mail address, a domain, nor @login")


def _day(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError as error:
        raise ValueError("what follows < is no day such as 2024-05-06") from error
