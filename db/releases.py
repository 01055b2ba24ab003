"""Versions of repositories, for annotating what happened between them."""

from collections.abc import Collection, Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.identities import chunks
from db.tables import ReleaseRow, RepositoryRow
from tracker.releases import Release, ReleaseKind


def upsert_releases(session: Session, repository_id: int, releases: Iterable[Release]) -> int:
    """Store releases by name and return how many were new; what is known is replaced."""
    named = {release.name: release for release in releases}
    before = read_release_names(session, repository_id)
    for chunk in chunks(named[name] for name in sorted(named)):
        rows = [
            {"repository_id": repository_id, "name": one.name, "sha": one.sha, "at": one.at, "kind": one.kind}
            for one in chunk
        ]
        statement = insert_into(session, ReleaseRow).values(rows)
        given = statement.excluded
        session.execute(
            statement.on_conflict_do_update(
                index_elements=["repository_id", "name"], set_={"sha": given.sha, "at": given.at, "kind": given.kind}
            )
        )
    return len(named.keys() - before)


def read_release_names(session: Session, repository_id: int) -> frozenset[str]:
    """Return the names of the releases that are stored."""
    return frozenset(session.scalars(select(ReleaseRow.name).where(ReleaseRow.repository_id == repository_id)))


def read_releases(
    session: Session, slug: str, kinds: Collection[ReleaseKind] = (ReleaseKind.RELEASE,)
) -> tuple[Release, ...]:
    """Return the releases of a repository, of some kinds, oldest first; empty where none is known."""
    query = (
        select(ReleaseRow)
        .join(RepositoryRow, RepositoryRow.id == ReleaseRow.repository_id)
        .where(RepositoryRow.slug == slug, ReleaseRow.kind.in_(kinds))
        .order_by(ReleaseRow.at, ReleaseRow.name)
    )
    return tuple(Release(name=row.name, sha=row.sha, at=row.at, kind=row.kind) for row in session.scalars(query))
