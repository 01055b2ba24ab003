"""GitHub's JSON -> facts; pure. What is malformed raises PayloadError with its path, alone or noted beside a page.

Ugly answers met in the wild and taken here: a deleted author (null), null items in lists, accounts without a number,
text with NUL or half a surrogate pair. Mail addresses that people write where they do not belong are cut to their
domain, so that none is ever stored.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from tracker.errors import PayloadError
from tracker.sources.json_objects import JsonObject
from tracker.upstream import Person, PullRequest, PullRequestState, RepositoryFacts, Review

_MAIL = re.compile(r"[\w.+-]{1,64}(?=@[\w-]{1,63}(?:\.[\w-]{1,63})*\.[A-Za-z]{2,24}\b)")
_SHA = re.compile(r"[0-9a-f]{40}", re.ASCII)
_STATES = {"OPEN": PullRequestState.OPEN, "CLOSED": PullRequestState.CLOSED, "MERGED": PullRequestState.MERGED}


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestsAnswer:
    """One page of pull requests."""

    repository: RepositoryFacts
    pulls: tuple[PullRequest, ...]
    holes: tuple[str, ...]
    """One sentence for each item that is null or malformed: the page is not complete without them."""
    total: int
    end_cursor: str | None
    has_next: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersAnswer:
    """The numbers of a stretch of the list with their times of update, in the order of the list."""

    repository: RepositoryFacts
    numbers: tuple[tuple[int, datetime], ...]
    nulls: int
    """Items that even this short form does not give."""
    edge_cursor: str | None
    """Where reading on in the same direction starts."""
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQLError:
    """One entry of `errors` in an answer that comes with HTTP 200."""

    kind: str
    """GitHub's `type`, or its `extensions.code`, in capitals; empty where it gives none."""
    message: str


def without_mail(text: str) -> str:
    """Return the text with every mail address cut to `@domain`."""
    return _MAIL.sub("", text)


def parse_errors(payload: object) -> tuple[GraphQLError, ...]:
    """Return the errors of a GraphQL answer; none when the field is absent."""
    errors = JsonObject(payload, "answer").objects("errors")
    return tuple(_error(error) for error in errors)


def parse_cost(payload: object) -> int:
    """Return the points that a GraphQL answer says it cost; 0 where it does not say (Enterprise without limits)."""
    data = JsonObject(payload, "answer").inner_or_none("data")
    rate = data.inner_or_none("rateLimit") if data is not None else None
    return rate.whole("cost") if rate is not None and rate.has("cost") else 0


def parse_pull_requests(payload: object) -> PullRequestsAnswer:
    """Return a page asked for by `PULL_REQUESTS`.

    Raises:
        PayloadError: the page itself is malformed or cut off; malformed items are noted in `holes`.
    """
    repository = _repository_of(payload)
    page = repository.inner("pullRequests")
    info = page.inner("pageInfo")
    pulls: list[PullRequest] = []
    holes: list[str] = []
    for item, path in page.items("nodes"):
        try:
            pulls.append(parse_pull_request(JsonObject(item, path)))
        except PayloadError as error:
            holes.append(str(error))
    return PullRequestsAnswer(
        repository=_facts(repository),
        pulls=tuple(pulls),
        holes=tuple(holes),
        total=page.whole("totalCount"),
        end_cursor=info.text_or_none("endCursor"),
        has_next=info.flag("hasNextPage"),
    )


def parse_one_pull_request(payload: object) -> PullRequest:
    """Return the pull request asked for by `PULL_REQUEST`."""
    return parse_pull_request(_repository_of(payload).inner("pullRequest"))


def parse_numbers(payload: object) -> NumbersAnswer:
    """Return a stretch asked for by `NUMBERS_AFTER` or `NUMBERS_BEFORE`."""
    repository = _repository_of(payload)
    page = repository.inner("pullRequests")
    info = page.inner("pageInfo")
    backwards = info.has("hasPreviousPage")
    items = page.objects("nodes")
    return NumbersAnswer(
        repository=_facts(repository),
        numbers=tuple((item.whole("number"), item.time("updatedAt")) for item in items),
        nulls=len(page.items("nodes")) - len(items),
        edge_cursor=info.text_or_none("startCursor" if backwards else "endCursor"),
        more=info.flag("hasPreviousPage" if backwards else "hasNextPage"),
    )


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


def parse_repository(payload: object) -> RepositoryFacts:
    """Return a repository as REST describes it."""
    repository = JsonObject(payload, "repository")
    return RepositoryFacts(
        github_id=repository.identifier("id"),
        slug=_slug(repository, "full_name"),
        default_branch=repository.text_or_none("default_branch"),
    )


def parse_newest(payload: object) -> tuple[int, datetime] | None:
    """Return number and time of update of the first pull request of a REST list; None when the list is empty."""
    pulls = JsonObject({"pulls": payload}, "answer").objects("pulls")
    return (pulls[0].whole("number"), pulls[0].time("updated_at")) if pulls else None


def _repository_of(payload: object) -> JsonObject:
    return JsonObject(payload, "answer").inner("data").inner("repository")


def _facts(repository: JsonObject) -> RepositoryFacts:
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


def _error(error: JsonObject) -> GraphQLError:
    extensions = error.inner_or_none("extensions")
    code = extensions.text_or_none("code") if extensions is not None else None
    kind = error.text_or_none("type") or code or ""
    return GraphQLError(kind=kind.upper(), message=(error.text_or_none("message") or "").strip())
