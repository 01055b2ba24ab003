"""GitHub's JSON of one thing -> a fact; pure. What is malformed raises PayloadError with its path.

Ugly answers met in the wild and taken here: a deleted author (null), null items in lists, accounts without a number,
text with NUL or half a surrogate pair. Mail addresses that people write where they do not belong are cut to their
domain, so that none is ever stored.
"""

import re

from tracker.errors import PayloadError
from tracker.sources.json_objects import JsonObject
from tracker.upstream import Person, PullRequest, PullRequestState, RepositoryFacts, Review

_MAIL = re.compile(r"[\w.+-]{1,64}(?=@[\w-]{1,63}(?:\.[\w-]{1,63})*\.[A-Za-z]{2,24}\b)")
_SHA = re.compile(r"[0-9a-f]{40}", re.ASCII)
_STATES = {"OPEN": PullRequestState.OPEN, "CLOSED": PullRequestState.CLOSED, "MERGED": PullRequestState.MERGED}


def without_mail(text: str) -> str:
    """Return the text with every mail address cut to `@domain`."""
    return _MAIL.sub("", text)


def parse_pull_request(pull: JsonObject) -> PullRequest:
    """Return one pull request as the fragment `Whole` asks for it; `body` may be absent."""
    state = pull.text("state")
    if state not in _STATES:
        raise PayloadError(f"{pull.path}.state", state)
    head_sha = pull.text("headRefOid")
    if not _SHA.fullmatch(head_sha):
        raise PayloadError(f"{pull.path}.headRefOid", head_sha)
    reviews = pull.inner_or_none("reviews")
    given = tuple(_review(review) for review in reviews.objects("nodes")) if reviews is not None else ()
    return PullRequest(
        number=pull.whole("number"),
        node_id=pull.text("id", longest=100),
        title=without_mail(pull.text_or_none("title") or ""),
        body=without_mail(pull.text_or_none("body") or ""),
        state=_STATES[state],
        draft=pull.flag("isDraft"),
        author=_account(pull, "author"),
        association=pull.text("authorAssociation", longest=30),
        created_at=pull.time("createdAt"),
        updated_at=pull.time("updatedAt"),
        closed_at=pull.time_or_none("closedAt"),
        merged_at=pull.time_or_none("mergedAt"),
        base_ref=pull.text("baseRefName"),
        head_ref=without_mail(pull.text("headRefName")),
        head_sha=head_sha,
        additions=pull.whole("additions"),
        deletions=pull.whole("deletions"),
        changed_files=pull.whole("changedFiles"),
        labels=_labels(pull),
        reviews=given,
        reviews_total=max(len(given), reviews.whole("totalCount") if reviews is not None else 0),
    )


def rest_repository(repository: JsonObject) -> RepositoryFacts:
    """Return a repository as REST describes it."""
    return RepositoryFacts(
        github_id=repository.identifier("id"),
        slug=_slug(repository, "full_name"),
        default_branch=repository.text_or_none("default_branch"),
    )


def graphql_repository(repository: JsonObject) -> RepositoryFacts:
    """Return a repository as the queries ask for it."""
    branch = repository.inner_or_none("defaultBranchRef")
    return RepositoryFacts(
        github_id=repository.identifier("databaseId"),
        slug=_slug(repository, "nameWithOwner"),
        default_branch=branch.text("name") if branch is not None else None,
    )


def _slug(repository: JsonObject, field: str) -> str:
    slug = repository.text(field, longest=140)
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", slug, re.ASCII):
        raise PayloadError(f"{repository.path}.{field}", slug)
    return slug


def _account(holder: JsonObject, field: str) -> Person | None:
    account = holder.inner_or_none(field)
    if account is None:
        return None
    company = account.text_or_none("company")
    return Person(
        id=account.identifier("databaseId") if account.has("databaseId") else None,
        login=account.text("login", longest=100),
        kind=account.text("__typename", longest=30),
        company=(without_mail(company).strip() or None) if company is not None else None,
    )


def _review(review: JsonObject) -> Review:
    return Review(
        id=review.text("id", longest=100),
        author=_account(review, "author"),
        state=review.text("state", longest=30),
        submitted_at=review.time_or_none("submittedAt"),
    )


def _labels(pull: JsonObject) -> tuple[str, ...]:
    labels = pull.inner_or_none("labels")
    return tuple(label.text("name") for label in labels.objects("nodes")) if labels is not None else ()
