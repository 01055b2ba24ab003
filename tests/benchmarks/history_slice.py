"""Ours in the comparison: the last commits of a clone's line, read, judged and stored in an SQLite database.

`python -m tests.benchmarks.history_slice CLONE REVISION COMMITS WORKERS SLUG` prints what was seen, as JSON.
"""

import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from db import schema
from db.base import in_transaction, open_database, session_factory
from db.repositories import add_repository
from jobs.chunk_workers import Reading, judge_chunks
from jobs.commit_store import CommitStore
from jobs.crawl_commits import cut
from tests.benchmarks.seen import digest_of
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset
from tracker.settings import Secret
from tracker.sources.git_mirror import open_mirror


def store_slice(clone: str, revision: str, commits: int, workers: int, slug: str, folder: Path) -> dict[str, object]:
    """Judge and store the last commits of a line and return what was seen of them."""
    engine = open_database(f"sqlite:///{folder / 'tracker.db'}")
    schema.upgrade(engine)
    sessions = session_factory(engine)
    with in_transaction(sessions) as session:
        repository = add_repository(session, slug, mirror=clone, now=_now())
    with open_mirror(clone, folder=folder, slug=slug) as mirror:
        pairs = mirror.first_parent_line(revision)[-commits:]
    ruleset = load_ruleset(read_rules())
    store = CommitStore(sessions, repository.id, ruleset, Secret("benchmark"), _now)
    reading = Reading(path=clone, slug=slug, ruleset=ruleset, chunks=cut(pairs, 0))
    shas: list[str] = []
    for batch in judge_chunks(reading, workers=workers):
        store.append(batch, first_position=len(shas), head=pairs[-1][0])
        shas += [judged.commit.sha for judged in batch]
    engine.dispose()
    return {"commits": len(shas), "digest": digest_of(shas), "entries": store.counts["entries"]}


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        clone, revision, commits, workers, slug = sys.argv[1:]
        seen = store_slice(clone, revision, int(commits), int(workers), slug, Path(scratch))
        sys.stdout.write(json.dumps(seen) + "\n")
