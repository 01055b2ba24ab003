"""Who works where, and who is a program: mail domains, companies that people state, an operator's file, their dates.

Mail alone never settles an employer (a fifth of PyTorch's commits come from private mail, many of Meta's from internal
host names): each answer carries its source, and unknown is an answer.
"""

from tracker.affiliation.companies import organisation_of_company
from tracker.affiliation.domains import is_bot, is_bot_login, organisation_of
from tracker.affiliation.employers import Employment, IdentityKind, organisation_of_employer, parse_employers
from tracker.affiliation.intervals import (
    BOTS,
    OTHER,
    Affiliation,
    AffiliationSource,
    Sight,
    company_intervals,
    mail_intervals,
    operator_intervals,
    prevailing,
)

__all__ = [
    "BOTS",
    "OTHER",
    "Affiliation",
    "AffiliationSource",
    "Employment",
    "IdentityKind",
    "Sight",
    "company_intervals",
    "is_bot",
    "is_bot_login",
    "mail_intervals",
    "operator_intervals",
    "organisation_of",
    "organisation_of_company",
    "organisation_of_employer",
    "parse_employers",
    "prevailing",
]
