"""Storing pull requests with their people and lists: a description older than the stored one changes nothing."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.base import insert_into
from db.forgotten import ERASED, read_forgotten_ids, without_logins
from db.people import upsert_people
from db.pull_lists import replace_lists
from db.tables import DeadLetterRow, PullRequestRow
from tracker.upstream import Person, PullRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class PullCounts:
    """What storing a batch did."""

    new: int
    changed: int
    """Stored before with an older time of update."""
    unchanged: int
    """The same time of update as stored, or older."""


def upsert_pulls(session: Session, repository_id: int, pulls: Iterable[PullRequest], seen_at: datetime) -> PullCounts:
    """Store pull requests by (repository, number) with their authors and reviews.

    A pull request is written when its `updated_at` is not older than the stored one: what happened twice in one second
    has one time, so that an equal time may hold news. It may come twice in a batch; its latest description counts.

    Args:
        seen_at: the server's time of the answer.
    """
    batch = _latest_by_number(pulls)
    if not batch:
        return PullCounts(new=0, changed=0, unchanged=0)
    before = _stored_updates(session, repository_id, batch)
    people = upsert_people(session, _people(batch.values()), seen_at)
    forgotten = read_forgotten_ids(session, [person.id for person in people if person.id is not None])
    spared = [_without_login(pull, forgotten) for pull in batch.values()]
    written = _write_pulls(session, repository_id, spared, people, seen_at)
    replace_lists(session, {row_id: batch[number] for number, row_id in written.items()}, people)
    new = len(batch.keys() - before.keys())
    changed = sum(pull.updated_at > before[number] for number, pull in batch.items() if number in before)
    return PullCounts(new=new, changed=changed, unchanged=len(batch) - new - changed)


def count_stored_pulls(session: Session, repository_id: int) -> int:
    """Return how many pull requests of a repository are stored."""
    query = select(func.count()).where(PullRequestRow.repository_id == repository_id)
    return session.scalar(query) or 0


def count_unstored_letters(session: Session, repository_id: int, stream: str) -> int:
    """Return how many dead letters stand for a pull request that is not stored; others lack only a part of one."""
    keys = session.scalars(
        select(DeadLetterRow.key).where(DeadLetterRow.repository_id == repository_id, DeadLetterRow.stream == stream)
    ).all()
    numbers = [int(key) for key in keys if key.isdecimal()]
    stored = _stored_updates(session, repository_id, dict.fromkeys(numbers))
    return len(keys) - len(stored)


def _latest_by_number(pulls: Iterable[PullRequest]) -> dict[int, PullRequest]:
    ordered = sorted(pulls, key=lambda pull: (pull.number, pull.updated_at))  # one order: no deadlock between crawls
    return {pull.number: pull for pull in ordered}


def _without_login(pull: PullRequest, forgotten: Mapping[int, int]) -> PullRequest:
    """The branches of ghstack hold their author's login."""
    row_id = forgotten.get(pull.author.id) if pull.author is not None and pull.author.id is not None else None
    if pull.author is None or row_id is None:
        return pull
    name = f"{ERASED}-{row_id}"
    base, head = (without_logins(ref, [pull.author.login], name) for ref in (pull.base_ref, pull.head_ref))
    return replace(pull, base_ref=base, head_ref=head)


def _stored_updates(session: Session, repository_id: int, batch: Mapping[int, object]) -> dict[int, datetime]:
    query = select(PullRequestRow.number, PullRequestRow.updated_at).where(
        PullRequestRow.repository_id == repository_id, PullRequestRow.number.in_(batch.keys())
    )
    return {row.number: row.updated_at for row in session.execute(query)}


def _people(pulls: Iterable[PullRequest]) -> set[Person]:
    named = {person for pull in pulls for person in (pull.author, *(review.author for review in pull.reviews))}
    return {person for person in named if person is not None}


def _write_pulls(
    session: Session,
    repository_id: int,
    pulls: Sequence[PullRequest],
    people: Mapping[Person, int],
    seen_at: datetime,
) -> dict[int, int]:
    """Return the row ids, by number, of those written."""
    rows = [{"repository_id": repository_id, "seen_at": seen_at} | _columns(pull, people) for pull in pulls]
    statement = insert_into(session, PullRequestRow).values(rows)
    given = statement.excluded
    settable = rows[0].keys() - {"repository_id", "number"}
    written = statement.on_conflict_do_update(
        index_elements=["repository_id", "number"],
        set_={name: given[name] for name in sorted(settable)},
        where=PullRequestRow.updated_at <= given.updated_at,
    ).returning(PullRequestRow.number, PullRequestRow.id)
    return {row.number: row.id for row in session.execute(written)}


def _columns(pull: PullRequest, people: Mapping[Person, int]) -> dict[str, object]:
    return {
        "number": pull.number,
        "node_id": pull.node_id,
        "title": pull.title,
        "state": pull.state,
        "draft": pull.draft,
        "author_id": people[pull.author] if pull.author is not None else None,
        "association": pull.association,
        "created_at": pull.created_at,
        "updated_at": pull.updated_at,
        "closed_at": pull.closed_at,
        "merged_at": pull.merged_at,
        "base_ref": pull.base_ref,
        "head_ref": pull.head_ref,
        "head_sha": pull.head_sha,
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changed_files": pull.changed_files,
        "labels": json.dumps(pull.labels, ensure_ascii=False),
        "reviews_total": pull.reviews_total,
        "review_decision": pull.review_decision,
        "linked_issues": json.dumps(pull.linked_issues),
        "stack": json.dumps(pull.stack),
        "differential": pull.differential,
        "picked_from": pull.picked_from,
        "merge_commit": pull.merge_commit,
    }
