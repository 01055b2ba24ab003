"""Everything kept of one commit: its entries line by line, what it reverts and relands, and what became of that."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from db.accounts import read_accounts
from db.commit_pages import CommitSummary, begins_sha, lines_of, summaries
from db.landings import landed, read_landings
from db.ledger import StoredEntry, read_entries
from db.repositories import read_repository
from db.tables import CommitLinkRow, CommitRow, LandingRow, SkippedFileRow
from tracker.classify import Accounts, SkippedFile
from tracker.reception import LandingKind
from tracker.trailers import LinkKind, LinkMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCommit:
    """Another commit, as one end of a link."""

    kind: LinkKind
    method: LinkMethod
    target: str
    """What the message says, as written."""
    sha: str | None
    """None: no stored commit fits what the message says."""
    subject: str | None
    committed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LandedPull:
    """What the commit does to a pull request, and what became of that since."""

    number: int
    kind: LandingKind
    landed_now: bool
    """Whether the pull request stands on the default branch at the end of what was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitDetail:
    """Everything kept of one commit."""

    summary: CommitSummary
    parent_sha: str | None
    parents: int
    authored_at: datetime
    differential: str | None
    source_id: str | None
    entries: tuple[StoredEntry, ...]
    skipped: tuple[SkippedFile, ...]
    """Files of which a side was not read, and why."""
    links: tuple[LinkedCommit, ...]
    """What it says it reverts or relands."""
    linked_by: tuple[LinkedCommit, ...]
    """Commits of the line that say they revert or reland it, by position; `sha` and `subject` are theirs."""
    pulls: tuple[LandedPull, ...]
    accounts: Accounts | None
    """Why each neutral site is judged as it is; None: the commit was judged before accounts were kept."""


def read_commit(session: Session, slug: str, sha: str) -> CommitDetail | None:
    """Return a commit by its sha, or by at least seven first digits that only one has; None where there is none."""
    repository = read_repository(session, slug)
    if repository is None or len(sha) < 7:
        return None
    found = session.execute(summaries().where(CommitRow.repository_id == repository.id, begins_sha(sha)).limit(2)).all()
    if len(found) != 1:
        return None
    commit, verdict, _ = found[0]
    return CommitDetail(
        summary=lines_of(session, found)[0],
        parent_sha=commit.parent_sha,
        parents=commit.parents,
        authored_at=commit.authored_at,
        differential=commit.differential,
        source_id=commit.source_id,
        entries=read_entries(session, commit.id),
        skipped=_skipped(session, commit.id),
        links=_links(session, commit.id),
        linked_by=_linked_by(session, commit.id),
        pulls=_pulls(session, commit),
        accounts=read_accounts(session, verdict),
    )


def _skipped(session: Session, commit_id: int) -> tuple[SkippedFile, ...]:
    rows = session.scalars(select(SkippedFileRow).where(SkippedFileRow.commit_id == commit_id))
    files = (SkippedFile(path=row.path, blob=row.blob, reason=row.reason) for row in rows)
    return tuple(sorted(files, key=lambda file: (file.path, file.blob)))


def _links(session: Session, commit_id: int) -> tuple[LinkedCommit, ...]:
    query = (
        select(CommitLinkRow, CommitRow.sha, CommitRow.subject, CommitRow.committed_at)
        .outerjoin(CommitRow, CommitRow.id == CommitLinkRow.target_commit_id)
        .where(CommitLinkRow.commit_id == commit_id)
        .order_by(CommitLinkRow.id)
    )
    return tuple(_linked(link, sha, subject, at) for link, sha, subject, at in session.execute(query))


def _linked_by(session: Session, commit_id: int) -> tuple[LinkedCommit, ...]:
    later = aliased(CommitRow)
    query = (
        select(CommitLinkRow, later.sha, later.subject, later.committed_at)
        .join(later, later.id == CommitLinkRow.commit_id)
        .where(CommitLinkRow.target_commit_id == commit_id, later.position.is_not(None))
        .order_by(later.position, CommitLinkRow.id)
    )
    surest: dict[tuple[str, str], LinkedCommit] = {}
    for link, sha, subject, at in session.execute(query):
        surest.setdefault((link.kind, sha), _linked(link, sha, subject, at))
    return tuple(surest.values())


def _linked(link: CommitLinkRow, sha: str | None, subject: str | None, at: datetime | None) -> LinkedCommit:
    return LinkedCommit(
        kind=LinkKind(link.kind),
        method=LinkMethod(link.method),
        target=link.target,
        sha=sha,
        subject=subject,
        committed_at=at,
    )


def _pulls(session: Session, commit: CommitRow) -> tuple[LandedPull, ...]:
    query = select(LandingRow.number, LandingRow.kind).where(LandingRow.commit_id == commit.id)
    kinds = {number: LandingKind(kind) for number, kind in session.execute(query)}
    landings = read_landings(session, commit.repository_id, kinds.keys())
    return tuple(
        LandedPull(number=number, kind=kinds[number], landed_now=landed(landings.get(number, ())))
        for number in sorted(kinds)
    )
