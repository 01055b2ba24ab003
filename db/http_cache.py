"""Answers over HTTP that are kept between runs, to be replayed when upstream says that they have not changed."""

from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction, insert_into
from db.tables import HttpCacheRow
from tracker.upstream import CachedAnswer


class HttpCache:
    """The kept answers, by key; each is read and written in a transaction of its own."""

    def __init__(self, sessions: sessionmaker[Session]) -> None:
        self._sessions = sessions

    def read(self, key: str) -> CachedAnswer | None:
        """Return the answer kept under a key; None when there is none."""
        with in_transaction(self._sessions) as session:
            row = session.get(HttpCacheRow, key)
            return _answer(row) if row is not None else None

    def write(self, key: str, answer: CachedAnswer) -> None:
        """Keep an answer in place of the one before."""
        columns = {
            "url": answer.url,
            "etag": answer.etag,
            "last_modified": answer.last_modified,
            "link": answer.link,
            "body": answer.body,
            "fetched_at": answer.fetched_at,
        }
        with in_transaction(self._sessions) as session:
            statement = insert_into(session, HttpCacheRow).values(key=key, **columns)
            session.execute(statement.on_conflict_do_update(index_elements=["key"], set_=columns))


def _answer(row: HttpCacheRow) -> CachedAnswer:
    return CachedAnswer(
        url=row.url,
        etag=row.etag,
        last_modified=row.last_modified,
        link=row.link,
        body=row.body,
        fetched_at=row.fetched_at,
    )
