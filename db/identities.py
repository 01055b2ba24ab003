"""Paths and sites -> the ids of their rows, found or made in bulk.

A crawler may keep an `Identities` between transactions and so look each path and site up once. It learns new ids only
when the transaction that made them has committed: an id that was rolled back is never used again.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from sqlalchemy import event, select, update
from sqlalchemy.orm import Session

from db.base import clean_text, insert_into
from db.tables import PathRow, SiteRow
from tracker.sites import Place, Site

IN_ONE_STATEMENT = 500
"""Parameters of one IN list."""

Item = TypeVar("Item")


def chunks(items: Iterable[Item], size: int = IN_ONE_STATEMENT) -> Iterator[list[Item]]:
    """Cut items into lists of at most `size`."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def path_digest(path: str) -> str:
    """Return the key of a path; the text is one that has been cleaned."""
    return hashlib.sha256(path.encode()).hexdigest()[:32]


def site_digest(site: Site) -> str:
    """Return the key of a site's identity."""
    identity = "\0".join((site.construct.value, site.vendor, clean_text(site.symbol), site.rule))
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class KnownPath:
    """A stored path and where it stands by the ruleset named."""

    id: int
    area: str
    subsystem: str
    territory: str
    ruleset: str


@dataclass(slots=True)
class Identities:
    """Ids known so far, of paths by repository and of sites; empty at a crawl's start."""

    paths: dict[tuple[int, str], KnownPath] = field(default_factory=dict)
    sites: dict[Site, int] = field(default_factory=dict)

    def learn_on_commit(
        self, session: Session, repository_id: int, paths: Mapping[str, KnownPath], sites: Mapping[Site, int]
    ) -> None:
        """Take the ids over when the session commits, and never if it rolls back."""

        def learn(_session: Session) -> None:
            self.paths.update({(repository_id, path): known for path, known in paths.items()})
            self.sites.update(sites)

        def forget(ended: Session, _transaction: object) -> None:
            if event.contains(ended, "after_commit", learn):
                event.remove(ended, "after_commit", learn)

        event.listen(session, "after_commit", learn)
        event.listen(session, "after_transaction_end", forget)


def identify_sites(session: Session, sites: Collection[Site], known: Mapping[Site, int]) -> dict[Site, int]:
    """Return the id of each site, making the rows that are missing."""
    ids = {site: known[site] for site in sites if site in known}
    wanted = {site_digest(site): site for site in sites if site not in ids}
    found = _site_ids(session, wanted)
    missing = sorted(wanted.keys() - found.keys())
    if missing:
        # Another repository's crawler may make the same site at the same moment: whoever is second finds it.
        statement = insert_into(session, SiteRow).on_conflict_do_nothing(index_elements=["digest"])
        session.execute(statement, [_site_row(digest, wanted[digest]) for digest in missing])
        found |= _site_ids(session, missing)
    return ids | {wanted[digest]: id_ for digest, id_ in found.items()}


def _site_ids(session: Session, digests: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks(digests):
        query = select(SiteRow.digest, SiteRow.id).where(SiteRow.digest.in_(chunk))
        found |= dict(session.execute(query).tuples().all())
    return found


def _site_row(digest: str, site: Site) -> dict[str, object]:
    return {
        "digest": digest,
        "construct": site.construct,
        "vendor": site.vendor,
        "symbol": site.symbol,
        "rule": site.rule,
    }


@dataclass(frozen=True, slots=True)
class IdentifiedPaths:
    """The ids of paths, and of those among them that were stored with another place than this ruleset gives."""

    paths: dict[str, KnownPath]
    replaced: tuple[int, ...]


def identify_paths(
    session: Session,
    repository_id: int,
    places: Mapping[str, Place],
    ruleset: str,
    known: Mapping[tuple[int, str], KnownPath],
) -> IdentifiedPaths:
    """Return the id of each path; rows that are missing are made, those another ruleset placed elsewhere corrected."""
    paths = {path: known[repository_id, path] for path in places if (repository_id, path) in known}
    wanted = {path_digest(clean_text(path)): path for path in places if path not in paths}
    found = _paths(session, repository_id, wanted)
    missing = [digest for digest in wanted if digest not in found]
    if missing:
        rows = [_path_row(repository_id, digest, wanted[digest], places[wanted[digest]], ruleset) for digest in missing]
        statement = insert_into(session, PathRow).on_conflict_do_nothing(index_elements=["repository_id", "digest"])
        session.execute(statement, rows)
        found |= _paths(session, repository_id, missing)
    paths |= {wanted[digest]: path for digest, path in found.items()}
    replaced = {path: places[path] for path, known_path in paths.items() if _differs(known_path, places[path], ruleset)}
    _replace(session, paths, replaced, ruleset)
    return IdentifiedPaths(paths, tuple(paths[path].id for path in replaced))


def _paths(session: Session, repository_id: int, digests: Iterable[str]) -> dict[str, KnownPath]:
    columns = (PathRow.digest, PathRow.id, PathRow.area, PathRow.subsystem, PathRow.territory, PathRow.ruleset)
    found: dict[str, KnownPath] = {}
    for chunk in chunks(digests):
        query = select(*columns).where(PathRow.repository_id == repository_id, PathRow.digest.in_(chunk))
        for digest, path_id, area, subsystem, territory, ruleset in session.execute(query):
            found[digest] = KnownPath(path_id, area, subsystem, territory, ruleset)
    return found


def _path_row(repository_id: int, digest: str, path: str, place: Place, ruleset: str) -> dict[str, object]:
    return {
        "repository_id": repository_id,
        "digest": digest,
        "path": path,
        "territory": place.territory,
        "area": place.area,
        "subsystem": place.subsystem,
        "ruleset": ruleset,
    }


def _differs(path: KnownPath, place: Place, ruleset: str) -> bool:
    """Whether another ruleset placed the path elsewhere; the same one may place single lines of a file apart."""
    stored = (path.territory, path.area, path.subsystem)
    return path.ruleset != ruleset and stored != (place.territory, place.area, place.subsystem)


def _replace(session: Session, paths: dict[str, KnownPath], replaced: Mapping[str, Place], ruleset: str) -> None:
    rows: Sequence[dict[str, object]] = [
        {
            "id": paths[path].id,
            "territory": place.territory,
            "area": place.area,
            "subsystem": place.subsystem,
            "ruleset": ruleset,
        }
        for path, place in replaced.items()
    ]
    if rows:
        session.execute(update(PathRow), rows)
    for path, place in replaced.items():
        paths[path] = KnownPath(paths[path].id, place.area, place.subsystem, place.territory, ruleset)
