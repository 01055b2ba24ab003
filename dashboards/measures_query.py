"""A query string -> which flows are measured, broken down by what, restricted to what, and over which periods."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from dashboards.filters import JUDGED_MECHANISMS, Vocabulary, read_period
from dashboards.parameters import Query
from dashboards.problems import BadParameter
from db.commit_pages import UNKNOWN
from db.series import Dimension, SeriesFilter
from tracker.sites import Area, Construct, Mechanism, Territory

MEASURES_PARAMETERS = (
    "repository",
    "by",
    "territory",
    "area",
    "subsystem",
    "vendor",
    "construct",
    "organisation",
    "mechanism",
    "period",
    "since",
    "until",
    "names",
)
MEASURED_PERIODS = ("week", "release")
ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuresQuery:
    """What is measured of which weekly flows, and over which periods."""

    wanted: SeriesFilter
    by_release: bool
    """Not week by week."""
    since: date | None
    """First day of interest."""
    until: date | None
    """First day of no interest."""


def measures_query(parameters: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> MeasuresQuery:
    """Return which flows are measured, and over which periods; raises as `commit_query`.

    `by` names several things with commas between them. `repository` and `territory` may be `all`; without them it is
    the first repository, unless it is broken down by repository, and neutral code, unless by territory.
    """
    query = Query(parameters, known=MEASURES_PARAMETERS)
    since, until = read_period(query)
    by = _dimensions(query)
    slugs = vocabulary.repositories
    repository = query.choice("repository", (*slugs, ALL))
    several = repository == ALL or (repository is None and Dimension.REPOSITORY in by)
    territory = query.choice("territory", (*Territory, ALL))
    all_territories = territory == ALL or (territory is None and Dimension.TERRITORY in by)
    organisation = query.choice("organisation", (*vocabulary.organisations, UNKNOWN))
    wanted = SeriesFilter(
        repositories=slugs if several else (repository,) if repository is not None else slugs[:1],
        by=by,
        territory=None if all_territories else Territory(territory or Territory.NEUTRAL),
        area=query.kind("area", Area),
        subsystem=query.text("subsystem"),
        vendor=query.choice("vendor", vocabulary.vendors),
        construct=query.kind("construct", Construct, [one for one in Construct if one is not Construct.NEUTRAL]),
        organisation="" if organisation == UNKNOWN else organisation,
        mechanism=query.kind("mechanism", Mechanism, JUDGED_MECHANISMS),
        names=query.flag("names"),
    )
    by_release = query.choice("period", MEASURED_PERIODS) == "release"
    if by_release and len(wanted.repositories) > 1:
        raise BadParameter("period", "release", "releases are one repository's; name it with repository=")
    return MeasuresQuery(wanted=wanted, by_release=by_release, since=since, until=until)


def _dimensions(query: Query) -> tuple[Dimension, ...]:
    words = [word.strip().lower() for word in (query.text("by") or "").split(",") if word.strip()]
    for word in words:
        if word not in list(Dimension) or words.count(word) > 1:
            raise BadParameter("by", word, "none of the things to break down by, or twice", tuple(Dimension))
    return tuple(Dimension(word) for word in words)
