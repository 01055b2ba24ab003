"""The oracles run over whole clones only where TRACKER_TEST_CLONES names some; else that module is not collected."""

import os

collect_ignore = [] if os.environ.get("TRACKER_TEST_CLONES", "").strip() else ["test_clones.py"]
