"""Facts -> the JSON that GitHub's two APIs would send for them."""

from datetime import datetime
from hashlib import sha256
from typing import Any

from tracker.upstream import Person, PullRequest, PullRequestState, RepositoryFacts

Json = dict[str, Any]


def graphql_repository(facts: RepositoryFacts) -> Json:
    branch = {"name": facts.default_branch} if facts.default_branch is not None else None
    return {
        "__typename": "Repository",
        "databaseId": facts.github_id,
        "nameWithOwner": facts.slug,
        "defaultBranchRef": branch,
    }


def graphql_pull_request(pull: PullRequest) -> Json:
    """Return a pull request with every field that `tracker.sources.github_queries` asks for."""
    return {
        "__typename": "PullRequest",
        "id": pull.node_id,
        "number": pull.number,
        "title": pull.title,
        "body": pull.body,
        "state": pull.state.name,
        "isDraft": pull.draft,
        "author": _graphql_account(pull.author),
        "authorAssociation": pull.association,
        "createdAt": _time(pull.created_at),
        "updatedAt": _time(pull.updated_at),
        "closedAt": _time(pull.closed_at),
        "mergedAt": _time(pull.merged_at),
        "baseRefName": pull.base_ref,
        "headRefName": pull.head_ref,
        "headRefOid": pull.head_sha,
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changedFiles": pull.changed_files,
        "labels": {"totalCount": len(pull.labels), "nodes": [{"name": name} for name in pull.labels]},
        "reviews": {
            "totalCount": pull.reviews_total,
            "nodes": [
                {
                    "id": review.id,
                    "state": review.state,
                    "submittedAt": _time(review.submitted_at),
                    "author": _graphql_account(review.author),
                }
                for review in pull.reviews
            ],
        },
    }


def rest_repository(facts: RepositoryFacts, api_url: str) -> Json:
    owner, _, name = facts.slug.partition("/")
    url = f"{api_url}/repos/{facts.slug}"
    return {
        "id": facts.github_id,
        "node_id": f"R_{facts.github_id}",
        "name": name,
        "full_name": facts.slug,
        "private": False,
        "owner": _rest_account(Person(id=facts.github_id + 1, login=owner, kind="Organization"), api_url),
        "url": url,
        "pulls_url": f"{url}/pulls{{/number}}",
        "default_branch": facts.default_branch,
        "fork": False,
        "archived": False,
    }


def rest_pull_request(pull: PullRequest, facts: RepositoryFacts, api_url: str) -> Json:
    """Return a pull request as an item of a list: without counts of lines and files, as GitHub's lists are."""
    repository = rest_repository(facts, api_url)
    url = f"{api_url}/repos/{facts.slug}/pulls/{pull.number}"
    return {
        "id": numeric_id(pull.node_id),
        "node_id": pull.node_id,
        "url": url,
        "number": pull.number,
        "title": pull.title,
        "body": pull.body or None,
        "state": "open" if pull.state is PullRequestState.OPEN else "closed",
        "draft": pull.draft,
        "locked": False,
        "user": _rest_account(pull.author, api_url) if pull.author is not None else None,
        "author_association": pull.association,
        "created_at": _time(pull.created_at),
        "updated_at": _time(pull.updated_at),
        "closed_at": _time(pull.closed_at),
        "merged_at": _time(pull.merged_at),
        "labels": [{"name": name, "color": "ededed", "url": f"{url}/labels"} for name in pull.labels],
        "head": _rest_branch(pull.head_ref, pull.head_sha, repository),
        "base": _rest_branch(pull.base_ref, "0" * 40, repository),
    }


def numeric_id(text: str) -> int:
    """Return a number that stands for a text, the same every time."""
    return int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:4]) >> 1


def _graphql_account(person: Person | None) -> Json | None:
    if person is None:
        return None
    account: Json = {"__typename": person.kind, "login": person.login, "databaseId": person.id}
    return account | {"company": person.company} if person.kind == "User" else account


def _rest_account(person: Person, api_url: str) -> Json:
    return {
        "login": person.login,
        "id": person.id if person.id is not None else numeric_id(person.login),
        "type": person.kind,
        "url": f"{api_url}/users/{person.login}",
        "site_admin": False,
    }


def _rest_branch(ref: str, sha: str, repository: Json) -> Json:
    return {"label": f"{repository['owner']['login']}:{ref}", "ref": ref, "sha": sha, "repo": repository}


def _time(at: datetime | None) -> str | None:
    return f"{at.replace(tzinfo=None).isoformat(timespec='seconds')}Z" if at is not None else None
