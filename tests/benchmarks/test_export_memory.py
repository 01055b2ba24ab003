"""How much memory an export of the whole ledger takes at most; `pytest tests/benchmarks -m slow -s` prints the figures.

Rows are streamed, so that ten times as many take no more. Measured is the resident memory of a process of its own at
its peak (Linux says it), less that of a process that exports nothing: it holds what interpreter and libraries take.
"""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from db import schema
from db.base import open_database, session_factory
from db.identities import Identities
from jobs.export import Format
from tests.benchmarks.test_store import history
from tests.stored import a_repository, append

pytestmark = pytest.mark.slow

ENTRIES = 25
SMALL, BATCH, TIMES = 1_000, 500, 10
MOST_GROWTH = 2.5
"""Generous: of the large file SQLite keeps more pages in its cache, which is bounded."""

CHILD = r"""
import pathlib, re, sys
from jobs.cli.main import main
code = main(["export", "ledger", "--format", sys.argv[1], "-o", sys.argv[2]])
print(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """An empty store, a small one, and one with ten times as many commits."""
    folder = tmp_path_factory.mktemp("memory")
    return {name: store(folder / f"{name}.db", commits) for name, commits in sizes().items()}


def sizes() -> dict[str, int]:
    return {"empty": 0, "small": SMALL, "large": TIMES * SMALL}


def store(path: Path, commits: int) -> Path:
    engine = open_database(f"sqlite:///{path}")
    schema.upgrade(engine)
    identities, sessions = Identities(), session_factory(engine)
    for first in range(0, commits, BATCH):
        with sessions.begin() as session:
            batch = history(first, BATCH, entries=ENTRIES, apart=timedelta(hours=2))
            append(session, a_repository(session), batch, identities=identities)
    engine.dispose()
    return path


def peak_kilobytes(database: Path, form: Format, out: Path) -> int:
    """The most memory that a process which exports the ledger holds."""
    environment = os.environ | {
        "TRACKER_DATABASE_URL": f"sqlite:///{database}",
        "TRACKER_VAR_FOLDER": str(database.parent / "var"),
    }
    command = [sys.executable, "-c", CHILD, form.value, str(out)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1])


@pytest.mark.parametrize("form", list(Format))
def test_ten_times_as_many_rows_take_no_more_memory(stores: dict[str, Path], tmp_path: Path, form: Format) -> None:
    out = tmp_path / "ledger"
    peaks: dict[str, int] = {}
    lengths: dict[str, int] = {}
    for name, database in stores.items():
        peaks[name] = peak_kilobytes(database, form, out)
        lengths[name] = out.stat().st_size
    own = {name: peak - peaks["empty"] for name, peak in peaks.items()}
    print(f"\n{form}: {peaks} kB at the peak, {lengths} bytes written")
    assert lengths["large"] > 5 * lengths["small"]
    assert own["large"] <= MOST_GROWTH * own["small"]
