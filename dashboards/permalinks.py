"""Facts -> addresses on GitHub: the exact lines of a site, a commit, a pull request. Pure; nothing is asked of GitHub.

A line that a commit removed exists in its parent's file only, so it links to the parent's blob. Everything that comes
from a repository (paths above all) is percent-encoded: it may hold any sign.
"""

from urllib.parse import quote


def repository_address(git_url: str, slug: str) -> str:
    """Return the address of a repository; `git_url` is the base of the GitHub instance, e.g. https://github.com."""
    return f"{git_url.rstrip('/')}/{quote(slug)}"


def commit_address(git_url: str, slug: str, sha: str) -> str:
    """Return the address of a commit."""
    return f"{repository_address(git_url, slug)}/commit/{quote(sha)}"


def pull_address(git_url: str, slug: str, number: int) -> str:
    """Return the address of a pull request."""
    return f"{repository_address(git_url, slug)}/pull/{number}"


def file_address(git_url: str, slug: str, sha: str, path: str) -> str:
    """Return the address of a file at a commit."""
    return f"{repository_address(git_url, slug)}/blob/{quote(sha)}/{quote(path)}"


def line_address(git_url: str, slug: str, sha: str, path: str, line: int) -> str:
    """Return the address of one line of a file at a commit; lines count from 1."""
    return f"{file_address(git_url, slug, sha, path)}#L{line}"


def entry_sha(delta: int, sha: str, parent_sha: str | None) -> str | None:
    """Return the commit whose file holds an entry's lines: the parent for removed ones; None where it has no parent."""
    return parent_sha if delta < 0 else sha
