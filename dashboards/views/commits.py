"""Lists of commits, and one commit with its entries grouped for reading."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby

from dashboards.filters import CommitQuery, commit_query
from dashboards.parameters import is_slug, next_address
from dashboards.problems import BadParameter, NothingThere
from dashboards.reading import Reading
from dashboards.views.evidence import NOT_RECORDED, Evidence, accounts_as_rows, evidence_of
from db.commit_details import CommitDetail, LinkedCommit, read_commit
from db.commit_pages import CommitFilter, CommitPage, CommitSummary, read_commits, read_latest_commits
from db.ledger import StoredEntry
from tracker.classify import arithmetic
from tracker.sites import Mechanism, Territory
from tracker.trailers import LinkKind

COLUMNS = (
    "repository",
    "sha",
    "committed_at",
    "verdict",
    "mechanism",
    "area",
    "vendors",
    "removed",
    "added",
    "let_in",
    "net",
    "names_net",
    "is_revert",
    "is_reland",
    "reverted",
    "undone_by",
    "counts",
    "pull_number",
    "organisation",
    "subject",
)
"""Of the CSV twin."""
ENTRIES_SHOWN = 400
_ORDER = {mechanism: index for index, mechanism in enumerate(Mechanism)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitsView:
    """A part of a list of commits."""

    query: CommitQuery
    rows: tuple[CommitSummary, ...]
    next_address: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathEntries:
    """What a commit does to the sites of one path by one mechanism."""

    path: str
    territory: Territory
    area: str
    entries: tuple[StoredEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MechanismEntries:
    """What a commit does by one mechanism."""

    mechanism: Mechanism
    sites: int
    """How many sites changed, up and down alike."""
    paths: tuple[PathEntries, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitView:
    """One commit for reading."""

    detail: CommitDetail
    neutral: tuple[MechanismEntries, ...]
    """Entries of neutral code, which the verdict is about."""
    adoption: tuple[PathEntries, ...]
    """Neutral constructs that came or went."""
    elsewhere: tuple[PathEntries, ...]
    """Sites in other territories, counted and not judged."""
    entries_left_out: int
    """More than are worth showing; the JSON twin has all of them."""
    links: tuple[LinkedCommit, ...]
    """What it reverts or relands, each commit once, by the surest method."""
    arithmetic: str
    """How the tally gives the verdict, in one sentence."""
    evidence: Evidence | None
    """Why each site is judged so; None where that was not recorded."""


def list_commits(reading: Reading, path: str) -> CommitsView:
    """Return the part of the list that the query string asks for.

    Args:
        path: of the list itself; the address of the next part begins with it.

    Raises:
        BadParameter: something in the query string cannot be used.
    """
    query = commit_query(reading.parameters, reading.vocabulary)
    page = reading.remember(("commits", query), lambda: _page(reading, query))
    return CommitsView(query=query, rows=page.rows, next_address=next_address(path, reading.parameters, page.next_key))


def _page(reading: Reading, query: CommitQuery) -> CommitPage:
    try:
        return read_commits(reading.session, query.wanted, before_key=query.page.before, limit=query.page.limit)
    except ValueError as error:
        raise BadParameter("before", query.page.before or "", "follow next_url as it was given") from error


def latest(reading: Reading, lists: Sequence[CommitFilter], count: int) -> tuple[tuple[CommitSummary, ...], ...]:
    """Return the newest commits of each of several filters."""
    key = ("latest", tuple(lists), count)
    return reading.remember(key, lambda: read_latest_commits(reading.session, lists, limit=count))


def read_detail(reading: Reading, slug: str, sha: str) -> CommitDetail:
    """Return one commit.

    Raises:
        NothingThere: it is not stored.
    """
    # What is no sha is not asked for: a database may refuse a sign that it cannot hold.
    is_sha = re.fullmatch(r"[0-9a-fA-F]{7,40}", sha) is not None and is_slug(slug)
    detail = read_commit(reading.session, slug, sha) if is_sha else None
    if detail is None:
        raise NothingThere(
            f"no commit {sha} of {slug} was read: it may be newer than the last crawl, stand on no default branch, or "
            "the digits fit several; at least seven are needed"
        )
    return detail


def view_commit(reading: Reading, slug: str, sha: str) -> CommitView:
    """Return one commit for reading; raises as `read_detail`."""
    detail = read_detail(reading, slug, sha)
    shown = detail.entries[:ENTRIES_SHOWN] if len(detail.entries) > ENTRIES_SHOWN else detail.entries
    adoption = [entry for entry in shown if not entry.site.vendor]
    sites = [entry for entry in shown if entry.site.vendor]
    return CommitView(
        detail=detail,
        neutral=by_mechanism(entry for entry in sites if entry.territory is Territory.NEUTRAL),
        adoption=by_path(adoption),
        elsewhere=by_path([entry for entry in sites if entry.territory is not Territory.NEUTRAL]),
        entries_left_out=len(detail.entries) - len(shown),
        links=_surest(detail.links),
        arithmetic=arithmetic(detail.summary.tally, detail.summary.verdict),
        evidence=evidence_of(detail.accounts, reading.dashboard.ruleset) if detail.accounts is not None else None,
    )


def commit_as_json(reading: Reading, detail: CommitDetail) -> dict[str, object]:
    """Return everything kept of a commit for its JSON twin, with the arithmetic of its verdict."""
    tally, accounts = detail.summary.tally, accounts_as_rows(detail.accounts, reading.dashboard.ruleset)
    kept = {field.name: getattr(detail, field.name) for field in fields(detail)}
    return kept | {
        "arithmetic": {
            "decoupled": tally.decoupled,
            "removed": tally.removed,
            "introduced": tally.introduced,
            "sentence": arithmetic(tally, detail.summary.verdict),
        },
        "accounts": accounts,
        "accounts_note": NOT_RECORDED if accounts is None else None,
    }


def by_mechanism(entries: Iterable[StoredEntry]) -> tuple[MechanismEntries, ...]:
    """Return entries by mechanism and path."""
    ordered = sorted(entries, key=lambda entry: _ORDER[entry.mechanism])
    groups = []
    for mechanism, found in groupby(ordered, key=lambda entry: entry.mechanism):
        of_one = list(found)
        sites = sum(abs(entry.delta) for entry in of_one)
        groups.append(MechanismEntries(mechanism=mechanism, sites=sites, paths=by_path(of_one)))
    return tuple(groups)


def _where(entry: StoredEntry) -> tuple[str, Territory]:
    return entry.path, entry.territory


def by_path(entries: Sequence[StoredEntry]) -> tuple[PathEntries, ...]:
    """Return entries by path and territory."""
    ordered = sorted(entries, key=_where)
    groups = []
    for (path, territory), found in groupby(ordered, key=_where):
        of_one = tuple(found)
        groups.append(PathEntries(path=path, territory=territory, area=of_one[0].area, entries=of_one))
    return tuple(groups)


def _surest(links: Sequence[LinkedCommit]) -> tuple[LinkedCommit, ...]:
    """A message may name the same commit in several ways; one that was found goes before what was not."""
    found = {(link.kind, link.sha): link for link in reversed(links) if link.sha is not None}
    kinds = {kind for kind, _ in found}
    unresolved = [link for link in links if link.sha is None and link.kind not in kinds]
    return (*sorted(found.values(), key=lambda link: (link.kind is LinkKind.RELANDS, link.sha or "")), *unresolved)
