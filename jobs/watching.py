"""Puts repositories under watch: those that the settings name, and the one that a command names.

What is told of a repository (its clone, what to follow, where to begin) is kept in the transaction that adds it, so
that whichever process reads it first reads it so.
"""

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.commits import read_commit_cursor
from db.repositories import add_repository, read_repositories, read_repository
from jobs.locations import absolute_location
from jobs.runner import utc_now
from tracker.settings import RepositorySetting, Settings


def watch_settings(sessions: sessionmaker[Session], settings: Settings, *, demo: bool = False) -> list[str]:
    """Add the repositories that the settings name, or change where their clones are; return all under watch.

    The default one is added to a new database only: whoever removed it, or chose others, does not get it back.

    Raises:
        LineBegun: what is stored of one begins elsewhere than the settings say.
    """
    default = settings.repositories == Settings().repositories
    with in_transaction(sessions) as session:
        if not default or not read_repositories(session, removed=True):
            for repository in settings.repositories:
                _add(session, repository.slug, repository, demo=demo)
        return [row.slug for row in read_repositories(session)]


def watch_one(
    sessions: sessionmaker[Session], settings: Settings, repository: RepositorySetting, *, until: str | None = None
) -> str:
    """Add a repository where it is not under watch, and return its present name.

    What the settings say of it holds for one that is new; what is named here holds in any case.

    Args:
        until: revision to end with, kept where nothing is stored of the repository yet: where something is, only its
            clone tells whether it goes on to there.

    Raises:
        LineBegun: what is stored of it begins elsewhere than it is told to.
    """
    named = {each.slug.lower(): each for each in settings.repositories}.get(repository.slug.lower())
    with in_transaction(sessions) as session:
        known = read_repository(session, repository.slug)
        fallback = named if named is not None and known is None else RepositorySetting(slug=repository.slug)
        begun = known is not None and read_commit_cursor(session, known.id) is not None
        wanted = RepositorySetting(
            slug=known.slug if known is not None else repository.slug,
            mirror=repository.mirror or fallback.mirror,
            ref=(None if begun else until) or repository.ref or fallback.ref,
            since=repository.since or fallback.since,
            quiet_days=repository.quiet_days or fallback.quiet_days,
        )
        return _add(session, wanted.slug, wanted)


def _add(session: Session, slug: str, repository: RepositorySetting, *, demo: bool = False) -> str:
    row = add_repository(
        session,
        slug,
        mirror=absolute_location(repository.mirror) if repository.mirror else None,
        ref=repository.ref,
        since=repository.since,
        quiet_days=repository.quiet_days,
        demo=demo,
        now=utc_now(),
    )
    return row.slug
