"""PyDriller in the comparison: the diff of each file of the last commits of a line, as its documentation reads them.

Run by the Python that has PyDriller: `python -m tests.benchmarks.with_pydriller CLONE SHAS_FILE` prints what
was seen, as JSON.
"""

import json
import sys
from pathlib import Path

from pydriller import Repository

from tests.benchmarks.seen import digest_of

if __name__ == "__main__":
    shas = Path(sys.argv[2]).read_text(encoding="ascii").split()
    found: list[str] = []
    lines = 0
    for commit in Repository(sys.argv[1], only_commits=shas).traverse_commits():
        found.append(commit.hash)
        for file in commit.modified_files:
            lines += len(file.diff_parsed["added"]) + len(file.diff_parsed["deleted"])
    order = {sha: number for number, sha in enumerate(shas)}
    found.sort(key=lambda sha: order[sha])
    sys.stdout.write(json.dumps({"commits": len(found), "digest": digest_of(found), "changed lines": lines}) + "\n")
