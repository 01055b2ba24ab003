"""Lists of pull requests, and one pull request with what commits of the default branch did to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboards.filters import PullQuery, pull_query
from dashboards.parameters import LARGEST_NUMBER, is_slug, next_address
from dashboards.problems import BadParameter, NothingThere
from dashboards.reading import Reading
from dashboards.views.commits import latest
from dashboards.views.runs import CRAWL_PULLS, freshness_of
from db.commit_pages import CommitFilter, CommitSummary
from db.pull_details import PullDetail, read_pull
from db.pulls import PullPage, PullSummary, count_pulls, read_pulls
from tracker.reception import PullState

COLUMNS = (
    "repository",
    "number",
    "state",
    "github_state",
    "draft",
    "author",
    "association",
    "created_at",
    "closed_at",
    "landed_at",
    "hours_to_landing",
    "reviews_total",
    "additions",
    "deletions",
    "changed_files",
    "title",
)
"""Of the CSV twin."""
_COMMITS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PullsView:
    """A part of a list of pull requests."""

    query: PullQuery
    rows: tuple[PullSummary, ...]
    next_address: str | None
    counts: Mapping[PullState, int] | None
    """By state, of the repository asked for or of all, zeros included; None: none was ever read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullView:
    """One pull request; where GitHub was never read, what the default branch alone says of it."""

    repository: str
    number: int
    detail: PullDetail | None
    """None: the crawl of pull requests has not stored it."""
    commits: tuple[CommitSummary, ...]
    """That land it by their message, newest first."""


def list_pulls(reading: Reading, path: str) -> PullsView:
    """Return the part of the list that the query string asks for; raises BadParameter."""
    query = pull_query(reading.parameters, reading.vocabulary)
    page = reading.remember(("pulls", query), lambda: _page(reading, query))
    slug = query.wanted.repository
    return PullsView(
        query=query,
        rows=page.rows,
        next_address=next_address(path, reading.parameters, page.next_key),
        counts=pull_counts(reading, slug),
    )


def pull_counts(reading: Reading, slug: str | None) -> Mapping[PullState, int] | None:
    """Return how many pull requests of one repository, or of all, are in each state; None where none was ever read."""
    counts = reading.remember(("pull counts", slug), lambda: count_pulls(reading.session, slug))
    went_well = any(
        row.job == CRAWL_PULLS and row.last_success_at is not None and slug in (None, row.repository)
        for row in freshness_of(reading)
    )
    return counts if went_well or any(counts.values()) else None


def _page(reading: Reading, query: PullQuery) -> PullPage:
    try:
        return read_pulls(reading.session, query.wanted, before_key=query.page.before, limit=query.page.limit)
    except ValueError as error:
        raise BadParameter("before", query.page.before or "", "follow next_url as it was given") from error


def view_pull(reading: Reading, slug: str, number: int) -> PullView:
    """Return one pull request.

    Raises:
        NothingThere: neither the crawl of pull requests nor any commit knows it.
    """
    is_possible = is_slug(slug) and 0 < number <= LARGEST_NUMBER
    detail = read_pull(reading.session, slug, number) if is_possible else None
    wanted = CommitFilter(repository=slug, pull=number)
    commits = latest(reading, wanted, _COMMITS_SHOWN) if is_possible else ()
    if detail is None and not commits:
        raise NothingThere(
            f"pull request #{number} of {slug} is not stored, and no commit that was read lands it; "
            "pull requests are read where TRACKER_GITHUB_TOKEN is set, see /runs"
        )
    return PullView(
        repository=detail.summary.repository if detail is not None else commits[0].repository,
        number=number,
        detail=detail,
        commits=commits,
    )
