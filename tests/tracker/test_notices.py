"""What merge bots said of pull requests over the years, and all the talk that says nothing of merging."""

import pytest

from tracker.notices import LONGEST_REASON, Notice, parse_notice
from tracker.upstream import NoticeKind

SHA = "0123456789abcdef0123456789abcdef01234567"
BOT = "pytorchmergebot"

SAID = [
    (
        "facebook-github-bot",
        f"This pull request has been merged in pytorch/pytorch@{SHA}.",
        Notice(kind=NoticeKind.MERGED, sha=SHA),
    ),
    (
        "facebook-github-bot",
        "@ada merged this pull request in pytorch/pytorch@0123456789.",
        Notice(kind=NoticeKind.MERGED, sha="0123456789"),
    ),
    (
        "facebook-github-bot",
        f"This pull request has been reverted by {SHA}. To re-land this change, please open another pull request.",
        Notice(kind=NoticeKind.REVERTED, sha=SHA),
    ),
    (
        "github-actions[bot]",
        "Merge failed due to Matched rule superuser, but PR was not reviewed yet\nRaised by https://example.com/run/1",
        Notice(kind=NoticeKind.MERGE_FAILED, reason="Matched rule superuser, but PR was not reviewed yet"),
    ),
    (
        BOT,
        "@pytorchbot successfully started a merge job. Check the current status [here](https://example.com/run/1).",
        Notice(kind=NoticeKind.MERGE_STARTED),
    ),
    (
        BOT,
        "@pytorchbot successfully started a revert job. Check the current status [here](https://example.com/run/1).",
        Notice(kind=NoticeKind.REVERT_STARTED),
    ),
    (
        BOT,
        "Merge failed\nReason: This PR is too stale; the last push date was more than 3 days ago.",
        Notice(
            kind=NoticeKind.MERGE_FAILED, reason="This PR is too stale; the last push date was more than 3 days ago."
        ),
    ),
    (
        BOT,
        "### Merge started\nYour change will be merged once all checks pass (ETA 0-4 Hours).",
        Notice(kind=NoticeKind.MERGE_STARTED),
    ),
    (
        BOT,
        (
            "## Merge failed\n**Reason**: 2 jobs have failed, first few of them are: [lint](https://example.com/1), "
            "[test](https://example.com/2)\n\n<details><summary>Details for Dev Infra team</summary>\n</details>"
        ),
        Notice(kind=NoticeKind.MERGE_FAILED, reason="2 jobs have failed, first few of them are: lint, test"),
    ),
    ("pytorch-bot", "## Merge failed\n", Notice(kind=NoticeKind.MERGE_FAILED)),
    (BOT, "Can't merge closed PR #12", Notice(kind=NoticeKind.MERGE_REFUSED, reason="Can't merge closed PR #12")),
    (
        BOT,
        "PR targets release/2.1 rather than main, refusing merge request",
        Notice(kind=NoticeKind.MERGE_REFUSED, reason="PR targets release/2.1 rather than main, refusing merge request"),
    ),
    (
        BOT,
        "Cross-repo ghstack merges are not supported",
        Notice(kind=NoticeKind.MERGE_REFUSED, reason="Cross-repo ghstack merges are not supported"),
    ),
    (
        BOT,
        (
            f"This PR (#12) was merged in {SHA} but it is still open, likely due to a Github bug, so mergebot "
            "is closing it manually.  If you think this is a mistake, please feel free to reopen and contact Dev Infra."
        ),
        Notice(kind=NoticeKind.MERGED, sha=SHA),
    ),
    (
        BOT,
        f"This PR (#12) was merged as part of PR #15 in the stack under {SHA} but it is still open",
        Notice(kind=NoticeKind.MERGED, sha=SHA, number=15),
    ),
    (BOT, "@ada your PR has been successfully reverted.", Notice(kind=NoticeKind.REVERTED)),
    (
        BOT,
        "@ada your PR has been reverted as part of the stack under #15.\n",
        Notice(kind=NoticeKind.REVERTED, number=15),
    ),
    (
        BOT,
        "## Reverting PR 12 failed\n**Reason**: Command `git revert` returned non-zero exit code 1",
        Notice(kind=NoticeKind.REVERT_FAILED, reason="Command git revert returned non-zero exit code 1"),
    ),
    (
        BOT,
        (
            "### Cherry picking #12\n\nThe cherry pick PR is at https://github.com/pytorch/pytorch/pull/99 and it is "
            "recommended to link a critical cherry pick PR with an issue."
        ),
        Notice(kind=NoticeKind.CHERRY_PICKED, number=99),
    ),
]


@pytest.mark.parametrize(("login", "body", "notice"), SAID)
def test_what_the_bots_of_each_time_say(login: str, body: str, notice: Notice) -> None:
    assert parse_notice(login, body) == notice
    assert parse_notice(login, body.replace("\n", "\r\n")) == notice


@pytest.mark.parametrize("body", [body for _, body, _ in SAID])
def test_a_person_who_writes_the_same_says_nothing(body: str) -> None:
    assert parse_notice("ada", body) is None
    assert parse_notice("someone-with-pytorchmergebot-in-the-name", body) is None


@pytest.mark.parametrize(
    "body",
    [
        "",
        "## :link: Helpful Links\nMerge failed is what this says nothing of",
        "@ada has imported this pull request. If you are a Meta employee, you can view this diff on Phabricator.",
        "@pytorchbot successfully started a rebase job. Check the current status [here](https://example.com)",
        f"> This PR (#12) was merged in {SHA}\nIs that so?",
        "This pull request has been merged in the meantime, says a bot without a commit",
        "Successfully rebased `gh/ada/1/orig` onto `refs/remotes/origin/main`",
        "The merge job was canceled or timed out. This most often happens if two merge requests were issued",
    ],
)
def test_other_comments_of_bots_say_nothing_of_merging(body: str) -> None:
    assert parse_notice(BOT, body) is None


def test_a_reason_is_cut_where_it_is_long_and_is_one_line() -> None:
    found = parse_notice(BOT, "## Merge failed\n**Reason**: " + "word\n" * 500)
    assert found is not None
    assert found.reason is not None
    assert len(found.reason) <= LONGEST_REASON
    assert "\n" not in found.reason


def test_a_comment_of_a_megabyte_is_read_at_once() -> None:
    assert parse_notice(BOT, "Cherry picking #1 " + "The cherry pick PR " * 60_000) is None
