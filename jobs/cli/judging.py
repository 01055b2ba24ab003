"""tracker classify, scan and audit: judge commits, list the sites of a tree, prove the ledger."""

import argparse
from typing import TYPE_CHECKING

from jobs.cli.context import Context, add_command

if TYPE_CHECKING:
    from db.audits import Audit


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    audit = add_command(
        commands,
        "audit",
        _audit,
        summary="compare the ledger with full scans of the tree; exit 1 on any difference",
        details="At every commit the ledger's balance must be what a full scan of the tree finds, path by path.",
        example="tracker audit --repo pytorch/pytorch --sample 30",
    )
    audit.add_argument("--repo", metavar="OWNER/NAME", required=True)
    which = audit.add_mutually_exclusive_group()
    which.add_argument(
        "--sample", metavar="N", type=_count, default=1, help="the newest commit and others at random, N in all"
    )
    which.add_argument("--rev", metavar="REV", help="this commit only")


def _audit(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.audit import audit
    from jobs.cli.crawling import finish
    from jobs.duties import open_duties
    from jobs.runner import PAUSING

    audits: list[Audit] = []
    with open_duties(context.settings) as duties, context.progress() as progress:

        def work() -> dict[str, int | str]:
            audits.extend(
                audit(
                    duties.sessions,
                    arguments.repo,
                    duties.settings,
                    duties.ruleset,
                    sample=arguments.sample,
                    rev=arguments.rev,
                    progress=progress,
                )
            )
            return {"commits": len(audits), "differences": sum(each.differences for each in audits)}

        report = duties.runner.run("audit", arguments.repo, work, no_pause_after=PAUSING)
        duties.evaluate_alerts()
    if report is None or report.outcome != "ok":
        return finish(context, [report])
    context.table(
        ("commit", "date", "paths", "sites", "differences"),
        [(each.sha, f"{each.committed_at:%Y-%m-%d}", each.paths, each.sites, each.differences) for each in audits],
    )
    for each in audits:
        for difference in each.details:
            context.say(
                f"{each.sha[:10]} {difference.path}: the tree holds {difference.tree}, "
                f"the ledger says {difference.ledger} (e.g. {difference.example})"
            )
    return 1 if any(each.differences for each in audits) else 0


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of commits from 1 to 10000")
    return int(text)
