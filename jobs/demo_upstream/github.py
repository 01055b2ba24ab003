"""A GitHub in miniature for the demonstration: a repository, its pull requests, and the queries this product sends.

GraphQL is not interpreted: an operation is known by its name in `tracker.sources.github_queries`, and answered with
every field that its document asks for. The tests' stand-in builds on this one and executes GitHub's real schema.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import unquote, urlencode

from jobs.demo_upstream.git_objects import list_references, read_commit, read_tag
from jobs.demo_upstream.payloads import (
    MOST_ITEMS,
    graphql_lists,
    graphql_pull_request,
    graphql_repository,
    items_of_cursor,
    list_page,
    numeric_id,
)
from jobs.demo_upstream.pull_list import PullList, Stretch
from jobs.demo_upstream.rest_payloads import rest_pull_request, rest_repository
from jobs.demo_upstream.server import LoopbackServer, Reply, Request
from tracker.sources.github_queries import POINTS_PER_HOUR
from tracker.upstream import PullRequest, PullRequestState, RepositoryFacts

LIMITS = {"core": 5_000, "graphql": POINTS_PER_HOUR}
"""What an hour holds, by bucket."""


class DemoGitHub:
    """Serves one repository while the context lasts; `pulls` may change meanwhile."""

    def __init__(self, git_dir: Path, slug: str, pulls: Iterable[PullRequest] = ()) -> None:
        """Serve nothing yet.

        Args:
            git_dir: a repository, bare or not, that gives the default branch and the tags.
            slug: owner/name.
        """
        self.git_dir = git_dir
        self.facts = RepositoryFacts(github_id=numeric_id(slug), slug=slug, default_branch=_default_branch(git_dir))
        self.pulls = PullList(pulls)
        self.used: Counter[tuple[str, datetime]] = Counter()
        """Requests and points by bucket and hour."""
        self._server = LoopbackServer(self.answer)

    @property
    def api_url(self) -> str:
        """What TRACKER_GITHUB_URL is set to while it serves."""
        return self._server.url

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, traceback)

    def now(self) -> datetime:
        """Return the server's time, whole seconds, UTC."""
        return datetime.now(UTC).replace(microsecond=0)

    def spend(self, bucket: str, amount: int) -> None:
        """Count requests (bucket `core`) or points (`graphql`) of the present hour."""
        self.used[bucket, self._hour()] += amount

    def remaining(self, bucket: str) -> int:
        """Return what is left of the present hour."""
        return max(0, LIMITS[bucket] - self.used[bucket, self._hour()])

    def answer(self, request: Request) -> Reply:
        """Return the reply to one request."""
        if request.method == "POST" and request.path == "/graphql":
            question = json.loads(request.body)
            points, payload = self.graphql(question)
            self.spend("graphql", points)
            return self.json_reply(payload, bucket="graphql")
        return self.rest(request)

    def graphql(self, question: dict[str, Any]) -> tuple[int, object]:
        """Return the points a question costs, and the answer to it."""
        variables = question["variables"]
        repository = graphql_repository(self.facts)
        match question["operationName"]:
            case "PullRequests" | "NumbersAfter":
                stretch = self.pulls.page_after(variables["field"], variables["first"], variables["after"])
                repository["pullRequests"] = _connection(stretch)
            case "EdgesBefore":
                stretch = self.pulls.page_before("UPDATED_AT", variables["last"], variables["before"])
                repository["pullRequests"] = _connection(stretch)
            case "PullRequest":
                pull = self.pulls.get(variables["number"])
                repository["pullRequest"] = graphql_pull_request(pull) if pull is not None else None
            case "Totals":
                numbers = [{"number": pull.number} for pull in self.pulls.all()]
                repository["pullRequests"] = {"totalCount": len(numbers), "nodes": numbers[-1:]}
            case "KindsOf":
                known = {pull.number for pull in self.pulls.all()}
                asked = [(name[1:], number) for name, number in variables.items() if name.startswith("n") and number]
                repository |= {
                    f"either{index}": {"__typename": "PullRequest"} if number in known else None
                    for index, number in asked
                    if index.isdecimal()
                }
            case "MoreItems":
                return 1, {"data": {"rateLimit": {"cost": 1}, **self._more(variables)}}
            case operation:
                return 1, {"errors": [{"message": f"the demonstration does not know the operation {operation}"}]}
        rate = {"cost": 1, "remaining": self.remaining("graphql") - 1}
        return 1, {"data": {"rateLimit": rate, "repository": repository}}

    def rest(self, request: Request) -> Reply:
        """Return the reply to a GET."""
        roots = (f"/repos/{self.facts.slug}", f"/repositories/{self.facts.github_id}")
        root = next((root for root in roots if request.path == root or request.path.startswith(f"{root}/")), None)
        if root is None:
            return self.json_reply({"message": "Not Found"}, status=404)
        match request.path.removeprefix(root):
            case "":
                return self.list_reply(rest_repository(self.facts, self.api_url), request)
            case "/pulls":
                return self.page_reply(self._rest_pulls(request), request)
            case path if path.startswith("/git/"):
                return self._git_object(path.removeprefix("/git/"), request)
            case "/releases":
                return self.page_reply([], request)
            case _:
                return self.json_reply({"message": "Not Found"}, status=404)

    def page_reply(self, items: list[Any], request: Request) -> Reply:
        """Return a page of a list, with Link headers that name the repository by number, as GitHub's do."""
        size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
        pages = max(1, -(-len(items) // size))
        path = request.path.replace(f"/repos/{self.facts.slug}", f"/repositories/{self.facts.github_id}")
        named = {"prev": page - 1, "next": page + 1, "last": pages, "first": 1}
        links = [
            f'<{self.api_url}{path}?{urlencode({**request.query, "page": number})}>; rel="{name}"'
            for name, number in named.items()
            if 1 <= number <= pages and (number > page if name in ("next", "last") else page > 1)
        ]
        reply = items[(page - 1) * size : page * size]
        return self.list_reply(reply, request, {"Link": ", ".join(links)} if links else {})

    def list_reply(self, payload: object, request: Request, headers: dict[str, str] | None = None) -> Reply:
        """Return an answer with an ETag, or 304 without a body where the asker has it; that one is not counted."""
        etag = f'W/"{sha256(json.dumps(payload).encode()).hexdigest()}"'
        if request.headers.get("if-none-match") == etag:
            return self.json_reply(None, status=304, headers={"ETag": etag})
        self.spend("core", 1)
        return self.json_reply(payload, headers={"ETag": etag, **(headers or {})})

    def json_reply(
        self, payload: object, *, status: int = 200, bucket: str = "core", headers: dict[str, str] | None = None
    ) -> Reply:
        """Return a reply with the headers that all of GitHub's answers have."""
        body = json.dumps(payload).encode() if status != 304 else b""
        usual = {
            "Date": format_datetime(self.now(), usegmt=True),
            "Content-Type": "application/json; charset=utf-8",
            "X-RateLimit-Limit": str(LIMITS[bucket]),
            "X-RateLimit-Remaining": str(self.remaining(bucket)),
            "X-RateLimit-Reset": str(int((self._hour() + timedelta(hours=1)).timestamp())),
            "X-RateLimit-Resource": bucket,
        }
        return Reply(status=status, headers=usual | (headers or {}), chunks=(body,), length=len(body))

    def _more(self, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the next stretch of each list asked for; its cursor says which list it is."""
        found: dict[str, Any] = {}
        pulls = {pull.node_id: pull for pull in self.pulls.all()}
        for name, after in variables.items():
            if name.startswith("after"):
                index, items = name.removeprefix("after"), items_of_cursor(after)
                nodes = graphql_lists(pulls[variables[f"id{index}"]])[items]
                found[f"list{index}"] = {items: list_page(nodes, items, MOST_ITEMS, after)}
        return found

    def _git_object(self, path: str, request: Request) -> Reply:
        """Return references by the beginning of their name, a tag that is an object, or a commit."""
        root = f"{self.api_url}/repos/{self.facts.slug}/git"
        kind, _, rest = path.partition("/")
        match kind:
            case "matching-refs":
                return self.page_reply(list_references(self.git_dir, f"refs/{unquote(rest)}", root), request)
            case "tags":
                found = read_tag(self.git_dir, rest, root)
            case "commits":
                found = read_commit(self.git_dir, rest, root)
            case _:
                found = None
        return self.list_reply(found, request) if found is not None else self.json_reply({}, status=404)

    def _hour(self) -> datetime:
        return self.now().replace(minute=0, second=0)

    def _rest_pulls(self, request: Request) -> list[Any]:
        wanted = request.query.get("state", "open")
        pulls = [
            pull
            for pull in self.pulls.all()
            if wanted == "all" or (pull.state is PullRequestState.OPEN) == (wanted == "open")
        ]
        by_update = request.query.get("sort") == "updated"
        pulls.sort(key=lambda pull: (pull.updated_at if by_update else pull.created_at, pull.number))
        # GitHub's default is descending by creation, ascending by anything else.
        if request.query.get("direction", "asc" if by_update else "desc") == "desc":
            pulls.reverse()
        return [rest_pull_request(pull, self.facts, self.api_url) for pull in pulls]


def _connection(stretch: Stretch) -> dict[str, Any]:
    nodes = [graphql_pull_request(pull) for pull in stretch.pulls]
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


def _default_branch(git_dir: Path) -> str | None:
    return _git(git_dir, "symbolic-ref", "--short", "HEAD").strip() or None


def _git(git_dir: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(git_dir), *arguments], check=True, capture_output=True, text=True, errors="replace"
    )
    return done.stdout
