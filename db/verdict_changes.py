"""What judging anew changed: of each commit that is judged differently, its verdict before.

A row is written in the transaction that replaces the verdict, so that a run that was cut, or one that a crawl made, is
told of like any other. It goes with the verdict: judged anew by still other rules, the verdict that stood then is the
one before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from db.tables import CommitRow, VerdictBeforeRow, VerdictRow
from tracker.classify import JudgedCommit
from tracker.sites import Mechanism, Verdict

OUTDATED = "outdated"
"""Stands in the place of a ruleset's digest where the same rules must judge again, and is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a commit was judged to be, in short."""

    verdict: Verdict
    mechanism: Mechanism | None
    removed: int
    """Neutral sites."""
    added: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a commit was judged to be before and after."""

    sha: str
    subject: str
    before: Outcome
    after: Outcome

    @property
    def is_one(self) -> bool:
        """Whether anything of it differs."""
        return self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutcome:
    """A stored commit's verdict, which is about to be replaced."""

    commit_id: int
    sha: str
    subject: str
    ruleset: str
    outcome: Outcome


def read_outcomes(session: Session, repository_id: int, first_position: int, count: int) -> tuple[StoredOutcome, ...]:
    """Return what consecutive commits of the line were judged to be, oldest first.

    Where the same rules are to judge again, that is what stood before these rules first judged.
    """
    query = (
        select(CommitRow, VerdictRow, VerdictBeforeRow)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .outerjoin(VerdictBeforeRow, VerdictBeforeRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id)
        .where(CommitRow.position.between(first_position, first_position + count - 1))
        .order_by(CommitRow.position)
    )
    return tuple(
        StoredOutcome(
            commit_id=commit.id,
            sha=commit.sha,
            subject=commit.subject,
            ruleset=before.ruleset if before is not None and verdict.ruleset == OUTDATED else verdict.ruleset,
            outcome=_outcome(before if before is not None and verdict.ruleset == OUTDATED else verdict),
        )
        for commit, verdict, before in session.execute(query)
    )


def record_changes(
    session: Session, stored: Sequence[StoredOutcome], batch: Sequence[JudgedCommit]
) -> tuple[Change, ...]:
    """Keep what commits were judged to be where that differs from what replaced it; return each before and after."""
    changes = tuple(
        Change(sha=one.sha, subject=one.subject, before=one.outcome, after=_judged(judged))
        for one, judged in zip(stored, batch, strict=True)
    )
    rows = [
        {
            "commit_id": one.commit_id,
            "ruleset": one.ruleset,
            "verdict": one.outcome.verdict,
            "mechanism": one.outcome.mechanism,
            "removed": one.outcome.removed,
            "added": one.outcome.added,
        }
        for one, change in zip(stored, changes, strict=True)
        if change.is_one
    ]
    if rows:
        session.execute(insert(VerdictBeforeRow), rows)
    return changes


def read_changes(session: Session, repository_id: int, ruleset: str) -> tuple[Change, ...]:
    """Return the commits of the line that a ruleset (its digest) judges differently than was judged before it."""
    query = (
        select(CommitRow.sha, CommitRow.subject, VerdictBeforeRow, VerdictRow)
        .join(VerdictRow, VerdictRow.commit_id == CommitRow.id)
        .join(VerdictBeforeRow, VerdictBeforeRow.commit_id == CommitRow.id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .where(VerdictRow.ruleset == ruleset)
        .order_by(CommitRow.position)
    )
    return tuple(
        Change(sha=sha, subject=subject, before=_outcome(before), after=_outcome(after))
        for sha, subject, before, after in session.execute(query)
    )


def read_verdict_counts(session: Session, repository_id: int) -> Mapping[Verdict, int]:
    """Return how many commits of the line have each verdict; one that none has is absent."""
    query = (
        select(VerdictRow.verdict, func.count())
        .join(CommitRow, CommitRow.id == VerdictRow.commit_id)
        .where(CommitRow.repository_id == repository_id, CommitRow.position.is_not(None))
        .group_by(VerdictRow.verdict)
    )
    return dict(session.execute(query).all())


def _outcome(row: VerdictRow | VerdictBeforeRow) -> Outcome:
    return Outcome(verdict=row.verdict, mechanism=row.mechanism, removed=row.removed, added=row.added)


def _judged(judged: JudgedCommit) -> Outcome:
    judgement = judged.judgement
    return Outcome(
        verdict=judgement.verdict,
        mechanism=judgement.mechanism,
        removed=judgement.removed,
        added=judgement.added,
    )
