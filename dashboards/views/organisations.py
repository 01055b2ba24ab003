"""Who removes and who adds, and how it is received: commits, sites and pull requests by organisation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboards.filters import PeriodQuery, period_query
from dashboards.reading import Reading
from dashboards.views.pulls import stale_before
from db.commit_pages import UNKNOWN
from db.overview import OrganisationRecord, read_organisations
from db.receptions import read_mechanisms, read_received
from db.verdict_sums import MECHANISMS
from tracker.affiliation import BOTS, OTHER
from tracker.reception import Received, Reception, reception_of
from tracker.sites import Mechanism, Verdict

COLUMNS = (
    "organisation",
    "title",
    "commits",
    "decoupling",
    "removal",
    "coupling",
    "removed",
    "added",
    "let_in",
    "staying",
    "net",
    "names_net",
    "counted_net",
    "generalised",
    "broadened",
    "relocated",
    "dropped",
    "retired",
    "introduced",
    "opened",
    "landed",
    "reverted",
    "closed",
    "stale",
    "open",
    "landed_share",
    "first_review_hours",
    "landing_hours",
)

TOTAL_COLUMNS = ("commits", "removed", "added", "let_in", "staying", "net", "names_net")
"""Of the sum over all organisations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationRow:
    """One organisation in a period."""

    organisation: str
    """The word unknown where the mail domain says nothing."""
    title: str
    commits: int
    decoupling: int
    """Commits of that verdict; likewise below."""
    removal: int
    coupling: int
    removed: int
    """Sites of neutral code, of every construct; likewise below."""
    added: int
    let_in: int
    """Came because a place was broadened to admit others."""
    staying: int
    """Moved and edited ones, those that came less those that went."""
    net: int
    """By how much the stock grew: added - removed + let_in + staying."""
    names_net: int
    """Of net, identifiers that merely contain a vendor's word."""
    mechanisms: Mapping[Mechanism, int]
    """Sites of neutral code, net of reverts."""
    reception: Reception
    """Of the pull requests opened in the period."""

    @property
    def counted_net(self) -> int:
        """By how much the headline's stock grew, which leaves such identifiers out."""
        return self.net - self.names_net

    @property
    def first_review_hours(self) -> float | None:
        """Median."""
        return self.reception.first_review.median if self.reception.first_review is not None else None

    @property
    def landing_hours(self) -> float | None:
        """Median."""
        return self.reception.landing.median if self.reception.landing is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationsView:
    """Every organisation that has a commit in the period, and the unknown."""

    query: PeriodQuery
    rows: tuple[OrganisationRow, ...]
    unknown_share: float | None
    """Of commits, 0..1; None: there is no commit."""
    pulls_unknown_share: float | None
    """Of pull requests, 0..1; None: there is none."""
    total: OrganisationRecord
    """Of all rows: what the whole stock changed by."""

    @property
    def shows_staying(self) -> bool:
        """Whether moved and edited sites changed anybody's stock."""
        return any(row.staying for row in self.rows)


def view_organisations(reading: Reading) -> OrganisationsView:
    """Return who did what; raises BadParameter."""
    return organisations_in(reading, period_query(reading.parameters, reading.vocabulary))


def organisations_in(reading: Reading, query: PeriodQuery) -> OrganisationsView:
    """Return who did what in a period."""
    return reading.remember(("organisations", query, stale_before(reading)), lambda: _organisations(reading, query))


def received_in(reading: Reading, query: PeriodQuery) -> Mapping[str | None, Sequence[Received]]:
    """Return how each pull request of a period was received, by its author's organisation."""
    before = stale_before(reading)
    slug, since, until = query.repository, query.since, query.until
    return reading.remember(
        ("received", query, before),
        lambda: read_received(reading.session, repository=slug, since=since, until=until, stale_before=before),
    )


def titles_of(reading: Reading) -> Mapping[str, str]:
    """Return what organisations are called, by name: those of the rules, programs, other employers, the unknown."""
    ruled = {organisation.name: organisation.title for organisation in reading.dashboard.ruleset.organisations}
    return ruled | {BOTS: "Programs", OTHER: "Other employers", UNKNOWN: UNKNOWN}


def as_columns(row: OrganisationRow) -> Mapping[str, object]:
    """Return a row of the CSV twin."""
    parts = (row.reception, row)
    flat = {
        name: next(getattr(part, name) for part in parts if hasattr(part, name))
        for name in COLUMNS
        if name not in MECHANISMS
    }
    return flat | {mechanism.value: count for mechanism, count in row.mechanisms.items()}


def _organisations(reading: Reading, query: PeriodQuery) -> OrganisationsView:
    session, slug, since, until = reading.session, query.repository, query.since, query.until
    records = read_organisations(session, repository=slug, since=since, until=until)
    mechanisms = read_mechanisms(session, repository=slug, since=since, until=until)
    received = received_in(reading, query)
    titles = titles_of(reading)
    names = {record.organisation for record in records}
    only_pulls = [OrganisationRecord(organisation=name, commits=0) for name in received.keys() - names]
    ordered = sorted((*records, *only_pulls), key=lambda one: one.organisation is None)
    commits = sum(record.commits for record in records)
    pulls = sum(map(len, received.values()))
    unknown = sum(record.commits for record in records if record.organisation is None)
    return OrganisationsView(
        query=query,
        rows=tuple(
            _row(
                record,
                titles,
                mechanisms.get(record.organisation, dict.fromkeys(MECHANISMS, 0)),
                reception_of(received.get(record.organisation, ())),
            )
            for record in ordered
        ),
        unknown_share=unknown / commits if commits else None,
        pulls_unknown_share=len(received.get(None, ())) / pulls if pulls else None,
        total=_total(records),
    )


def _total(records: Sequence[OrganisationRecord]) -> OrganisationRecord:
    return OrganisationRecord(
        organisation=None,
        commits=sum(one.commits for one in records),
        removed=sum(one.removed for one in records),
        added=sum(one.added for one in records),
        let_in=sum(one.let_in for one in records),
        staying=sum(one.staying for one in records),
        names_net=sum(one.names_net for one in records),
    )


def _row(
    record: OrganisationRecord,
    titles: Mapping[str, str],
    mechanisms: Mapping[Mechanism, int],
    reception: Reception,
) -> OrganisationRow:
    name = record.organisation or UNKNOWN
    return OrganisationRow(
        organisation=name,
        title=titles.get(name, name),
        commits=record.commits,
        decoupling=record.verdicts.get(Verdict.DECOUPLING, 0),
        removal=record.verdicts.get(Verdict.REMOVAL, 0),
        coupling=record.verdicts.get(Verdict.COUPLING, 0),
        removed=record.removed,
        added=record.added,
        let_in=record.let_in,
        staying=record.staying,
        net=record.net,
        names_net=record.names_net,
        mechanisms=mechanisms,
        reception=reception,
    )
