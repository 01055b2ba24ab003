from dataclasses import replace
from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.releases import read_release_names, read_releases, upsert_releases
from tests.pull_builders import A_TIME
from tests.stored import SLUG, a_repository
from tracker.releases import Release, ReleaseKind

FIRST = Release(name="v1.0.0", sha="1" * 40, at=A_TIME, kind=ReleaseKind.RELEASE)
CANDIDATE = Release(name="v1.0.0-rc1", sha="2" * 40, at=A_TIME - timedelta(days=9), kind=ReleaseKind.CANDIDATE)
PATCH = Release(name="v1.0.1", sha="3" * 40, at=A_TIME + timedelta(days=9), kind=ReleaseKind.PATCH)


def test_releases_are_read_by_kind_oldest_first(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        assert upsert_releases(session, repository, [PATCH, FIRST, CANDIDATE]) == 3
        assert read_releases(session, SLUG) == (FIRST,)
        assert read_releases(session, SLUG, tuple(ReleaseKind)) == (CANDIDATE, FIRST, PATCH)
        assert read_release_names(session, repository) == {"v1.0.0", "v1.0.0-rc1", "v1.0.1"}


def test_a_tag_that_moved_is_replaced_and_not_new(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        upsert_releases(session, repository, [FIRST])
        moved = replace(FIRST, sha="4" * 40)
        assert upsert_releases(session, repository, [moved, PATCH]) == 1
        assert read_releases(session, SLUG) == (moved,)


def test_repositories_have_their_own_releases_and_one_that_is_not_known_has_none(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        upsert_releases(session, a_repository(session, "octo/other"), [FIRST])
        a_repository(session)
        assert read_releases(session, SLUG) == ()
        assert read_releases(session, "never/added") == ()
        assert upsert_releases(session, a_repository(session), []) == 0
