"""Facts -> the JSON that GitHub's GraphQL API would send for them."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from tracker.upstream import (
    MergeNotice,
    NoticeKind,
    Person,
    PullItems,
    PullRequest,
    RepositoryFacts,
    Review,
)

Json = dict[str, Any]

MOST_ITEMS = 100
"""Of a list inside a pull request at once, as on GitHub."""


def graphql_repository(facts: RepositoryFacts) -> Json:
    branch = {"name": facts.default_branch} if facts.default_branch is not None else None
    return {
        "__typename": "Repository",
        "databaseId": facts.github_id,
        "nameWithOwner": facts.slug,
        "defaultBranchRef": branch,
    }


def graphql_pull_request(pull: PullRequest) -> Json:
    """Return a pull request with every field that our queries ask for, of its lists the first 100 items."""
    return {
        "__typename": "PullRequest",
        "id": pull.node_id,
        "number": pull.number,
        "title": pull.title,
        "body": body_of(pull),
        "state": pull.state.name,
        "isDraft": pull.draft,
        "author": _graphql_account(pull.author),
        "authorAssociation": pull.association,
        "createdAt": time_text(pull.created_at),
        "updatedAt": time_text(pull.updated_at),
        "closedAt": time_text(pull.closed_at),
        "mergedAt": time_text(pull.merged_at),
        "baseRefName": pull.base_ref,
        "headRefName": pull.head_ref,
        "headRefOid": pull.head_sha,
        "mergeCommit": {"oid": pull.merge_commit} if pull.merge_commit is not None else None,
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changedFiles": pull.changed_files,
        "reviewDecision": pull.review_decision,
    } | {items: list_page(nodes, items, MOST_ITEMS, None) for items, nodes in graphql_lists(pull).items()}


def graphql_lists(pull: PullRequest) -> dict[PullItems, list[Json]]:
    """Return the lists inside a pull request, whole."""
    return {
        PullItems.LABELS: [{"name": name} for name in pull.labels],
        PullItems.REVIEWS: [_graphql_review(review) for review in pull.reviews],
        PullItems.COMMENTS: [_graphql_comment(notice, pull) for notice in pull.notices],
        PullItems.FILES: [
            {"path": file.path, "changeType": file.change, "additions": file.additions, "deletions": file.deletions}
            for file in pull.files
        ],
        PullItems.ISSUES: [_graphql_issue(issue) for issue in pull.linked_issues],
    }


def list_page(nodes: Sequence[Json], items: PullItems, first: int, after: str | None) -> Json:
    """Return `first` items of a list of a pull request behind a cursor, which names the list.

    Raises:
        ValueError: the cursor is none.
    """
    start = 0
    if after is not None:
        named, _, position = b64decode(after, validate=True).decode().partition(" ")
        if named != items:
            raise ValueError(after)
        start = int(position)
    end = min(start + first, len(nodes))
    cursor = b64encode(f"{items} {end}".encode()).decode()
    page = {"hasNextPage": end < len(nodes), "endCursor": cursor if end > start else None}
    return {"totalCount": len(nodes), "pageInfo": page, "nodes": list(nodes[start:end])}


def items_of_cursor(cursor: str) -> PullItems:
    """Return which list a cursor of `list_page` belongs to."""
    return PullItems(b64decode(cursor).decode().partition(" ")[0])


def numeric_id(text: str) -> int:
    """Return a number that stands for a text, the same every time."""
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:4]) >> 1


_SAID = {
    NoticeKind.MERGE_STARTED: "### Merge started\nYour change will be merged once all checks pass (ETA 0-4 Hours).",
    NoticeKind.MERGE_FAILED: "## Merge failed\n**Reason**: {reason}",
    NoticeKind.MERGE_REFUSED: "{reason}",
    NoticeKind.MERGED: "This PR (#{own}) was merged in {sha} but it is still open",
    NoticeKind.REVERT_STARTED: "@pytorchbot successfully started a revert job.",
    NoticeKind.REVERT_FAILED: "## Reverting PR {own} failed\n**Reason**: {reason}",
    NoticeKind.REVERTED: "@ada your PR has been successfully reverted.",
    NoticeKind.CHERRY_PICKED: "### Cherry picking #{own}\n\nThe cherry pick PR is at #{number}",
}
"""What the merge bot writes today."""
_SAID_OF_A_STACK = {
    NoticeKind.MERGED: "This PR (#{own}) was merged as part of PR #{number} in the stack under {sha}",
    NoticeKind.REVERTED: "@ada your PR has been reverted as part of the stack under #{number}.",
}


def body_of(pull: PullRequest) -> str:
    """Return a description that says what is known of one."""
    parts = []
    if pull.stack:
        lines = [f"* __->__ #{n}" if n == pull.number else f"* #{n}" for n in reversed(pull.stack)]
        parts.append("\n".join(["Stack from [ghstack](https://github.com/ezyang/ghstack) (oldest at bottom):", *lines]))
    if pull.picked_from is not None:
        parts.append(f"(cherry picked from commit {pull.picked_from})")
    if pull.differential is not None:
        parts.append(f"Differential Revision: [{pull.differential}](https://www.internalfb.com/{pull.differential})")
    return "\n\n".join(parts)


def _graphql_review(review: Review) -> Json:
    return {
        "id": review.id,
        "state": review.state,
        "submittedAt": time_text(review.submitted_at),
        "authorAssociation": review.association,
        "author": _graphql_account(review.author),
    }


def _graphql_comment(notice: MergeNotice, pull: PullRequest) -> Json:
    text = _SAID_OF_A_STACK.get(notice.kind) if notice.number is not None else None
    words = {"own": pull.number, "sha": notice.sha, "number": notice.number, "reason": notice.reason or ""}
    return {
        "id": notice.id,
        "createdAt": time_text(notice.at),
        "author": {"__typename": "User", "login": notice.bot},
        "body": (text or _SAID[notice.kind]).format(**words),
    }


def _graphql_issue(issue: str) -> Json:
    slug, _, number = issue.rpartition("#")
    return {"number": int(number), "repository": {"nameWithOwner": slug}}


def _graphql_account(person: Person | None) -> Json | None:
    if person is None:
        return None
    account: Json = {"__typename": person.kind, "login": person.login, "databaseId": person.id}
    return account | {"company": person.company} if person.kind == "User" else account


def time_text(at: datetime | None) -> str | None:
    """Return a time as GitHub writes it."""
    return f"{at.replace(tzinfo=None).isoformat(timespec='seconds')}Z" if at is not None else None
