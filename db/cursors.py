"""Where the crawl of one stream of one repository stopped; a cursor moves in the transaction of what was read."""

from datetime import datetime

from sqlalchemy.orm import Session

from db.base import insert_into
from db.tables import CursorRow


def read_cursor(session: Session, repository_id: int, stream: str) -> str | None:
    """Return the value as it was stored, JSON of the stream's own form; None when nothing was read yet."""
    row = session.get(CursorRow, (repository_id, stream), populate_existing=True)
    return row.value if row is not None else None


def move_cursor(session: Session, repository_id: int, stream: str, value: str, now: datetime) -> None:
    """Set the cursor, whether it exists or not."""
    statement = insert_into(session, CursorRow).values(
        repository_id=repository_id, stream=stream, value=value, moved_at=now
    )
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["repository_id", "stream"],
            set_={"value": statement.excluded.value, "moved_at": statement.excluded.moved_at},
        )
    )


def remove_cursor(session: Session, repository_id: int, stream: str) -> None:
    """Forget where the stream stopped: it will be read from its beginning."""
    row = session.get(CursorRow, (repository_id, stream), populate_existing=True)
    if row is not None:
        session.delete(row)
        session.flush()
