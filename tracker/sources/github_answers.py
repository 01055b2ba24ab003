"""GitHub's answers to our queries -> pages of facts, with what an answer lacks named beside what it has; pure.

GraphQL fails with HTTP 200: with null items, with errors that name a place, with errors that name none. A page that has
any of these is not whole, and says so in `holes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tracker.errors import PayloadError
from tracker.sources.github_payloads import graphql_repository, parse_list, parse_pull_request, rest_repository
from tracker.sources.json_objects import JsonObject
from tracker.upstream import ListPart, PullItems, PullRequest, RepositoryFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequestsAnswer:
    """One page of pull requests."""

    repository: RepositoryFacts
    pulls: tuple[PullRequest, ...]
    holes: tuple[str, ...]
    """One sentence for each item that is null, malformed or named by an error: without them the page is not whole."""
    total: int
    end_cursor: str | None
    has_next: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersAnswer:
    """The numbers of one page, in its order."""

    repository: RepositoryFacts
    numbers: tuple[int, ...]
    nulls: int
    """Items that even this short form does not give."""
    total: int
    end_cursor: str | None
    has_next: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A place in a list: behind its cursor the list goes on."""

    cursor: str
    updated_at: datetime | None
    """None: the item itself was not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgesAnswer:
    """The places of a stretch of the list in front of a cursor, in ascending order."""

    edges: tuple[Edge, ...]
    start_cursor: str | None
    has_previous: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Which repository answers, and what was updated last in it."""

    repository: RepositoryFacts | None
    """None: the list is empty, which names no repository."""
    newest: tuple[int, datetime] | None
    """Number and time of update of the pull request updated last; None: there is none."""
    served_at: datetime | None
    """The server's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQLError:
    """One entry of `errors` in an answer that comes with HTTP 200."""

    kind: str
    """GitHub's `type`, or its `extensions.code`, in capitals; empty where it gives none."""
    message: str
    path: tuple[str | int, ...] = ()
    """Where in `data` something is missing for it."""


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
    facts = graphql_repository(repository)
    pulls, holes = _whole_pulls(page.items_given("nodes"), parse_errors(payload), facts.slug)
    return PullRequestsAnswer(
        repository=facts,
        pulls=tuple(pulls),
        holes=tuple(holes),
        total=page.whole("totalCount"),
        end_cursor=info.text_or_none("endCursor"),
        has_next=info.flag("hasNextPage"),
    )


def parse_one_pull_request(payload: object) -> PullRequest:
    """Return the pull request asked for by `PULL_REQUEST`."""
    repository = _repository_of(payload)
    return parse_pull_request(repository.inner("pullRequest"), graphql_repository(repository).slug)


def parse_more_items(payload: object, wanted: Sequence[PullItems]) -> list[ListPart | None]:
    """Return the stretches asked for by `more_items`; None for what is null, malformed or named by an error."""
    data = JsonObject(payload, "answer").inner("data")
    errors = parse_errors(payload)
    blamed = {error.path[0] for error in errors if error.path}
    if any(not error.path for error in errors):
        blamed = {f"list{index}" for index in range(len(wanted))}
    return [
        _more(data, f"list{index}", items) if f"list{index}" not in blamed else None
        for index, items in enumerate(wanted)
    ]


def parse_numbers(payload: object) -> NumbersAnswer:
    """Return a page asked for by `NUMBERS_AFTER`."""
    repository = _repository_of(payload)
    page = repository.inner("pullRequests")
    info = page.inner("pageInfo")
    given = page.items_given("nodes")
    items = [JsonObject(item, path) for item, path in given if item is not None]
    return NumbersAnswer(
        repository=graphql_repository(repository),
        numbers=tuple(item.whole("number") for item in items),
        nulls=len(given) - len(items),
        total=page.whole("totalCount"),
        end_cursor=info.text_or_none("endCursor"),
        has_next=info.flag("hasNextPage"),
    )


def parse_edges(payload: object) -> EdgesAnswer:
    """Return a stretch asked for by `EDGES_BEFORE`."""
    page = _repository_of(payload).inner("pullRequests")
    info = page.inner("pageInfo")
    return EdgesAnswer(
        edges=tuple(_edge(JsonObject(edge, path)) for edge, path in page.items_given("edges") if edge is not None),
        start_cursor=info.text_or_none("startCursor"),
        has_previous=info.flag("hasPreviousPage"),
    )


def parse_repository(payload: object) -> RepositoryFacts:
    """Return the repository that a REST answer describes."""
    return rest_repository(JsonObject(payload, "repository"))


def parse_opening(payload: object, served_at: datetime | None) -> Opening:
    """Return what a REST list of pull requests, last updated first, says with its first item."""
    pulls = JsonObject({"pulls": payload}, "answer").items_given("pulls")
    if not pulls:
        return Opening(repository=None, newest=None, served_at=served_at)
    first = JsonObject(*pulls[0])
    return Opening(
        repository=rest_repository(first.inner("base").inner("repo")),
        newest=(first.whole("number"), first.time("updated_at")),
        served_at=served_at,
    )


def _whole_pulls(
    items: list[tuple[object, str]], errors: tuple[GraphQLError, ...], slug: str
) -> tuple[list[PullRequest], list[str]]:
    """Return the items that are whole, and a sentence for each that is not."""
    errors = tuple(error for error in errors if not hides_an_issue(error))
    if any(_index_of(error) is None for error in errors):
        # It cannot be said which items an error without a place has left without something.
        return [], [error.message or error.kind for error in errors]
    blamed = {_index_of(error): error.message or error.kind for error in errors}
    pulls: list[PullRequest] = []
    holes: list[str] = []
    for index, (item, path) in enumerate(items):
        if index in blamed:
            holes.append(blamed[index])
            continue
        try:
            pulls.append(parse_pull_request(JsonObject(item, path), slug))
        except PayloadError as error:
            holes.append(str(error))
    return pulls, holes


def hides_an_issue(error: GraphQLError) -> bool:
    """Whether an error says only that a linked issue stands in a repository that these credentials may not see."""
    return error.kind in ("FORBIDDEN", "NOT_FOUND") and PullItems.ISSUES in error.path


def _more(data: JsonObject, name: str, items: PullItems) -> ListPart | None:
    try:
        pull = data.inner_or_none(name)
        return parse_list(pull, items) if pull is not None and pull.has(items) else None
    except PayloadError:
        return None


def _index_of(error: GraphQLError) -> int | None:
    """Return which item of the page an error is about."""
    match error.path:
        case ("repository", "pullRequests", "nodes", int() as index, *_):
            return index
        case _:
            return None


def _edge(edge: JsonObject) -> Edge:
    pull = edge.inner_or_none("node")
    return Edge(cursor=edge.text("cursor"), updated_at=pull.time("updatedAt") if pull is not None else None)


def _repository_of(payload: object) -> JsonObject:
    return JsonObject(payload, "answer").inner("data").inner("repository")


def _error(error: JsonObject) -> GraphQLError:
    extensions = error.inner_or_none("extensions")
    code = extensions.text_or_none("code") if extensions is not None else None
    kind = error.text_or_none("type") or code or ""
    path = tuple(part for part, _ in error.items("path") if isinstance(part, str | int))
    return GraphQLError(kind=kind.upper(), message=(error.text_or_none("message") or "").strip(), path=path)
