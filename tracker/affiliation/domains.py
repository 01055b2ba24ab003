"""A mail domain -> the organisation whose people write from it; a name, mail or login -> whether it is a program."""

import re
from functools import lru_cache

from tracker.ruleset import Ruleset

_ALUMNI = ("alum", "alumni")
"""First labels of addresses that outlive a place at a university."""


def organisation_of(mail_domain: str, ruleset: Ruleset) -> str | None:
    """Return the organisation whose people write from a domain or one of its subdomains; None where none is known."""
    domain = mail_domain.strip().rpartition("@")[2].rstrip(".").lower()
    known = _domains(ruleset)
    if domain.startswith(tuple(f"{label}." for label in _ALUMNI)):
        return None
    while domain:
        if domain in known:
            return known[domain]
        domain = domain.partition(".")[2]
    return None


def is_bot(name: str, mail: str, ruleset: Ruleset) -> bool:
    """Whether an author or committer is a program: a service account, a merge or code-formatting bot."""
    names, mails, _ = _bot_patterns(ruleset)
    return any(pattern.fullmatch(name) for pattern in names) or any(pattern.fullmatch(mail) for pattern in mails)


def is_bot_login(login: str, ruleset: Ruleset) -> bool:
    """Whether a GitHub login is a program's."""
    return any(pattern.fullmatch(login) for pattern in _bot_patterns(ruleset)[2])


@lru_cache(maxsize=8)
def _domains(ruleset: Ruleset) -> dict[str, str]:
    return {
        domain.lower(): organisation.name for organisation in ruleset.organisations for domain in organisation.domains
    }


@lru_cache(maxsize=8)
def _bot_patterns(ruleset: Ruleset) -> tuple[tuple[re.Pattern[str], ...], ...]:
    bots = ruleset.bots
    return tuple(
        tuple(re.compile(text, re.IGNORECASE) for text in texts) for texts in (bots.names, bots.mails, bots.logins)
    )
