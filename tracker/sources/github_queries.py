"""The GraphQL documents this product sends to GitHub, and what they cost by GitHub's documented formula.

The formula and its limits: https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
A query states its connections beside its document, so that its price is known before it is sent; a test reads both and
compares them. Mail addresses are never asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from tracker.upstream import PullItems

POINTS_PER_HOUR = 5_000
NODE_LIMIT = 500_000
LARGEST_PAGE = 29
"""With the five lists of each, 29 pull requests cost one point and 30 cost two, as GitHub rounds. Wide pages of 100
fail anyway: null nodes, or a timeout that costs extra points (spiceai#13762)."""
ITEMS = 100
"""Of each list of a pull request at once: the most that GitHub gives."""
REMAINDERS_AT_ONCE = 25
"""Lists that go on and are read together: one point."""
EDGES = 100
"""Of the short form: cursors and times only."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A list in a query: how many of its items are asked for, and the lists inside each item."""

    name: str
    first: int
    inside: tuple["Connection", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One named operation."""

    operation: str
    document: str


def requests_of(connection: Connection) -> int:
    """Return how many single lists GitHub fills to answer a connection: itself once, and those inside for each item."""
    return 1 + connection.first * sum(requests_of(inner) for inner in connection.inside)


def nodes_of(connection: Connection) -> int:
    """Return the most items that an answer can hold."""
    return connection.first * (1 + sum(nodes_of(inner) for inner in connection.inside))


def points_of(*connections: Connection) -> int:
    """Return a query's price in points: the lists to fill by the hundred, rounded, at least one."""
    return max(1, floor(sum(map(requests_of, connections)) / 100 + 0.5))


def page_connection(first: int) -> Connection:
    """Return what `PULL_REQUESTS` asks for with a page of `first`."""
    return Connection("pullRequests", first, one_connections())


def one_connections() -> tuple[Connection, ...]:
    """Return what `PULL_REQUEST` asks for."""
    return tuple(Connection(items, ITEMS) for items in PullItems)


_ACCOUNT = """
fragment Account on Actor {
  __typename
  login
  ... on User { databaseId company }
  ... on Bot { databaseId }
  ... on Mannequin { databaseId }
  ... on Organization { databaseId }
}
"""

_SELECTED = {
    PullItems.LABELS: "name",
    PullItems.REVIEWS: "id state submittedAt authorAssociation author { ...Account }",
    PullItems.COMMENTS: "id createdAt author { login } body",
    PullItems.FILES: "path changeType additions deletions",
    PullItems.ISSUES: "number repository { nameWithOwner }",
}


def _list(items: PullItems, after: str = "") -> str:
    page = "totalCount pageInfo { hasNextPage endCursor }"
    return f"{items}(first: {ITEMS}{after}) {{ {page} nodes {{ {_SELECTED[items]} }} }}"


_WHOLE = (
    f"""
fragment Whole on PullRequest {{
  id
  number
  title
  body
  state
  isDraft
  author {{ ...Account }}
  authorAssociation
  createdAt
  updatedAt
  closedAt
  mergedAt
  baseRefName
  headRefName
  headRefOid
  mergeCommit {{ oid }}
  additions
  deletions
  changedFiles
  reviewDecision
  {
        '''
  '''.join(map(_list, PullItems))
    }
}}
"""
    + _ACCOUNT
)

_REPOSITORY = "databaseId nameWithOwner defaultBranchRef { name }"

PULL_REQUESTS = Query(
    operation="PullRequests",
    document=f"""
query PullRequests($owner: String!, $name: String!, $field: IssueOrderField!, $first: Int!, $after: String) {{
  rateLimit {{ cost remaining }}
  repository(owner: $owner, name: $name) {{
    {_REPOSITORY}
    pullRequests(first: $first, after: $after, orderBy: {{field: $field, direction: ASC}}) {{
      totalCount
      pageInfo {{ hasNextPage endCursor }}
      nodes {{ ...Whole }}
    }}
  }}
}}
{_WHOLE}""",
)
"""A page of pull requests with all that is kept of them, oldest first by `$field`."""

PULL_REQUEST = Query(
    operation="PullRequest",
    document=f"""
query PullRequest($owner: String!, $name: String!, $number: Int!) {{
  rateLimit {{ cost remaining }}
  repository(owner: $owner, name: $name) {{
    {_REPOSITORY}
    pullRequest(number: $number) {{ ...Whole }}
  }}
}}
{_WHOLE}""",
)
"""One pull request."""

NUMBERS_AFTER = Query(
    operation="NumbersAfter",
    document=f"""
query NumbersAfter($owner: String!, $name: String!, $field: IssueOrderField!, $first: Int!, $after: String) {{
  rateLimit {{ cost remaining }}
  repository(owner: $owner, name: $name) {{
    {_REPOSITORY}
    pullRequests(first: $first, after: $after, orderBy: {{field: $field, direction: ASC}}) {{
      totalCount
      pageInfo {{ hasNextPage endCursor }}
      nodes {{ number updatedAt }}
    }}
  }}
}}
""",
)
"""Only the numbers of a page of `PULL_REQUESTS`: which ones an answer with holes did not give."""

EDGES_BEFORE = Query(
    operation="EdgesBefore",
    document="""
query EdgesBefore($owner: String!, $name: String!, $last: Int!, $before: String) {
  rateLimit { cost remaining }
  repository(owner: $owner, name: $name) {
    pullRequests(last: $last, before: $before, orderBy: {field: UPDATED_AT, direction: ASC}) {
      pageInfo { hasPreviousPage startCursor }
      edges { cursor node { updatedAt } }
    }
  }
}
""",
)
"""The places in front of a cursor by time of update, oldest first: walking back finds where a time begins."""


def more_items(wanted: Sequence[PullItems]) -> Query:
    """Return the query that goes on with one list of each of some pull requests, at most `REMAINDERS_AT_ONCE`.

    Its variables are `id0`, `after0`, `id1` ...; its answer has `list0`, `list1` ...
    """
    numbered = list(enumerate(wanted))
    variables = ", ".join(f"$id{index}: ID!, $after{index}: String" for index, _ in numbered)
    lists = "\n  ".join(
        f"list{index}: node(id: $id{index}) {{ ... on PullRequest {{ id {_list(items, f', after: $after{index}')} }} }}"
        for index, items in numbered
    )
    document = f"query MoreItems({variables}) {{\n  rateLimit {{ cost remaining }}\n  {lists}\n}}\n"
    return Query(operation="MoreItems", document=document + (_ACCOUNT if PullItems.REVIEWS in wanted else ""))


TOTALS = Query(
    operation="Totals",
    document=f"""
query Totals($owner: String!, $name: String!) {{
  rateLimit {{ cost remaining }}
  repository(owner: $owner, name: $name) {{
    {_REPOSITORY}
    pullRequests(first: 1, orderBy: {{field: CREATED_AT, direction: DESC}}) {{ totalCount nodes {{ number }} }}
    issues(first: 1, orderBy: {{field: CREATED_AT, direction: DESC}}) {{ totalCount nodes {{ number }} }}
    discussions(first: 1, orderBy: {{field: CREATED_AT, direction: DESC}}) {{ totalCount nodes {{ number }} }}
  }}
}}
""",
)
"""How many of each kind there are, and the highest number of each."""


def kinds_of(count: int) -> Query:
    """Return the query that asks what stands under `count` numbers: variables `n0`, `n1` ...; one point.

    Its answer has `either0` (an issue or a pull request) and `talk0` (a discussion), null where there is none.
    """
    variables = ", ".join(f"$n{index}: Int!" for index in range(count))
    numbers = "\n    ".join(
        f"either{index}: issueOrPullRequest(number: $n{index}) {{ __typename }}"
        f" talk{index}: discussion(number: $n{index}) {{ number }}"
        for index in range(count)
    )
    return Query(
        operation="KindsOf",
        document=f"""
query KindsOf($owner: String!, $name: String!, {variables}) {{
  rateLimit {{ cost remaining }}
  repository(owner: $owner, name: $name) {{
    {_REPOSITORY}
    {numbers}
  }}
}}
""",
    )
