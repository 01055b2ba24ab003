"""Reading the list of pull requests page by page, with pages as large as GitHub can bear, and no hole passed over.

A page that is too heavy is asked for again by halves. A page with null items or errors is not done: what it lacks is
asked for one by one, and what cannot be had alone either is returned as unserved, with the reason, while GitHub is
otherwise alive; when it is not, the page fails as a whole and is asked for another time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tracker.errors import NotServed, PayloadError, UpstreamError, UpstreamUnavailable
from tracker.sources.github_answers import (
    NumbersAnswer,
    Opening,
    PullRequestsAnswer,
    parse_edges,
    parse_numbers,
    parse_one_pull_request,
    parse_opening,
    parse_pull_requests,
    parse_repository,
)
from tracker.sources.github_client import Answer, GitHubClient, QueryTooHeavy, ServerFailure
from tracker.sources.github_queries import (
    EDGES,
    EDGES_BEFORE,
    LARGEST_PAGE,
    NUMBERS_AFTER,
    PULL_REQUEST,
    PULL_REQUESTS,
    Query,
)
from tracker.upstream import PullRequest, RepositoryFacts


class Order(StrEnum):
    """What the list is sorted by, oldest first."""

    CREATED = "CREATED_AT"
    """It never changes: paging over it loses nothing."""
    UPDATED = "UPDATED_AT"
    """What is updated between two pages moves behind the reader and is met again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unserved:
    """A pull request that GitHub does not give."""

    key: str
    """Its number; or the order and the cursor it stands behind, where GitHub does not even say its number."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PullsPage:
    """A stretch of the list, complete but for `unserved`."""

    repository: RepositoryFacts
    pulls: tuple[PullRequest, ...]
    unserved: tuple[Unserved, ...]
    total: int
    """Of the whole list, as GitHub counts now."""
    end_cursor: str | None
    """Where the list goes on; None: the page is empty."""
    has_next: bool
    served_at: datetime | None
    """The server's time."""
    next_size: int
    """How large a page to ask for next."""


class CursorRefused(UpstreamError):
    """GitHub does not know a cursor that it gave, any more."""


def read_page(client: GitHubClient, slug: str, order: Order, after: str | None, size: int) -> PullsPage:
    """Return the page behind a cursor (None: the first).

    Args:
        size: how many to ask for; fewer come where GitHub cannot bear so many.

    Raises:
        CursorRefused: start again from where a cursor is not needed.
        NotServed: there is no such repository, or the credentials may not see it.
        AuthenticationFailed, PayloadError, RateLimited, UpstreamUnavailable: as they say.
    """
    page = _Page(client, slug, order, after)
    while size > 1:
        read = page.read(size)
        if read is not None:
            return read
        size //= 2
    return page.read(1) or page.read_without_list()


def read_one(client: GitHubClient, slug: str, number: int) -> PullRequest | Unserved:
    """Return one pull request, or why GitHub does not give it.

    Raises:
        AuthenticationFailed, RateLimited, UpstreamUnavailable: GitHub gives nothing at all.
    """
    try:
        answer = client.ask(PULL_REQUEST, _named(slug, number=number))
        if answer.errors:
            return Unserved(key=str(number), reason=answer.errors[0].message or answer.errors[0].kind)
        return parse_one_pull_request(answer.payload)
    except (QueryTooHeavy, ServerFailure, NotServed, PayloadError) as error:
        check_alive(client, slug)
        return Unserved(key=str(number), reason=str(error))


def check_alive(client: GitHubClient, slug: str) -> None:
    """Ask the least that can be asked of a list; raises what keeps GitHub from answering it."""
    parse_numbers(client.ask(NUMBERS_AFTER, _named(slug, field=Order.CREATED, first=1, after=None)).payload)


def find_start(client: GitHubClient, slug: str, time: datetime) -> str | None:
    """Return the cursor behind which everything updated at or after a time stands; None: the list's beginning.

    What is updated meanwhile moves behind the cursor too, so that walking back loses nothing.
    """
    before: str | None = None
    while True:
        answer = parse_edges(client.ask(EDGES_BEFORE, _named(slug, last=EDGES, before=before)).payload)
        earlier = [edge.cursor for edge in answer.edges if edge.updated_at is not None and edge.updated_at < time]
        if earlier:
            return earlier[-1]
        if not answer.has_previous or answer.start_cursor is None:
            return None
        before = answer.start_cursor


def read_opening(client: GitHubClient, slug: str) -> Opening:
    """Return which repository answers to a name and what was updated last in it.

    It is asked by REST, which costs nothing while the answer stays the same.
    """
    asked: dict[str, str | int] = {"state": "all", "sort": "updated", "direction": "desc", "per_page": 1}
    answer = client.get(f"/repos/{slug}/pulls", asked)
    return parse_opening(answer.payload, answer.served_at)


def fetch_repository_by_id(client: GitHubClient, github_id: int) -> RepositoryFacts:
    """Return what GitHub says of the repository with a numeric id, whatever it is called now."""
    return parse_repository(client.get(f"/repositories/{github_id}").payload)


class _Page:
    """One page, asked for in several ways."""

    def __init__(self, client: GitHubClient, slug: str, order: Order, after: str | None) -> None:
        self._client = client
        self._slug = slug
        self._order = order
        self._after = after

    def read(self, size: int) -> PullsPage | None:
        """Return the page; None when GitHub cannot bear this size."""
        try:
            answer = self._ask(PULL_REQUESTS, size)
        except QueryTooHeavy:
            return None
        except ServerFailure:
            # One pull request may fail the whole page for ever; but when GitHub is down, this says so at once.
            check_alive(self._client, self._slug)
            return None
        try:
            page = parse_pull_requests(answer.payload)
        except PayloadError:
            # The list itself is missing or cut off.
            return None
        if page.has_next and page.end_cursor in (None, self._after):
            raise UpstreamUnavailable(f"GitHub says that the list of {self._slug} goes on, and not from where")
        if not page.holes:
            return self._whole(page, answer, size)
        return self._filled(page, answer, size)

    def read_without_list(self) -> PullsPage:
        """Return the page of one pull request that cannot be read as a page: by its number."""
        answer = self._ask(NUMBERS_AFTER, 1)
        numbers = parse_numbers(answer.payload)
        pulls, unserved = self._one_by_one(numbers, set())
        return PullsPage(
            repository=numbers.repository,
            pulls=tuple(pulls),
            unserved=tuple(unserved),
            total=numbers.total,
            end_cursor=numbers.end_cursor,
            has_next=numbers.has_next,
            served_at=answer.served_at,
            next_size=1,
        )

    def _ask(self, query: Query, size: int) -> Answer:
        answer = self._client.ask(query, _named(self._slug, field=self._order, first=size, after=self._after))
        if answer.errors:
            _raise_meaning(answer, self._slug)
        return answer

    def _whole(self, page: PullRequestsAnswer, answer: Answer, size: int) -> PullsPage:
        return PullsPage(
            repository=page.repository,
            pulls=page.pulls,
            unserved=(),
            total=page.total,
            end_cursor=page.end_cursor,
            has_next=page.has_next,
            served_at=answer.served_at,
            next_size=min(LARGEST_PAGE, size + max(1, size // 4)),
        )

    def _filled(self, page: PullRequestsAnswer, answer: Answer, size: int) -> PullsPage | None:
        """Ask one by one for what the page lacks; None where it lacks so much that a smaller page is the better way."""
        if size > 1 and len(page.holes) > max(1, len(page.pulls)):
            return None
        numbers = parse_numbers(self._ask(NUMBERS_AFTER, size).payload)
        if numbers.nulls and size > 1:
            return None
        pulls, unserved = self._one_by_one(numbers, {pull.number for pull in page.pulls})
        return PullsPage(
            repository=page.repository,
            pulls=(*page.pulls, *pulls),
            unserved=tuple(unserved),
            total=page.total,
            end_cursor=page.end_cursor,
            has_next=page.has_next,
            served_at=answer.served_at,
            next_size=size,
        )

    def _one_by_one(self, numbers: NumbersAnswer, known: set[int]) -> tuple[list[PullRequest], list[Unserved]]:
        """What has moved away since the page was read is met again further on; what has moved here is read too."""
        missing = [number for number in numbers.numbers if number not in known]
        read = [read_one(self._client, self._slug, number) for number in missing]
        pulls = [one for one in read if isinstance(one, PullRequest)]
        unserved = [one for one in read if isinstance(one, Unserved)]
        if numbers.nulls:
            unserved.append(self._nameless(numbers))
        return pulls, unserved

    def _nameless(self, numbers: NumbersAnswer) -> Unserved:
        if numbers.end_cursor is None:
            raise UpstreamUnavailable(f"GitHub lists a pull request of {self._slug} and says nothing of it at all")
        return Unserved(key=f"{self._order} after {self._after}"[:100], reason="GitHub does not even give its number")


def _named(slug: str, **variables: str | int | None) -> Mapping[str, str | int | None]:
    owner, _, name = slug.partition("/")
    return {"owner": owner, "name": name, **variables}


def _raise_meaning(answer: Answer, slug: str) -> None:
    """Raise what the errors of an answer say of the whole question; errors about single items are left."""
    for error in answer.errors:
        if error.kind == "NOT_FOUND" and error.path == ("repository",):
            raise NotServed(404, slug, error.message or "no such repository")
        if error.kind == "INVALID_CURSOR_ARGUMENTS" or "valid cursor" in error.message:
            raise CursorRefused(f"GitHub refuses the cursor for {slug}: {error.message}")
