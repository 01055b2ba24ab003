"""GraphQL for the stand-in: questions are validated by GitHub's schema and executed on it, with GitHub's own errors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from graphql import DocumentNode, GraphQLError, GraphQLResolveInfo, GraphQLSchema, execute_sync, parse, validate

from jobs.demo_upstream.payloads import (
    MOST_ITEMS,
    Json,
    graphql_lists,
    graphql_pull_request,
    graphql_repository,
    list_page,
)
from jobs.demo_upstream.pull_list import PullList, Stretch
from tests.standin.cost import cost_of
from tracker.numbers import NumberKind
from tracker.upstream import PullItems, PullRequest, RepositoryFacts

Info = GraphQLResolveInfo[None]

WIDE = ("PullRequests", "PullRequest", "MoreItems")
"""The operations that ask for everything of a pull request."""


class Complaint(Exception):
    """An error of GitHub's own, with the `type` that it gives beside the message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    payload: Json
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQLSide:
    """One repository, asked by GraphQL."""

    schema: GraphQLSchema
    pulls: PullList
    facts: Callable[[], RepositoryFacts]
    answers_to: Callable[[str], bool]
    """Whether a slug is a name of the repository, present or former."""
    numbers: Mapping[int, NumberKind]
    """What stands under numbers that are no pull requests."""
    spoil: Callable[[PullRequest, Json], Json | Exception | None]
    """What an operation of `WIDE` gets for a pull request in place of its JSON."""

    def execute(self, question: dict[str, Any], remaining: int) -> Executed:
        """Return the answer to a question as GitHub words it; `remaining` points are left before it."""
        document, problems = _checked(self.schema, question["query"])
        if problems:
            return Executed(payload={"errors": [{"message": problem} for problem in problems]}, points=1)
        variables = question.get("variables") or {}
        cost = cost_of(document, variables)
        rate: Json = {"cost": cost.points, "limit": 5000, "remaining": max(0, remaining - cost.points), "used": 0}
        rate |= {"nodeCount": cost.nodes, "resetAt": "2100-01-01T00:00:00Z"}
        root = {"rateLimit": lambda _info, **_: rate, "repository": self._repository, "node": self._by_id}
        done = execute_sync(
            self.schema, document, root, variable_values=variables, operation_name=question.get("operationName")
        )
        payload: Json = {"data": done.data}
        if done.errors:
            payload["errors"] = [_worded(error) for error in done.errors]
        return Executed(payload=payload, points=cost.points)

    def _repository(self, info: Info, owner: str, name: str, **_: object) -> Json:
        if not self.answers_to(f"{owner}/{name}"):
            raise Complaint("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        wide = info.operation.name is not None and info.operation.name.value in WIDE
        return graphql_repository(self.facts()) | {
            "id": "R_1",
            "pullRequests": lambda _info, **arguments: self._connection(arguments, wide=wide),
            "pullRequest": lambda _info, number: self._one(number, wide=wide),
            "issues": lambda _info, **_: self._counted(NumberKind.ISSUE),
            "discussions": lambda _info, **_: self._counted(NumberKind.DISCUSSION),
            "issueOrPullRequest": lambda _info, number: self._either(number),
            "discussion": lambda _info, number: self._numbered(number, NumberKind.DISCUSSION),
        }

    def _counted(self, kind: NumberKind) -> Json:
        numbers = sorted((number for number, known in self.numbers.items() if known is kind), reverse=True)
        page = {"hasNextPage": False, "hasPreviousPage": False, "startCursor": None, "endCursor": None}
        return {"totalCount": len(numbers), "pageInfo": page, "nodes": [{"number": number} for number in numbers[:1]]}

    def _either(self, number: int) -> Json:
        if self.pulls.get(number) is not None:
            return {"__typename": "PullRequest", "number": number}
        return {"__typename": "Issue"} | self._numbered(number, NumberKind.ISSUE)

    def _numbered(self, number: int, kind: NumberKind) -> Json:
        if self.numbers.get(number) is not kind:
            raise Complaint("NOT_FOUND", f"Could not resolve to an issue or pull request with the number of {number}.")
        return {"number": number}

    def _one(self, number: int, *, wide: bool) -> Json | Exception | None:
        pull = self.pulls.get(number)
        if pull is None:
            raise Complaint("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self._node(pull, wide=wide)

    def _connection(self, arguments: Json, *, wide: bool) -> Json:
        field = arguments["orderBy"]["field"]
        try:
            if arguments["orderBy"]["direction"] == "DESC":
                stretch = self.pulls.page_before(field, arguments["first"], None)  # only the newest are asked for so
            elif "last" in arguments:
                stretch = self.pulls.page_before(field, arguments["last"], arguments.get("before"))
            else:
                stretch = self.pulls.page_after(field, arguments["first"], arguments.get("after"))
        except ValueError:
            cursor = arguments.get("after") or arguments.get("before")
            raise Complaint("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.") from None
        return self._page(stretch, wide=wide)

    def _page(self, stretch: Stretch, *, wide: bool) -> Json:
        nodes = [self._node(pull, wide=wide) for pull in stretch.pulls]
        return {
            "totalCount": stretch.total,
            "pageInfo": {
                "hasNextPage": stretch.has_next,
                "hasPreviousPage": stretch.has_previous,
                "startCursor": stretch.cursors[0] if stretch.cursors else None,
                "endCursor": stretch.cursors[-1] if stretch.cursors else None,
            },
            "nodes": nodes,
            "edges": [{"cursor": cursor, "node": node} for cursor, node in zip(stretch.cursors, nodes, strict=True)],
        }

    def _node(self, pull: PullRequest, *, wide: bool) -> Json | Exception | None:
        lists = {items: _paged(nodes, items) for items, nodes in graphql_lists(pull).items()}
        node = graphql_pull_request(pull) | lists
        return self.spoil(pull, node) if wide else node

    def _by_id(self, info: Info, id: str) -> Json | Exception | None:  # noqa: A002 - GitHub's own word
        pull = next((pull for pull in self.pulls.all() if pull.node_id == id), None)
        if pull is None:
            raise Complaint("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'.")
        wide = info.operation.name is not None and info.operation.name.value in WIDE
        return self._node(pull, wide=wide)


def _paged(nodes: list[Json], items: PullItems) -> Callable[..., Json]:
    """A list inside a pull request gives no more than it is asked for, and no more than 100."""

    def resolve(_info: Info, first: int, after: str | None = None, **_: object) -> Json:
        if first > MOST_ITEMS:
            raise Complaint("EXCESSIVE_PAGINATION", f"Requesting {first} records exceeds the `first` limit of 100.")
        try:
            return list_page(nodes, items, first, after)
        except ValueError:
            raise Complaint("INVALID_CURSOR_ARGUMENTS", f"`{after}` does not appear to be a valid cursor.") from None

    return resolve


@lru_cache(maxsize=64)
def _checked(schema: GraphQLSchema, text: str) -> tuple[DocumentNode, tuple[str, ...]]:
    document = parse(text)
    return document, tuple(error.message for error in validate(schema, document))


def _worded(error: GraphQLError) -> Json:
    worded: Json = {"message": error.message}
    if error.path is not None:
        worded["path"] = list(error.path)
    if isinstance(error.original_error, Complaint):
        worded["type"] = error.original_error.kind
    return worded
