"""Paths, sites and reasons -> the ids of their rows, found or made in bulk.

A crawler may keep an `Identities` between transactions and so look each path and site up once. It learns new ids only
when the transaction that made them has committed: an id that was rolled back is never used again.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from sqlalchemy import event, insert, select, update
from sqlalchemy.orm import Session, SessionTransaction

from db.base import clean_text, insert_into
from db.tables import PathRow, ReasonRow, SiteRow
from tracker.sites import Area, Place, Site, Territory

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
    area: Area
    subsystem: str
    territory: Territory
    ruleset: str


@dataclass(slots=True)
class Identities:
    """Ids known so far, of paths by repository, of sites and of reasons; empty at a crawl's start."""

    paths: dict[int, dict[str, KnownPath]] = field(default_factory=dict)
    sites: dict[Site, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)

    def learn_on_commit(
        self,
        session: Session,
        repository_id: int,
        paths: Mapping[str, KnownPath],
        sites: Mapping[Site, int],
        reasons: Mapping[str, int],
    ) -> None:
        """Take new ids over when the session commits, and never if it rolls back, be it to a savepoint."""
        if _PENDING not in session.info:
            session.info[_PENDING] = []
            event.listen(session, "after_commit", _learn)
            event.listen(session, "after_soft_rollback", _forget)
        session.info[_PENDING].append((self, repository_id, paths, sites, reasons))


_PENDING = "identities to learn on commit"


def _learn(session: Session) -> None:
    for identities, repository_id, paths, sites, reasons in session.info[_PENDING]:
        identities.paths.setdefault(repository_id, {}).update(paths)
        identities.sites.update(sites)
        identities.reasons.update(reasons)
    session.info[_PENDING].clear()


def _forget(session: Session, _previous: SessionTransaction) -> None:
    session.info[_PENDING].clear()


def identify_sites(session: Session, sites: Iterable[Site]) -> dict[Site, int]:
    """Return the id of each site, making the rows that are missing."""
    digests = {site: site_digest(site) for site in sites}
    by_digest = {digest: site for site, digest in digests.items()}
    found = _site_ids(session, by_digest)
    missing = sorted(by_digest.keys() - found.keys())
    if missing:
        # Another repository's crawler may make the same site at the same moment: whoever is second finds it.
        statement = insert_into(session, SiteRow).on_conflict_do_nothing(index_elements=["digest"])
        session.execute(statement, [_site_row(digest, by_digest[digest]) for digest in missing])
        found |= _site_ids(session, missing)
    return {site: found[digest] for site, digest in digests.items()}


def _site_ids(session: Session, digests: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks(digests):
        query = select(SiteRow.digest, SiteRow.id).where(SiteRow.digest.in_(chunk))
        found |= dict(session.execute(query).all())
    return found


def _site_row(digest: str, site: Site) -> dict[str, object]:
    return {
        "digest": digest,
        "construct": site.construct,
        "vendor": site.vendor,
        "symbol": site.symbol,
        "rule": site.rule,
    }


def identify_reasons(session: Session, reasons: Iterable[str]) -> dict[str, int]:
    """Return the id of each reason's words, making the rows that are missing."""
    wanted = sorted(set(reasons))
    found = _reason_ids(session, wanted)
    missing = [words for words in wanted if words not in found]
    if missing:
        statement = insert_into(session, ReasonRow).on_conflict_do_nothing(index_elements=["words"])
        session.execute(statement, [{"words": words} for words in missing])
        found |= _reason_ids(session, missing)
    return found


def _reason_ids(session: Session, reasons: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks(reasons):
        query = select(ReasonRow.words, ReasonRow.id).where(ReasonRow.words.in_(chunk))
        found |= dict(session.execute(query).all())
    return found


def identify_paths(
    session: Session, repository_id: int, places: Mapping[str, Place], ruleset: str
) -> dict[str, KnownPath]:
    """Return what is stored of each path, making the rows that are missing."""
    digests = {path: path_digest(clean_text(path)) for path in places}
    by_digest = {digest: path for path, digest in digests.items()}
    found = _paths(session, repository_id, by_digest)
    missing = sorted(by_digest.keys() - found.keys())
    if missing:
        rows = [
            _path_row(repository_id, digest, by_digest[digest], places[by_digest[digest]], ruleset)
            for digest in missing
        ]
        session.execute(insert(PathRow), rows)
        found |= _paths(session, repository_id, missing)
    return {path: found[digest] for path, digest in digests.items()}


def place_again(
    session: Session, paths: Mapping[str, KnownPath], places: Mapping[str, Place], ruleset: str
) -> dict[str, KnownPath]:
    """Correct the rows of paths that another ruleset placed elsewhere, and return those paths as they are now."""
    replaced = {
        path: KnownPath(known.id, place.area, place.subsystem, place.territory, ruleset)
        for path, place in places.items()
        if _differs(known := paths[path], place, ruleset)
    }
    rows = [
        {
            "id": path.id,
            "territory": path.territory,
            "area": path.area,
            "subsystem": path.subsystem,
            "ruleset": path.ruleset,
        }
        for path in replaced.values()
    ]
    if rows:
        session.execute(update(PathRow), rows)
    return replaced


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
    if path.ruleset == ruleset:
        return False
    return (path.territory, path.area, path.subsystem) != (place.territory, place.area, place.subsystem)
