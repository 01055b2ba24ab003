"""A commit message -> the pull request it lands, what it reverts or relands, and its other trailers, by era."""

from dataclasses import dataclass
from enum import StrEnum


class LinkKind(StrEnum):
    REVERTS = "reverts"
    RELANDS = "relands"


class LinkMethod(StrEnum):
    """How a message names another commit; listed from the surest to the weakest."""

    SHA = "sha"
    CHANGESET = "changeset"
    """First digits of the other commit's fbshipit-source-id."""
    DIFFERENTIAL = "differential"
    PULL = "pull"
    TITLE = "title"


@dataclass(frozen=True, slots=True, order=True)
class CommitReference:
    """What a message says about another commit, as written."""

    kind: LinkKind
    method: LinkMethod
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailers:
    """What a commit message says in machine-readable form."""

    pull_request: int | None
    """Number in the commit's own repository."""
    is_revert: bool
    is_reland: bool
    references: tuple[CommitReference, ...]
    """Several where a message names several; one reverted commit may be named by more than one method."""
    differential: str | None
    """D123."""
    source_id: str | None
    """fbshipit-source-id, 40 hexadecimal digits."""
    co_author_domains: tuple[str, ...]
    """Mail domains of co-authors."""
