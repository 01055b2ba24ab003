"""Releases read from GitHub by PyGithub, with what it does wrongly kept from biting."""

import inspect
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jobs.demo_upstream.payloads import Json
from tests.repositories import Repository
from tests.standin.faults import Fault, FaultKind, FaultScript
from tests.standin.github import TOKEN, StandinGitHub
from tracker.errors import NotServed, RateLimited, UpstreamError
from tracker.releases import Release, ReleaseKind
from tracker.settings import Secret
from tracker.sources import github_auth, github_releases
from tracker.sources.github_auth import TokenCredentials, aware, opened
from tracker.sources.github_releases import fetch_releases

CREDENTIALS = TokenCredentials(Secret(TOKEN))
PUBLISHED = datetime(2024, 6, 6, 12, tzinfo=UTC)


def a_release(tag: str, *, draft: bool = False, prerelease: bool = False) -> Json:
    return {
        "id": 1,
        "tag_name": tag,
        "draft": draft,
        "prerelease": prerelease,
        "published_at": None if draft else "2024-06-06T12:00:00Z",
    }


def fetched(github: StandinGitHub, known: tuple[str, ...] = ()) -> list[tuple[str, datetime, ReleaseKind]]:
    return [(one.name, one.at, one.kind) for one in fetch_releases(github.api_url, CREDENTIALS, "octo/engine", known)]


@pytest.fixture
def tagged(tmp_path: Path) -> Repository:
    """A repository with releases, candidates, and the tags that are none."""
    repository = Repository(tmp_path / "engine.git")
    for name in ("v1.0.0", "v1.0.1", "ciflow/trunk/1", "trunk/abc", "viable/strict/1", "nightly"):
        repository.set_reference(f"refs/tags/{name}", repository.commit({"a.py": f"# {name}\n"}))
    repository.git("tag", "-a", "-m", "two", "v2.0.0-rc1", "main")
    repository.set_reference("refs/tags/v9.9.9", repository.git("rev-parse", "main^{tree}").strip())
    return repository


def test_a_release_is_dated_by_its_publication_and_else_by_its_tag_or_commit(tagged: Repository) -> None:
    with StandinGitHub(tagged.path) as github:
        github.releases = [a_release("v1.0.1"), a_release("v3.0.0", draft=True)]
        found = {one.name: one for one in fetch_releases(github.api_url, CREDENTIALS, "octo/engine", ())}
    main = tagged.tip("main")
    assert found["v1.0.1"].at == PUBLISHED
    assert {name: one.kind for name, one in found.items()} == {
        "v1.0.0": ReleaseKind.RELEASE,
        "v1.0.1": ReleaseKind.PATCH,
        "v2.0.0-rc1": ReleaseKind.CANDIDATE,
    }
    assert found["v2.0.0-rc1"].sha == main
    assert isinstance(found["v1.0.0"], Release)


def test_tags_of_commits_and_of_ci_are_not_even_asked_for(tagged: Repository) -> None:
    with StandinGitHub(tagged.path) as github:
        fetched(github)
        assert [line.partition("?")[0] for line in github.requests("refs")] == [
            "GET /repos/octo/engine/git/matching-refs/tags%2Fv"
        ]


def test_what_is_known_costs_no_request_of_its_own(tagged: Repository) -> None:
    with StandinGitHub(tagged.path) as github:
        assert fetched(github, ("v1.0.0", "v1.0.1", "v2.0.0-rc1", "v9.9.9")) == []
        assert len(github.log) == 3


def test_versions_without_a_v_are_found_where_there_is_none_with_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "engine.git")
    repository.set_reference("refs/tags/0.41.0", repository.commit({"a.py": "x = 1\n"}))
    with StandinGitHub(repository.path) as github:
        assert [name for name, _, _ in fetched(github)] == ["0.41.0"]


def test_releases_of_a_renamed_repository_are_read_whole_and_page_by_page(tagged: Repository) -> None:
    with StandinGitHub(tagged.path) as github:
        github.releases = [a_release(f"v0.{number}") for number in range(149)] + [a_release("v1.0.0")]
        github.rename("octo/motor")
        assert ("v1.0.0", PUBLISHED, ReleaseKind.RELEASE) in fetched(github)
        assert len(github.requests("releases.*per_page=100")) == 2


def test_a_repository_without_versions_has_no_releases(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "engine.git")
    repository.commit({"a.py": "x = 1\n"})
    with StandinGitHub(repository.path) as github:
        assert fetched(github) == []


def test_a_name_that_nobody_has_is_not_served(standin: StandinGitHub) -> None:
    with pytest.raises(NotServed):
        fetch_releases(standin.api_url, CREDENTIALS, "octo/nothing", ())


@pytest.mark.parametrize("kind", [FaultKind.HTML_200, FaultKind.TRUNCATED, FaultKind.MOVED_307, FaultKind.RESET])
def test_what_is_no_list_of_references_is_never_taken_for_none(standin: StandinGitHub, kind: FaultKind) -> None:
    standin.faults = FaultScript(faults=(Fault(kind=kind, on="matching-refs", times=0),))
    with pytest.raises(UpstreamError):
        fetch_releases(standin.api_url, CREDENTIALS, "octo/engine", ())


def test_a_limit_is_handed_back(standin: StandinGitHub) -> None:
    standin.faults = FaultScript(faults=(Fault(kind=FaultKind.SECONDARY_LONG, on="releases", times=0),))
    with pytest.raises(RateLimited):
        fetch_releases(standin.api_url, CREDENTIALS, "octo/engine", ())


def test_a_date_without_a_zone_is_taken_as_utc() -> None:
    assert aware(datetime(2024, 6, 6, 12)) == PUBLISHED  # noqa: DTZ001 - as PyGithub makes one of a date alone
    assert aware(PUBLISHED) == PUBLISHED


def test_each_question_to_pygithub_has_a_client_of_its_own(standin: StandinGitHub) -> None:
    # Its connections mix up the answers of threads that share a client.
    with closing(opened(standin.api_url, CREDENTIALS)) as one, closing(opened(standin.api_url, CREDENTIALS)) as two:
        assert one.requester is not two.requester


def test_no_statistics_are_asked_of_pygithub() -> None:
    source = "".join(inspect.getsource(module) for module in (github_auth, github_releases))
    asked = set(re.findall(r"\.(get_\w+)\(", source))
    assert asked == {
        "get_access_token",
        "get_git_commit",
        "get_git_matching_refs",
        "get_git_tag",
        "get_releases",
        "get_repo",
    }
