"""The schema's history, one revision a file; `db.schema` runs it from Python, there is no alembic.ini."""
