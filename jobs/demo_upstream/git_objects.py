"""References, tags and commits of a git repository -> the JSON that GitHub's REST API would send for them."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

from jobs.demo_upstream.payloads import Json

_SEPARATOR = "\x1f"


def list_references(git_dir: Path, beginning: str, root: str) -> list[Json]:
    """Return the references whose full name begins so, by name; `root` is the URL of the repository's git objects."""
    shown = _SEPARATOR.join(("%(refname)", "%(objecttype)", "%(objectname)"))
    lines = _git(git_dir, "for-each-ref", f"--format={shown}", "refs/tags").splitlines()
    found = [line.split(_SEPARATOR) for line in lines if line.startswith(beginning)]
    return [_reference(name, kind, sha, root) for name, kind, sha in found]


def read_tag(git_dir: Path, sha: str, root: str) -> Json | None:
    """Return a tag that is an object of its own; None where there is none."""
    fields = _fields(git_dir, sha)
    if fields is None or "tagger" not in fields or "tag" not in fields:
        return None
    return {
        "node_id": f"TA_{sha[:12]}",
        "tag": fields["tag"],
        "sha": sha,
        "url": f"{root}/tags/{sha}",
        "message": "",
        "tagger": _signature(fields["tagger"]),
        "object": _object(fields["type"], fields["object"], root),
        "verification": _UNVERIFIED,
    }


def read_commit(git_dir: Path, sha: str, root: str) -> Json | None:
    """Return a commit; None where there is none."""
    fields = _fields(git_dir, sha)
    if fields is None or "committer" not in fields:
        return None
    return {
        "sha": sha,
        "node_id": f"C_{sha[:12]}",
        "url": f"{root}/commits/{sha}",
        "html_url": f"{root}/commits/{sha}",
        "author": _signature(fields["author"]),
        "committer": _signature(fields["committer"]),
        "message": "",
        "tree": {"sha": fields["tree"], "url": f"{root}/trees/{fields['tree']}"},
        "parents": [],
        "verification": _UNVERIFIED,
    }


_UNVERIFIED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def _reference(name: str, kind: str, sha: str, root: str) -> Json:
    return {
        "ref": name,
        "node_id": f"REF_{name}",
        "url": f"{root}/{name}",
        "object": _object(kind, sha, root),
    }


def _object(kind: str, sha: str, root: str) -> Json:
    return {"type": kind, "sha": sha, "url": f"{root}/{kind}s/{sha}"}


def _fields(git_dir: Path, sha: str) -> dict[str, str] | None:
    """Return the header lines of an object; None where there is none of this name."""
    done = subprocess.run(
        ["git", "-C", str(git_dir), "cat-file", "-p", sha],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        return None
    lines = done.stdout.partition("\n\n")[0].splitlines()
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def _signature(line: str) -> Json:
    """Return who signed and when; the address is none of anybody's."""
    who, _, _ = line.partition(" <")
    seconds = int(line.rsplit(" ", 2)[1])
    return {
        "name": who,
        "email": "somebody@example.com",
        "date": f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}",
    }


def _git(git_dir: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(git_dir), *arguments], check=True, capture_output=True, text=True, errors="replace"
    )
    return done.stdout
