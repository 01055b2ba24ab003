"""Lists of commits, filtered and cut into pages, as readers see them; commits off the line are not listed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Row, Select, and_, func, literal, or_, select, union_all
from sqlalchemy.orm import Session

from db.tables import CommitRow, RepositoryRow, VerdictRow
from db.undone import STANDS, Families, read_families, read_uncounted
from db.verdict_sums import concerning
from db.watched import read_repository_id
from tracker.classify import Tally
from tracker.sites import Area, Mechanism, Verdict

UNKNOWN = "unknown"
"""As an organisation in a filter: the commits of which none is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFilter:
    """Which commits to read; what is None does not restrict."""

    repository: str | None = None
    """Slug, also a former one; None: all that are under watch."""
    vendor: str | None = None
    """Among the vendors of its neutral sites."""
    area: Area | None = None
    verdict: Verdict | None = None
    mechanism: Mechanism | None = None
    """The dominant one."""
    organisation: str | None = None
    text: str | None = None
    """Part of the subject, in any case; a number is a pull request's as well, and hexadecimal digits begin a sha."""
    since: datetime | None = None
    """Committed at or after."""
    until: datetime | None = None
    """Committed before."""
    pull: int | None = None
    net: bool = False
    """Only those that net figures count: they stand, and revert and reland no other commit that was read."""
    beyond_names: bool = False
    """None whose only sites are identifiers that merely contain a vendor's word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSummary:
    """One line of a list of commits."""

    repository: str
    sha: str
    committed_at: datetime
    position: int | None
    """On the first-parent line; None: no longer on it, history was rewritten."""
    subject: str
    pull_number: int | None
    is_revert: bool
    is_reland: bool
    reverted: bool
    """A later commit undid it, and none brought it back."""
    undone_by: str | None
    """Sha of the commit that undid it for good."""
    restored_by: str | None
    """Sha of the last commit that brought it back after it had been undone."""
    counts: bool
    """Whether net figures count it: it stands, and reverts and relands no other commit that was read."""
    organisation: str | None
    """From the mail domain; None: unknown."""
    author_domain: str
    verdict: Verdict
    mechanism: Mechanism | None
    area: Area | None
    vendors: tuple[str, ...]
    """Dominant first."""
    removed: int
    """Neutral sites, moved and edited ones excluded."""
    added: int
    let_in: int
    """Neutral sites that came because a place was broadened to admit others."""
    net: int
    """By how much the stock of neutral code grew: added less removed, with what was let in, moved and edited."""
    names_removed: int
    """Of removed, identifiers that merely contain a vendor's word, which headline numbers leave out; likewise below."""
    names_added: int
    names_net: int
    tally: Tally
    ruleset: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPage:
    """A page of a list, newest first."""

    rows: tuple[CommitSummary, ...]
    next_key: str | None
    """Give it as `before_key` for the page after this one; None: this is the last."""


SummaryRow = Row[CommitRow, VerdictRow, str] | tuple[CommitRow, VerdictRow, str]

NEWEST_FIRST = (CommitRow.committed_at.desc(), CommitRow.position.desc(), CommitRow.id.desc())


def read_commits(
    session: Session, wanted: CommitFilter, *, before_key: str | None = None, limit: int = 50
) -> CommitPage:
    """Return a page of commits by committer date, newest first.

    Raises:
        ValueError: `before_key` is not one that this function gave.
    """
    query = summaries().where(*_conditions(session, wanted))
    if before_key is not None:
        query = query.where(_before(before_key))
    found = session.execute(query.order_by(*NEWEST_FIRST).limit(limit + 1)).all()
    last = found[limit - 1][0] if len(found) > limit else None
    return CommitPage(rows=lines_of(session, found[:limit]), next_key=_key(last) if last is not None else None)


def read_latest_commits(
    session: Session, lists: Sequence[CommitFilter], *, limit: int
) -> tuple[tuple[CommitSummary, ...], ...]:
    """Return the newest commits of each of several lists; as many statements as for one."""
    parts = []
    for number, wanted in enumerate(lists):
        newest = (
            select(literal(number).label("list"), CommitRow.id.label("commit_id"))
            .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
            .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
            .where(*_conditions(session, wanted))
        )
        parts.append(select(newest.order_by(*NEWEST_FIRST).limit(limit).subquery()))
    chosen = union_all(*parts).subquery()
    query = summaries().join(chosen, chosen.c.commit_id == CommitRow.id).add_columns(chosen.c.list)
    found = session.execute(query.order_by(*NEWEST_FIRST)).all()
    lines = lines_of(session, [row[:3] for row in found])
    return tuple(
        tuple(line for line, row in zip(lines, found, strict=True) if row.list == number)
        for number in range(len(lists))
    )


def summaries() -> Select[CommitRow, VerdictRow, str]:
    """Return the query whose rows `lines_of` reads."""
    return (
        select(CommitRow, VerdictRow, RepositoryRow.slug)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .join(RepositoryRow, RepositoryRow.id == CommitRow.repository_id)
    )


def lines_of(session: Session, found: Sequence[SummaryRow]) -> tuple[CommitSummary, ...]:
    """Return the lines of rows of `summaries`, in the same order."""
    if not found:
        return ()
    families = read_families(session, [commit.id for commit, _, _ in found])
    return tuple(line_of(row, families) for row in found)


def line_of(row: SummaryRow, families: Families) -> CommitSummary:
    """Return the line of a row of `summaries`, given the families among which its own is."""
    commit, verdict, slug = row
    standing, shas = families.standings.get(commit.id, STANDS), families.shas
    return CommitSummary(
        repository=slug,
        sha=commit.sha,
        committed_at=commit.committed_at,
        position=commit.position,
        subject=commit.subject,
        pull_number=commit.pull_number,
        is_revert=commit.is_revert,
        is_reland=commit.is_reland,
        reverted=standing.undone_by is not None,
        undone_by=shas[standing.undone_by] if standing.undone_by is not None else None,
        restored_by=shas[standing.restored_by] if standing.restored_by is not None else None,
        counts=standing.counts,
        organisation=commit.organisation,
        author_domain=commit.author_domain,
        verdict=verdict.verdict,
        mechanism=verdict.mechanism,
        area=verdict.area,
        vendors=tuple(verdict.vendors.split(",")) if verdict.vendors else (),
        removed=verdict.removed,
        added=verdict.added,
        let_in=verdict.let_in,
        net=verdict.added - verdict.removed + verdict.let_in + verdict.staying,
        names_removed=verdict.names_removed,
        names_added=verdict.names_added,
        names_net=verdict.names_net,
        tally=Tally(
            generalised=verdict.generalised,
            broadened=verdict.broadened,
            relocated=verdict.relocated,
            dropped=verdict.dropped,
            retired=verdict.retired,
            introduced=verdict.introduced,
            moved=verdict.moved,
            edited=verdict.edited,
        ),
        ruleset=verdict.ruleset,
    )


def _conditions(session: Session, wanted: CommitFilter) -> list[ColumnElement[bool]]:
    conditions = [CommitRow.position.is_not(None), _of_repository(session, wanted.repository)]
    conditions.extend(concerning(wanted.vendor, wanted.area))
    if wanted.verdict is not None:
        conditions.append(VerdictRow.verdict == wanted.verdict)
    if wanted.mechanism is not None:
        conditions.append(VerdictRow.mechanism == wanted.mechanism)
    if wanted.organisation is not None:
        organisation = None if wanted.organisation == UNKNOWN else wanted.organisation
        conditions.append(CommitRow.organisation == organisation)
    if wanted.text is not None and wanted.text.strip():
        conditions.append(_mentions(wanted.text.strip()))
    if wanted.since is not None:
        conditions.append(CommitRow.committed_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(CommitRow.committed_at < wanted.until)
    if wanted.pull is not None:
        conditions.append(CommitRow.pull_number == wanted.pull)
    if wanted.net:
        conditions.append(CommitRow.id.not_in(read_uncounted(session)))
    if wanted.beyond_names:
        conditions.append(_beyond_names())
    return conditions


def _of_repository(session: Session, slug: str | None) -> ColumnElement[bool]:
    if slug is None:
        return RepositoryRow.removed_at.is_(None)
    return CommitRow.repository_id == read_repository_id(session, slug)


def _beyond_names() -> ColumnElement[bool]:
    """Hold also for what changes no number of sites: an exclusivity that is lost or gained."""
    sites = VerdictRow.removed + VerdictRow.added
    return or_(sites == 0, sites > VerdictRow.names_removed + VerdictRow.names_added)


def _mentions(text: str) -> ColumnElement[bool]:
    said = func.lower(CommitRow.subject).contains(text.lower(), autoescape=True)
    number = re.fullmatch(r"#?(\d{1,9})", text, re.ASCII)
    if number:
        return or_(said, CommitRow.pull_number == int(number[1]))
    if re.fullmatch(r"[0-9a-f]{7,40}", text.lower(), re.ASCII):
        return or_(said, begins_sha(text))
    return said


def begins_sha(digits: str) -> ColumnElement[bool]:
    """Hold for the commits whose sha begins with these hexadecimal digits; an index answers it in either database."""
    return and_(CommitRow.sha >= digits.lower(), CommitRow.sha < digits.lower() + "g")


def _key(row: CommitRow) -> str:
    at = row.committed_at.replace(tzinfo=None).isoformat(timespec="seconds")
    return f"{at}Z~{row.position}~{row.id}"


def _before(key: str) -> ColumnElement[bool]:
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)~(\d{1,9})~(\d{1,9})", key, re.ASCII)
    if found is None:
        raise ValueError(f"no key of a page of commits: {key}")
    at, position, row_id = datetime.fromisoformat(found[1]), int(found[2]), int(found[3])
    same_time = CommitRow.committed_at == at
    return and_(
        CommitRow.committed_at <= at,  # follows from the rest, and lets an index begin here
        or_(
            CommitRow.committed_at < at,
            and_(same_time, CommitRow.position < position),
            and_(same_time, CommitRow.position == position, CommitRow.id < row_id),
        ),
    )
