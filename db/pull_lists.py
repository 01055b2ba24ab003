"""The lists inside pull requests: labels, reviews, merge notices, files, linked issues, and what of them is unread.

GitHub gives at most 100 items of a list at once. What a list still holds is a remainder, stored in the transaction of
the pull request that has it, and read on later, many at a time. Where a pull request is described anew, its lists begin
again.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from db.base import Base, insert_into
from db.identities import chunks
from db.people import upsert_people
from db.tables import MergeNoticeRow, PullFileRow, PullRemainderRow, PullRequestRow, ReviewRow
from tracker.upstream import ListPart, MergeNotice, Person, PullFile, PullRequest, Remainder, Review

Rows = list[dict[str, Any]]


def replace_lists(session: Session, pulls: Mapping[int, PullRequest], people: Mapping[Person, int]) -> None:
    """Make the stored lists of each pull request (by row id) those that it has now: a review may be dismissed."""
    for table in (ReviewRow, MergeNoticeRow, PullFileRow, PullRemainderRow):
        session.execute(delete(table).where(table.pull_request_id.in_(pulls.keys())))
    _write(session, ReviewRow, [row for key, pull in pulls.items() for row in _reviews(key, pull.reviews, people)])
    _write(session, MergeNoticeRow, [row for key, pull in pulls.items() for row in _notices(key, pull.notices)])
    _write(session, PullFileRow, [row for key, pull in pulls.items() for row in _files(key, pull.files, 0)])
    remainders: Rows = [
        {"pull_request_id": key, "items": rest.items, "after": rest.after}
        for key, pull in pulls.items()
        for rest in pull.remainders
    ]
    _write(session, PullRemainderRow, remainders)


def read_remainders(session: Session, repository_id: int, limit: int) -> list[Remainder]:
    """Return lists that have not been read to their end, those of the lowest numbers first."""
    query = (
        select(PullRequestRow.node_id, PullRequestRow.number, PullRemainderRow.items, PullRemainderRow.after)
        .join(PullRequestRow, PullRequestRow.id == PullRemainderRow.pull_request_id)
        .where(PullRequestRow.repository_id == repository_id)
        .order_by(PullRequestRow.number, PullRemainderRow.items)
        .limit(limit)
    )
    return [
        Remainder(node_id=node_id, number=number, items=items, after=after)
        for node_id, number, items, after in session.execute(query)
    ]


def count_remainders(session: Session, repository_id: int) -> int:
    """Return how many lists have not been read to their end."""
    query = (
        select(func.count())
        .select_from(PullRemainderRow)
        .join(PullRequestRow, PullRequestRow.id == PullRemainderRow.pull_request_id)
        .where(PullRequestRow.repository_id == repository_id)
    )
    return session.scalar(query) or 0


def append_part(session: Session, repository_id: int, remainder: Remainder, part: ListPart) -> bool:
    """Add the next stretch of a list; False, and nothing is added, when the list began anew or went on meanwhile."""
    found = _locked(session, repository_id, remainder)
    if found is None:
        return False
    pull, row = found
    authors = [review.author for review in part.reviews if review.author is not None]
    people = upsert_people(session, authors, pull.seen_at)
    _write(session, ReviewRow, _reviews(pull.id, part.reviews, people))
    _write(session, MergeNoticeRow, _notices(pull.id, part.notices))
    _write(session, PullFileRow, _files(pull.id, part.files, _count_files(session, pull.id)))
    if part.labels:
        pull.labels = json.dumps([*json.loads(pull.labels), *part.labels], ensure_ascii=False)
    if part.linked_issues:
        pull.linked_issues = json.dumps(sorted({*json.loads(pull.linked_issues), *part.linked_issues}))
    if part.after is not None:
        row.after = part.after
    else:
        session.delete(row)
    session.flush()
    return True


def remove_remainders(session: Session, repository_id: int, number: int) -> None:
    """Give up reading on in the lists of a pull request; it is to be read again as a whole."""
    one = select(PullRequestRow.id).where(
        PullRequestRow.repository_id == repository_id, PullRequestRow.number == number
    )
    session.execute(delete(PullRemainderRow).where(PullRemainderRow.pull_request_id.in_(one)))


def _locked(
    session: Session, repository_id: int, remainder: Remainder
) -> tuple[PullRequestRow, PullRemainderRow] | None:
    # The pull request first, as whoever describes it anew does: two crawls do not wait for each other in a circle.
    pull = session.scalars(
        select(PullRequestRow)
        .where(PullRequestRow.repository_id == repository_id, PullRequestRow.number == remainder.number)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()
    if pull is None:
        return None
    row = session.get(PullRemainderRow, (pull.id, remainder.items), populate_existing=True)
    return (pull, row) if row is not None and row.after == remainder.after else None


def _count_files(session: Session, pull_request_id: int) -> int:
    query = select(func.count()).where(PullFileRow.pull_request_id == pull_request_id)
    return session.scalar(query) or 0


def _reviews(key: int, reviews: Iterable[Review], people: Mapping[Person, int]) -> Rows:
    return [
        {
            "id": review.id,
            "pull_request_id": key,
            "author_id": people[review.author] if review.author is not None else None,
            "state": review.state,
            "submitted_at": review.submitted_at,
            "association": review.association,
        }
        for review in reviews
    ]


def _notices(key: int, notices: Iterable[MergeNotice]) -> Rows:
    return [
        {
            "id": notice.id,
            "pull_request_id": key,
            "kind": notice.kind,
            "at": notice.at,
            "bot": notice.bot,
            "sha": notice.sha,
            "number": notice.number,
            "reason": notice.reason,
        }
        for notice in notices
    ]


def _files(key: int, files: Iterable[PullFile], start: int) -> Rows:
    return [
        {
            "pull_request_id": key,
            "position": position,
            "path": file.path,
            "change": file.change,
            "additions": file.additions,
            "deletions": file.deletions,
        }
        for position, file in enumerate(files, start)
    ]


def _write(session: Session, table: type[Base], rows: Rows) -> None:
    """Write rows in the order of their keys, each once; what is there already is replaced."""
    keys = [column.name for column in table.__table__.primary_key]
    unique = {tuple(row[key] for key in keys): row for row in rows}
    for chunk in chunks(unique[key] for key in sorted(unique)):
        statement = insert_into(session, table).values(chunk)
        settable = [name for name in chunk[0] if name not in keys]
        replaced = {name: statement.excluded[name] for name in settable}
        session.execute(statement.on_conflict_do_update(index_elements=keys, set_=replaced))
