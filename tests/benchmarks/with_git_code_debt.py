"""git-code-debt in the comparison: its own metrics (lines by pattern) of the last commits of a line, into SQLite.

Run by the Python that has it: `python -m tests.benchmarks.with_git_code_debt CLONE SHAS_FILE BEFORE JOBS FOLDER` prints
what was seen, as JSON. Its database is told that it has read up to the commit BEFORE the slice, so that it goes on from
there.
"""

import json
import sqlite3
import sys
from pathlib import Path

from git_code_debt.generate import create_database, get_options_from_config, main

from tests.benchmarks.seen import digest_of

if __name__ == "__main__":
    clone, shas_file, before, jobs, folder = sys.argv[1:]
    database = Path(folder) / "debt.db"
    database.unlink(missing_ok=True)
    config = Path(folder) / "debt.yaml"
    config.write_text(f"repo: {clone}\ndatabase: {database}\nmetric_package_names: []\n", encoding="utf-8")
    create_database(get_options_from_config(str(config)))
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO metric_data (sha, metric_id, timestamp, running_value) SELECT ?, id, 0, 0 FROM metric_names",
            (before,),
        )
    main(["-C", str(config), "-j", jobs])
    with sqlite3.connect(database) as connection:
        stored = {sha for (sha,) in connection.execute("SELECT DISTINCT sha FROM metric_data")}
    shas = [sha for sha in Path(shas_file).read_text(encoding="ascii").split() if sha in stored]
    sys.stdout.write(json.dumps({"commits": len(shas), "digest": digest_of(shas)}) + "\n")
