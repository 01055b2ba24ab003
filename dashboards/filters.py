"""A query string -> typed filters: the one place that pages, JSON twins, CSV and charts share.

What each kind of request can be restricted by, and with which values; `dashboards.parameters` reads the single values.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from dashboards.parameters import LARGEST_NUMBER, PageKey, Query
from dashboards.problems import BadParameter
from db.commit_pages import UNKNOWN, CommitFilter
from db.pulls import PullFilter
from tracker.reception import PullState
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict

JUDGED_MECHANISMS = tuple(
    mechanism for mechanism in Mechanism if mechanism not in (Mechanism.OUTSIDE, Mechanism.BASELINE)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The valid values that the database and the ruleset decide."""

    repositories: tuple[str, ...]
    """Slugs under watch."""
    vendors: tuple[str, ...]
    organisations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitQuery:
    """Which commits are asked for, and which part of their list."""

    wanted: CommitFilter = field(default_factory=CommitFilter)
    page: PageKey = field(default_factory=PageKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class PullQuery:
    """Which pull requests are asked for, and which part of their list."""

    wanted: PullFilter = field(default_factory=PullFilter)
    page: PageKey = field(default_factory=PageKey)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodQuery:
    """One repository, or all, in a period."""

    repository: str | None = None
    since: datetime | None = None
    """At or after."""
    until: datetime | None = None
    """Before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesQuery:
    """Which series of one repository is asked for."""

    repository: str
    by: str | None = None
    territory: Territory = Territory.NEUTRAL
    vendor: str | None = None
    area: Area | None = None
    construct: Construct | None = None
    since: date | None = None
    """First day of interest."""
    until: date | None = None
    """First day of no interest."""
    names: bool = False
    """Whether sites of construct `name` (identifiers that merely contain a vendor word) are counted too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoversQuery:
    """Which movers are asked for."""

    series: SeriesQuery
    limit: int
    """How many rises, and as many falls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitesQuery:
    """Which standing sites are asked for, and which part of their list."""

    series: SeriesQuery
    """Those of its stock."""
    text: str | None = None
    """Part of their paths."""
    page: PageKey = field(default_factory=PageKey)


COMMIT_PARAMETERS = (
    "repository",
    "vendor",
    "area",
    "verdict",
    "mechanism",
    "organisation",
    "text",
    "since",
    "until",
    "pull",
    "net",
    "before",
    "limit",
)
PULL_PARAMETERS = (
    "repository",
    "state",
    "verdict",
    "mechanism",
    "vendor",
    "area",
    "author",
    "organisation",
    "text",
    "number",
    "since",
    "until",
    "before",
    "limit",
)
SITES_PARAMETERS = ("repository", "territory", "vendor", "area", "construct", "names", "text", "before", "limit")
PERIOD_PARAMETERS = ("repository", "since", "until")
SERIES_PARAMETERS = ("repository", "by", "territory", "vendor", "area", "construct", "since", "until", "names")
MOVERS_BY = ("path", "symbol", "commit")
MOVERS_PARAMETERS = (*SERIES_PARAMETERS, "limit")
SHARES_PARAMETERS = ("repository", "since", "until")
LIMIT_PARAMETERS = ("limit",)
ALERT_RULES_PARAMETERS = ("type", "exclude_alerts")
DRAWING_PARAMETERS = ("theme", "size")


def commit_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> CommitQuery:
    """Return the filter of a list of commits.

    Raises:
        BadParameter: something in the query string cannot be used.
    """
    query = Query(parameters, known=COMMIT_PARAMETERS)
    since, until = read_period(query)
    wanted = CommitFilter(
        repository=query.choice("repository", vocabulary.repositories),
        vendor=query.choice("vendor", vocabulary.vendors),
        area=query.kind("area", Area),
        verdict=query.kind("verdict", Verdict),
        mechanism=query.kind("mechanism", Mechanism, JUDGED_MECHANISMS),
        organisation=query.choice("organisation", (*vocabulary.organisations, UNKNOWN)),
        text=query.text("text"),
        since=_midnight(since),
        until=_midnight(until),
        pull=query.number("pull", least=1, most=LARGEST_NUMBER),
        net=query.flag("net"),
    )
    return CommitQuery(wanted=wanted, page=query.page())


def pull_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> PullQuery:
    """Return the filter of a list of pull requests; raises as `commit_query`."""
    query = Query(parameters, known=PULL_PARAMETERS)
    since, until = read_period(query)
    wanted = PullFilter(
        repository=query.choice("repository", vocabulary.repositories),
        state=query.kind("state", PullState),
        verdict=query.kind("verdict", Verdict),
        mechanism=query.kind("mechanism", Mechanism, JUDGED_MECHANISMS),
        vendor=query.choice("vendor", vocabulary.vendors),
        area=query.kind("area", Area),
        author=query.text("author"),
        organisation=query.choice("organisation", (*vocabulary.organisations, UNKNOWN)),
        text=query.text("text"),
        number=query.number("number", least=1, most=LARGEST_NUMBER),
        since=_midnight(since),
        until=_midnight(until),
    )
    return PullQuery(wanted=wanted, page=query.page())


def sites_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> SitesQuery:
    """Return which standing sites of which repository are asked for; raises as `commit_query`."""
    query = Query(parameters, known=SITES_PARAMETERS)
    return SitesQuery(series=_series(query, vocabulary, ()), text=query.text("text"), page=query.page())


def period_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> PeriodQuery:
    """Return the repository and period; raises as `commit_query`."""
    query = Query(parameters, known=PERIOD_PARAMETERS)
    since, until = read_period(query)
    repository = query.choice("repository", vocabulary.repositories)
    return PeriodQuery(repository=repository, since=_midnight(since), until=_midnight(until))


def series_query(
    parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary, *, by: Sequence[str] = ()
) -> SeriesQuery:
    """Return which series is asked for, of the first repository where none is named; raises as `commit_query`.

    Args:
        by: what this series can be broken down by; the parameter is refused where there is no choice.
    """
    return _series(Query(parameters, known=series_parameters(by)), vocabulary, by)


def drawing_query(
    parameters: Iterable[tuple[str, str]],
    vocabulary: Vocabulary,
    *,
    by: Sequence[str],
    themes: Sequence[str],
    sizes: Sequence[str],
) -> tuple[SeriesQuery, str, str]:
    """Return which series is to be drawn, in which theme and size, the first of each where none is named."""
    query = Query(parameters, known=(*series_parameters(by), *DRAWING_PARAMETERS))
    series = _series(query, vocabulary, by)
    return series, query.choice("theme", themes) or themes[0], query.choice("size", sizes) or sizes[0]


def movers_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> MoversQuery:
    """Return which movers are asked for; raises as `commit_query`."""
    query = Query(parameters, known=MOVERS_PARAMETERS)
    return MoversQuery(series=_series(query, vocabulary, MOVERS_BY), limit=query.page().limit)


def shares_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> SeriesQuery:
    """Return the repository, the first where none is named, and the period; raises as `commit_query`."""
    return _series(Query(parameters, known=SHARES_PARAMETERS), vocabulary, ())


def series_parameters(by: Sequence[str] = ()) -> list[str]:
    """Return the parameters of a series; `by` only where there is a choice."""
    return [name for name in SERIES_PARAMETERS if by or name != "by"]


def _series(query: Query, vocabulary: Vocabulary, by: Sequence[str]) -> SeriesQuery:
    since, until = read_period(query)
    return SeriesQuery(
        repository=query.choice("repository", vocabulary.repositories) or next(iter(vocabulary.repositories), ""),
        by=query.choice("by", by),
        territory=query.kind("territory", Territory) or Territory.NEUTRAL,
        vendor=query.choice("vendor", vocabulary.vendors),
        area=query.kind("area", Area),
        construct=query.kind("construct", Construct),
        since=since,
        until=until,
        names=query.flag("names"),
    )


def row_limit(parameters: Iterable[tuple[str, str]]) -> int:
    """Return how many rows of an unpaged list are wanted."""
    return Query(parameters, known=LIMIT_PARAMETERS).page().limit


def alert_rules_query(parameters: Iterable[tuple[str, str]]) -> tuple[bool, bool]:
    """Return whether alerting rules are wanted, and whether with their alerts: what Prometheus takes by these names."""
    query = Query(parameters, known=ALERT_RULES_PARAMETERS)
    kind = query.choice("type", ("alert", "record"))
    return kind != "record", query.choice("exclude_alerts", ("true", "false")) != "true"


def no_parameters(parameters: Iterable[tuple[str, str]]) -> None:
    """Refuse any parameter."""
    Query(parameters, known=())


def read_period(query: Query) -> tuple[date | None, date | None]:
    """First day, and the day after the last: `until` as people write it includes its day."""
    since, until = query.day("since"), query.day("until")
    if since is not None and until is not None and until < since:
        raise BadParameter("until", until.isoformat(), f"lies before since={since.isoformat()}")
    if until is None or until == date.max:
        return since, None
    return since, until + timedelta(days=1)


def _midnight(day: date | None) -> datetime | None:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) if day is not None else None
