"""Who removes and who adds: commits and sites by the organisation their authors write from."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboards.filters import PeriodQuery, period_query
from dashboards.reading import Reading
from db.overview import OrganisationRecord, read_organisations
from tracker.sites import Verdict

COLUMNS = ("organisation", "title", "commits", "decoupling", "removal", "coupling", "removed", "added", "net")
UNKNOWN = "unknown"


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
    """Sites of neutral code."""
    added: int
    net: int
    """Added less removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationsView:
    """Every organisation that has a commit in the period, and the unknown."""

    query: PeriodQuery
    rows: tuple[OrganisationRow, ...]
    unknown_share: float | None
    """Of commits, 0..1; None: there is no commit."""


def view_organisations(reading: Reading) -> OrganisationsView:
    """Return who did what; raises BadParameter."""
    query = period_query(reading.parameters, reading.vocabulary)

    def read() -> tuple[OrganisationRecord, ...]:
        return read_organisations(reading.session, repository=query.repository, since=query.since, until=query.until)

    records = reading.remember(("organisations", query), read)
    titles = {organisation.name: organisation.title for organisation in reading.dashboard.ruleset.organisations}
    commits = sum(record.commits for record in records)
    unknown = sum(record.commits for record in records if record.organisation is None)
    return OrganisationsView(
        query=query,
        rows=tuple(_row(record, titles) for record in records),
        unknown_share=unknown / commits if commits else None,
    )


def _row(record: OrganisationRecord, titles: Mapping[str, str]) -> OrganisationRow:
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
        net=record.added - record.removed,
    )
