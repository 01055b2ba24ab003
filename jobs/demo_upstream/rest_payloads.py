"""Facts -> the JSON that GitHub's REST API would send for them, with every field that its description requires.

Addresses are those of the server that answers: some clients refuse an answer that names another one.
"""

from urllib.parse import quote

from jobs.demo_upstream.payloads import Json, body_of, numeric_id, time_text
from tracker.upstream import Person, PullFile, PullRequest, PullRequestState, RepositoryFacts

_LONG_AGO = "2020-01-01T00:00:00Z"
_ACCOUNT_LINKS = (
    "followers",
    "following",
    "gists",
    "starred",
    "subscriptions",
    "organizations",
    "repos",
    "events",
    "received_events",
)
_REPOSITORY_LINKS = (
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "contributors",
    "deployments",
    "downloads",
    "events",
    "forks",
    "git_commits",
    "git_refs",
    "git_tags",
    "hooks",
    "issue_comment",
    "issue_events",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
    "notifications",
    "pulls",
    "releases",
    "stargazers",
    "statuses",
    "subscribers",
    "subscription",
    "tags",
    "teams",
    "trees",
    "clone",
    "git",
    "ssh",
    "svn",
)
_COUNTS = ("forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count", "watchers")
_MORE_COUNTS = ("watchers_count", "network_count", "subscribers_count")
_FLAGS = ("has_issues", "has_projects", "has_wiki", "has_pages", "has_discussions", "has_downloads")


def rest_repository(facts: RepositoryFacts, api_url: str) -> Json:
    owner, _, name = facts.slug.partition("/")
    url = f"{api_url}/repos/{facts.slug}"
    return {
        "id": facts.github_id,
        "node_id": f"R_{facts.github_id}",
        "name": name,
        "full_name": facts.slug,
        "private": False,
        "owner": rest_account(Person(id=facts.github_id + 1, login=owner, kind="Organization"), api_url),
        "url": url,
        "html_url": url,
        "description": None,
        "default_branch": facts.default_branch,
        "fork": False,
        "archived": False,
        "disabled": False,
        "homepage": None,
        "language": None,
        "license": None,
        "mirror_url": None,
        "created_at": _LONG_AGO,
        "updated_at": _LONG_AGO,
        "pushed_at": _LONG_AGO,
        **{f"{link}_url": f"{url}/{link}" for link in _REPOSITORY_LINKS},
        **dict.fromkeys((*_COUNTS, *_MORE_COUNTS), 0),
        **dict.fromkeys(_FLAGS, False),
    }


def rest_pull_request(pull: PullRequest, facts: RepositoryFacts, api_url: str) -> Json:
    """Return a pull request as an item of a list: without counts of lines and files, as GitHub's lists are."""
    repository = rest_repository(facts, api_url)
    url = f"{api_url}/repos/{facts.slug}/pulls/{pull.number}"
    issue = url.replace("/pulls/", "/issues/")
    links = {
        "self": url,
        "html": url,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{url}/comments/number",
        "commits": f"{url}/commits",
        "statuses": f"{url}/statuses/{pull.head_sha}",
    }
    return {
        "id": numeric_id(pull.node_id),
        "node_id": pull.node_id,
        "url": url,
        "html_url": url,
        "diff_url": f"{url}.diff",
        "patch_url": f"{url}.patch",
        "issue_url": issue,
        **{f"{name}_url": links[name] for name in ("comments", "review_comments", "review_comment", "commits")},
        "statuses_url": links["statuses"],
        "_links": {name: {"href": address} for name, address in links.items()},
        "number": pull.number,
        "title": pull.title,
        "body": body_of(pull) or None,
        "state": "open" if pull.state is PullRequestState.OPEN else "closed",
        "draft": pull.draft,
        "locked": False,
        "user": rest_account(pull.author, api_url) if pull.author is not None else None,
        "author_association": pull.association,
        "assignee": None,
        "milestone": None,
        "auto_merge": None,
        "created_at": time_text(pull.created_at),
        "updated_at": time_text(pull.updated_at),
        "closed_at": time_text(pull.closed_at),
        "merged_at": time_text(pull.merged_at),
        "merge_commit_sha": None,
        "labels": [_label(name, url) for name in pull.labels],
        "head": _branch(pull.head_ref, pull.head_sha, repository),
        "base": _branch(pull.base_ref, "0" * 40, repository),
    }


def rest_pull_request_alone(pull: PullRequest, facts: RepositoryFacts, api_url: str) -> Json:
    """Return a pull request that was asked for by its number: with counts."""
    merged = pull.state is PullRequestState.MERGED
    author = pull.author or Person(id=10_137, login="ghost", kind="User")  # alone, GitHub names a deleted account so
    return rest_pull_request(pull, facts, api_url) | {
        "user": rest_account(author, api_url),
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changed_files": pull.changed_files,
        "comments": len(pull.notices),
        "review_comments": 0,
        "commits": 1,
        "mergeable": None,
        "mergeable_state": "unknown",
        "merged": merged,
        "merged_by": None,
        "maintainer_can_modify": False,
    }


def rest_file(file: PullFile, root: str) -> Json:
    """Return a file of a pull request; `root` is the repository's address."""
    statuses = {"DELETED": "removed"}
    return {
        "sha": "0" * 40,
        "filename": file.path,
        "status": statuses.get(file.change, file.change.lower()),
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        **{f"{name}_url": f"{root}/{name}/file" for name in ("blob", "raw", "contents")},
    }


def rest_issue(number: int, repository_url: str, *, pull: bool) -> Json:
    """Return an issue, or the issue's side of a pull request."""
    url = f"{repository_url}/issues/{number}"
    links = {"url": url, "html_url": url, "diff_url": None, "patch_url": None}
    return {
        "id": number,
        "node_id": f"I_{number}",
        "number": number,
        "url": url,
        "html_url": url,
        "repository_url": repository_url,
        **{f"{name}_url": f"{url}/{name}" for name in ("comments", "events", "labels")},
        "title": "An issue",
        "state": "open",
        "locked": False,
        "user": None,
        "assignee": None,
        "milestone": None,
        "labels": [],
        "comments": 0,
        "author_association": "NONE",
        "created_at": _LONG_AGO,
        "updated_at": _LONG_AGO,
        "closed_at": None,
    } | ({"pull_request": links} if pull else {})


def rest_account(person: Person, api_url: str) -> Json:
    url = f"{api_url}/users/{quote(person.login)}"
    number = person.id if person.id is not None else numeric_id(person.login)
    return {
        "login": person.login,
        "id": number,
        "node_id": f"U_{number}",
        "type": person.kind,
        "url": url,
        "html_url": url,
        "avatar_url": f"{url}/avatar",
        "gravatar_id": "",
        "site_admin": False,
        **{f"{link}_url": f"{url}/{link}" for link in _ACCOUNT_LINKS},
    }


def _label(name: str, url: str) -> Json:
    number = numeric_id(name)
    return {
        "id": number,
        "node_id": f"LA_{number}",
        "url": f"{url}/labels",
        "name": name,
        "description": "",
        "color": "ededed",
        "default": False,
    }


def _branch(ref: str, sha: str, repository: Json) -> Json:
    owner = repository["owner"]
    return {"label": f"{owner['login']}:{ref}", "ref": ref, "sha": sha, "repo": repository, "user": owner}
