"""Derives who works where from all evidence, and attributes the commits and pull requests of one repository.

Evidence are the operator's file, the mail domains of commits, and company fields; which of them prevails is said in
`tracker.affiliation`. A commit is its pull request's author's first, as far as anything is known of that account, and
its git author's otherwise. Nothing is done where nothing is new.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from sqlalchemy.orm import Session, sessionmaker

from db.affiliations import (
    Attributed,
    Authorship,
    Holder,
    KnownPerson,
    Statement,
    attribute_commits,
    attribute_pulls,
    evidence_mark,
    read_attributed_commits,
    read_attributed_pulls,
    read_authorships,
    read_people,
    read_statements,
    replace_affiliations,
)
from db.base import in_transaction
from db.cursors import move_cursor, read_cursor
from jobs.commit_store import author_key
from jobs.noreply import noreply_addresses
from tracker.affiliation import (
    BOTS,
    Affiliation,
    AffiliationSource,
    Employment,
    IdentityKind,
    Sight,
    company_intervals,
    is_bot_login,
    mail_intervals,
    operator_intervals,
    organisation_of,
    organisation_of_company,
    organisation_of_employer,
    parse_employers,
    prevailing,
)
from tracker.errors import SettingsError
from tracker.ruleset import Ruleset
from tracker.settings import Settings

STREAM = "affiliation"
_A_BOT = Affiliation(organisation=BOTS, begins_at=None, ends_at=None, source=AffiliationSource.BOT)

Affiliations = dict[Holder, list[Affiliation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that is known of who works where."""

    people: Sequence[KnownPerson]
    statements: Mapping[int, Sequence[Statement]]
    authorships: Sequence[Authorship]
    employments: Sequence[Employment]


def affiliate(
    sessions: sessionmaker[Session], repository_id: int, settings: Settings, ruleset: Ruleset, now: datetime
) -> Mapping[str, int]:
    """Bring attributions up to date; return how many intervals there are and what is attributed otherwise now.

    Raises:
        SettingsError: the operator's file cannot be read; nothing is changed then.
    """
    text = _file_text(settings.affiliations_file)
    with in_transaction(sessions) as session:
        mark = _mark(session, text, ruleset)
        if read_cursor(session, repository_id, STREAM) == mark:
            return {}
        digest = author_key(settings.mail_key) if settings.mail_key is not None else None
        if text and digest is None:
            raise SettingsError(("TRACKER_AFFILIATIONS_FILE needs the key for mail addresses, TRACKER_MAIL_KEY",))
        evidence = Evidence(
            people=read_people(session),
            statements=read_statements(session),
            authorships=read_authorships(session),
            employments=parse_employers(text, digest) if digest is not None else (),
        )
        owners = owners_of(evidence, digest)
        found = derive(evidence, owners, ruleset)
        counts = {
            "affiliations": replace_affiliations(session, found),
            "commits_attributed": attribute_commits(
                session, _changed(read_attributed_commits(session, repository_id), found, owners, ruleset)
            ),
            "pulls_attributed": attribute_pulls(
                session, _changed(read_attributed_pulls(session, repository_id), found, owners, ruleset)
            ),
        }
        move_cursor(session, repository_id, STREAM, mark, now)
    return counts


def derive(evidence: Evidence, owners: Mapping[str, int], ruleset: Ruleset) -> Affiliations:
    """Return the intervals of each account, mail address and domain.

    Args:
        owners: the row of the account to which a mail address belongs, by the address's digest.
    """
    found = _operator_affiliations(evidence, owners, ruleset)
    domains = lru_cache(maxsize=None)(lambda domain: organisation_of(domain, ruleset))
    mails: dict[int, list[Sight]] = {}
    for one in evidence.authorships:
        organisation, owner = domains(one.domain), owners.get(one.author_key)
        if organisation is not None and owner is not None:
            mails.setdefault(owner, []).append(Sight(one.authored_at, one.authored_at, organisation))
    for person in evidence.people:
        own = found.setdefault(Holder(person_id=person.id), [])
        if person.kind == "Bot" or is_bot_login(person.login, ruleset):
            own.append(_A_BOT)
        own.extend(mail_intervals(mails.get(person.id, ())))
        own.extend(company_intervals(_stated(evidence.statements.get(person.id, ()), ruleset)))
    return {holder: own for holder, own in found.items() if own}


def _stated(statements: Iterable[Statement], ruleset: Ruleset) -> list[Sight]:
    return [
        Sight(one.first_at, one.last_at, organisation_of_company(one.company, ruleset) if one.company else None)
        for one in statements
    ]


def _operator_affiliations(evidence: Evidence, owners: Mapping[str, int], ruleset: Ruleset) -> Affiliations:
    """What the operator says, by address, domain and account; of an address of an account, by the account too."""
    people = {person.login.lower(): person.id for person in evidence.people}
    used = {one.author_key for one in evidence.authorships}
    said: dict[Holder, list[tuple[str | None, datetime | None]]] = {}
    for one in evidence.employments:
        employer = organisation_of_employer(one.employer, ruleset)
        for holder in _holders(one, people, owners, used):
            said.setdefault(holder, []).append((employer, one.until))
    return {holder: list(operator_intervals(employers)) for holder, employers in said.items()}


def _holders(one: Employment, people: Mapping[str, int], owners: Mapping[str, int], used: set[str]) -> Iterable[Holder]:
    match one.kind:
        case IdentityKind.DOMAIN:
            yield Holder(domain=one.identity)
        case IdentityKind.LOGIN:
            if one.identity in people:
                yield Holder(person_id=people[one.identity])
        case IdentityKind.MAIL:
            # Digests of addresses that no commit has are not worth keeping.
            if one.identity in used:
                yield Holder(author_key=one.identity)
            if one.identity in owners:
                yield Holder(person_id=owners[one.identity])


def owners_of(evidence: Evidence, digest: Callable[[str], str] | None) -> dict[str, int]:
    """Return whose mail address each digest is: who opened most of the pull requests that its commits land.

    Who lands the work of many others owns none of it: more than half must be one account's. GitHub's no-reply
    addresses hold number and login of their account.
    """
    landed: dict[str, Counter[int]] = {}
    for one in evidence.authorships:
        if one.person_id is not None:
            landed.setdefault(one.author_key, Counter())[one.person_id] += 1
    known = {person.id for person in evidence.people}
    owners = {}
    for key, people in landed.items():
        (person_id, count), *_ = people.most_common(1)
        if 2 * count > people.total() and person_id in known:
            owners[key] = person_id
    if digest is not None:
        for person in evidence.people:
            owners |= {digest(mail): person.id for mail in noreply_addresses(person.github_id, person.login)}
    return owners


def _changed(
    rows: Iterable[Attributed], found: Affiliations, owners: Mapping[str, int], ruleset: Ruleset
) -> list[Attributed]:
    domains = lru_cache(maxsize=None)(lambda domain: organisation_of(domain, ruleset))
    changed = []
    for row in rows:
        if row.author_key and row.source == AffiliationSource.BOT and row.person_id is None:
            continue  # the name that told a program is not stored
        prevails = _prevailing(row, found, owners, domains)
        organisation = prevails.organisation if prevails is not None else None
        source = prevails.source.value if prevails is not None and organisation is not None else None
        if (organisation, source) != (row.organisation, row.source):
            changed.append(replace(row, organisation=organisation, source=source))
    return changed


def _prevailing(
    row: Attributed,
    found: Affiliations,
    owners: Mapping[str, int],
    organisation_of_domain: Callable[[str], str | None],
) -> Affiliation | None:
    owner = owners.get(row.author_key)
    if row.person_id is not None and owner not in (None, row.person_id):
        # Somebody else's commit lands the pull request: its author goes first.
        own = prevailing(found.get(Holder(person_id=row.person_id), ()), row.at)
        if own is not None:
            return own
    person_id = row.person_id if row.person_id is not None else owner
    candidates = list(found.get(Holder(author_key=row.author_key), ())) if row.author_key else []
    candidates.extend(found.get(Holder(person_id=person_id), ()) if person_id is not None else ())
    domain = row.domain
    while domain:
        candidates.extend(found.get(Holder(domain=domain), ()))
        domain = domain.partition(".")[2]
    organisation = organisation_of_domain(row.domain)
    if organisation is not None:
        # Begun now, so that it goes before what other commits of the same account say.
        candidates.append(
            Affiliation(organisation=organisation, begins_at=row.at, ends_at=None, source=AffiliationSource.MAIL)
        )
    return prevailing(candidates, row.at)


def _file_text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"TRACKER_AFFILIATIONS_FILE names {path}, which cannot be read: {error}",)) from error


def _mark(session: Session, text: str, ruleset: Ruleset) -> str:
    rules = repr((ruleset.organisations, ruleset.bots))
    marks = (evidence_mark(session, STREAM), text, rules)
    return json.dumps({"evidence": hashlib.sha256("\0".join(marks).encode()).hexdigest()})
