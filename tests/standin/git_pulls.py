"""The pull requests of a real git repository: one for each refs/pull/N/head, described from its head commit.

Files and lines are what `git diff` says against the merge base, as GitHub shows them. Git does not know its state, its
labels or its reviews: a scenario says them, and else it is open.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jobs.demo_upstream.payloads import numeric_id
from tracker.upstream import Person, PullFile, PullRequest, PullRequestState

FIELDS = ("refname", "objectname", "authorname", "authordate:unix", "committerdate:unix", "contents:subject")
UNIT = "\x1f"
MOST_FILES = 3_000
"""Of a pull request, as on GitHub."""
_CHANGES = {"A": "ADDED", "D": "DELETED", "T": "CHANGED"}


def pulls_of(
    git_dir: Path, scenario: Mapping[int, Mapping[str, Any]] | None = None, *, with_files: bool = True
) -> Iterator[PullRequest]:
    """Yield the pull requests of a repository.

    Args:
        scenario: fields of PullRequest that differ from what git says, by number.
        with_files: count files and lines, by one `git diff` each.
    """
    for line in _git(git_dir, "for-each-ref", f"--format={_format()}", "refs/pull/*/head").splitlines():
        ref, sha, author, authored, committed, subject = line.split(UNIT)
        number = int(re.fullmatch(r"refs/pull/(\d+)/head", ref)[1])  # type: ignore[index]
        created = datetime.fromtimestamp(int(authored), UTC)
        files = changed_files(git_dir, sha) if with_files else []
        pull = PullRequest(
            number=number,
            node_id=f"PR_{number:08}",
            title=subject,
            state=PullRequestState.OPEN,
            draft=False,
            author=_person(author),
            association="CONTRIBUTOR",
            created_at=created,
            updated_at=max(created, datetime.fromtimestamp(int(committed), UTC)),
            closed_at=None,
            merged_at=None,
            base_ref="main",
            head_ref=f"branch-{number}",
            head_sha=sha,
            additions=sum(file.additions for file in files),
            deletions=sum(file.deletions for file in files),
            changed_files=len(files),
            files=tuple(files[:MOST_FILES]),
        )
        yield replace(pull, **(scenario or {}).get(number, {}))


def numstat(git_dir: Path, sha: str) -> list[tuple[int, int, str]]:
    """Return (lines added, lines deleted, path) of each file changed since the merge base with the default branch."""
    return [(file.additions, file.deletions, file.path) for file in changed_files(git_dir, sha)]


def changed_files(git_dir: Path, sha: str) -> list[PullFile]:
    """Return the files changed since the merge base with the default branch, by `git diff`.

    Of a clone that lacks objects, what it has: no lines where a blob is missing, no files where a tree or commit is.
    """
    try:
        out = _git(git_dir, "diff", "--raw", "--numstat", "--no-renames", "-z", f"HEAD...{sha}")
    except subprocess.CalledProcessError:
        paths = _changed_paths(git_dir, sha)
        return [PullFile(path=path, change="MODIFIED", additions=0, deletions=0) for path in paths]
    words = iter(word for word in out.split("\0") if word)
    became: dict[str, str] = {}
    files: list[PullFile] = []
    for word in words:
        if word.startswith(":"):
            became[next(words)] = _CHANGES.get(word[-1], "MODIFIED")
            continue
        added, deleted, path = word.split("\t", 2)
        change = became.get(path, "MODIFIED")
        files.append(PullFile(path=path, change=change, additions=_lines(added), deletions=_lines(deleted)))
    return files


def _changed_paths(git_dir: Path, sha: str) -> list[str]:
    try:
        out = _git(git_dir, "diff", "--name-only", "--no-renames", "-z", f"HEAD...{sha}")
    except subprocess.CalledProcessError:
        return []
    return [path for path in out.split("\0") if path]


def landed_numbers(git_dir: Path) -> dict[int, str]:
    """Return the commit that lands each pull request of a repository that squash-merges: `Title (#N)`."""
    landed: dict[int, str] = {}
    for line in _git(git_dir, "log", "--first-parent", "--format=%H %s", "HEAD").splitlines():
        found = re.search(r"\(#(\d+)\)$", line)
        if found is not None:
            landed.setdefault(int(found[1]), line[:40])
    return landed


def _lines(text: str) -> int:
    return int(text) if text != "-" else 0  # a binary file has none


def _person(name: str) -> Person:
    login = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")[:39] or "unknown"
    return Person(id=numeric_id(login), login=login, kind="User")


def _format() -> str:
    return UNIT.join(f"%({name})" for name in FIELDS)


def _git(git_dir: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(git_dir), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")
