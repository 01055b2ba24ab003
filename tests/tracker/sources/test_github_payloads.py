"""One pull request as GitHub's JSON gives it, with all that people and deletions do to it."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.demo_upstream.payloads import graphql_pull_request
from tests.pull_builders import a_notice, a_person, a_pull, a_review
from tracker.errors import PayloadError
from tracker.sources.github_payloads import parse_pull_request
from tracker.sources.json_objects import JsonObject
from tracker.upstream import (
    MergeNotice,
    NoticeKind,
    Person,
    PullFile,
    PullItems,
    PullRequest,
    PullRequestState,
    Remainder,
    Review,
)

ADA = {"__typename": "User", "login": "ada", "databaseId": 1, "company": "Example Computing"}
BOT = {"login": "pytorchmergebot"}
REVIEW = {
    "id": "PRR_1",
    "state": "APPROVED",
    "submittedAt": "2025-05-23T00:00:00Z",
    "authorAssociation": "MEMBER",
    "author": ADA,
}
BODY = """Stack from [ghstack](https://github.com/ezyang/ghstack) (oldest at bottom):
* #154090
* __->__ #154088

Fixes #6

Differential Revision: [D123](https://www.internalfb.com/diff/D123)
"""


def json_of(**changes: object) -> dict[str, Any]:
    return {
        "id": "PR_kwDOABC",
        "number": 154088,
        "title": "Generalise the stream",
        "state": "CLOSED",
        "isDraft": False,
        "author": ADA,
        "authorAssociation": "MEMBER",
        "createdAt": "2025-05-22T01:02:03Z",
        "updatedAt": "2025-05-24T01:02:03Z",
        "closedAt": "2025-05-24T01:02:03Z",
        "mergedAt": None,
        "baseRefName": "gh/ada/7/base",
        "headRefName": "gh/ada/7/head",
        "headRefOid": "0123456789abcdef0123456789abcdef01234567",
        "mergeCommit": None,
        "additions": 30,
        "deletions": 4,
        "changedFiles": 5,
        "reviewDecision": "APPROVED",
        "body": BODY,
        "labels": a_list({"name": "Merged"}, {"name": "module: cuda"}),
        "reviews": a_list(REVIEW),
        "comments": a_list(
            {
                "id": "IC_1",
                "createdAt": "2025-05-23T01:00:00Z",
                "author": {"login": "ada"},
                "body": "@pytorchbot merge",
            },
            {"id": "IC_2", "createdAt": "2025-05-23T01:01:00Z", "author": BOT, "body": "### Merge started\nSoon."},
        ),
        "files": a_list({"path": "c10/core/Stream.h", "changeType": "MODIFIED", "additions": 30, "deletions": 4}),
        "closingIssuesReferences": a_list({"number": 7, "repository": {"nameWithOwner": "pytorch/pytorch"}}),
    } | changes


def a_list(*nodes: object, total: int | None = None, after: str | None = None) -> dict[str, Any]:
    page = {"hasNextPage": after is not None, "endCursor": after}
    return {"totalCount": len(nodes) if total is None else total, "pageInfo": page, "nodes": list(nodes)}


def parsed(**changes: object) -> PullRequest:
    return parse_pull_request(JsonObject(json_of(**changes), "node"), "pytorch/pytorch")


@pytest.mark.parametrize(("state", "kept"), [("MERGED", "a" * 40), ("OPEN", None), ("CLOSED", None)])
def test_the_merge_commit_counts_only_where_github_merged(state: str, kept: str | None) -> None:
    assert parsed(state=state, mergeCommit={"oid": "a" * 40}).merge_commit == kept


@pytest.mark.parametrize("oid", ["", "A" * 40, "a" * 39, "; rm -rf /", None])
def test_a_merge_commit_that_is_no_sha_is_refused(oid: str | None) -> None:
    with pytest.raises(PayloadError):
        parsed(state="MERGED", mergeCommit={"oid": oid})


def test_a_landed_pytorch_pull_request_is_closed_and_not_merged() -> None:
    ada = Person(id=1, login="ada", kind="User", company="Example Computing")
    assert parsed() == PullRequest(
        number=154088,
        node_id="PR_kwDOABC",
        title="Generalise the stream",
        state=PullRequestState.CLOSED,
        draft=False,
        author=ada,
        association="MEMBER",
        created_at=datetime(2025, 5, 22, 1, 2, 3, tzinfo=UTC),
        updated_at=datetime(2025, 5, 24, 1, 2, 3, tzinfo=UTC),
        closed_at=datetime(2025, 5, 24, 1, 2, 3, tzinfo=UTC),
        merged_at=None,
        base_ref="gh/ada/7/base",
        head_ref="gh/ada/7/head",
        head_sha="0123456789abcdef0123456789abcdef01234567",
        additions=30,
        deletions=4,
        changed_files=5,
        labels=("Merged", "module: cuda"),
        reviews=(
            Review(
                id="PRR_1",
                author=ada,
                state="APPROVED",
                submitted_at=datetime(2025, 5, 23, tzinfo=UTC),
                association="MEMBER",
            ),
        ),
        reviews_total=1,
        review_decision="APPROVED",
        files=(PullFile(path="c10/core/Stream.h", change="MODIFIED", additions=30, deletions=4),),
        linked_issues=("pytorch/pytorch#6", "pytorch/pytorch#7"),
        notices=(
            MergeNotice(
                id="IC_2",
                kind=NoticeKind.MERGE_STARTED,
                at=datetime(2025, 5, 23, 1, 1, tzinfo=UTC),
                bot="pytorchmergebot",
            ),
        ),
        stack=(154088, 154090),
        differential="D123",
    )


def test_a_list_that_goes_on_leaves_a_remainder() -> None:
    pull = parsed(reviews=a_list(REVIEW, total=130, after="behind 1"))
    assert (len(pull.reviews), pull.reviews_total) == (1, 130)
    assert pull.remainders == (
        Remainder(node_id="PR_kwDOABC", number=154088, items=PullItems.REVIEWS, after="behind 1"),
    )


def test_a_list_that_goes_on_and_does_not_say_where_is_refused() -> None:
    endless = a_list(REVIEW) | {"pageInfo": {"hasNextPage": True, "endCursor": None}}
    with pytest.raises(PayloadError, match=r"reviews\.pageInfo\.endCursor"):
        parsed(reviews=endless)


def test_a_reason_of_a_merge_bot_is_kept_without_mail_addresses_and_comments_of_others_are_not() -> None:
    said = {
        "id": "IC_1",
        "createdAt": "2025-05-23T01:00:00Z",
        "body": "## Merge failed\n**Reason**: ask ada@example.com",
    }
    pull = parsed(comments=a_list(said | {"author": BOT}, said | {"author": None}, said | {"author": {"login": "ada"}}))
    assert [notice.reason for notice in pull.notices] == ["ask @example.com"]


@pytest.mark.parametrize("body", [None, "", "a\0b\ud800", "\u202e\U0001f600" * 100])
def test_a_description_of_any_text_is_read(body: str | None) -> None:
    pull = parsed(body=body, closingIssuesReferences=None)
    assert (pull.stack, pull.differential, pull.picked_from, pull.linked_issues) == ((), None, None, ())


def test_what_the_demonstration_sends_is_read_back_as_the_same_fact() -> None:
    notices = tuple(a_notice(f"IC_{kind}", kind=kind) for kind in NoticeKind)
    pull = replace(
        a_pull(7, labels=("a", "b"), reviews=[a_review(author=a_person(company="Example")), a_review("PRR_2")]),
        notices=notices,
        files=(PullFile(path="a.py", change="ADDED", additions=1, deletions=0),),
        stack=(6, 7, 8),
        differential="D5",
        picked_from="0" * 40,
        linked_issues=("octo/engine#3",),
        review_decision="REVIEW_REQUIRED",
    )
    assert parse_pull_request(JsonObject(graphql_pull_request(pull), "node"), "octo/engine") == pull


def test_a_deleted_author_is_nobody() -> None:
    assert parsed(author=None).author is None


def test_a_reviewer_whose_account_was_deleted_is_nobody() -> None:
    review = {"id": "PRR_9", "state": "COMMENTED", "submittedAt": None, "authorAssociation": "NONE", "author": None}
    assert parsed(reviews=a_list(review)).reviews == (
        Review(id="PRR_9", author=None, state="COMMENTED", submitted_at=None),
    )


def test_bots_and_enterprise_accounts_have_no_company_and_may_have_no_number() -> None:
    bot = {"__typename": "Bot", "login": "dependabot", "databaseId": 49699333}
    assert parsed(author=bot).author == Person(id=49699333, login="dependabot", kind="Bot")
    enterprise = {"__typename": "EnterpriseUserAccount", "login": "ada_corp"}
    assert parsed(author=enterprise).author == Person(id=None, login="ada_corp", kind="EnterpriseUserAccount")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Example Computing", "Example Computing"),
        ("@pytorch", "@pytorch"),
        ("ada@example.com", "@example.com"),
        ("Example (ada.l+work@mail.example.com)", "Example (@mail.example.com)"),
        ("  ", None),
        (None, None),
    ],
)
def test_of_a_mail_address_in_the_company_field_only_the_domain_is_kept(given: str | None, kept: str | None) -> None:
    author = parsed(author=ADA | {"company": given}).author
    assert author is not None
    assert author.company == kept


def test_no_mail_address_passes_in_titles_and_branch_names() -> None:
    pull = parsed(title="Ask ada@example.com about streams", headRefName="ada@example.com/patch-1")
    assert (pull.title, pull.head_ref) == ("Ask @example.com about streams", "@example.com/patch-1")


def test_lists_may_be_null() -> None:
    pull = parsed(labels=None, reviews=None, comments=None, files=None, closingIssuesReferences=None)
    assert (pull.labels, pull.reviews, pull.reviews_total, pull.notices, pull.files) == ((), (), 0, (), ())


def test_null_labels_between_others_are_left_out() -> None:
    assert parsed(labels=a_list(None, {"name": "Merged"})).labels == ("Merged",)


def test_a_null_title_is_empty() -> None:
    assert parsed(title=None).title == ""


def test_nul_and_half_a_surrogate_pair_in_a_title_are_made_storable() -> None:
    assert parsed(title="a\0b\ud800").title == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"


def test_counts_may_be_floats() -> None:
    assert parsed(additions=30.0).additions == 30


def test_dates_of_1970_and_2100_are_taken_as_they_are() -> None:
    pull = parsed(createdAt="1970-01-01T00:00:00Z", updatedAt="2100-01-01T00:00:00Z")
    assert (pull.created_at.year, pull.updated_at.year) == (1970, 2100)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("state", "LANDED"),
        ("state", None),
        ("number", None),
        ("number", "154088"),
        ("createdAt", ""),
        ("createdAt", "2025-05-22"),
        ("updatedAt", None),
        ("isDraft", None),
        ("headRefOid", "HEAD"),
        ("headRefOid", None),
        ("additions", -1),
        ("changedFiles", 2**31),
        ("author", "ada"),
        ("author", {"__typename": "User", "login": None}),
        ("author", {"__typename": "User", "login": "x" * 101}),
        ("labels", []),
        ("labels", a_list({"name": 3})),
        ("labels", {"nodes": []}),
        ("reviews", a_list({"id": "PRR_1"})),
        ("comments", a_list({"id": "IC_1", "createdAt": None, "author": BOT, "body": "### Merge started"})),
        ("files", a_list({"path": None, "changeType": "ADDED", "additions": 0, "deletions": 0})),
        ("closingIssuesReferences", a_list({"number": 1, "repository": {"nameWithOwner": "none"}})),
        ("reviewDecision", 3),
    ],
)
def test_a_malformed_field_is_refused_with_its_path(field: str, value: object) -> None:
    with pytest.raises(PayloadError, match=rf"node\.{field}"):
        parsed(**{field: value})
