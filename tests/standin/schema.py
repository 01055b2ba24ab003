"""GitHub's GraphQL schema for the stand-in: the whole one where it was fetched, and always our own cut of it.

The whole schema is the npm package @octokit/graphql-schema (MIT). It is never part of this repository:
`python -m tests.standin.schema` fetches it, with npm, into a folder that git ignores; so does the first test that needs
it, and it is skipped where there is no npm.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from graphql import GraphQLSchema, build_schema

PACKAGE = "@octokit/graphql-schema@15.26.1"
CUT = Path(__file__).with_name("sdl_cut.graphql")
FETCHED = Path(__file__).parents[2] / ".cache" / "github" / "schema.graphql"
ABSENT = "GitHub's schema is not here: python -m tests.standin.schema fetches it (needs npm)"


def whole_schema_path() -> Path | None:
    """Return where the whole schema lies; None when it was not fetched."""
    path = Path(os.environ.get("TRACKER_TEST_GITHUB_SCHEMA") or FETCHED)
    return path if path.is_file() else None


@cache
def cut_schema() -> GraphQLSchema:
    return build_schema(CUT.read_text(encoding="utf-8"))


@cache
def whole_schema() -> GraphQLSchema:
    """Return the whole schema; it takes seconds to build, once in a process."""
    path = whole_schema_path()
    if path is None:
        raise FileNotFoundError(ABSENT)
    return build_schema(path.read_text(encoding="utf-8"), assume_valid=True)


def fetch(target: Path = FETCHED) -> None:
    """Fetch the package with npm and keep its schema alone."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True, timeout=300
        )
        with tarfile.open(Path(folder) / packed.stdout.strip().splitlines()[-1]) as archive:
            member = archive.extractfile("package/schema.graphql")
            if member is None:
                raise FileNotFoundError(f"{PACKAGE} holds no schema.graphql")
            partial = target.with_name(f"{target.name}.{os.getpid()}")
            partial.write_bytes(member.read())
            partial.rename(target)


if __name__ == "__main__":
    fetch()
    sys.stdout.write(f"{FETCHED}\n")
