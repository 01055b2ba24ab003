"""Land, revert, reland, revert: which commits stand, and which a net figure counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.families import Reference, Standing, standings
from tracker.trailers import LinkKind


def told(story: str) -> list[Reference[str]]:
    """Return the references of a story: `b reverts a; c relands a, reverts b`."""
    references = []
    for sentence in filter(None, story.split(";")):
        commit, deeds = sentence.split(maxsplit=1)
        for deed in deeds.split(","):
            kind, target = deed.split()
            references.append(Reference(commit=commit, kind=LinkKind(kind), target=target))
    return references


def undone(story: str) -> dict[str, str]:
    """Return each undone commit with the one that undid it for good."""
    return {commit: one.undone_by for commit, one in standings(told(story)).items() if one.undone_by is not None}


def counted(story: str) -> list[str]:
    return [commit for commit, one in standings(told(story)).items() if one.counts]


@pytest.mark.parametrize(
    ("story", "expected_undone", "expected_counted"),
    [
        pytest.param("r reverts a", {"a": "r"}, [], id="reverted"),
        pytest.param("r reverts a; l relands a", {}, ["a"], id="landed again"),
        pytest.param("r reverts a; rr reverts r", {"r": "rr"}, ["a"], id="the revert is reverted"),
        pytest.param("r reverts a; rr reverts r, relands a", {"r": "rr"}, ["a"], id="a revert of a revert names both"),
        pytest.param("r reverts a; l relands a; s reverts l", {"a": "s", "l": "s"}, [], id="the reland is reverted"),
        pytest.param(
            "r reverts a; l relands a; s reverts a", {"a": "s", "l": "s"}, [], id="the second revert names the original"
        ),
        pytest.param(
            "r reverts a; l relands a; s reverts l; m relands a; t reverts m; n relands l",
            {},
            ["a"],
            id="three landings of one change count once",
        ),
        pytest.param(
            "r reverts a; rr reverts r; rrr reverts rr", {"a": "rrr", "rr": "rrr"}, [], id="a chain of reverts"
        ),
        pytest.param(
            "r reverts a; rr reverts r; rrr reverts rr; rrrr reverts rrr",
            {"r": "rrrr", "rrr": "rrrr"},
            ["a"],
            id="a longer one",
        ),
        pytest.param("r reverts a; s reverts a", {"a": "r"}, [], id="reverted twice is undone since the first"),
        pytest.param("r reverts a, reverts b", {"a": "r", "b": "r"}, [], id="several at once"),
        pytest.param("r reverts a, reverts b; l relands a", {"b": "r"}, ["a"], id="one of two lands again"),
        pytest.param("r reverts a, reverts b; rr reverts r", {"r": "rr"}, ["a", "b"], id="both come back"),
        pytest.param("l relands a", {}, ["a"], id="landed again after a revert that nobody told of"),
        pytest.param("l relands a, relands b; s reverts l", {"a": "s", "b": "s", "l": "s"}, [], id="a joint reland"),
        pytest.param("l relands a, reverts a", {}, ["a"], id="replaced in one commit"),
        pytest.param("", {}, [], id="nobody speaks of another"),
    ],
)
def test_chains(story: str, expected_undone: dict[str, str], expected_counted: list[str]) -> None:
    assert (undone(story), counted(story)) == (expected_undone, expected_counted)


def test_a_change_that_came_back_says_by_what() -> None:
    found = standings(told("r reverts a; l relands a"))
    assert found == {
        "a": Standing(undone_by=None, restored_by="l", is_change=True),
        "r": Standing(undone_by=None, restored_by=None, is_change=False),
        "l": Standing(undone_by=None, restored_by=None, is_change=False),
    }


@given(st.lists(st.tuples(st.sampled_from(list(LinkKind)), st.integers(0, 30), st.integers(1, 5)), max_size=30))
def test_any_history_counts_a_change_at_most_once(choices: list[tuple[LinkKind, int, int]]) -> None:
    references = [
        Reference(commit=number, kind=kind, target=max(0, number - back))
        for number, (kind, _, back) in enumerate(choices, 1)
    ]
    found = standings(references)
    speaking = {reference.commit for reference in references}
    assert {commit for commit, one in found.items() if one.counts}.isdisjoint(speaking)
    assert set(found) == speaking | {reference.target for reference in references}
    for commit, one in found.items():
        assert one.undone_by is None or one.undone_by > commit
        assert one.undone_by is None or one.undone_by in speaking


@st.composite
def histories_of_a_file(draw: st.DrawFn) -> tuple[list[Reference[int]], dict[int, set[int]], set[int]]:
    """Commits on a file of one line for each change: what they say, what is in the file at the end, and by number.

    A commit adds a line of its own, or reverts an earlier commit, or lands one again; a revert of several at once too.
    """
    references: list[Reference[int]] = []
    effects: dict[int, dict[int, bool]] = {}
    file: set[int] = set()
    for number in range(draw(st.integers(1, 25))):
        kind = draw(st.sampled_from([None, *LinkKind])) if number else None
        if kind is None:
            effects[number] = {number: True}
        else:
            targets = draw(st.lists(st.integers(0, number - 1), min_size=1, max_size=3, unique=True))
            # Who reverts a change and its revert at once contradicts himself.
            if len({line for target in targets for line in effects[target]}) < sum(len(effects[t]) for t in targets):
                targets = targets[:1]
            references += [Reference(commit=number, kind=kind, target=target) for target in targets]
            told = {line: lands for target in targets for line, lands in effects[target].items()}
            effects[number] = {line: True if kind is LinkKind.RELANDS else not lands for line, lands in told.items()}
        for line, lands in effects[number].items():
            (file.add if lands else file.discard)(line)
    return references, {number: set(effect) for number, effect in effects.items()}, file


@given(histories_of_a_file())
def test_what_counts_is_what_stands_in_the_file_at_the_end(
    history: tuple[list[Reference[int]], dict[int, set[int]], set[int]],
) -> None:
    references, effects, file = history
    found = standings(references)
    outside = {number for number in effects if number not in found}
    counted = {number for number, one in found.items() if one.counts} | outside
    assert counted == file
    undone = {number for number, one in found.items() if one.is_change and one.undone_by is not None}
    assert undone == {line for lines in effects.values() for line in lines} - file
