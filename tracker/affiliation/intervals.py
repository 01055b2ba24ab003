"""Sights of where somebody works -> dated intervals, and which of them prevails at a time.

An operator's word goes before the mail domain of the time, that before the company field, and none is unknown. Sights
reach a little beyond the days they are of, but never over a sight that says otherwise.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

MAIL_REACH = timedelta(days=180)
"""How long before and after a commit its author is taken to work where its mail domain says."""
COMPANY_REACH = timedelta(days=365)
"""How long before a company field was first seen it is taken to hold: it tells of the day it is read alone."""

OTHER = "other"
"""As an organisation: an employer that is known, and is none of the rules'."""
BOTS = "bots"
"""As an organisation: programs."""


class AffiliationSource(StrEnum):
    """What says where somebody works; listed from the one that prevails to the weakest."""

    OPERATOR = "operator"
    """The operator's file."""
    BOT = "bot"
    """The account or author is a program's."""
    MAIL = "mail"
    """The domain of the author's mail address, of this commit or of one of the same account's at about that time."""
    COMPANY = "company"
    """The company field of the account's profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Affiliation:
    """One employment."""

    organisation: str | None
    """None: the source says that none is known, and no weaker source is asked."""
    begins_at: datetime | None
    """None: as far back as anything reaches."""
    ends_at: datetime | None
    """It held before this time; None: it holds."""
    source: AffiliationSource

    def holds_at(self, at: datetime) -> bool:
        """Return whether the interval holds a time."""
        return (self.begins_at is None or self.begins_at <= at) and (self.ends_at is None or at < self.ends_at)


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen of somebody from one time to another."""

    first_at: datetime
    last_at: datetime
    organisation: str | None
    """None: nothing that is known."""


def prevailing(affiliations: Iterable[Affiliation], at: datetime) -> Affiliation | None:
    """Return the affiliation of the strongest source that holds at a time, the one that began last; None: unknown."""
    rank = list(AffiliationSource)
    holding = [one for one in affiliations if one.holds_at(at)]
    oldest_first = sorted(holding, key=lambda one: (one.begins_at is not None, one.begins_at or at))
    return min(reversed(oldest_first), key=lambda one: rank.index(one.source), default=None)


def mail_intervals(sights: Iterable[Sight]) -> tuple[Affiliation, ...]:
    """Return employments by mail domain, oldest first, given commits whose domain says something.

    Commits of one organisation that follow each other within twice the reach are one employment; between two
    organisations the middle decides.
    """
    merged: list[Sight] = []
    for sight in sorted(sights, key=lambda one: (one.first_at, one.organisation or "")):
        last = merged[-1] if merged else None
        if last and last.organisation == sight.organisation and sight.first_at - last.last_at <= 2 * MAIL_REACH:
            merged[-1] = Sight(last.first_at, max(last.last_at, sight.last_at), last.organisation)
        else:
            merged.append(sight)
    begins = [merged[0].first_at - MAIL_REACH] if merged else []
    ends = []
    for one, following in pairwise(merged):
        middle = one.last_at + max(following.first_at - one.last_at, timedelta(0)) / 2
        ends.append(min(one.last_at + MAIL_REACH, middle))
        begins.append(max(following.first_at - MAIL_REACH, middle))
    ends.extend(one.last_at + MAIL_REACH for one in merged[-1:])
    return _affiliations(merged, begins, ends, AffiliationSource.MAIL)


def company_intervals(sights: Iterable[Sight]) -> tuple[Affiliation, ...]:
    """Return employments by the company field, oldest first: each holds until the field was seen to say otherwise."""
    ordered = sorted(sights, key=lambda one: one.first_at)
    begins = [ordered[0].first_at - COMPANY_REACH] if ordered else []
    begins.extend(one.first_at for one in ordered[1:])
    found = _affiliations(ordered, begins, [*begins[1:], None], AffiliationSource.COMPANY)
    return tuple(one for one in found if one.organisation is not None)


def operator_intervals(employers: Iterable[tuple[str | None, datetime | None]]) -> tuple[Affiliation, ...]:
    """Return the employments of one address, oldest first, given each employer and the time before which it held."""
    dated = sorted(((employer, until) for employer, until in employers if until is not None), key=lambda pair: pair[1])
    lasting = [(employer, until) for employer, until in employers if until is None][-1:]
    ordered = [*dated, *lasting]
    begins = [None, *(until for _, until in ordered)]
    return tuple(
        Affiliation(organisation=employer, begins_at=begin, ends_at=until, source=AffiliationSource.OPERATOR)
        for (employer, until), begin in zip(ordered, begins, strict=False)
    )


def _affiliations(
    sights: Sequence[Sight],
    begins: Sequence[datetime],
    ends: Sequence[datetime | None],
    source: AffiliationSource,
) -> tuple[Affiliation, ...]:
    return tuple(
        Affiliation(organisation=sight.organisation, begins_at=begin, ends_at=end, source=source)
        for sight, begin, end in zip(sights, begins, ends, strict=False)
    )
