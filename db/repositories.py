"""Which repositories are under watch, and what GitHub says of them; a renamed repository stays the same repository."""

from datetime import date, datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from db.base import insert_into
from db.remembered import is_read_only, once
from db.stored_lines import require_beginning
from db.tables import JobRunRow, RepositoryRow, RepositorySlugRow
from tracker.errors import TrackerError


def add_repository(  # noqa: PLR0913 - one argument for each column it sets
    session: Session,
    slug: str,
    *,
    mirror: str | None = None,
    ref: str | None = None,
    since: date | None = None,
    quiet_days: float | None = None,
    demo: bool = False,
    now: datetime,
) -> RepositoryRow:
    """Watch a repository and return its row; one that was removed before is taken up again with its history.

    Processes that start together may add the same one: it is added once.

    Args:
        mirror: path or URL of a clone to read instead of the upstream URL; None leaves a stored one as it is.
        ref: branch or revision to follow; None leaves a stored one as it is.
        since: with the first commit of which day reading begins; None leaves a stored one as it is.
        quiet_days: for how long it may be quiet; None leaves a stored one as it is.

    Raises:
        LineBegun: what is stored of it begins elsewhere.
    """
    row = read_repository(session, slug)
    if row is None:
        new = insert_into(session, RepositoryRow).values(slug=slug, demo=demo, added_at=now)
        session.execute(new.on_conflict_do_nothing(index_elements=["slug"]))
        row = session.scalars(select(RepositoryRow).where(RepositoryRow.slug == slug)).one()
        _note_name(session, row, now)
    row.removed_at = None
    row.mirror = mirror if mirror is not None else row.mirror
    row.ref = ref if ref is not None else row.ref
    row.quiet_days = quiet_days if quiet_days is not None else row.quiet_days
    if since is not None:
        require_beginning(session, row.id, row.slug, since)
        row.since = since
    session.flush()
    return row


def _note_name(session: Session, row: RepositoryRow, now: datetime) -> None:
    name = insert_into(session, RepositorySlugRow).values(repository_id=row.id, slug=row.slug, seen_at=now)
    session.execute(name.on_conflict_do_nothing(index_elements=["repository_id", "slug"]))


def read_repositories(session: Session, *, removed: bool = False) -> list[RepositoryRow]:
    """Return the repositories under watch by slug; with `removed`, those that were removed as well."""
    query = select(RepositoryRow)
    if not removed:
        query = query.where(RepositoryRow.removed_at.is_(None))
    rows = once(session, ("repositories", removed), lambda: tuple(session.scalars(query)))
    return sorted(rows, key=lambda row: row.slug)


def read_repository(session: Session, slug: str) -> RepositoryRow | None:
    """Return the repository that has this name, or had it before it was renamed; GitHub ignores the case of names."""
    return once(session, ("repository", slug.lower()), lambda: _read_repository(session, slug))


def _read_repository(session: Session, slug: str) -> RepositoryRow | None:
    if is_read_only(session):
        for watched in read_repositories(session):
            if watched.slug.lower() == slug.lower():
                return watched
    named = select(RepositoryRow).where(func.lower(RepositoryRow.slug) == slug.lower())
    row = session.scalars(named).first()
    if row is not None:
        return row
    earlier = (
        select(RepositoryRow)
        .join(RepositorySlugRow, RepositorySlugRow.repository_id == RepositoryRow.id)
        .where(func.lower(RepositorySlugRow.slug) == slug.lower())
        .order_by(RepositorySlugRow.seen_at.desc())
    )
    return session.scalars(earlier).first()


def remove_repository(session: Session, slug: str, now: datetime) -> bool:
    """Stop watching a repository; its history stays. Returns whether it was under watch."""
    row = read_repository(session, slug)
    if row is None or row.removed_at is not None:
        return False
    row.removed_at = now
    session.flush()
    return True


def note_github_facts(
    session: Session, repository_id: int, github_id: int | None, slug: str, default_branch: str | None, now: datetime
) -> None:
    """Record what GitHub (or, without a numeric id, the clone) says of a repository, a new name included.

    Raises:
        TrackerError: the name now belongs to another repository, or the repository is under watch under two names.
    """
    row = session.get_one(RepositoryRow, repository_id)
    if github_id is not None and row.github_id not in (None, github_id):
        raise TrackerError(
            f"{row.slug} is another repository now (GitHub's id {github_id}, was {row.github_id}); "
            f"their histories must not mix: remove it and add the old one by its new name"
        )
    same = RepositoryRow.slug == slug
    if github_id is not None:
        same |= RepositoryRow.github_id == github_id
    twin = session.scalars(select(RepositoryRow).where(RepositoryRow.id != row.id, same)).first()
    if twin is not None:
        raise TrackerError(f"{row.slug} and {twin.slug} are the same repository on GitHub; remove one of them")
    row.github_id = github_id if github_id is not None else row.github_id
    if row.slug != slug:
        # Runs are kept under the name, which may belong to no repository at all: they follow it.
        session.execute(update(JobRunRow).where(JobRunRow.repository == row.slug).values(repository=slug))
    row.slug = slug
    row.default_branch = default_branch or row.default_branch
    session.flush()
    _note_name(session, row, now)


def wait_for_other_crawlers(session: Session, repository_id: int) -> None:
    """Let one transaction at a time append to a repository's line; who was second finds the cursor moved."""
    row = select(RepositoryRow.id).where(RepositoryRow.id == repository_id)
    session.execute(row.with_for_update(key_share=True)).one()
