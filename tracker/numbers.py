"""What the numbers of a repository stand for: pull requests, issues and discussions share one sequence on GitHub.

A number without anything behind it was deleted, went to another repository, or is hidden; each is known only by asking.
"""

from collections.abc import Collection, Iterator
from enum import StrEnum


class NumberKind(StrEnum):
    """What GitHub shows under a number."""

    PULL_REQUEST = "pull request"
    ISSUE = "issue"
    DISCUSSION = "discussion"
    DELETED = "deleted"
    """410: it was an issue."""
    TRANSFERRED = "transferred"
    """It stands in another repository now."""
    ABSENT = "absent"
    """404: deleted by GitHub itself, or hidden from these credentials."""


def unaccounted(highest: int, known: Collection[int]) -> Iterator[int]:
    """Yield the numbers from 1 to `highest` that are not among the known ones, in their order."""
    return (number for number in range(1, highest + 1) if number not in known)
