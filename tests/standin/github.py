"""The stand-in GitHub: REST, GraphQL and git over loopback HTTP for one repository, with renames, tokens and faults.

It takes its list of pull requests from memory (which may change while it is read) or from a git repository's pull refs.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphql import GraphQLSchema

from jobs.demo_upstream import DemoGitHub
from jobs.demo_upstream.github import LIMITS
from jobs.demo_upstream.payloads import Json
from jobs.demo_upstream.rest_payloads import rest_file, rest_issue, rest_pull_request_alone
from jobs.demo_upstream.server import Reply, Request
from tests.standin.execution import GraphQLSide
from tests.standin.faults import FaultKind, FaultScript
from tests.standin.git_http import answer_git
from tests.standin.openapi import problems
from tests.standin.schema import cut_schema
from tests.standin.spoiling import spoil
from tracker.numbers import NumberKind
from tracker.upstream import PullRequest

TOKEN = "ghs_standin"


class StandinGitHub(DemoGitHub):
    """One repository as GitHub serves it; everything about it may be changed between two requests."""

    def __init__(
        self,
        git_dir: Path,
        slug: str = "octo/engine",
        pulls: Iterable[PullRequest] = (),
        *,
        schema: GraphQLSchema | None = None,
        faults: FaultScript | None = None,
        enterprise: bool = False,
    ) -> None:
        """Serve nothing yet.

        Args:
            enterprise: at the addresses of GitHub Enterprise: REST under /api/v3, GraphQL at /api/graphql.
        """
        super().__init__(git_dir, slug, pulls)
        self.enterprise = enterprise
        self.faults = faults or FaultScript()
        self.log: list[str] = []
        """Each request as `METHOD path?query operation`."""
        self.problems: list[str] = []
        """What GitHub's own description finds wrong with the REST answers given, before any fault spoils them."""
        self.sizes: list[int] = []
        """Of the pages of pull requests asked for."""
        self.last_request: Request
        self.clock: Callable[[], datetime] = lambda: datetime.now(UTC)
        self.before_answer: Callable[[str], None] = lambda _description: None
        """Called before each request is answered: the place to change the world between two pages."""
        self.tokens = {TOKEN}
        self.installation_tokens = 0
        self.budget: dict[str, int] = {}
        """What remains of a bucket, where a test sets it."""
        self.former_slugs: set[str] = set()
        self.spoilt: dict[int, Callable[[Json], Json | Exception | None]] = {}
        """What stands in the place of a pull request, by number, when all its fields are asked for."""
        self.numbers: dict[int, NumberKind] = {}
        """What stands under numbers that are no pull requests; nothing where nothing is said: 404."""
        self.releases: list[Json] = []
        """As REST lists them."""
        self.breaking: set[int] = set()
        """Pull requests whose presence, with all their fields, makes an answer time out."""
        self.too_heavy_from: int | None = None
        """GraphQL pages as large as this time out."""
        self._graphql = GraphQLSide(
            schema=schema or cut_schema(),
            pulls=self.pulls,
            facts=lambda: self.facts,
            answers_to=self._answers_to,
            numbers=self.numbers,
            spoil=self._spoil,
        )

    @property
    def api_url(self) -> str:
        return f"{self._server.url}/api/v3" if self.enterprise else self._server.url

    @property
    def git_url(self) -> str:
        """What TRACKER_GIT_URL is set to."""
        return f"{self._server.url}/git"

    def now(self) -> datetime:
        return self.clock().replace(microsecond=0)

    def remaining(self, bucket: str) -> int:
        return self.budget[bucket] if bucket in self.budget else super().remaining(bucket)

    def rename(self, slug: str) -> None:
        """Give the repository a new name; the old one redirects."""
        self.former_slugs.add(self.facts.slug)
        self.facts = replace(self.facts, slug=slug)

    def requests(self, pattern: str = "") -> list[str]:
        """Return the requests that match a regular expression, in their order."""
        return [line for line in self.log if re.search(pattern, line)]

    def answer(self, request: Request) -> Reply:
        if self.enterprise:
            under = re.fullmatch(r"/api/v3(/.*)|/api(/graphql)|(/git/.*)", request.path)
            path = next((part for part in under.groups() if part), "") if under is not None else "/not-there"
            request = replace(request, path=path)
        question = json.loads(request.body) if request.path == "/graphql" else None
        target = f"{request.path}?{request.query_string}" if request.query_string else request.path
        description = f"{request.method} {target} {question['operationName'] if question else ''}".strip()
        self.log.append(description)
        if question and question["operationName"] == "PullRequests":
            self.sizes.append(question["variables"]["first"])
        self.last_request = request
        self.before_answer(description)
        fault = self.faults.hit(description, graphql=question is not None)
        good = self._good_answer(request, question)
        if question is None and not request.path.startswith("/git/"):
            self.problems += problems(request.method, request.path, good.status, b"".join(good.chunks))
        return good if fault is None else spoil(fault, request, good, self.api_url)

    def graphql(self, question: dict[str, Any]) -> tuple[int, object]:
        size = question["variables"].get("first") or 0
        heavy = self.too_heavy_from is not None and size >= self.too_heavy_from
        if heavy and question["operationName"] == "PullRequests":
            return 2, None
        self._broken = False
        executed = self._graphql.execute(question, self.remaining("graphql"))
        return executed.points, None if self._broken else executed.payload

    def rest(self, request: Request) -> Reply:
        """Answer what the demonstration's GitHub does not know, and leave the rest to it."""
        moved = next((old for old in self.former_slugs if re.match(rf"/repos/{old}(/|$)", request.path)), None)
        if moved is not None:
            return self._moved(301, request, moved)
        repository = rf"/(?:repos/{re.escape(self.facts.slug)}|repositories/{self.facts.github_id})"
        one = re.fullmatch(rf"{repository}/pulls/(\d+)(/files)?", request.path)
        if one is not None:
            return self._one_pull(int(one[1]), request, files=one[2] is not None)
        issue = re.fullmatch(rf"{repository}/issues/(\d+)", request.path)
        if issue is not None:
            return self._one_issue(int(issue[1]), request)
        if re.fullmatch(f"{repository}/releases", request.path):
            return self.page_reply(self.releases, request)
        if request.path == "/rate_limit":
            return self.json_reply(self._rate_limits())
        return super().rest(request)

    def _good_answer(self, request: Request, question: dict[str, Any] | None) -> Reply:
        git = re.fullmatch(r"/git/(?P<slug>[^/]+/[^/]+)\.git(?P<rest>/.*)", request.path)
        if git is not None:
            if not self._answers_to(git["slug"]):
                return self.json_reply({"message": "Not Found"}, status=404)
            return answer_git(request, self.git_dir, git["rest"])
        if request.path.startswith("/app/installations/"):
            return self._installation_token()
        if request.headers.get("authorization", "").partition(" ")[2] not in self.tokens:
            return self.json_reply({"message": "Bad credentials"}, status=401)
        if question is None:
            return self.rest(request)
        points, payload = self.graphql(question)
        self.spend("graphql", points)
        good = self.json_reply(payload, bucket="graphql")
        return good if payload is not None else spoil(FaultKind.BAD_GATEWAY, request, good, self.api_url)

    def _rate_limits(self) -> Json:
        def bucket(name: str) -> Json:
            remaining = self.remaining(name)
            used = max(0, LIMITS[name] - remaining)
            return {"limit": LIMITS[name], "remaining": remaining, "reset": int(self.now().timestamp()), "used": used}

        resources = {"core": bucket("core"), "graphql": bucket("graphql"), "search": bucket("core")}
        return {"resources": resources, "rate": resources["core"]}

    def _installation_token(self) -> Reply:
        self.installation_tokens += 1
        token = f"ghs_installation_{self.installation_tokens}"
        self.tokens.add(token)
        expires = self.now() + timedelta(hours=1)
        return self.json_reply({"token": token, "expires_at": f"{expires:%Y-%m-%dT%H:%M:%SZ}"}, status=201)

    def _one_pull(self, number: int, request: Request, *, files: bool) -> Reply:
        pull = self.pulls.get(number)
        if pull is None:
            return self.json_reply({"message": "Not Found"}, status=404)
        if files:
            root = f"{self.api_url}/repos/{self.facts.slug}"
            return self.page_reply([rest_file(file, root) for file in pull.files], request)
        return self.list_reply(rest_pull_request_alone(pull, self.facts, self.api_url), request)

    def _one_issue(self, number: int, request: Request) -> Reply:
        kind = NumberKind.PULL_REQUEST if self.pulls.get(number) is not None else self.numbers.get(number)
        repository = f"{self.api_url}/repos/{self.facts.slug}"
        match kind:
            case NumberKind.DELETED:
                return self.json_reply({"message": "This issue was deleted"}, status=410)
            case NumberKind.TRANSFERRED:
                repository, number = f"{self.api_url}/repos/octo/elsewhere", number + 1000
            case NumberKind.ISSUE | NumberKind.PULL_REQUEST:
                pass
            case _:
                return self.json_reply({"message": "Not Found"}, status=404)
        return self.list_reply(rest_issue(number, repository, pull=kind is NumberKind.PULL_REQUEST), request)

    def _spoil(self, pull: PullRequest, node: Json) -> Json | Exception | None:
        self._broken |= pull.number in self.breaking
        return self.spoilt[pull.number](node) if pull.number in self.spoilt else node

    def _answers_to(self, slug: str) -> bool:
        return slug.lower() in {name.lower() for name in (self.facts.slug, *self.former_slugs)}

    def _moved(self, status: int, request: Request, old: str) -> Reply:
        path = request.path.replace(f"/repos/{old}", f"/repositories/{self.facts.github_id}")
        query = f"?{request.query_string}" if request.query_string else ""
        url = f"{self.api_url}{path}{query}"
        return self.json_reply({"message": "Moved", "url": url}, status=status, headers={"Location": url})
