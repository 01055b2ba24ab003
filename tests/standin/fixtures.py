"""Fixtures around the stand-in; a folder of tests that needs them imports them in its `conftest.py`."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import stamina
from graphql import GraphQLSchema

from tests.repositories import Repository
from tests.standin import openapi, schema
from tests.standin.github import TOKEN, StandinGitHub
from tracker.settings import Secret
from tracker.sources.github_auth import TokenCredentials
from tracker.sources.github_client import GitHubClient
from tracker.sources.github_transport import Patience
from tracker.upstream import CachedAnswer

PATIENCE = Patience(largest_body_bytes=2**20)
"""As in the product, but for answers without end."""
IMPATIENT = replace(PATIENCE, read_seconds=0.5)
"""For tests of slow answers alone: on a busy machine any answer may be slow."""


class Answers(dict[str, CachedAnswer]):
    """Kept answers in memory."""

    def read(self, key: str) -> CachedAnswer | None:
        return self.get(key)

    def write(self, key: str, answer: CachedAnswer) -> None:
        self[key] = answer


@pytest.fixture(scope="session")
def git_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare repository with one commit on `main` and a tag."""
    repository = Repository(tmp_path_factory.mktemp("git") / "engine.git")
    repository.set_reference("refs/tags/v1.0", repository.commit({"engine.py": "import torch\n"}))
    return repository.path


def _fetched(fetch: Callable[[], None], there: Path | None, what: str) -> None:
    """Have what is taken from npm at the set-up of tests and is no part of this repository; skip where npm is not."""
    if there is None or not there.is_file():
        try:
            fetch()
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"GitHub's {what} is not here and npm does not give it: {error}")


@pytest.fixture(scope="session")
def github_schema() -> GraphQLSchema:
    """GitHub's whole GraphQL schema."""
    _fetched(schema.fetch, schema.whole_schema_path(), "GraphQL schema")
    return schema.whole_schema()


@pytest.fixture(scope="session")
def rest_description() -> None:
    """GitHub's description of its REST API lies where stand-ins look for it."""
    _fetched(openapi.fetch, openapi.FETCHED, "REST description")


@pytest.fixture(scope="module")
def quick_retries() -> Iterator[None]:
    """Repetitions without pauses, for tests that make their own stand-ins."""
    with stamina.set_testing(True, attempts=4, cap=True):
        yield


@pytest.fixture
def standin(git_dir: Path) -> Iterator[StandinGitHub]:
    """GitHub with the empty repository octo/engine; whoever asks it repeats without pauses."""
    with stamina.set_testing(True, attempts=4, cap=True), StandinGitHub(git_dir) as github:
        yield github
    assert not github.problems, github.problems


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def client(standin: StandinGitHub, answers: Answers) -> Iterator[GitHubClient]:
    """A client of `standin`."""
    credentials = TokenCredentials(Secret(TOKEN))
    with GitHubClient(standin.api_url, credentials, answers=answers, patience=PATIENCE) as client:
        yield client
