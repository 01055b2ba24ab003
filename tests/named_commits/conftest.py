"""Commits known by their shas are judged only where TRACKER_TEST_CLONES names clones of their repositories."""

import json
import os
from pathlib import Path

_CLONES = os.environ.get("TRACKER_TEST_CLONES", "")
_LABELLED = {
    json.loads(line)["repo"]
    for path in Path(__file__).with_name("labels").glob("*.jsonl")
    for line in path.read_text(encoding="utf-8").splitlines()
}

collect_ignore = [
    *([] if "pytorch/pytorch=" in _CLONES else ["test_pytorch.py"]),
    *([] if all(f"{slug}=" in _CLONES for slug in _LABELLED) else ["test_labelled.py"]),
]
