"""Every test of the database layer runs on SQLite and on PostgreSQL."""

from tests.databases import engine, open_empty, postgres_engine, postgres_server, sessions, sqlite_template

__all__ = ["engine", "open_empty", "postgres_engine", "postgres_server", "sessions", "sqlite_template"]
