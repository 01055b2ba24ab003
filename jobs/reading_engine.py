"""A database that already exists, opened for reading only."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from db import schema
from db.base import open_database
from tracker.errors import DatabaseUnavailable
from tracker.settings import Settings


@contextmanager
def reading_engine(settings: Settings) -> Iterator[Engine]:
    """Yield an engine that refuses writes.

    Raises:
        DatabaseUnavailable: there is no database yet, it cannot be opened, or its schema is not the one needed.
    """
    engine = open_database(settings.database_url, read_only=True)
    try:
        if engine.dialect.name == "sqlite" and not Path(engine.url.database or "").is_file():
            raise DatabaseUnavailable(
                f"there is no database at {engine.url.database} yet; `tracker run` makes it and fills it"
            )
        schema.check(engine)
        yield engine
    finally:
        engine.dispose()
