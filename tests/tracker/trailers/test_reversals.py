"""What messages of real forms name, and what people only tell: rebuilt from every era, in words of our own."""

import pytest

from tracker.trailers import CommitReference, LinkKind, LinkMethod, Trailers, parse_trailers

SLUG = "pytorch/pytorch"
URL = "https://github.com/pytorch/pytorch"
ONE, TWO, THREE = "1" * 40, "2" * 40, "3" * 40


def named(message: str, kind: LinkKind = LinkKind.REVERTS, slug: str = SLUG) -> list[tuple[LinkMethod, str]]:
    return [(one.method, one.target) for one in parse_trailers(message, slug).references if one.kind is kind]


class TestSquashedBranches:
    LISTED = (
        f'* Revert "Tune the loop (#4)"\n\nThis reverts commit {ONE}.\n\n'
        f'* Revert "Add copies (#5)"\n\nThis reverts commit {TWO}.\n\n'
        f'* Revert "Add moves (#6)"\n\nThis reverts commit {THREE}.'
    )

    def test_of_the_reverts_that_a_squash_lists_only_the_one_in_the_subject_counts(self) -> None:
        assert named(f'Revert "Add copies" (#9)\n\n{self.LISTED}') == [
            (LinkMethod.SHA, TWO),
            (LinkMethod.TITLE, "Add copies"),
        ]

    def test_a_subject_may_name_several_of_them(self) -> None:
        assert named(f"Revert #5 and #6 to fix it (#9)\n\n{self.LISTED}")[:2] == [
            (LinkMethod.SHA, TWO),
            (LinkMethod.SHA, THREE),
        ]

    def test_none_counts_where_the_subject_means_none_of_them(self) -> None:
        assert named(f'Revert "Add a third thing" (#9)\n\n{self.LISTED}') == [(LinkMethod.TITLE, "Add a third thing")]

    def test_the_end_of_a_title_may_differ(self) -> None:
        body = self.LISTED.replace("Add moves (#6)", "Add moves over all of the devices that exist (#6)")
        assert named(f'Revert "Add moves over all of the devices that there are" (#9)\n\n{body}')[0] == (
            LinkMethod.SHA,
            THREE,
        )

    def test_a_single_one_counts_whatever_stands_around_it(self) -> None:
        message = f'Revert "Add copies (#5)" (#9)\n\n* Revert "Add it"\n\nThis reverts commit {ONE}.\n\n* Fix tests'
        assert named(message)[0] == (LinkMethod.SHA, ONE)

    def test_without_bullets_all_of_them_are_the_commits_own_words(self) -> None:
        body = f'This reverts commit {ONE}.\n\nRevert "Add moves (#6)"\n\nThis reverts commit {TWO}.'
        assert named(f'Revert "Add copies (#5)" (#9)\n\n{body}')[:2] == [(LinkMethod.SHA, ONE), (LinkMethod.SHA, TWO)]

    def test_a_plain_subject_over_such_a_list_reverts_nothing(self) -> None:
        parsed = parse_trailers(f"Add a wrapper (#9)\n\n{self.LISTED}", SLUG)
        assert (parsed.is_revert, parsed.is_reland, parsed.references) == (False, False, ())


class TestWordsOfPeople:
    @pytest.mark.parametrize(
        "body",
        [
            "Previously I needed to back out D32220626 and then apply D31841609 to run it.",
            "This change re-reverts D30883290 (https://github.com/pytorch/pytorch/commit/0e11454d19e1).",
            "Before, we would revert D30883290 by hand.",
            f"The fix of {URL}/pull/7 was reverted in {ONE}.",
            "A user asked to revert #7.",
        ],
    )
    def test_what_a_plain_commit_tells_in_passing_is_no_revert(self, body: str) -> None:
        parsed = parse_trailers(f"Move the planner out (#9)\n\nSummary:\n{body}\n", SLUG)
        assert (parsed.is_revert, parsed.references) == (False, ())

    @pytest.mark.parametrize(
        ("body", "first"),
        [
            (f"This reverts commit {ONE}.", (LinkMethod.SHA, ONE)),
            (f'Revert "Skip some tests (#3)".  This reverts commit {ONE}.', (LinkMethod.SHA, ONE)),
            (f"this change reverts D25179863 ({URL}/commit/{ONE}) because", (LinkMethod.SHA, ONE)),
            ("Backout D22800959, it hangs.", (LinkMethod.DIFFERENTIAL, "D22800959")),
            ("Reverts pytorch/pytorch#7", (LinkMethod.PULL, "7")),
        ],
    )
    def test_the_forms_of_tools_count_under_a_plain_subject(self, body: str, first: tuple[LinkMethod, str]) -> None:
        message = f"Quantize the bias (#9)\n\nSummary:\n{body}\n"
        assert parse_trailers(message, SLUG).is_revert
        assert named(message)[0] == first

    def test_under_a_subject_that_reverts_they_come_after_what_it_names(self) -> None:
        assert named(f"[JIT] Revert the shared type (#9)\n\nFixes {URL}/issues/5 by reverting {URL}/pull/7") == [
            (LinkMethod.TITLE, "the shared type"),
            (LinkMethod.PULL, "7"),
        ]
        assert named(f"Revert of adding a workflow (#9)\n\nThis is partial revert of {URL}/commit/{ONE} to fix") == [
            (LinkMethod.TITLE, "adding a workflow"),
            (LinkMethod.SHA, ONE),
        ]
        assert named(f"Revert batched copies (#9)\n\nSummary:\n1) Reverts {URL}/pull/7 which added them")[1:] == [
            (LinkMethod.PULL, "7")
        ]

    def test_a_reland_is_known_by_its_title_before_a_number_that_is_told(self) -> None:
        message = "[reland] Add annotations (#9)\n\nSummary:\nReland of #7, one of a stack.\n"
        assert named(message, LinkKind.RELANDS) == [(LinkMethod.TITLE, "Add annotations"), (LinkMethod.PULL, "7")]

    def test_a_title_of_one_word_comes_last(self) -> None:
        message = "[JIT] List reland (#9)\n\nSummary:\nRelanding #7\n"
        assert named(message, LinkKind.RELANDS) == [(LinkMethod.PULL, "7"), (LinkMethod.TITLE, "List")]
        assert named("revert docs") == []


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Revert PR-2016 & redo the workflow (#9)", [(LinkMethod.PULL, "2016")]),
        ("Revert precompile PRs (#3107, #3178) to fix CI (#9)", [(LinkMethod.PULL, "3107"), (LinkMethod.PULL, "3178")]),
        ("[bugfix] Revert inference mode support from #8813 (#9)", [(LinkMethod.PULL, "8813")]),
        ('Back out "D30740897 Add fusion" (#9)', [(LinkMethod.DIFFERENTIAL, "D30740897")]),
        ("Back out D17980308-D17980313 (#9)", [(LinkMethod.DIFFERENTIAL, each) for each in ("D17980308", "D17980313")]),
        ('Revert "Partial revert of #38144 to fix CI. (#38363)" (#9)', [(LinkMethod.PULL, "38363")]),
    ],
)
def test_numbers_and_revisions_in_a_subject(subject: str, expected: list[tuple[LinkMethod, str]]) -> None:
    assert [each for each in named(subject) if each[0] is not LinkMethod.TITLE] == expected


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("sparse.mm(), reland #14526 (#9)", (LinkMethod.PULL, "14526")),
        ("Resubmit PR-18512: Improved export (#9)", (LinkMethod.PULL, "18512")),
        ("Add calls to a timer #44717 (take 2) (#9)", (LinkMethod.PULL, "44717")),
        ("explicitly provide a format (Redo of 631b22d)", (LinkMethod.SHA, "631b22d")),
        ('Reapply Wrap the types" (#9)', (LinkMethod.TITLE, "Wrap the types")),
        ('Revert "Partial revert of #38144 to fix CI. (#38363)" (#9)', (LinkMethod.PULL, "38144")),
    ],
)
def test_what_a_subject_says_lands_again(subject: str, expected: tuple[LinkMethod, str]) -> None:
    assert named(subject, LinkKind.RELANDS)[0] == expected


@pytest.mark.parametrize("subject", ["Roll back the image to 282", "Revert the nightly version to 11.1.1. (#9)"])
def test_going_back_to_a_value_undoes_no_commit(subject: str) -> None:
    assert not parse_trailers(subject, SLUG).is_revert


def test_a_quoted_title_may_end_in_a_value() -> None:
    assert named("Revert: Freeze the version to 0.5.2 (#9)") == [(LinkMethod.TITLE, "Freeze the version to 0.5.2")]
    assert named('Revert "Pin the image to 282" (#9)') == [(LinkMethod.TITLE, "Pin the image to 282")]


class TestPhabricator:
    def test_a_revert_of_an_automatic_revert_does_not_bear_the_number_of_what_that_undid(self) -> None:
        message = f"Revert D18672405: Revert D18672405: Use wrappers (#9)\n\nPull Request resolved: {URL}/pull/9\n"
        assert named(message) == [(LinkMethod.TITLE, "Revert D18672405: Use wrappers")]
        assert named(message, LinkKind.RELANDS) == [
            (LinkMethod.DIFFERENTIAL, "D18672405"),
            (LinkMethod.TITLE, "Use wrappers"),
        ]

    def test_a_body_that_quotes_a_revert_of_a_revert_undoes_the_revert_only(self) -> None:
        message = (
            "[nnc] Enable fusion, take 2 (#9)\n\nSummary:\n"
            f'Back out "Revert D27652484 ({URL}/commit/{ONE}): [nnc] Enable fusion"\n'
            "Original commit changeset: ecfef3ee1e71\n"
        )
        assert named(message) == [(LinkMethod.CHANGESET, "ecfef3ee1e71")]
        assert (LinkMethod.DIFFERENTIAL, "D27652484") in named(message, LinkKind.RELANDS)


class TestMergeBot:
    REVERTED = f"Reverted {URL}/pull/70 on behalf of https://github.com/someone due to broken builds"

    def test_the_first_reverts_named_a_login_and_no_reason(self) -> None:
        message = (
            f'Revert "Faster copies (#70)"\n\nThis reverts commit {ONE}.\n\nReverted {URL}/pull/70 on behalf of @x'
        )
        assert named(message)[:2] == [(LinkMethod.SHA, ONE), (LinkMethod.PULL, "70")]

    def test_a_reverted_reland_names_the_reland_and_not_the_original(self) -> None:
        message = f'Revert "[reland] Faster copies (#70)"\n\nThis reverts commit {TWO}.\n\n{self.REVERTED}'
        parsed = parse_trailers(message, SLUG)
        assert (parsed.is_revert, parsed.is_reland, parsed.pull_request) == (True, False, None)
        assert named(message) == [
            (LinkMethod.SHA, TWO),
            (LinkMethod.PULL, "70"),
            (LinkMethod.TITLE, "[reland] Faster copies"),
        ]

    def test_a_reapplied_change_undoes_its_revert(self) -> None:
        message = (
            f'Reapply "Faster copies (#70)" (#75)\n\nThis reverts commit {TWO}.\n\n'
            f"Pull Request resolved: {URL}/pull/75\nApproved by: https://github.com/someone"
        )
        parsed = parse_trailers(message, SLUG)
        assert (parsed.is_revert, parsed.is_reland, parsed.pull_request) == (False, True, 75)
        assert parsed.references == (
            CommitReference(LinkKind.REVERTS, LinkMethod.SHA, TWO),
            CommitReference(LinkKind.RELANDS, LinkMethod.PULL, "70"),
            CommitReference(LinkKind.RELANDS, LinkMethod.TITLE, "Faster copies"),
        )

    def test_a_stack_lands_with_the_last_of_its_numbers(self) -> None:
        message = (
            "Faster copies (#70)\n\nStack of changes.\n\nPull-Request-resolved: "
            f"{URL}/pull/69\nghstack-source-id: {ONE}\nPull Request resolved: {URL}/pull/70\n"
            "Approved by: https://github.com/a, https://github.com/b\nghstack dependencies: #68, #69\n\n"
            "Co-authored-by: Ada <ada@example.com>"
        )
        assert parse_trailers(message, SLUG) == Trailers(
            pull_request=70,
            is_revert=False,
            is_reland=False,
            references=(),
            differential=None,
            source_id=None,
            co_author_domains=("example.com",),
        )

    def test_a_cherry_pick_to_a_release_branch_is_neither_revert_nor_reland(self) -> None:
        message = f"Faster copies (#70) (#80)\n\n(cherry picked from commit {ONE})\n"
        parsed = parse_trailers(message, SLUG)
        assert (parsed.is_revert, parsed.is_reland, parsed.references, parsed.pull_request) == (False, False, (), 80)

    def test_a_cherry_picked_revert_is_one(self) -> None:
        message = f'Revert "Faster copies" (#81)\n\nThis reverts commit {ONE}.\n\n(cherry picked from commit {TWO})\n'
        assert named(message) == [(LinkMethod.SHA, ONE), (LinkMethod.TITLE, "Faster copies")]
