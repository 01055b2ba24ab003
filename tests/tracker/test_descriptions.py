"""What descriptions and branch names of pull requests say in fixed forms, and the prose that says nothing."""

import pytest

from tracker.descriptions import (
    GhstackBranch,
    parse_closed_issues,
    parse_differential,
    parse_ghstack_branch,
    parse_picked_from,
    parse_stack,
)

SLUG = "pytorch/pytorch"
SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("body", "stack"),
    [
        (
            "Stack from [ghstack](https://example.com) (oldest at bottom):\n* #12\n* __->__ #11\n* #10\n\nY",
            (10, 11, 12),
        ),
        ("Stack from [ghstack](https://github.com/ezyang/ghstack):\n* #12 Title\n* **#11 Mine**\n", (11, 12)),
        ("Stack from ghstack (oldest at top):\n* #10\n* __->__ #11", (10, 11)),
        ("Stack from ghstack:\r\n\r\n* __->__ #7\r\n", (7,)),
        (
            (
                "Stack from [ghstack](https://example.com) (oldest at bottom):\n"
                "* https://github.com/pytorch/pytorch/pull/3\n* https://github.com/pytorch/vision/pull/9\n"
            ),
            (3,),
        ),
        ("Stack from [ghstack](https://github.com/ezyang/ghstack) (oldest at bottom):\nno list", ()),
        ("This goes on a stack from ghstack: it was made\n* #12", ()),
        ("* #12\n* #11", ()),
        ("", ()),
    ],
)
def test_the_stack_is_the_list_under_ghstacks_own_heading(body: str, stack: tuple[int, ...]) -> None:
    assert parse_stack(body, SLUG) == stack


@pytest.mark.parametrize(
    ("branch", "said"),
    [
        ("gh/ada/215/head", GhstackBranch(user="ada", change=215)),
        ("gh/ada/215/orig", GhstackBranch(user="ada", change=215)),
        ("gh/ada/215/base", None),
        ("gh/ada/215", None),
        ("export-D1234", None),
        ("my/gh/ada/215/head", None),
    ],
)
def test_a_ghstack_branch_says_whose_change_it_is(branch: str, said: GhstackBranch | None) -> None:
    assert parse_ghstack_branch(branch) == said


@pytest.mark.parametrize(
    ("body", "differential"),
    [
        ("Summary: x\n\nDifferential Revision: [D123](https://example.com/intern/diff/D123)", "D123"),
        ("Differential Revision: D123\n\nDifferential Revision: D456", "D456"),
        ("We speak of D123 here", None),
        ("The Differential Revision: D123 is quoted", None),
    ],
)
def test_the_differential_is_named_on_a_line_of_its_own(body: str, differential: str | None) -> None:
    assert parse_differential(body) == differential


def test_a_cherry_pick_names_its_commit_on_a_line_of_its_own() -> None:
    assert parse_picked_from(f"Fix it\r\n\r\n(cherry picked from commit {SHA})") == SHA
    assert parse_picked_from(f"see (cherry picked from commit {SHA}) for more") is None
    assert parse_picked_from("(cherry picked from commit 0123456)") is None


@pytest.mark.parametrize(
    ("body", "issues"),
    [
        ("Fixes #12", ("pytorch/pytorch#12",)),
        (
            "fixed: #12 and closes pytorch/vision#3, resolves #4",
            ("pytorch/pytorch#12", "pytorch/pytorch#4", "pytorch/vision#3"),
        ),
        ("Closes https://github.com/pytorch/pytorch/issues/5", ("pytorch/pytorch#5",)),
        ("<!-- Fixes #12 -->", ()),
        ("Fixes #ISSUE_NUMBER; prefixes #12; related to #13; fix 14", ()),
        ("Closes https://github.com/pytorch/pytorch/pull/5", ()),
    ],
)
def test_issues_are_closed_by_githubs_words(body: str, issues: tuple[str, ...]) -> None:
    assert parse_closed_issues(body, SLUG) == issues


def test_long_descriptions_are_read_in_linear_time() -> None:
    assert parse_closed_issues("fixes " * 200_000, SLUG) == ()
    assert parse_stack("Stack from ghstack " * 50_000, SLUG) == ()
