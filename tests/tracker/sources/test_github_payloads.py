"""One pull request as GitHub's JSON gives it, with all that people and deletions do to it."""

from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.demo_upstream.payloads import graphql_pull_request
from tests.pull_builders import a_person, a_pull, a_review
from tracker.errors import PayloadError
from tracker.sources.github_payloads import parse_pull_request, without_mail
from tracker.sources.json_objects import JsonObject
from tracker.upstream import Person, PullRequest, PullRequestState, Review

ADA = {"__typename": "User", "login": "ada", "databaseId": 1, "company": "Example Computing"}


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
        "additions": 30,
        "deletions": 4,
        "changedFiles": 5,
        "labels": {"nodes": [{"name": "Merged"}, {"name": "module: cuda"}]},
        "reviews": {
            "totalCount": 2,
            "nodes": [{"id": "PRR_1", "state": "APPROVED", "submittedAt": "2025-05-23T00:00:00Z", "author": ADA}],
        },
    } | changes


def parsed(**changes: object) -> PullRequest:
    return parse_pull_request(JsonObject(json_of(**changes), "node"))


def test_a_landed_pytorch_pull_request_is_closed_and_not_merged() -> None:
    ada = Person(id=1, login="ada", kind="User", company="Example Computing")
    assert parsed() == PullRequest(
        number=154088,
        node_id="PR_kwDOABC",
        title="Generalise the stream",
        body="",
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
        reviews=(Review(id="PRR_1", author=ada, state="APPROVED", submitted_at=datetime(2025, 5, 23, tzinfo=UTC)),),
        reviews_total=2,
    )


def test_what_the_demonstration_sends_is_read_back_as_the_same_fact() -> None:
    pull = a_pull(7, labels=("a", "b"), reviews=[a_review(author=a_person(company="Example")), a_review("PRR_2")])
    assert parse_pull_request(JsonObject(graphql_pull_request(pull), "node")) == pull


def test_a_deleted_author_is_nobody() -> None:
    assert parsed(author=None).author is None


def test_a_reviewer_whose_account_was_deleted_is_nobody() -> None:
    review = {"id": "PRR_9", "state": "COMMENTED", "submittedAt": None, "author": None}
    assert parsed(reviews={"totalCount": 1, "nodes": [review]}).reviews == (
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


@pytest.mark.parametrize(
    "text", ["@torch.jit.script", "torch@main", "aten::add@v2", "a @ b.com", "user@host", "git@v1.2.3", "@", "x@.com"]
)
def test_what_only_resembles_a_mail_address_stays(text: str) -> None:
    assert without_mail(text) == text


def test_a_very_long_title_is_searched_for_addresses_in_linear_time() -> None:
    assert without_mail("a" * 500_000) == "a" * 500_000
    assert without_mail("a@a." * 100_000).endswith("a@a.")


def test_labels_and_reviews_may_be_null() -> None:
    pull = parsed(labels=None, reviews=None)
    assert (pull.labels, pull.reviews, pull.reviews_total) == ((), (), 0)


def test_null_labels_between_others_are_left_out() -> None:
    assert parsed(labels={"nodes": [None, {"name": "Merged"}]}).labels == ("Merged",)


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
        ("labels", {"nodes": [{"name": 3}]}),
        ("reviews", {"totalCount": 1, "nodes": [{"id": "PRR_1"}]}),
    ],
)
def test_a_malformed_field_is_refused_with_its_path(field: str, value: object) -> None:
    with pytest.raises(PayloadError, match=rf"node\.{field}"):
        parsed(**{field: value})
