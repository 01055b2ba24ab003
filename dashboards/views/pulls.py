"""Lists of pull requests, and one pull request with what commits of the default branch did to it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from dashboards.filters import PullQuery, pull_query
from dashboards.parameters import LARGEST_NUMBER, is_slug, next_address
from dashboards.problems import BadParameter, NothingThere
from dashboards.reading import Reading
from dashboards.views.commits import ENTRIES_SHOWN, MechanismEntries, PathEntries, by_mechanism, by_path
from dashboards.views.runs import CRAWL_PULLS, extents_of, freshness_of
from db.commit_pages import CommitSummary
from db.pull_details import PullDetail, read_pull, read_pull_commits
from db.pulls import PullFilter, PullPage, PullSummary, count_pulls, read_largest_proposals, read_pulls
from tracker.reception import PullState
from tracker.sites import Area, Territory

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
    "judged_by",
    "verdict",
    "mechanism",
    "area",
    "vendors",
    "removed",
    "added",
    "let_in",
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
    neutral: tuple[MechanismEntries, ...] = ()
    """What its head would do to sites of neutral code; likewise below."""
    adoption: tuple[PathEntries, ...] = ()
    """To neutral constructs."""
    elsewhere: tuple[PathEntries, ...] = ()
    """To sites of other territories, counted and not judged."""
    entries_left_out: int = 0
    """More than are worth showing."""


def list_pulls(reading: Reading, path: str) -> PullsView:
    """Return the part of the list that the query string asks for; raises BadParameter."""
    query = pull_query(reading.parameters, reading.vocabulary)
    query = replace(query, wanted=replace(query.wanted, stale_before=stale_before(reading)))
    page = reading.remember(("pulls", query), lambda: _page(reading, query))
    slug = query.wanted.repository
    return PullsView(
        query=query,
        rows=page.rows,
        next_address=next_address(path, reading.parameters, page.next_key),
        counts=pull_counts(reading, slug),
    )


def stale_before(reading: Reading) -> datetime:
    """Return since when an open pull request must have been updated not to be stale; the same all day (UTC)."""
    midnight = reading.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=reading.dashboard.settings.stale_pull_days)


def largest_proposals(
    reading: Reading, repository: str, vendor: str | None, area: Area | None, limit: int
) -> tuple[PullSummary, ...]:
    """Return the open pull requests of a repository that would change most sites of neutral code, largest first."""
    wanted = PullFilter(repository=repository, vendor=vendor, area=area, stale_before=stale_before(reading))
    return reading.remember(
        ("largest proposals", wanted, limit), lambda: read_largest_proposals(reading.session, wanted, limit=limit)
    )


def pull_counts(reading: Reading, slug: str | None) -> Mapping[PullState, int] | None:
    """Return how many pull requests of one repository, or of all, are in each state; None where none was ever read."""
    before = stale_before(reading)
    counts = reading.remember(("pull counts", before), lambda: count_pulls(reading.session, stale_before=before))
    shown = [found for repository, found in counts.items() if slug in (None, repository)]
    if not shown and not pulls_were_read(reading, slug):
        return None
    return {state: sum(found[state] for found in shown) for state in PullState}


def pulls_were_read(reading: Reading, slug: str | None) -> bool:
    """Return whether pull requests of one repository, or of any, were ever read, be it that there were none."""
    return any(row.has_pulls for row in extents_of(reading) if slug in (None, row.repository)) or any(
        row.job == CRAWL_PULLS and row.last_success_at is not None and slug in (None, row.repository)
        for row in freshness_of(reading)
    )


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
    detail = read_pull(reading.session, slug, number, stale_before=stale_before(reading)) if is_possible else None
    commits = read_pull_commits(reading.session, slug, number).commits[:_COMMITS_SHOWN] if is_possible else ()
    if detail is None and not commits:
        raise NothingThere(
            f"pull request #{number} of {slug} is not stored, and no commit that was read lands it; "
            "pull requests are read where TRACKER_GITHUB_TOKEN is set, see /runs"
        )
    entries = detail.head.entries if detail is not None and detail.head is not None else ()
    shown = entries[:ENTRIES_SHOWN]
    sites = [entry for entry in shown if entry.site.vendor]
    return PullView(
        repository=detail.summary.repository if detail is not None else commits[0].repository,
        number=number,
        detail=detail,
        commits=commits,
        neutral=by_mechanism(entry for entry in sites if entry.territory is Territory.NEUTRAL),
        adoption=by_path([entry for entry in shown if not entry.site.vendor]),
        elsewhere=by_path([entry for entry in sites if entry.territory is not Territory.NEUTRAL]),
        entries_left_out=len(entries) - len(shown),
    )
