"""Commits known by their shas are judged only where TRACKER_TEST_CLONES names a clone of pytorch/pytorch."""

import os

collect_ignore = [] if "pytorch/pytorch=" in os.environ.get("TRACKER_TEST_CLONES", "") else ["test_pytorch.py"]
