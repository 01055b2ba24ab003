"""What a role of PostgreSQL needs to read this product's tables and nothing more: for web processes, for analysts."""

from sqlalchemy import Engine, text

from tracker.errors import TrackerError

SCHEMA = "public"


def reading_grants(engine: Engine, role: str) -> tuple[str, ...]:
    """Return the statements that let a role read every table, those of later versions included.

    They are to be run by the role that owns the tables, the one that `tracker db upgrade` uses.

    Raises:
        TrackerError: the database is SQLite, which has no roles.
    """
    if engine.dialect.name != "postgresql":
        raise TrackerError(
            "SQLite has no roles: `tracker web` opens the file so that it cannot write (query_only); "
            "give its account read access to the folder, and write access for the -shm file beside the database"
        )
    quote = engine.dialect.identifier_preparer.quote_identifier
    reader, database = quote(role), quote(engine.url.database or "")
    return (
        f"GRANT CONNECT ON DATABASE {database} TO {reader}",
        f"GRANT USAGE ON SCHEMA {SCHEMA} TO {reader}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {reader}",
        f"ALTER DEFAULT PRIVILEGES IN SCHEMA {SCHEMA} GRANT SELECT ON TABLES TO {reader}",
    )


def grant_reading(engine: Engine, role: str) -> tuple[str, ...]:
    """Run the statements of `reading_grants` in one transaction and return them.

    Raises:
        TrackerError: as `reading_grants`, or the role does not exist.
    """
    statements = reading_grants(engine, role)
    with engine.begin() as connection:
        known = connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}).first()
        if known is None:
            quoted = engine.dialect.identifier_preparer.quote_identifier(role)
            raise TrackerError(f"there is no role {role}; make it first: CREATE ROLE {quoted} LOGIN PASSWORD '...'")
        for statement in statements:
            connection.exec_driver_sql(statement)
    return statements
