"""Commit messages of every era, and what they say about pull requests, reverts and relands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.trailers import CommitReference, LinkKind, LinkMethod, Trailers, parse_trailers

SLUG = "pytorch/pytorch"
RESOLVED = "Pull Request resolved: https://github.com/pytorch/pytorch/pull/"


def undoes(method: LinkMethod, target: str) -> CommitReference:
    return CommitReference(LinkKind.REVERTS, method, target)


def repeats(method: LinkMethod, target: str) -> CommitReference:
    return CommitReference(LinkKind.RELANDS, method, target)


@pytest.mark.parametrize(
    ("message", "number"),
    [
        pytest.param("Fix indexing", None, id="a direct push of 2016 lands no pull request"),
        pytest.param("Fix indexing (#123)", 123, id="a squash of GitHub ends its subject with the number"),
        pytest.param("Merge pull request #77 from someone/branch\n\nFix", 77, id="a true merge names it"),
        pytest.param("Fix #12 by hand", None, id="an issue named inside a title is none"),
        pytest.param("Port op (#10) (#20)", 20, id="the last of several numbers is the commit's own"),
        pytest.param(
            "Fix\n\nSummary:\nCloses https://github.com/pytorch/pytorch/pull/8000", 8000, id="early Phabricator"
        ),
        pytest.param(f"Fix (#5)\n\nSummary: text\n\n{RESOLVED}6\n", 6, id="a resolved line is surer than the subject"),
        pytest.param(
            f"Fix (#2)\n\n{RESOLVED}1\nmore\n{RESOLVED}2\n", 2, id="the last resolved line is the commit's own"
        ),
        pytest.param(
            "Fix (#9)\n\nPull Request resolved: https://github.com/other/fork/pull/1",
            9,
            id="a resolved line of another repository does not count",
        ),
        pytest.param(
            "[glow] Extend a config (#5359)\n\nPull Request resolved: https://github.com/pytorch/glow/pull/5359",
            None,
            id="the subject's number is of the repository that a resolved line gives it to",
        ),
        pytest.param(
            "[auto] Update onnx to 985af3f - Update PythonAPIOverview.md (#738)",
            None,
            id="a submodule's bump quotes the submodule's number",
        ),
        pytest.param("Update onnx to 985af3f (#739)", 739, id="a bump by a person has its own"),
        pytest.param(
            "Fix\n\nPull-Request-resolved: https://github.com/pytorch/pytorch/pull/31", 31, id="ghstack's form"
        ),
        pytest.param(
            "Fix\n\nPull-Request: https://github.com/pytorch/pytorch/pull/32", 32, id="ghstack's shorter form"
        ),
        pytest.param(
            "Fix (#41)\n\nCloses https://github.com/pytorch/pytorch/pull/40", 41, id="the subject before Closes"
        ),
        pytest.param(
            'Revert "Fix (#50)"\n\nThis reverts commit 0123abc.', None, id="a quoted number is the reverted one's"
        ),
        pytest.param('Revert "Fix (#50)" (#51)', 51, id="the number after the quote is the revert's own"),
        pytest.param("Revert D12345678: Fix (#50)", None, id="the number in a reverted diff's title is not its own"),
        pytest.param("Fix\r\n\r\nPull Request resolved: https://github.com/pytorch/pytorch/pull/60\r\n", 60, id="CRLF"),
    ],
)
def test_the_pull_request_that_a_commit_lands(message: str, number: int | None) -> None:
    assert parse_trailers(message, SLUG).pull_request == number


def test_a_phabricator_export_says_its_differential_and_its_source() -> None:
    message = (
        "Add an operator (#15)\n\nSummary:\nText.\n\n"
        f"{RESOLVED}15\n\nTest Plan: CI\n\nReviewed By: someone\n\n"
        "Differential Revision: D10000001\n\nfbshipit-source-id: 0123456789abcdef0123456789abcdef01234567\n"
        "\n(cherry picked from commit fedcba9876543210fedcba9876543210fedcba98)\n"
    )
    assert parse_trailers(message, SLUG) == Trailers(
        pull_request=15,
        is_revert=False,
        is_reland=False,
        references=(),
        differential="D10000001",
        source_id="0123456789abcdef0123456789abcdef01234567",
        co_author_domains=(),
    )


def test_the_mail_domains_of_co_authors_are_kept_and_not_their_addresses() -> None:
    message = (
        "Add (#1)\n\nCo-authored-by: A B <a@Example.com>\nCo-authored-by: C <c@example.org>\n"
        "co-authored-by: D <d@example.com>"
    )
    assert parse_trailers(message, SLUG).co_author_domains == ("example.com", "example.org")


def test_an_automatic_revert_names_the_commit_in_four_ways() -> None:
    message = (
        "Revert D20000001: [pytorch][PR] Faster copies\n\nTest Plan: revert-hammer\n\nDifferential Revision:\n"
        "D20000001 (https://github.com/pytorch/pytorch/commit/00112233445566778899aabbccddeeff00112233)\n\n"
        "Original commit changeset: 0123456789ab\n\nfbshipit-source-id: 89ab456789abcdef0123456789abcdef01234567\n"
    )
    assert parse_trailers(message, SLUG) == Trailers(
        pull_request=None,
        is_revert=True,
        is_reland=False,
        references=(
            undoes(LinkMethod.SHA, "00112233445566778899aabbccddeeff00112233"),
            undoes(LinkMethod.CHANGESET, "0123456789ab"),
            undoes(LinkMethod.DIFFERENTIAL, "D20000001"),
            undoes(LinkMethod.TITLE, "[pytorch][PR] Faster copies"),
        ),
        differential=None,
        source_id="89ab456789abcdef0123456789abcdef01234567",
        co_author_domains=(),
    )


def test_an_early_automatic_revert_has_no_differential_of_its_own() -> None:
    message = (
        "Revert D15000001: Faster copies\n\nDifferential Revision:\nD15000001\n\nOriginal commit changeset: 992e3f9"
    )
    assert parse_trailers(message, SLUG).differential is None


def test_the_merge_bots_revert_names_the_sha_the_pull_and_the_title() -> None:
    message = (
        'Revert "Faster copies (#70)"\n\nThis reverts commit 00112233445566778899aabbccddeeff00112233.\n\n'
        "Reverted https://github.com/pytorch/pytorch/pull/70 on behalf of https://github.com/someone "
        "due to broken builds ([comment](https://github.com/pytorch/pytorch/pull/70#issuecomment-1))"
    )
    parsed = parse_trailers(message, SLUG)
    assert (parsed.pull_request, parsed.is_revert, parsed.is_reland) == (None, True, False)
    assert parsed.references == (
        undoes(LinkMethod.SHA, "00112233445566778899aabbccddeeff00112233"),
        undoes(LinkMethod.PULL, "70"),
        undoes(LinkMethod.TITLE, "Faster copies"),
    )


def test_backing_out_a_revert_undoes_the_revert_and_lands_the_original_again() -> None:
    message = 'Back out "Revert D20000001: Faster copies" (#90)\n\nSummary:\nOriginal commit changeset: abcdef012345\n'
    parsed = parse_trailers(message, SLUG)
    assert (parsed.pull_request, parsed.is_revert, parsed.is_reland) == (90, False, True)
    assert parsed.references == (
        undoes(LinkMethod.CHANGESET, "abcdef012345"),
        undoes(LinkMethod.TITLE, "Revert D20000001: Faster copies"),
        repeats(LinkMethod.DIFFERENTIAL, "D20000001"),
        repeats(LinkMethod.TITLE, "Faster copies"),
    )


def test_a_reland_that_quotes_the_revert_points_at_both() -> None:
    message = (
        "Reland D20000001: Faster copies (#91)\n\nSummary:\n"
        "This reverts commit 00112233445566778899aabbccddeeff00112233.\n\nReland of #70\n"
    )
    parsed = parse_trailers(message, SLUG)
    assert (parsed.is_revert, parsed.is_reland) == (False, True)
    assert parsed.references == (
        undoes(LinkMethod.SHA, "00112233445566778899aabbccddeeff00112233"),
        repeats(LinkMethod.DIFFERENTIAL, "D20000001"),
        repeats(LinkMethod.TITLE, "Faster copies"),
        repeats(LinkMethod.PULL, "70"),
    )


def test_a_revert_of_several_pull_requests_names_each() -> None:
    parsed = parse_trailers("Revert #12466 and #12467 to fix a test (#12557)", SLUG)
    assert parsed.references[:2] == (undoes(LinkMethod.PULL, "12466"), undoes(LinkMethod.PULL, "12467"))


REVERT, RELAND, NEITHER = (True, False), (False, True), (False, False)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        pytest.param("Revert D20000001: Faster copies", REVERT, id="Phabricator's automatic revert"),
        pytest.param(
            "Revert D20000001: Revert D20000000: Faster copies", RELAND, id="a revert of a revert lands again"
        ),
        pytest.param(
            "Revert D3000001: Revert D2000001: Revert D1000001: Copies", REVERT, id="three reversals are a revert"
        ),
        pytest.param('Back out "Faster copies" (#5)', REVERT, id="back out"),
        pytest.param('Back out "Back out "Faster copies (#1)"" (#5)', RELAND, id="backed out twice"),
        pytest.param("Back out D29848525 (#62414)", REVERT, id="back out by number"),
        pytest.param("backout D33469839 (#71443)", REVERT, id="one word"),
        pytest.param('Unland "Faster copies"', REVERT, id="unland"),
        pytest.param("Manual revert of D27369251 (#56080)", REVERT, id="by hand"),
        pytest.param("manual revert of 57575 (#60572)", REVERT, id="a bare number"),
        pytest.param('Partially revert "Faster copies (#1)" (#2)', REVERT, id="in part"),
        pytest.param("[Averaging] Revert #63895 (#64903)", REVERT, id="after a tag"),
        pytest.param("ci: revert part of #21413 (#21427)", REVERT, id="after a prefix"),
        pytest.param('Revert "[reland] Faster copies (#7)"', REVERT, id="a revert of a reland is a revert"),
        pytest.param(
            "reverting the test matrix to debug a node (#215)", REVERT, id="squashed prose that says so in front"
        ),
        pytest.param(
            "Enable copies on the device. (#9)\n\nThis reverts commit 55b1706775726418.", REVERT, id="only the body"
        ),
        pytest.param("Unpin the other library (#9)\n\nReverts #6", REVERT, id="the body names the pull request"),
        pytest.param(
            "Move it (#4)\n\nBackout D22800959, it hangs.\n\nOriginal commit changeset: 641d52a51070", REVERT, id="b"
        ),
        pytest.param("[reland] Faster copies (#8)", RELAND, id="a tag"),
        pytest.param("[Reland2][DDP] Faster copies (#8)", RELAND, id="a numbered tag"),
        pytest.param("Re-land: add copies (#8)", RELAND, id="a hyphen"),
        pytest.param("Resubmit #41318 (#8)", RELAND, id="resubmit"),
        pytest.param("Faster copies (take 2) (#8)", RELAND, id="take two"),
        pytest.param("Faster copies [resubmit] (#8)", RELAND, id="a tag at the end"),
        pytest.param(
            '[nnc] Re-enable fusion" (#6)\n\nThis reverts commit 125e2d02e5756.', RELAND, id="a cut-off quote"
        ),
        pytest.param(
            "Enable tests (#9)\n\nSummary:\nOriginal commit changeset: 6e01a96d3746", RELAND, id="changeset only"
        ),
        pytest.param("undo the revert (#7536)", RELAND, id="prose for two reversals"),
        pytest.param(
            "Reverts cat warning when out has another shape (#64714)", NEITHER, id="third person about behaviour"
        ),
        pytest.param("Revert to NCCL 2.7 (#47638)", NEITHER, id="back to a value"),
        pytest.param("Revert back to old asserts (#57499)", NEITHER, id="back to old behaviour"),
        pytest.param("Add qparams and revert the changes to calculate (#30262)", NEITHER, id="a word inside a title"),
        pytest.param("Fix backcompat in master following revert (#46984)", NEITHER, id="after somebody's revert"),
        pytest.param("Update the check to ignore a reverted op (#52841)", NEITHER, id="a reverted operator"),
        pytest.param("[GHF] Add revert workflow", NEITHER, id="a workflow that reverts"),
        pytest.param("Don't reapply checkpointing (#18006)", NEITHER, id="reapply inside a title"),
        pytest.param("Retry on EINTR (#5)", NEITHER, id="a retry is no second landing"),
        pytest.param(
            'Add a fallback (#3066)\n\n* Revert "try it"\n\nThis reverts commit d607bfb530517.', NEITHER, id="squash"
        ),
        pytest.param(
            'Faster norm (#4)\n\nRevert "a"\nThis reverts commit 1a2b3c4.\nRevert "b"\nThis reverts commit 2b3c4d5.',
            NEITHER,
            id="list",
        ),
        pytest.param(
            "Reduce printing (#22043)\n\nA change reverted https://github.com/pytorch/pytorch/pull/19606.",
            NEITHER,
            id="story",
        ),
        pytest.param("Fix (#1)\n\nReverts other/project#7", NEITHER, id="another repository's pull request"),
        pytest.param("", NEITHER, id="an empty message"),
    ],
)
def test_what_undoes_and_what_lands_again(message: str, kind: tuple[bool, bool]) -> None:
    parsed = parse_trailers(message, SLUG)
    assert (parsed.is_revert, parsed.is_reland) == kind


def test_a_squashed_branch_that_reverts_its_own_commit_refers_to_nothing() -> None:
    message = 'Add a wrapper (#820)\n\n* Add it\n\n* Revert "debug"\n\nThis reverts commit a13a56ea8e084cad7232.'
    assert parse_trailers(message, "huggingface/accelerate").references == ()


@given(st.text())
def test_any_text_is_read(message: str) -> None:
    parsed = parse_trailers(message, SLUG)
    assert not (parsed.is_revert and parsed.is_reland)


@given(
    st.lists(
        st.sampled_from(
            ["Revert ", '"', "D12345678", ": ", "Back out ", "[reland] ", "(#5)", "#6", "\n", "take 2", " ", "to "]
        )
    )
)
def test_any_mixture_of_the_forms_is_read(parts: list[str]) -> None:
    parsed = parse_trailers("".join(parts), SLUG)
    assert not (parsed.is_revert and parsed.is_reland)
    assert len(set(parsed.references)) == len(parsed.references)
