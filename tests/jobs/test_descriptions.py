import errno
import os

import pytest

from jobs.descriptions import describe
from tracker.errors import TrackerError


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/var/x"),
            "No space left on device: /var/x; make room on that disk; what was committed is kept",
        ),
        (
            OSError(errno.EROFS, os.strerror(errno.EROFS)),
            "Read-only file system; set TRACKER_VAR_FOLDER, and TRACKER_DATABASE_URL, to a place that can be written",
        ),
        (OSError(errno.EPIPE, os.strerror(errno.EPIPE)), "Broken pipe"),
        (TrackerError("two\nlines"), "two lines"),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
def test_what_went_wrong_is_one_line_with_the_remedy_that_is_known(error: Exception, said: str) -> None:
    assert describe(error) == said
