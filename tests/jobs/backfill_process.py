"""A backfill in a process of its own, for tests that kill it; run as a module with the paths of database and clone."""

import sys
from pathlib import Path

from db.base import open_database, session_factory
from jobs import crawl_commits
from jobs.backfill import backfill
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset
from tracker.settings import Secret, Settings

SLUG = "example/upstream"
CHUNK = 20


def main(database: str, clone: str) -> None:
    crawl_commits.CHUNK = CHUNK
    engine = open_database(f"sqlite:///{database}")
    settings = Settings(var_folder=Path(database).parent, mail_key=Secret("a key for tests only"))
    backfill(session_factory(engine), SLUG, settings, load_ruleset(read_rules()), mirror=clone, workers=2)
    engine.dispose()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
