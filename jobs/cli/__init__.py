"""The command `tracker`."""

import signal
import sys
import threading
from collections.abc import Sequence

NEEDED_PYTHON = (3, 11)


def console(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; without arguments given, those of this process.

    0: done, nothing found. 1: something was found, or it failed. 2: wrong usage or settings (a critical alert, of
    `alerts --check`). 3: unknown. 130: interrupted. 141: nobody reads the output any more.
    """
    if sys.version_info < NEEDED_PYTHON:
        # Nothing else is imported before: the other modules do not even compile there.
        sys.stderr.write("tracker: Python 3.11 or newer is needed, this is {}.{}\n".format(*sys.version_info))
        return 2
    if threading.current_thread() is threading.main_thread():
        # A shell that starts a command in the background lets it ignore the signal; who sends it means it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    from jobs.cli.main import main

    return main(sys.argv[1:] if argv is None else argv)
