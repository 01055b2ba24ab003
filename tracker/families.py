"""Families of commits: a change, the commits that undo it and those that bring it back, in the order of the line.

Every commit that undoes or repeats no other is a change of its own. A revert turns around what the commits it names do:
it undoes their changes, or restores those that they undid; a reland lands the changes of the commits it names again.
The last of these events says whether a change stands at the end of what was read. Each change counts once, under the
commit that first brought it: its reverts and relands are accounts of the same change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from tracker.trailers import LinkKind

Commit = TypeVar("Commit")
"""However the caller names a commit: a row id, a sha."""

Deeds = Mapping[Commit, bool]
"""What one commit does to changes: True where it lands one or lands it again, False where it undoes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Generic[Commit]):
    """One commit of the line that says it reverts or relands an earlier one."""

    commit: Commit
    kind: LinkKind
    target: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(Generic[Commit]):
    """What became of one commit of a family at the end of what was read."""

    undone_by: Commit | None
    """The commit since which nothing of it is in the tree; None: it stands, at least in part."""
    restored_by: Commit | None
    """The last commit that brought it back after it had been undone, where it stands."""
    is_change: bool
    """It reverts and relands none of the commits that were read."""

    @property
    def counts(self) -> bool:
        """Whether a net figure counts it: a change of its own that stands."""
        return self.is_change and self.undone_by is None


def standings(references: Iterable[Reference[Commit]]) -> dict[Commit, Standing[Commit]]:
    """Return the standing of every commit of a family; a commit that is in none stands, and counts.

    Args:
        references: by the order of the line of the commits that refer; a target stands before what refers to it.
    """
    spoken: dict[Commit, list[Reference[Commit]]] = {}
    deeds: dict[Commit, dict[Commit, bool]] = {}
    histories: dict[Commit, list[tuple[Commit, bool]]] = {}
    for reference in references:
        spoken.setdefault(reference.commit, []).append(reference)
        # A target that refers to others itself has been met: those that have not are changes of their own.
        if reference.target not in spoken and reference.target not in deeds:
            deeds[reference.target] = {reference.target: True}
            histories[reference.target] = [(reference.target, True)]
    for commit, named in spoken.items():
        deeds[commit] = _deeds(named, deeds)
        for change, lands in deeds[commit].items():
            histories[change].append((commit, lands))
    last_turns = {change: _last_turn(history) for change, history in histories.items()}
    kinds = {commit: {reference.kind for reference in named} for commit, named in spoken.items()}
    return {commit: _standing(commit, done, last_turns, kinds) for commit, done in deeds.items()}


def _deeds(named: Iterable[Reference[Commit]], deeds: Mapping[Commit, Deeds[Commit]]) -> dict[Commit, bool]:
    """What a commit does: relands first, so that the revert of a revert, which names both, agrees with itself."""
    found: dict[Commit, bool] = {}
    for reference in named:
        if reference.kind is LinkKind.RELANDS:
            found |= dict.fromkeys(deeds.get(reference.target, {}), True)
    relands = bool(found)
    for reference in named:
        if reference.kind is LinkKind.REVERTS:
            turned = {change: not lands for change, lands in deeds.get(reference.target, {}).items()}
            # Who lands again and backs out in one commit replaces what was there: it stands in the end.
            found |= {change: lands for change, lands in turned.items() if not relands or change not in found}
    return found


@dataclass(frozen=True, slots=True)
class _Turn(Generic[Commit]):
    """Since which commit a change stands or not, and how far on in its history that is."""

    commit: Commit
    lands: bool
    turned: bool
    """Whether it was the other way before."""


def _last_turn(history: list[tuple[Commit, bool]]) -> _Turn[Commit]:
    lands = history[-1][1]
    first = len(history) - 1
    while first and history[first - 1][1] is lands:
        first -= 1
    return _Turn(history[first][0], lands, turned=first > 0)


def _standing(
    commit: Commit,
    done: Deeds[Commit],
    last_turns: Mapping[Commit, _Turn[Commit]],
    kinds: Mapping[Commit, set[LinkKind]],
) -> Standing[Commit]:
    turns = [last_turns[change] for change in done]
    contrary = [turn for change, turn in zip(done, turns, strict=True) if turn.lands is not done[change]]
    undone = bool(turns) and len(contrary) == len(turns)
    # A revert whose change landed again is past, not undone: undone is what a later revert names.
    if undone and not any(done.values()):
        undone = all(LinkKind.REVERTS in kinds.get(turn.commit, ()) for turn in contrary)
    restored = [turn for turn in turns if turn.lands and turn.turned and turn.commit != commit]
    return Standing(
        undone_by=contrary[-1].commit if undone else None,
        restored_by=restored[-1].commit if restored and not undone and all(done.values()) else None,
        is_change=commit not in kinds,
    )
