"""tracker classify, scan and audit: judge commits, list the sites of a tree, prove the ledger."""

import argparse

from jobs.cli.context import Context, add_command


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    pass
