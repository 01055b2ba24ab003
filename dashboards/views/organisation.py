"""One organisation: what its people's commits do to neutral code, net, and how their pull requests are received."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dashboards.filters import PeriodQuery, period_query
from dashboards.problems import NothingThere
from dashboards.reading import Reading
from dashboards.views.commits import latest
from dashboards.views.organisations import OrganisationRow, OrganisationsView, organisations_in, received_in, titles_of
from dashboards.views.pulls import stale_before
from db.commit_pages import UNKNOWN, CommitFilter, CommitSummary
from db.pulls import PullFilter, PullSummary, read_latest_pulls
from db.verdict_sums import MECHANISMS
from tracker.reception import PullState, Reception, reception_of
from tracker.sites import Mechanism, Verdict

RECEPTION_COLUMNS = (
    "mechanism",
    "whose",
    "opened",
    "landed",
    "reverted",
    "closed",
    "stale",
    "open",
    "landed_share",
    "first_review_hours",
    "landing_hours",
    "landing_count",
)
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceptionRow:
    """How pull requests of one mechanism, or of all, are received: the organisation's beside everybody else's."""

    mechanism: Mechanism | None
    """None: all, those that change no site and those not judged included."""
    own: Reception
    rest: Reception
    """Of everybody else, the unknown included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationView:
    """What bears on an organisation's claim."""

    query: PeriodQuery
    name: str
    title: str
    row: OrganisationRow | None
    """None: it has no commit in the period."""
    unknown_share: float | None
    """Of the commits of everybody, 0..1."""
    pulls_unknown_share: float | None
    receptions: tuple[ReceptionRow, ...]
    decoupling: tuple[CommitSummary, ...]
    """Latest commits, net figures' or not; likewise below."""
    coupling: tuple[CommitSummary, ...]
    landed_pulls: tuple[PullSummary, ...]
    """Latest that decouple."""
    other_pulls: tuple[PullSummary, ...]
    """Latest that would decouple, or would have."""


def view_organisation(reading: Reading, name: str) -> OrganisationView:
    """Return one organisation; raises BadParameter.

    Raises:
        NothingThere: the rules know no such organisation.
    """
    query = period_query(reading.parameters, reading.vocabulary)
    titles = titles_of(reading)
    if name not in titles:
        raise NothingThere(f"{name} is no organisation of the rules; /organisations lists those that have commits")
    everyone = organisations_in(reading, query)
    receptions, pulls_unknown = reading.remember(
        ("reception of", name, query, stale_before(reading)), lambda: _receptions(reading, query, name)
    )
    decoupling, coupling = _commits(reading, query, name)
    landed_pulls, other_pulls = _pulls(reading, query, name)
    return OrganisationView(
        query=query,
        name=name,
        title=titles[name],
        row=_row_of(everyone, name),
        unknown_share=everyone.unknown_share,
        pulls_unknown_share=pulls_unknown,
        receptions=receptions,
        decoupling=decoupling,
        coupling=coupling,
        landed_pulls=landed_pulls,
        other_pulls=other_pulls,
    )


def reception_rows(view: OrganisationView) -> list[Mapping[str, object]]:
    """Return the reception as rows, two for each mechanism."""
    return [
        _flat(row.mechanism, whose, reception)
        for row in view.receptions
        for whose, reception in ((view.name, row.own), ("everybody else", row.rest))
    ]


def _flat(mechanism: Mechanism | None, whose: str, reception: Reception) -> Mapping[str, object]:
    return {
        "mechanism": mechanism or "all",
        "whose": whose,
        "opened": reception.opened,
        "landed": reception.landed,
        "reverted": reception.reverted,
        "closed": reception.closed,
        "stale": reception.stale,
        "open": reception.open,
        "landed_share": reception.landed_share,
        "first_review_hours": reception.first_review.median if reception.first_review is not None else None,
        "landing_hours": reception.landing.median if reception.landing is not None else None,
        "landing_count": reception.landing.count if reception.landing is not None else 0,
    }


def _row_of(everyone: OrganisationsView, name: str) -> OrganisationRow | None:
    return next((row for row in everyone.rows if row.organisation == name), None)


def _receptions(reading: Reading, query: PeriodQuery, name: str) -> tuple[tuple[ReceptionRow, ...], float | None]:
    received = received_in(reading, query)
    own = received.get(None if name == UNKNOWN else name, [])
    rest = [pull for key, pulls in received.items() if (key or UNKNOWN) != name for pull in pulls]
    rows = [ReceptionRow(mechanism=None, own=reception_of(own), rest=reception_of(rest))]
    rows.extend(
        ReceptionRow(
            mechanism=one,
            own=reception_of(pull for pull in own if pull.mechanism is one),
            rest=reception_of(pull for pull in rest if pull.mechanism is one),
        )
        for one in MECHANISMS
    )
    total = len(own) + len(rest)
    return tuple(rows), len(received.get(None, ())) / total if total else None


def _commits(reading: Reading, query: PeriodQuery, name: str) -> tuple[tuple[CommitSummary, ...], ...]:
    """Those that decouple and those that couple."""
    both = CommitFilter(repository=query.repository, organisation=name, since=query.since, until=query.until)
    lists = (replace(both, verdict=Verdict.DECOUPLING), replace(both, verdict=Verdict.COUPLING))
    return latest(reading, lists, _SHOWN)


def _pulls(reading: Reading, query: PeriodQuery, name: str) -> tuple[tuple[PullSummary, ...], ...]:
    """Those that landed and the others, of those that decouple."""
    before = stale_before(reading)
    both = PullFilter(
        repository=query.repository,
        organisation=name,
        verdict=Verdict.DECOUPLING,
        since=query.since,
        until=query.until,
        stale_before=before,
    )
    lists = (replace(both, state=PullState.LANDED), replace(both, except_state=PullState.LANDED))
    return reading.remember(
        ("organisation's pulls", lists),
        lambda: read_latest_pulls(reading.session, lists, stale_before=before, limit=_SHOWN),
    )
