"""Numbers over everything that is stored: coverage, verdicts, organisations and what stands now.

What changes seldom is read in few grouped statements; pages keep the answers for as long as the data version stands.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from db.coverage import CommitRange
from db.gaps import LACKING, Gaps, read_gaps
from db.remembered import once
from db.tables import CommitRow, PullRequestRow, RepositoryRow, SkippedFileRow, VerdictRow, WeeklyCellRow
from db.verdict_sums import VerdictSum, committed, read_verdict_sums
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict
from tracker.upstream import SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far one repository was read."""

    repository: str
    commits: int
    """On the first-parent line."""
    first_at: datetime | None
    """Committer date of the oldest commit read; None: nothing was read."""
    last_at: datetime | None
    rewritten_commits: int
    """Read once, and no longer on the line."""
    has_pulls: bool
    """Whether any pull request is stored."""
    lacks_objects: bool = False
    """Whether files of commits could not be read, for the clone lacks them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What was read of one repository."""

    repository: str
    commits: int
    """On the first-parent line."""
    first_at: datetime | None
    """Committer date of the oldest commit read; None: nothing was read."""
    last_at: datetime | None
    rewritten_commits: int
    """Read once, and no longer on the line."""
    skipped_files: Mapping[SkipReason, int]
    """Sides of file changes that were not read; a reason that never occurred is absent."""
    dead_letters: Mapping[str, int]
    """What upstream could not serve, by stream; a stream without any is absent."""
    ranges: tuple[CommitRange, ...] = ()
    """Of the line, oldest first: read, skipped and why, or begun so many times in vain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganisationRecord:
    """What the commits of one organisation's people did to neutral code in a period."""

    organisation: str | None
    """None: unknown."""
    commits: int
    verdicts: Mapping[Verdict, int] = field(default_factory=dict)
    """Changes that touch neutral code by verdict, each once and only where it stands; one without any is absent."""
    removed: int = 0
    """Sites in neutral code of every construct, moved and edited ones excluded; likewise below."""
    added: int = 0
    let_in: int = 0
    """Came because a place was broadened to admit others."""
    staying: int = 0
    """Moved and edited ones, those that came less those that went."""
    names_net: int = 0
    """Of the net, identifiers that merely contain a vendor's word, which the headline's stock leaves out."""

    @property
    def net(self) -> int:
        """By how much the stock of neutral code grew."""
        return self.added - self.removed + self.let_in + self.staying


@dataclass(frozen=True, slots=True, kw_only=True)
class NeutralSums:
    """Neutral code of one repository at the end of what was read; what is absent is zero."""

    standing: Counter[tuple[Area, str]] = field(default_factory=Counter)
    """By area and vendor: hard sites, and neutral constructs under the vendor ""."""
    came: Counter[Mechanism] = field(default_factory=Counter)
    """Hard sites since reading began, by mechanism; what stood there then did not come."""
    went: Counter[Mechanism] = field(default_factory=Counter)


def read_extents(session: Session) -> tuple[Extent, ...]:
    """Return how far each repository under watch was read, by slug; one statement over indexes."""
    return once(session, "extents", lambda: _read_extents(session))


def _read_extents(session: Session) -> tuple[Extent, ...]:
    own = CommitRow.repository_id == RepositoryRow.id
    on_line = (own, CommitRow.position.is_not(None))
    dates = select(CommitRow.committed_at).where(*on_line).limit(1)
    query = (
        select(
            RepositoryRow.slug,
            select(func.count(CommitRow.position)).where(*on_line).scalar_subquery(),
            dates.order_by(CommitRow.position).scalar_subquery(),
            dates.order_by(CommitRow.position.desc()).scalar_subquery(),
            select(func.count()).where(own, CommitRow.position.is_(None)).scalar_subquery(),
            exists().where(PullRequestRow.repository_id == RepositoryRow.id),
            exists().where(SkippedFileRow.reason.in_(LACKING), SkippedFileRow.commit_id == CommitRow.id, *on_line),
        )
        .where(RepositoryRow.removed_at.is_(None))
        .order_by(RepositoryRow.slug)
    )
    return tuple(
        Extent(
            repository=slug,
            commits=count,
            first_at=first,
            last_at=last,
            rewritten_commits=rewritten,
            has_pulls=bool(has_pulls),
            lacks_objects=bool(lacks_objects),
        )
        for slug, count, first, last, rewritten, has_pulls, lacks_objects in session.execute(query)
    )


def read_coverage(session: Session) -> tuple[Coverage, ...]:
    """Return what was read of each repository under watch, by slug; two statements."""
    found = read_gaps(session)
    nothing = Gaps()
    return tuple(
        Coverage(
            repository=extent.repository,
            commits=extent.commits,
            first_at=extent.first_at,
            last_at=extent.last_at,
            rewritten_commits=extent.rewritten_commits,
            skipped_files=found.get(extent.repository, nothing).skipped_files,
            dead_letters=found.get(extent.repository, nothing).dead_letters,
            ranges=found.get(extent.repository, nothing).ranges,
        )
        for extent in read_extents(session)
    )


def read_verdicts(session: Session) -> dict[str, dict[Verdict, int]]:
    """Return numbers of commits by repository under watch and verdict; zeros included."""
    others = [verdict for verdict in Verdict if verdict is not Verdict.NONE]
    query = (
        select(RepositoryRow.slug, VerdictRow.verdict, func.count())
        .join(CommitRow, CommitRow.id == VerdictRow.commit_id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None), VerdictRow.verdict.in_(others))
        .group_by(RepositoryRow.slug, VerdictRow.verdict)
    )
    # Most commits are judged to do nothing: they are the rest, and need not be looked at one by one.
    counts = {
        extent.repository: dict.fromkeys(Verdict, 0) | {Verdict.NONE: extent.commits}
        for extent in read_extents(session)
    }
    for slug, verdict, count in session.execute(query):
        if slug in counts:
            counts[slug][verdict] = count
            counts[slug][Verdict.NONE] -= count
    return counts


def read_organisations(
    session: Session, *, repository: str | None = None, since: datetime | None = None, until: datetime | None = None
) -> tuple[OrganisationRecord, ...]:
    """Return what each organisation's commits did to neutral code, most removed sites first, the unknown last.

    Numbers of sites are those of all commits: what a revert brings back is added again. Verdicts count a change once.
    """
    query = (
        select(CommitRow.organisation, func.count())
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
        .where(CommitRow.position.is_not(None), RepositoryRow.removed_at.is_(None), *committed(since, until))
        .group_by(CommitRow.organisation)
    )
    if repository is not None:
        query = query.where(RepositoryRow.slug == repository)
    commits: dict[str | None, int] = dict(session.execute(query).all())
    sums: dict[str | None, list[VerdictSum]] = {name: [] for name in commits}
    for one in read_verdict_sums(session, since=since, until=until):
        if repository in (None, one.repository):
            sums[one.organisation].append(one)
    records = [_record(name, count, sums[name]) for name, count in commits.items()]
    return tuple(
        sorted(records, key=lambda row: (row.organisation is None, -row.removed, -row.commits, row.organisation or ""))
    )


def _record(organisation: str | None, commits: int, sums: list[VerdictSum]) -> OrganisationRecord:
    verdicts: Counter[Verdict] = Counter()
    for one in sums:
        verdicts[one.verdict] += one.commits if one.counts else 0
    return OrganisationRecord(
        organisation=organisation,
        commits=commits,
        verdicts={verdict: verdicts[verdict] for verdict in sorted(verdicts) if verdicts[verdict]},
        removed=sum(one.removed for one in sums),
        added=sum(one.added for one in sums),
        let_in=sum(one.let_in for one in sums),
        staying=sum(one.staying for one in sums),
        names_net=sum(one.names_net for one in sums),
    )


def read_neutral_sums(session: Session) -> dict[str, NeutralSums]:
    """Return what stands in neutral code and what went in and out, of each repository of which something was read.

    Identifiers that merely contain a vendor's word are left out.
    """
    cell = WeeklyCellRow
    key = (RepositoryRow.slug, cell.area, cell.vendor, cell.mechanism)
    query = (
        select(*key, func.sum(cell.added), func.sum(cell.removed))
        .join(RepositoryRow, RepositoryRow.id == cell.repository_id)
        .where(RepositoryRow.removed_at.is_(None), cell.territory == Territory.NEUTRAL)
        .where(cell.construct != Construct.NAME)
        .group_by(*key)
    )
    found = {one.repository: NeutralSums() for one in read_extents(session) if one.last_at is not None}
    for slug, area, vendor, mechanism, added, removed in session.execute(query):
        sums = found.setdefault(slug, NeutralSums())
        sums.standing[area, vendor] += int(added) - int(removed)
        if vendor and mechanism is not Mechanism.BASELINE:
            sums.came[mechanism] += int(added)
            sums.went[mechanism] += int(removed)
    return found
