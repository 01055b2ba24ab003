"""tracker classify, scan and audit: judge commits, list the sites of a tree, prove the ledger."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from jobs.cli.context import Context, UsageProblem, add_command, version
from tracker.settings import DEFAULT_SLUG, parse_repository

if TYPE_CHECKING:
    from db.audits import Audit
    from tracker.sources.git_mirror import Mirror


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    classify = add_command(
        commands,
        "classify",
        _classify,
        summary="judge commits of a clone, one JSON object a line; no database is needed",
        details="Each commit is compared with its first parent. removed and added count sites in neutral code. What "
        "cannot be judged is named on standard error, the others are judged all the same; exit 1 then.",
        example="tracker classify --mirror /clones/pytorch --explain b4c35d7ae7",
    )
    classify.add_argument("shas", metavar="SHA", nargs="*", help="commits to judge")
    classify.add_argument("--stdin", action="store_true", help="read the commits from standard input")
    classify.add_argument("--explain", action="store_true", help="say why, in lines for a person")
    classify.add_argument("--mirror", metavar="PATH_OR_URL", required=True, help="the clone")
    scan = add_command(
        commands,
        "scan",
        _scan,
        summary="list the sites of a tree: a folder, a file, or a revision of a clone; no database is needed",
        details="The table counts them, JSON has each with its line, SARIF is for code-scanning tools.",
        example="tracker scan --mirror /clones/pytorch --rev v2.1.0 --format json",
    )
    scan.add_argument("path", metavar="PATH", nargs="?", help="a folder or file to scan as it is")
    scan.add_argument("--mirror", metavar="PATH_OR_URL", help="a clone, of which --rev is scanned")
    scan.add_argument("--rev", metavar="REV", help="branch, tag or commit (default: the default branch)")
    scan.add_argument("--format", choices=["table", "json", "sarif"], default="table", help="default: table")
    for parser in (classify, scan):
        parser.add_argument(
            "--repo",
            metavar="OWNER/NAME",
            help=f"whose territories hold (default: what the clone's origin says, else {DEFAULT_SLUG})",
        )
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


def _classify(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.classify_commits import as_json, classify_commits
    from jobs.explain_commits import explain
    from jobs.load_rules import load_rules
    from tracker.errors import RepositoryError

    if bool(arguments.shas) is arguments.stdin:
        raise UsageProblem("name the commits, or give them on standard input with --stdin")
    shas = (word for line in sys.stdin for word in line.split()) if arguments.stdin else iter(arguments.shas)
    passed_over: list[str] = []

    def pass_over(revision: str, error: RepositoryError) -> None:
        passed_over.append(revision)
        context.note(f"tracker: {revision} was not judged: {error}")

    with _open_clone(arguments, context) as (mirror, slug):
        ruleset = load_rules(context.settings)
        at_most = None if arguments.explain else 0
        judged = classify_commits(mirror, slug, ruleset, shas, accounts_at_most=at_most, pass_over=pass_over)
        for classification in judged:
            context.say(
                explain(classification, ruleset)
                if arguments.explain
                else json.dumps(as_json(classification), ensure_ascii=False)
            )
    return 1 if passed_over else 0


def _scan(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.load_rules import load_rules
    from jobs.render_scan import scan_as_json, scan_as_sarif, scan_as_table
    from jobs.scan_tree import scan_folder, scan_revision

    if (arguments.path is None) is (arguments.mirror is None) or (arguments.rev and not arguments.mirror):
        raise UsageProblem("name a PATH, or a clone with --mirror and --rev")
    ruleset = load_rules(context.settings)
    if arguments.path is not None:
        slug = parse_repository(arguments.repo).slug if arguments.repo else DEFAULT_SLUG
        scan = scan_folder(Path(arguments.path), slug, ruleset)
    else:
        with _open_clone(arguments, context) as (mirror, slug):
            scan = scan_revision(mirror, slug, arguments.rev or mirror.default_branch(), ruleset)
    match arguments.format:
        case "json":
            context.say(json.dumps(scan_as_json(scan), ensure_ascii=False))
        case "sarif":
            context.say(json.dumps(scan_as_sarif(scan, ruleset, version()), ensure_ascii=False))
        case _:
            head, *rows = scan_as_table(scan)
            context.table(head, rows)
    return 0


@contextmanager
def _open_clone(arguments: argparse.Namespace, context: Context) -> "Iterator[tuple[Mirror, str]]":
    """Yield the clone that --mirror names, a URL's brought up to date, and the repository it stands for."""
    from tracker.sources.git_mirror import open_mirror
    from tracker.sources.git_remote import is_url

    named = parse_repository(arguments.repo).slug if arguments.repo else None
    slug = named or _slug_of_origin(arguments.mirror)
    if slug is None:
        slug = DEFAULT_SLUG
        context.note(f"the clone does not say what it is of: the territories of {slug} hold; --repo names another")
    folder = context.settings.mirrors_folder
    with open_mirror(arguments.mirror, folder=folder, slug=slug) as mirror, context.progress() as progress:
        if is_url(arguments.mirror):
            mirror.fetch(progress=progress)
        yield mirror, slug


def _slug_of_origin(location: str) -> str | None:
    """Return owner/name from a URL at GitHub: the location itself, or what a clone says it was cloned from."""
    from tracker.errors import RepositoryError, SettingsError
    from tracker.sources.git_process import reading_environment, run_git
    from tracker.sources.git_remote import is_url

    origin = location
    if not is_url(location):
        try:
            asked = ["config", "--get", "remote.origin.url"]
            answer = run_git(asked, environment=reading_environment(), folder=Path(location))
        except (RepositoryError, OSError):
            return None
        origin = answer.decode("utf-8", "replace").strip()
    _, found, path = origin.partition("github.com")
    try:
        return parse_repository(path.strip(":/").removesuffix(".git")).slug if found else None
    except SettingsError:
        return None


def _audit(arguments: argparse.Namespace, context: Context) -> int:
    from jobs.audit import audit
    from jobs.cli.crawling import finish
    from jobs.duties import open_command_duties
    from jobs.runner import PAUSING

    audits: list[Audit] = []
    with open_command_duties(context.settings) as duties, context.progress() as progress:

        def work() -> dict[str, int | str]:
            audits.extend(
                audit(
                    duties.sessions,
                    arguments.repo,
                    duties.settings,
                    duties.ruleset,
                    sample=arguments.sample,
                    rev=arguments.rev,
                    readers=duties.readers,
                    progress=progress,
                )
            )
            return {"commits": len(audits), "differences": sum(each.differences for each in audits)}

        report = duties.runner.run("audit", arguments.repo, work, no_pause_after=PAUSING)
        duties.evaluate_alerts()
    if report is None or report.outcome != "ok":
        return finish(context, [report])
    context.table(
        (
            "commit",
            "date",
            "paths compared",
            "sites and neutral constructs in the tree",
            "lines of code",
            "differences",
        ),
        [
            (each.sha, f"{each.committed_at:%Y-%m-%d}", each.paths, each.sites, each.lines, each.differences)
            for each in audits
        ],
    )
    for each in audits:
        for difference in each.details:
            about = f"e.g. {difference.example}" if difference.example else difference.unit
            context.say(
                f"{each.sha[:10]} {difference.path}: the tree holds {difference.tree}, "
                f"the ledger says {difference.ledger} ({about})"
            )
    return 1 if any(each.differences for each in audits) else 0


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of commits from 1 to 10000")
    return int(text)
