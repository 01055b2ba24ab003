"""Everything kept of one commit: its entries line by line, what it reverts and relands, and what became of that."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from db.accounts import read_accounts
from db.commit_pages import CommitSummary, begins_sha, line_of, summaries
from db.ledger import StoredEntry, read_entries
from db.tables import CommitLinkRow, CommitRow, LandingRow, SkippedFileRow
from db.undone import Families, LinkOnLine, families_by, family_of
from db.watched import read_repository_id
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
    repository_id = read_repository_id(session, slug)
    if repository_id is None or len(sha) < 7:
        return None
    found = session.execute(summaries().where(CommitRow.repository_id == repository_id, begins_sha(sha)).limit(2)).all()
    if len(found) != 1:
        return None
    commit, verdict, _ = found[0]
    relatives = _relatives(session, commit.id)
    return CommitDetail(
        summary=line_of(found[0], relatives.families),
        parent_sha=commit.parent_sha,
        parents=commit.parents,
        authored_at=commit.authored_at,
        differential=commit.differential,
        source_id=commit.source_id,
        entries=read_entries(session, commit.id),
        skipped=_skipped(session, commit.id),
        links=relatives.links,
        linked_by=relatives.linked_by,
        pulls=_pulls(session, commit),
        accounts=read_accounts(session, verdict),
    )


def _skipped(session: Session, commit_id: int) -> tuple[SkippedFile, ...]:
    rows = session.scalars(select(SkippedFileRow).where(SkippedFileRow.commit_id == commit_id))
    files = (SkippedFile(path=row.path, blob=row.blob, reason=row.reason) for row in rows)
    return tuple(sorted(files, key=lambda file: (file.path, file.blob)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Relatives:
    """What a commit is linked with."""

    families: Families
    """Its own, if it has one."""
    links: tuple[LinkedCommit, ...]
    linked_by: tuple[LinkedCommit, ...]


def _relatives(session: Session, commit_id: int) -> _Relatives:
    """Return the links of a commit's whole family; one statement."""
    source, target = aliased(CommitRow), aliased(CommitRow)
    query = (
        select(
            CommitLinkRow,
            *(source.position, source.id, source.sha, source.subject, source.committed_at),
            *(target.position, target.id, target.sha, target.subject, target.committed_at),
        )
        .join(source, source.id == CommitLinkRow.commit_id)
        .outerjoin(target, target.id == CommitLinkRow.target_commit_id)
        .where(CommitLinkRow.commit_id.in_(family_of(commit_id)))
        .order_by(source.position, CommitLinkRow.id)
    )
    on_line: list[LinkOnLine] = []
    links: list[LinkedCommit] = []
    surest: dict[tuple[str, str], LinkedCommit] = {}
    for link, *ends in session.execute(query):
        place, by_id, by_sha, by_subject, by_at, to_place, to_id, to_sha, to_subject, to_at = ends
        if link.commit_id == commit_id:
            links.append(_linked(link, to_sha, to_subject, to_at))
        if link.target_commit_id == commit_id and place is not None:
            surest.setdefault((link.kind, by_sha), _linked(link, by_sha, by_subject, by_at))
        if place is not None and to_place is not None:
            on_line.append((place, by_id, by_sha, by_at, link.kind, to_id))
    return _Relatives(families=families_by(on_line), links=tuple(links), linked_by=tuple(surest.values()))


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
    touched = select(LandingRow.number).where(LandingRow.commit_id == commit.id)
    query = (
        select(LandingRow.commit_id, LandingRow.number, LandingRow.kind)
        .join(CommitRow, CommitRow.id == LandingRow.commit_id)
        .where(LandingRow.repository_id == commit.repository_id, LandingRow.number.in_(touched))
        .where(CommitRow.position.is_not(None))
        .order_by(CommitRow.position)
    )
    own: dict[int, LandingKind] = {}
    last: dict[int, LandingKind] = {}
    for commit_id, number, kind in session.execute(query):
        last[number] = LandingKind(kind)
        if commit_id == commit.id:
            own[number] = LandingKind(kind)
    return tuple(
        LandedPull(number=number, kind=own[number], landed_now=last[number] is LandingKind.LANDED)
        for number in sorted(own)
    )
