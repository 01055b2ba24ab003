"""The demonstration's commits -> a real bare git repository, written by one `git fast-import`.

Format: https://git-scm.com/docs/git-fast-import. A revert names the commit it undoes by its id, which git tells on the
way (`get-mark`). Messages have the form that PyTorch's merge bot gives them.
"""

import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from jobs.demo.facts import DEMO_SLUG, DemoCommit
from tracker.sources.git_process import git_not_found, reading_environment, run_git

BRANCH = "main"
HEADS_FROM = 1_000_000
"""Marks of heads begin beyond those of commits."""
MERGE_BOT = "Demo MergeBot <mergebot@example.com>"


def write_repository(
    path: Path,
    commits: Sequence[DemoCommit],
    numbers: Mapping[int, int],
    heads: Mapping[int, Mapping[str, str]] | None = None,
) -> dict[int, str]:
    """Make a bare repository whose branch `main` holds the commits; return the heads of pull requests by number.

    Args:
        numbers: key of a commit -> number of the pull request it lands.
        heads: number of an open pull request -> the files that its head changes of the branch's tip.
    """
    environment = reading_environment()
    run_git(["init", "--quiet", "--bare", f"--initial-branch={BRANCH}", str(path)], environment=environment)
    command = ["git", f"--git-dir={path}", "fast-import", "--quiet", "--date-format=raw"]
    try:
        importer = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except FileNotFoundError as error:
        raise git_not_found(error) from error
    with importer:
        if importer.stdin is None or importer.stdout is None:
            raise AssertionError("both were asked for")
        for commit in commits:
            undone = _sha_of(commit.reverts, importer.stdin, importer.stdout) if commit.reverts is not None else None
            _write(commit, message_of(commit, commits, numbers, undone), importer.stdin)
        made = {
            number: _write_head(number, files, commits[-1], importer.stdin, importer.stdout)
            for number, files in (heads or {}).items()
        }
    if importer.returncode:
        raise subprocess.CalledProcessError(importer.returncode, command)
    return made


def message_of(
    commit: DemoCommit, commits: Sequence[DemoCommit], numbers: Mapping[int, int], undone: str | None
) -> str:
    """Return a commit's message.

    Args:
        undone: id of the commit that this one reverts.
    """
    pull = f"https://github.com/{DEMO_SLUG}/pull"
    if commit.reverts is not None:
        number = numbers[commit.reverts]
        return (
            f'Revert "{commits[commit.reverts].title} (#{number})"\n\n'
            f"This reverts commit {undone}.\n\n"
            f"Reverted {pull}/{number} on behalf of https://github.com/{commit.author.login} "
            f"due to a test that fails on the machines of the night ([comment]({pull}/{number}#issuecomment-1))\n"
        )
    if commit.key not in numbers:
        return f"{commit.title}\n\n{commit.body}\n"
    again = f"Relands #{numbers[commit.relands]}.\n\n" if commit.relands is not None else ""
    number = numbers[commit.key]
    return (
        f"{commit.title} (#{number})\n\n{again}{commit.body}\n\n"
        f"Pull Request resolved: {pull}/{number}\nApproved by: https://github.com/anaruiz\n"
    )


def _sha_of(key: int, entry: IO[bytes], answer: IO[bytes]) -> str:
    entry.write(f"get-mark :{key + 1}\n".encode())
    entry.flush()
    return answer.readline().decode().strip()


def _write(commit: DemoCommit, message: str, entry: IO[bytes]) -> None:
    author = f"{commit.author.name} <{commit.author.mail}>"
    entry.write(f"commit refs/heads/{BRANCH}\nmark :{commit.key + 1}\n".encode())
    entry.write(f"author {author} {_date(commit.at)}\ncommitter {MERGE_BOT} {_date(commit.at)}\n".encode())
    _write_data(message, entry)
    for path, text in commit.files.items():
        entry.write(f"M 100644 inline {path}\n".encode())
        _write_data(text, entry)


def _write_head(number: int, files: Mapping[str, str], tip: DemoCommit, entry: IO[bytes], answer: IO[bytes]) -> str:
    """Write the head of a pull request, one commit on top of the branch's tip, and return its id."""
    mark = HEADS_FROM + number
    entry.write(f"commit refs/pull/{number}/head\nmark :{mark}\n".encode())
    entry.write(f"committer {tip.author.name} <{tip.author.mail}> {_date(tip.at)}\n".encode())
    _write_data(f"Propose #{number}", entry)
    entry.write(f"from :{tip.key + 1}\n".encode())
    for path, text in files.items():
        entry.write(f"M 100644 inline {path}\n".encode())
        _write_data(text, entry)
    entry.write(f"get-mark :{mark}\n".encode())
    entry.flush()
    return answer.readline().decode().strip()


def _write_data(text: str, entry: IO[bytes]) -> None:
    data = text.encode()
    entry.write(b"data %d\n%s\n" % (len(data), data))


def _date(at: datetime) -> str:
    return f"{int(at.timestamp())} +0000"
