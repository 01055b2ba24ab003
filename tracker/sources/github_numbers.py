"""What stands under the numbers of a repository, asked of GitHub a hundred at a time, and the odd ones one by one."""

from collections.abc import Sequence
from dataclasses import dataclass

from tracker.errors import NotServed, PayloadError
from tracker.numbers import NumberKind
from tracker.sources.github_answers import parse_errors
from tracker.sources.github_client import GitHubClient, QueryTooHeavy, ServerFailure
from tracker.sources.github_payloads import graphql_repository
from tracker.sources.github_pulls import check_alive
from tracker.sources.github_queries import TOTALS, kinds_of
from tracker.sources.json_objects import JsonObject
from tracker.upstream import RepositoryFacts

NUMBERS_AT_ONCE = 100
_GONE, _MOVED, _NOT_FOUND = 410, 301, 404
_KINDS = {"PullRequest": NumberKind.PULL_REQUEST, "Issue": NumberKind.ISSUE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How many numbers a repository has given out."""

    repository: RepositoryFacts
    highest: int
    """0: none."""
    pulls: int
    issues: int
    discussions: int


def read_totals(client: GitHubClient, slug: str) -> Totals:
    """Return what GitHub counts.

    Raises:
        NotServed: there is no such repository.
        AuthenticationFailed, PayloadError, RateLimited, UpstreamUnavailable: as they say.
    """
    owner, _, name = slug.partition("/")
    answer = client.ask(TOTALS, {"owner": owner, "name": name})
    if any(error.path == ("repository",) for error in answer.errors):
        raise NotServed(_NOT_FOUND, slug, answer.errors[0].message or "no such repository")
    repository = _repository(answer.payload)
    lists = [repository.inner_or_none(each) for each in ("pullRequests", "issues", "discussions")]
    counts = [one.whole("totalCount") if one is not None else 0 for one in lists]
    newest = [one.objects("nodes") if one is not None else [] for one in lists]
    return Totals(
        repository=graphql_repository(repository),
        highest=max((node.whole("number") for nodes in newest for node in nodes), default=0),
        pulls=counts[0],
        issues=counts[1],
        discussions=counts[2],
    )


def read_kinds(client: GitHubClient, slug: str, numbers: Sequence[int]) -> dict[int, NumberKind | None]:
    """Return what stands under each number; None: nothing that GraphQL shows, to be asked for by `read_kind`.

    Raises:
        AuthenticationFailed, RateLimited, UpstreamUnavailable: GitHub gives nothing at all.
    """
    owner, _, name = slug.partition("/")
    variables: dict[str, str | int | None] = {"owner": owner, "name": name}
    variables |= {f"n{index}": number for index, number in enumerate(numbers)}
    try:
        answer = client.ask(kinds_of(len(numbers)), variables)
        repository = _repository(answer.payload)
    except (QueryTooHeavy, ServerFailure, PayloadError):
        check_alive(client, slug)
        if len(numbers) == 1:
            return {numbers[0]: None}
        half = len(numbers) // 2
        return read_kinds(client, slug, numbers[:half]) | read_kinds(client, slug, numbers[half:])
    failed = {
        error.path[1] for error in parse_errors(answer.payload) if error.kind != "NOT_FOUND" and len(error.path) > 1
    }
    return {
        number: _kind(repository, index) if f"either{index}" not in failed else None
        for index, number in enumerate(numbers)
    }


def read_kind(client: GitHubClient, slug: str, number: int) -> NumberKind:
    """Return what REST says of one number that GraphQL shows nothing under.

    Raises:
        AuthenticationFailed, PayloadError, RateLimited, UpstreamUnavailable: as they say.
    """
    try:
        payload = client.get(f"/repos/{slug}/issues/{number}", keep=False).payload
    except NotServed as error:
        return {_GONE: NumberKind.DELETED, _MOVED: NumberKind.TRANSFERRED}.get(error.status, NumberKind.ABSENT)
    issue = JsonObject(payload, "issue")
    there = issue.text("repository_url").lower().endswith(f"/repos/{slug.lower()}")
    if issue.whole("number") != number or not there:
        return NumberKind.TRANSFERRED
    return NumberKind.PULL_REQUEST if issue.has("pull_request") else NumberKind.ISSUE


def _kind(repository: JsonObject, index: int) -> NumberKind | None:
    either = repository.inner_or_none(f"either{index}")
    if either is not None:
        return _KINDS.get(either.text("__typename"))
    return NumberKind.DISCUSSION if repository.has(f"talk{index}") else None


def _repository(payload: object) -> JsonObject:
    return JsonObject(payload, "answer").inner("data").inner("repository")
