"""GitHub's JSON of one thing -> a fact; pure. What is malformed raises PayloadError with its path.

Ugly answers met in the wild and taken here: a deleted author (null), null items in lists, accounts without a number,
text with NUL or half a surrogate pair. Of descriptions and comments only what stands there in fixed forms is kept,
and no mail address of anything.
"""

import re

from tracker.descriptions import parse_closed_issues, parse_differential, parse_picked_from, parse_stack
from tracker.errors import PayloadError
from tracker.notices import bare_login, parse_notice
from tracker.sources.json_objects import JsonObject
from tracker.sources.mail_addresses import without_mail
from tracker.upstream import (
    ListPart,
    MergeNotice,
    Person,
    PullFile,
    PullItems,
    PullRequest,
    PullRequestState,
    Remainder,
    RepositoryFacts,
    Review,
)

_SHA = re.compile(r"[0-9a-f]{40}", re.ASCII)
_STATES = {"OPEN": PullRequestState.OPEN, "CLOSED": PullRequestState.CLOSED, "MERGED": PullRequestState.MERGED}


def parse_pull_request(pull: JsonObject, slug: str) -> PullRequest:
    """Return one pull request of repository `slug` as the fragment `Whole` asks for it."""
    state = pull.text("state")
    if state not in _STATES:
        raise PayloadError(f"{pull.path}.state", state)
    head_sha = pull.text("headRefOid")
    if not _SHA.fullmatch(head_sha):
        raise PayloadError(f"{pull.path}.headRefOid", head_sha)
    number, node_id = pull.whole("number"), pull.text("id", longest=100)
    body = pull.text_or_none("body") or ""
    parts = {items: parse_list(pull, items) for items in PullItems}
    reviews = parts[PullItems.REVIEWS]
    return PullRequest(
        number=number,
        node_id=node_id,
        title=without_mail(pull.text_or_none("title") or ""),
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
        labels=parts[PullItems.LABELS].labels,
        reviews=reviews.reviews,
        reviews_total=max(len(reviews.reviews), reviews.total),
        review_decision=pull.text("reviewDecision", longest=30) if pull.has("reviewDecision") else None,
        files=parts[PullItems.FILES].files,
        linked_issues=_linked(parts[PullItems.ISSUES].linked_issues, body, slug),
        notices=parts[PullItems.COMMENTS].notices,
        stack=parse_stack(body, slug),
        differential=parse_differential(body),
        picked_from=parse_picked_from(body),
        merge_commit=_merge_commit(pull),
        remainders=tuple(
            Remainder(node_id=node_id, number=number, items=items, after=part.after)
            for items, part in parts.items()
            if part.after is not None
        ),
    )


def _merge_commit(pull: JsonObject) -> str | None:
    """Return the commit that merged it; on an open one GitHub's field holds a trial merge, which lands nothing."""
    commit = pull.inner_or_none("mergeCommit")
    if commit is None or pull.text("state") != "MERGED":
        return None
    sha = commit.text("oid")
    if not _SHA.fullmatch(sha):
        raise PayloadError(f"{pull.path}.mergeCommit.oid", sha)
    return sha


def parse_list(pull: JsonObject, items: PullItems) -> ListPart:
    """Return a stretch of a list of a pull request; a list that GitHub gives as null is empty."""
    connection = pull.inner_or_none(items)
    if connection is None:
        return ListPart(items=items)
    given, info = connection.objects("nodes"), connection.inner("pageInfo")
    total = connection.whole("totalCount")
    after = info.text("endCursor") if info.flag("hasNextPage") else None
    match items:
        case PullItems.LABELS:
            labels = tuple(label.text("name") for label in given)
            return ListPart(items=items, labels=labels, total=total, after=after)
        case PullItems.REVIEWS:
            return ListPart(items=items, reviews=tuple(map(_review, given)), total=total, after=after)
        case PullItems.COMMENTS:
            notices = tuple(notice for comment in given if (notice := _notice(comment)) is not None)
            return ListPart(items=items, notices=notices, total=total, after=after)
        case PullItems.FILES:
            return ListPart(items=items, files=tuple(map(_file, given)), total=total, after=after)
        case PullItems.ISSUES:
            issues = tuple(
                f"{_slug(issue.inner('repository'), 'nameWithOwner')}#{issue.whole('number')}" for issue in given
            )
            return ListPart(items=items, linked_issues=issues, total=total, after=after)


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
        association=review.text("authorAssociation", longest=30),
    )


def _notice(comment: JsonObject) -> MergeNotice | None:
    author = comment.inner_or_none("author")
    if author is None:
        return None
    login = author.text("login", longest=100)
    said = parse_notice(login, comment.text_or_none("body") or "")
    if said is None:
        return None
    return MergeNotice(
        id=comment.text("id", longest=100),
        kind=said.kind,
        at=comment.time("createdAt"),
        bot=bare_login(login),
        sha=said.sha,
        number=said.number,
        reason=without_mail(said.reason) if said.reason is not None else None,
    )


def _file(file: JsonObject) -> PullFile:
    return PullFile(
        path=file.text("path"),
        change=file.text("changeType", longest=20),
        additions=file.whole("additions"),
        deletions=file.whole("deletions"),
    )


def _linked(given: tuple[str, ...], body: str, slug: str) -> tuple[str, ...]:
    return tuple(sorted({*given, *parse_closed_issues(body, slug)}))
