"""A mail domain, a stated company or a name -> the organisation somebody works for, or that it is a program.

Mail alone never settles an employer (a fifth of PyTorch's commits come from private mail, many of Meta's from internal
host names): these answers are one source among several, and unknown is an answer.
"""

import re
from functools import lru_cache

from tracker.ruleset import Ruleset


def organisation_of(mail_domain: str, ruleset: Ruleset) -> str | None:
    """Return the organisation whose people write from a domain or one of its subdomains; None where none is known."""
    domain = mail_domain.strip().rpartition("@")[2].rstrip(".").lower()
    known = _domains(ruleset)
    while domain:
        if domain in known:
            return known[domain]
        domain = domain.partition(".")[2]
    return None


def organisation_of_company(company: str, ruleset: Ruleset) -> str | None:
    """Return the organisation that a person's own words name (`@NVIDIA`, `Intel Corporation`), if known."""
    words = re.sub(r"[^a-z0-9]+", " ", company.lower()).split()
    aliases = _aliases(ruleset)
    for length in range(min(len(words), 6), 0, -1):
        for start in range(len(words) - length + 1):
            found = aliases.get(" ".join(words[start : start + length]))
            if found is not None:
                return found
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
def _aliases(ruleset: Ruleset) -> dict[str, str]:
    """Every spelling, reduced to words of letters and digits, with the organisation it means."""
    return {
        re.sub(r"[^a-z0-9]+", " ", alias.lower()).strip(): organisation.name
        for organisation in ruleset.organisations
        for alias in (*organisation.aliases, organisation.name, organisation.title)
    }


@lru_cache(maxsize=8)
def _bot_patterns(ruleset: Ruleset) -> tuple[tuple[re.Pattern[str], ...], ...]:
    bots = ruleset.bots
    return tuple(
        tuple(re.compile(text, re.IGNORECASE) for text in texts) for texts in (bots.names, bots.mails, bots.logins)
    )
