"""Ours beside plain git and beside the tools people would use instead, on one slice of history and on one tree.

`make bench CLONE=PATH [REF=REVISION]`; rounds are interleaved, so that what else the machine does falls on all alike.
Nothing is written to the clone: tools read a repository of our own that borrows its objects.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measuring import Measured, measured
from tests.benchmarks.seen import digest_of
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset

_SELF = "ours"
_FLOOR = "git log -p"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The commits that all tools read."""

    clone: Path
    """A repository of our own, whose HEAD is the last commit."""
    shas: Sequence[str]
    before: str
    """The commit before the first one."""
    changed_lines: int


def prepared(clone: Path, revision: str, commits: int, folder: Path) -> Slice:
    """Make the repository that tools read, and say what stands in the slice."""
    objects = _git(clone, "rev-parse", "--path-format=absolute", "--git-path", "objects")
    tip = _git(clone, "rev-parse", "--verify", f"{revision}^{{commit}}")
    own = folder / "clone.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(own)], check=True)
    (own / "objects" / "info" / "alternates").write_text(f"{objects}\n", encoding="utf-8")
    _git(own, "update-ref", "refs/heads/benchmark", tip)
    _git(own, "symbolic-ref", "HEAD", "refs/heads/benchmark")
    line = _git(own, "rev-list", "--first-parent", "-n", str(commits + 1), tip).split()[::-1]
    stats = _git(own, "log", "--first-parent", "-M", "-n", str(commits), "--numstat", "--format=", tip)
    rows = (row.split("\t") for row in stats.splitlines() if row)
    lines = sum(int(row[0]) + int(row[1]) for row in rows if row[0] != "-")
    return Slice(clone=own, shas=line[1:], before=line[0], changed_lines=lines)


def history_commands(sliced: Slice, slug: str, tools: Path | None, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands that read a slice of history, by name."""
    count, workers = str(len(sliced.shas)), str(os.cpu_count() or 1)
    git = ["git", f"--git-dir={sliced.clone}", "log", "--first-parent", "-p", "-U0", "-M", "-n", count]
    yield _FLOOR, [*git, "HEAD"]
    ours = [sys.executable, "-m", "tests.benchmarks.history_slice", str(sliced.clone), "HEAD", count]
    yield _SELF, [*ours, workers, slug]
    yield f"{_SELF}, one process", [*ours, "1", slug]
    if tools is None:
        return
    shas = folder / "shas"
    shas.write_text("\n".join(sliced.shas), encoding="ascii")
    debt = ["tests.benchmarks.with_git_code_debt", str(sliced.clone), str(shas), sliced.before, workers, str(folder)]
    yield f"git-code-debt -j{workers}", [str(tools), "-m", *debt]
    yield "PyDriller", [str(tools), "-m", "tests.benchmarks.with_pydriller", str(sliced.clone), str(shas)]


def tree_commands(tree: Path, slug: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands that read a tree, by name."""
    words = sorted({word for vendor in load_ruleset(read_rules()).vendors for word in _words(vendor.words)})
    ripgrep = shutil.which("rg")
    if ripgrep is not None:
        yield "ripgrep", [ripgrep, "--no-ignore", "--hidden", "-i", "-c", "-j2", "|".join(words), str(tree)]
    yield "tracker scan", [sys.executable, "-m", "jobs.cli", "scan", str(tree), "--repo", slug]


def compare(commands: Iterable[tuple[str, list[str]]], rounds: int) -> dict[str, list[Measured]]:
    """Run each command once in each round."""
    runs: dict[str, list[Measured]] = defaultdict(list)
    for name, command in list(commands) * rounds:
        runs[name].append(measured(command))
        sys.stderr.write(f"{name}: {runs[name][-1].seconds:.1f} s\n")
    return dict(runs)


def table(runs: dict[str, list[Measured]], floor: str, units: int, unit: str) -> list[str]:
    """Return a table with medians; ratios are those of each round, to the same round's floor."""
    lines = [
        f"| | {unit}/s | time, x {floor} | CPU s | CPU, x {floor} | peak MB |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, of_name in runs.items():
        times = [one.seconds / base.seconds for one, base in zip(of_name, runs[floor], strict=True)]
        works = [one.processor_seconds / base.processor_seconds for one, base in zip(of_name, runs[floor], strict=True)]
        rate = units / statistics.median(one.seconds for one in of_name)
        work = statistics.median(one.processor_seconds for one in of_name)
        peak = max(one.peak_megabytes for one in of_name)
        ratios = f"{statistics.median(times):.2f} | {work:.1f} | {statistics.median(works):.2f}"
        lines.append(f"| {name} | {rate:,.0f} | {ratios} | {peak:,.0f} |")
    return lines


def checks(runs: dict[str, list[Measured]], sliced: Slice) -> list[str]:
    """Return, of each tool that says what it saw, whether that is the slice."""
    expected = digest_of(sliced.shas)
    lines = [f"{len(sliced.shas):,} commits {expected}, {sliced.changed_lines:,} changed lines by git"]
    for name, of_name in runs.items():
        seen = of_name[0].seen
        if seen:
            same = "the same commits" if seen["digest"] == expected else f"OTHER COMMITS ({seen['commits']})"
            changed = f", {seen['changed lines']:,} changed lines" if "changed lines" in seen else ""
            lines.append(f"{name}: {same}{changed}")
    return lines


def _words(words: object) -> Iterator[str]:
    for kind in ("anywhere", "parts"):
        yield from getattr(words, kind)


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", f"--git-dir={clone}", *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout.decode("utf-8", "replace").strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("clone", type=Path, help="the git folder of a clone")
    parser.add_argument("--ref", default="HEAD")
    parser.add_argument("--slug", default="pytorch/pytorch", help="whose rules are used")
    parser.add_argument("--commits", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="a contestant to leave out")
    parser.add_argument("--tools", type=Path, help="the Python that has PyDriller and git-code-debt")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        sliced = prepared(given.clone, given.ref, given.commits, folder)
        commands = history_commands(sliced, given.slug, given.tools, folder)
        runs = compare([one for one in commands if one[0] not in given.without], given.rounds)
        lines = [*table(runs, _FLOOR, len(sliced.shas), "commits"), "", *checks(runs, sliced), ""]
        tree = folder / "tree"
        tree.mkdir()
        archive = subprocess.run(
            ["git", f"--git-dir={sliced.clone}", "archive", "HEAD"], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
        of_tree = compare(tree_commands(tree, given.slug), given.rounds)
        files = sum(path.is_file() for path in tree.rglob("*"))
        lines += table(of_tree, next(iter(of_tree)), files, "files")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
