"""`python -m jobs.cli` is the command `tracker` where the package is not installed."""

import sys

from jobs.cli import console

if __name__ == "__main__":
    sys.exit(console())
