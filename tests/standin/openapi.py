"""GitHub's own OpenAPI description as the judge of the stand-in's REST answers: a cut of what it answers.

The description is the npm package @octokit/openapi (MIT, 29 MB packed). It is never part of this repository:
`python -m tests.standin.openapi` fetches it, with npm, and keeps the cut in a folder that git ignores. Where it lies,
every stand-in of every test checks each of its answers; where it does not, the test that needs it fetches it or skips.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

PACKAGE = "@octokit/openapi@23.0.2"
MEMBER = "package/generated/api.github.com.json"
FETCHED = Path(__file__).parents[2] / ".cache" / "github" / "openapi_cut.json"
REPOSITORY = "/repos/{owner}/{repo}"
PATHS = (
    REPOSITORY,
    f"{REPOSITORY}/pulls",
    f"{REPOSITORY}/pulls/{{pull_number}}",
    f"{REPOSITORY}/pulls/{{pull_number}}/files",
    f"{REPOSITORY}/issues/{{issue_number}}",
    f"{REPOSITORY}/releases",
    f"{REPOSITORY}/git/matching-refs/{{ref}}",
    f"{REPOSITORY}/git/tags/{{tag_sha}}",
    f"{REPOSITORY}/git/commits/{{commit_sha}}",
    "/rate_limit",
    "/app/installations/{installation_id}/access_tokens",
)
"""What the product and its stand-in speak of."""
UNDESCRIBED = {301, 401, 403, 404, 429}
"""Answers that GitHub gives to anything, whatever it describes."""

Json = dict[str, Any]


def problems(method: str, path: str, status: int, body: bytes) -> list[str]:
    """Return what is wrong with an answer by GitHub's description; none where that is not here."""
    if not FETCHED.is_file() or status == 304:
        return []
    described = _described(re.sub(r"^/repositories/\d+", "/repos/octo/engine", path))
    if described is None:
        return [] if status == 404 else [f"{method} {path} is not among what is described"]
    validator = _validator(described, method.lower(), str(status))
    if validator is None:
        return [] if status in UNDESCRIBED else [f"{method} {path} is not described to answer {status}"]
    answer = json.loads(body)
    return [
        f"{method} {path} {status}: {error.instance_path}: {error.message}" for error in validator.iter_errors(answer)
    ]


def fetch(target: Path = FETCHED) -> None:
    """Fetch the package with npm and keep a cut of its description.

    Raises:
        OSError, subprocess.SubprocessError: npm or its registry is not there.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True, timeout=300
        )
        with tarfile.open(Path(folder) / packed.stdout.strip().splitlines()[-1]) as archive:
            member = archive.extractfile(MEMBER)
            if member is None:
                raise FileNotFoundError(f"{PACKAGE} holds no {MEMBER}")
            whole = json.load(member)
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    partial.write_text(json.dumps(cut(whole)), encoding="utf-8")
    partial.rename(target)


def cut(whole: Json) -> Json:
    """Return the paths that are spoken of and all that they refer to, as JSON Schema."""
    paths = {path: whole["paths"][path] for path in PATHS}
    components: Json = {}
    waiting = list(_references(paths))
    while waiting:
        reference = waiting.pop()
        _, kind, name = reference.removeprefix("#/").split("/")
        if kind in ("schemas", "responses") and name not in components.setdefault(kind, {}):
            components[kind][name] = whole["components"][kind][name]
            waiting += _references(components[kind][name])
    return {"version": whole["info"]["version"], "paths": _as_schema(paths), "components": _as_schema(components)}


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "$ref" and isinstance(inner, str):
                yield inner
            elif name not in ("example", "examples"):
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _as_schema(value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Turn OpenAPI 3.0's `nullable` into what JSON Schema knows, and leave examples out."""
    if isinstance(value, list):
        return [_as_schema(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    schema = {name: _as_schema(inner) for name, inner in value.items() if name not in ("example", "examples")}
    if schema.get("nullable") is not True:
        return schema
    del schema["nullable"]
    return {"anyOf": [schema, {"type": "null"}]}


@cache
def _cut() -> Json:
    found: Json = json.loads(FETCHED.read_text(encoding="utf-8"))
    return found


@cache
def _described(path: str) -> str | None:
    """Return the path's template, the one with the fewest places to fill."""
    found = [template for template in _cut()["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)]
    return min(found, key=lambda template: template.count("{"), default=None)


@cache
def _validator(template: str, method: str, status: str) -> Draft202012Validator | None:
    responses = _cut()["paths"][template].get(method, {}).get("responses", {})
    response = responses.get(status)
    if response is not None and "$ref" in response:
        response = _cut()["components"]["responses"][response["$ref"].rpartition("/")[2]]
    if response is None or "content" not in response:
        return None
    schema = response["content"]["application/json"]["schema"]
    return Draft202012Validator({"allOf": [schema], "components": _cut()["components"]}, validate_formats=True)


if __name__ == "__main__":
    fetch()
    sys.stdout.write(f"{FETCHED}\n")
