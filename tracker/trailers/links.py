"""The kinds of link one commit message makes to another commit."""

from dataclasses import dataclass
from enum import StrEnum

TITLE_EDGES = ' ,;:.+-"“”'
"""What is no part of a title where it stands at an edge: punctuation, and quotes of which the other half is cut off."""


class LinkKind(StrEnum):
    """What a commit does to the one it names."""

    REVERTS = "reverts"
    """Undoes it. A commit that undoes a revert says so here too, and is a reland, not a revert."""
    RELANDS = "relands"
    """Lands it again."""


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
