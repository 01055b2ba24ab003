"""Erases an account by its login: what names it, its digests, and those of mail addresses that are named with it."""

from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from db.affiliations import read_authorships, read_people
from db.forgotten import Forgotten, forget_person, read_accounts
from jobs.affiliate import Evidence, owners_of
from jobs.commit_store import author_key
from jobs.noreply import noreply_addresses
from tracker.errors import RepositoryError, SettingsError
from tracker.settings import Settings


def digest_of(settings: Settings) -> Callable[[str], str]:
    """Return the function from a mail address to the digest that is stored instead of it.

    Raises:
        SettingsError: there is no key for mail addresses.
    """
    if settings.mail_key is None:
        raise SettingsError(("the key for mail addresses is needed, TRACKER_MAIL_KEY",))
    return author_key(settings.mail_key)


def forget(
    session: Session, login: str, mails: Iterable[str], digest: Callable[[str], str], now: datetime
) -> Forgotten:
    """Erase who is called so for good; return what was erased.

    The digests erased are those of GitHub's no-reply addresses of the account, of the addresses whose commits land
    mostly its pull requests, and of the addresses named.

    Raises:
        RepositoryError: no account is called so, and no address was named.
    """
    mails = tuple(mails)
    accounts = read_accounts(session, login)
    if not accounts and not mails:
        raise RepositoryError(f"no account that is called {login} is stored; nothing was erased")
    people = read_people(session)
    evidence = Evidence(people=people, statements={}, authorships=read_authorships(session), employments=())
    ids = {account.github_id for account in accounts}
    rows = {person.id for person in people if person.github_id in ids and person.github_id is not None}
    keys = {key for key, person_id in owners_of(evidence, digest).items() if person_id in rows}
    for account in accounts:
        keys |= {digest(mail) for mail in noreply_addresses(account.github_id, account.login)}
    return forget_person(session, login, keys | {digest(mail) for mail in mails}, now)
