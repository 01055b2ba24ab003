"""Brings a database's schema to the version this code needs, and says whether it is there.

Alembic is run from Python over the caller's engine, without an alembic.ini; the revisions are in `db.migrations`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from tracker.errors import DatabaseUnavailable

# Any number will do, as long as no other program takes the same advisory lock in this database.
MIGRATION_LOCK = 4_815_162_342


def migration_config(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration; commands that touch a database need the connection."""
    config = Config()
    config.set_main_option("script_location", "db:migrations")
    config.set_main_option("path_separator", "os")
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.set_main_option("truncate_slug_length", "60")
    config.attributes["connection"] = connection
    return config


def upgrade(engine: Engine) -> None:
    """Create the schema in an empty database, or bring an older one up to date; all or nothing, and idempotent.

    Raises:
        DatabaseUnavailable: the database cannot be opened, or was written by a newer version of this product.
    """
    with _explained(engine), engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            # Two processes that start together must not both create the tables.
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
        command.upgrade(migration_config(connection), "head")


def check(engine: Engine) -> None:
    """Return silently when the schema is the one this version needs.

    Raises:
        DatabaseUnavailable: it is older, newer or absent, or the database cannot be opened; it says what to do.
    """
    needed = ScriptDirectory.from_config(migration_config()).get_current_head()
    with _explained(engine), engine.connect() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    if found is None:
        raise DatabaseUnavailable(f"{_name(engine)} holds no tables yet; run `tracker db upgrade`")
    if found != needed:
        raise DatabaseUnavailable(
            f"{_name(engine)} has schema {found}, this version needs {needed}; run `tracker db upgrade`"
        )


@contextmanager
def _explained(engine: Engine) -> Iterator[None]:
    """Say in the product's own words what the database or Alembic could not do."""
    try:
        yield
    except DBAPIError as error:
        raise DatabaseUnavailable(f"{_name(engine)} cannot be used: {error.orig}") from error
    except CommandError as error:
        raise DatabaseUnavailable(
            f"{_name(engine)} was written by another version of this product ({error}); install that version"
        ) from error


def _name(engine: Engine) -> str:
    return f"the database {engine.url.render_as_string(hide_password=True)}"
