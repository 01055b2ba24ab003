"""Which commit a reference means, among those that stand before it."""

from collections.abc import Sequence

import pytest

from tests.builders import a_sha
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.trailers.targets import KnownCommit, bare_title, beginning_of, find_targets, fits, plain_title

Found = list[tuple[str, str | None]]


def a_known_commit(
    name: str,
    position: int = 0,
    *,
    subject: str | None = None,
    is_revert: bool = False,
    source_id: str | None = None,
    differential: str | None = None,
    pull_request: int | None = None,
) -> KnownCommit[str]:
    return KnownCommit(
        key=name,
        position=position,
        sha=a_sha(name),
        subject=subject if subject is not None else f"Change {name}",
        is_revert=is_revert,
        source_id=source_id,
        differential=differential,
        pull_request=pull_request,
    )


def found(
    commits: Sequence[KnownCommit[str]], *named: tuple[LinkMethod, str], kind: LinkKind = LinkKind.REVERTS
) -> Found:
    """What each reference that counts means, of one kind."""
    references = [CommitReference(kind, method, target) for method, target in named]
    return [(one.target, meant.key if meant else None) for one, meant in find_targets(references, lambda _: commits)]


FIRST = a_known_commit("first", 0, pull_request=7, differential="D700000", subject="Add copies (#7)")
SECOND = a_known_commit("second", 1, pull_request=8, subject="Add more copies (#8)")


def test_of_several_that_fit_the_latest_is_meant() -> None:
    again = a_known_commit("again", 5, pull_request=7)
    assert found([again, FIRST, SECOND], (LinkMethod.PULL, "7")) == [("7", "again")]


def test_several_of_one_method_name_several_commits() -> None:
    assert found([FIRST, SECOND], (LinkMethod.PULL, "7"), (LinkMethod.PULL, "8"), (LinkMethod.PULL, "9")) == [
        ("7", "first"),
        ("8", "second"),
        ("9", None),
    ]


def test_a_weaker_reference_that_says_the_same_counts_too() -> None:
    assert found([FIRST, SECOND], (LinkMethod.SHA, a_sha("first")), (LinkMethod.TITLE, "Add copies")) == [
        (a_sha("first"), "first"),
        ("Add copies", "first"),
    ]


def test_a_weaker_reference_that_says_otherwise_is_left_out() -> None:
    named = (LinkMethod.SHA, a_sha("second")), (LinkMethod.PULL, "7"), (LinkMethod.TITLE, "No such title")
    assert found([FIRST, SECOND], *named) == [(a_sha("second"), "second")]


def test_a_weaker_reference_decides_where_the_surer_ones_fit_nothing() -> None:
    named = (LinkMethod.SHA, "0" * 40), (LinkMethod.PULL, "7"), (LinkMethod.TITLE, "Add more copies")
    assert found([FIRST, SECOND], *named) == [("0" * 40, None), ("7", "first")]


def test_what_fits_nothing_is_told_without_a_commit() -> None:
    assert found([FIRST], (LinkMethod.DIFFERENTIAL, "D1"), (LinkMethod.TITLE, "x y")) == [("D1", None), ("x y", None)]


def test_the_order_of_references_is_that_of_their_sureness() -> None:
    named = (LinkMethod.TITLE, "Add copies"), (LinkMethod.PULL, "8")
    assert found([FIRST, SECOND], *named, kind=LinkKind.RELANDS) == [("Add copies", "first")]


def test_what_lands_again_is_no_revert_though_one_may_bear_its_revision() -> None:
    revert = a_known_commit("revert", 3, differential="D700000", is_revert=True)
    named = (LinkMethod.DIFFERENTIAL, "D700000")
    assert found([FIRST, revert], named, kind=LinkKind.RELANDS) == [("D700000", "first")]
    assert found([FIRST, revert], named, kind=LinkKind.REVERTS) == [("D700000", "revert")]


def test_a_title_with_its_own_tags_fits_better_than_one_with_others() -> None:
    tagged = a_known_commit("tagged", 1, subject="[quant] Reduce it")
    later = a_known_commit("later", 2, subject="[jit][reland] Reduce it (#5)")
    assert found([tagged, later], (LinkMethod.TITLE, "[quant] Reduce it")) == [("[quant] Reduce it", "tagged")]
    assert found([tagged, later], (LinkMethod.TITLE, "Reduce it")) == [("Reduce it", "later")]


@pytest.mark.parametrize(
    ("subject", "title", "fitting"),
    [
        pytest.param(
            "Updating the version in exported models (#1)", "Updating the version in exported m…", True, id="…"
        ),
        pytest.param(
            "Updating the version in exported models", "Updating the version in imported m…", False, id="else"
        ),
        pytest.param("Updating the version", "Upda…", False, id="too little is left"),
        pytest.param(
            "Updating the version", "Updating the version in exported m…", False, id="longer than the subject"
        ),
        pytest.param("Add x", "add x", False, id="another case"),
        pytest.param("Add x (#1)", "Add x.", True, id="punctuation at an edge"),
        pytest.param('Back out "Add x (#1)" (#2)', 'Back out "Add x (#1)', True, id="a quote cut off"),
        pytest.param("[only a tag]", "[another]", False, id="nothing but tags"),
    ],
)
def test_titles_that_fit(subject: str, title: str, fitting: bool) -> None:
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.TITLE, title)
    assert fits(a_known_commit("one", subject=subject), reference) is fitting


def test_a_bare_title_has_no_tags_before_it_either() -> None:
    assert bare_title("[pytorch][PR]  [ONNX] Export (#1)") == "Export"
    assert bare_title("Export [ONNX]") == "Export [ONNX]"
    assert bare_title("[pytorch]") == ""


def test_a_plain_title_has_no_numbers_and_no_punctuation_at_its_edges() -> None:
    assert plain_title("Add x. (#1) (#2)") == "Add x"
    assert plain_title("Fix (#1) again") == "Fix (#1) again"
    assert plain_title("(#1)") == ""


def test_only_a_title_that_was_cut_off_has_a_beginning() -> None:
    assert beginning_of("[x] A title of some length that…") == "A title of some length that"
    assert beginning_of("A title of some length that ends") is None
