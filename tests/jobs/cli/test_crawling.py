import csv
import io
import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.jobs.cli.conftest import NEUTRAL, Tracker
from tests.repositories import Repository

CLOSED = "http://127.0.0.1:1"


def test_commits_are_crawled_from_a_clone_and_exported(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.match(r"crawl_commits o/n: commits 3, entries 3, ", outcome.lines[0])
    rows = list(csv.DictReader(io.StringIO(tracker("export", "verdicts", "--repo", "o/n").out)))
    assert [(row["position"], row["verdict"], row["mechanism"], row["pull_number"]) for row in rows] == [
        ("0", "coupling", "introduced", "1"),
        ("1", "none", "", "2"),
        ("2", "decoupling", "generalised", "3"),
    ]


def test_a_second_crawl_reads_only_what_is_new(tracker: Tracker, upstream: Repository) -> None:
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    assert "commits 0, entries 0" in tracker("crawl", "commits", "--repo", "o/n").out
    upstream.commit({"torch/more.py": NEUTRAL}, "Add more (#4)")
    assert "commits 1, entries 1" in tracker("crawl", "commits", "--repo", "o/n").out


def test_a_repository_that_is_named_is_added_with_what_the_settings_say(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("crawl", "commits", "--repo", "o/n", TRACKER_REPOSITORIES=f"o/n={upstream.path},o/other")
    assert outcome.code == 0
    assert [line.split("\t")[0] for line in tracker("repos", "list").lines[1:]] == ["o/n"]


def test_an_upstream_out_of_reach_is_1_and_one_sentence(tracker: Tracker) -> None:
    outcome = tracker("crawl", "commits", "--repo", "o/n", TRACKER_GIT_URL=CLOSED)
    assert outcome.code == 1
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"tracker: crawl_commits o/n: {CLOSED}/o/n.git cannot be reached now")


def test_pull_requests_need_a_token_and_say_so(tracker: Tracker) -> None:
    outcome = tracker("crawl", "pulls", "--repo", "o/n", TRACKER_GITHUB_URL=CLOSED)
    assert outcome.code == 1
    assert "TRACKER_GITHUB_TOKEN" in outcome.err


def test_heads_are_judged_where_there_are_open_pull_requests(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("crawl", "heads", "--repo", "o/n", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.match(r"judge_heads o/n: due 0, judged 0, fetched 0 ", outcome.lines[0])


def test_no_repository_under_watch_is_said_with_the_remedy(tracker: Tracker) -> None:
    tracker("repos", "add", "pytorch/pytorch")
    tracker("repos", "remove", "pytorch/pytorch")
    outcome = tracker("crawl", "commits")
    assert (outcome.code, outcome.err) == (
        1,
        "tracker: no repository is under watch; add one with `tracker repos add owner/name`\n",
    )


def test_a_backfill_reads_everything_once_and_sums_up(tracker: Tracker, upstream: Repository) -> None:
    first = tracker("backfill", "--repo", "o/n", "--mirror", str(upstream.path), "--workers", "1")
    assert (first.code, first.err) == (0, "")
    assert first.lines[:2] == ["commits: 3", "entries: 3"]
    assert "commits on record: 3" in first.lines
    again = tracker("backfill", "--repo", "o/n", "--workers", "1")
    assert again.lines[:2] == ["commits: 0", "entries: 0"]


def test_a_backfill_may_end_early_and_begin_late(tracker: Tracker, upstream: Repository) -> None:
    mirror = ("--mirror", str(upstream.path), "--workers", "1")
    until = upstream.git("rev-parse", "main~1").strip()
    assert tracker("backfill", "--repo", "o/early", *mirror, "--until", until).lines[0] == "commits: 2"
    assert tracker("backfill", "--repo", "o/late", *mirror, "--since", "2020-01-08").code == 0
    rows = list(csv.DictReader(io.StringIO(tracker("export", "ledger", "--repo", "o/late").out)))
    assert [(row["position"], row["mechanism"], row["delta"]) for row in rows] == [
        ("1", "baseline", "1"),
        ("2", "generalised", "-1"),
        ("2", "outside", "1"),
    ]


def test_where_a_backfill_begins_and_ends_is_kept_for_whoever_reads_next(
    tracker: Tracker, upstream: Repository
) -> None:
    until = upstream.git("rev-parse", "main~1").strip()
    mirror = ("--mirror", str(upstream.path), "--workers", "1")
    assert tracker("backfill", "--repo", "o/n", *mirror, "--since", "2020-01-07", "--until", until).code == 0
    listed = f"o/n\twatched\t{upstream.path}\t{until}\t1\t2020-01-07\t"
    assert tracker("repos", "list").lines[1:] == [listed]
    assert "commits 0" in tracker("crawl", "commits", "--repo", "o/n").lines[0]
    assert tracker("repos", "list").lines[1:] == [listed]
    assert tracker("repos", "add", "o/n", "--ref", "main").code == 0
    assert "commits 1" in tracker("crawl", "commits", "--repo", "o/n").lines[0]


def test_a_repository_is_added_with_the_day_to_begin_with_and_read_so(tracker: Tracker, upstream: Repository) -> None:
    added = tracker("repos", "add", f"o/n={upstream.path}", "--since", "2020-01-08")
    assert added.out == f"o/n is under watch, read from {upstream.path}, beginning with 2020-01-08\n"
    crawled = tracker("crawl", "commits", "--repo", "o/n").lines[0]
    git = upstream.git("rev-list", "--count", "--since=2020-01-08T00:00:00Z", "main").strip()
    assert crawled.startswith(f"crawl_commits o/n: commits {git}, ")
    assert tracker("repos", "list").lines[1].split("\t")[4:] == [git, "2020-01-08", ""]


def test_the_settings_say_where_reading_begins(tracker: Tracker, upstream: Repository) -> None:
    outcome = tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}@main since 2020-01-08 quiet 30")
    assert outcome.lines[0].startswith("crawl_commits o/n: commits 1, ")
    assert tracker("repos", "list").lines[1].split("\t")[4:] == ["1", "2020-01-08", "30.0"]


def test_what_is_stored_is_not_begun_or_ended_elsewhere(tracker: Tracker, upstream: Repository) -> None:
    mirror = ("--mirror", str(upstream.path), "--workers", "1")
    tracker("backfill", "--repo", "o/n", *mirror)
    listed = tracker("repos", "list").out
    for argv in (
        ("backfill", "--repo", "o/n", *mirror, "--since", "2020-01-08"),
        ("repos", "add", "o/n", "--since", "2020-01-08"),
        ("crawl", "commits"),
    ):
        refused = tracker(*argv, TRACKER_REPOSITORIES=f"o/n={upstream.path} since 2020-01-08")
        assert (refused.code, refused.out) == (1, ""), argv
        assert refused.err == (
            "tracker: o/n was read from 2020-01-06 on, which --since 2020-01-08 contradicts: leave the option out to "
            "go on with what is stored, or read it so into a database of its own, e.g. with "
            "TRACKER_DATABASE_URL=sqlite:///other.db\n"
        )
    until = upstream.git("rev-parse", "main~1").strip()
    refused = tracker("backfill", "--repo", "o/n", *mirror, "--until", until)
    assert (refused.code, f"which --until {until} contradicts" in refused.err) == (1, True)
    assert tracker("repos", "list").out == listed


def test_what_is_stored_already_so_is_no_contradiction(tracker: Tracker, upstream: Repository) -> None:
    mirror = ("--mirror", str(upstream.path), "--workers", "1")
    for _ in range(2):
        assert tracker("backfill", "--repo", "o/late", *mirror, "--since", "2020-01-08").code == 0
        assert tracker("backfill", "--repo", "o/all", *mirror, "--since", "2019-12-31").code == 0
        assert tracker("backfill", "--repo", "o/none", *mirror, "--since", "2021-01-01").code == 0
    assert [line.split("\t")[4] for line in tracker("repos", "list").lines[1:]] == ["3", "1", "0"]


@pytest.mark.parametrize(
    "argv",
    [
        ("--repo", "o/n", "--since", "yesterday"),
        ("--repo", "o/n", "--workers", "0"),
        ("--repo", "n"),
        ("--repo", "o/n", "--mirror", "https://me:hunter2@host/n.git"),
    ],
)
def test_wrong_arguments_of_a_backfill_are_wrong_usage(tracker: Tracker, argv: tuple[str, ...]) -> None:
    outcome = tracker("backfill", *argv)
    assert (outcome.code, outcome.out) == (2, "")
    assert "hunter2" not in outcome.err


def test_a_folder_that_is_no_clone_is_1_with_a_sentence(tracker: Tracker, tmp_path: Path) -> None:
    outcome = tracker("backfill", "--repo", "o/n", "--mirror", str(tmp_path))
    assert outcome.code == 1
    assert "is no git repository" in outcome.err


def test_exports_of_equal_histories_are_equal(tracker: Tracker, upstream: Repository) -> None:
    texts = []
    for name in ("a", "b"):
        environ = {"TRACKER_VAR_FOLDER": name, "TRACKER_REPOSITORIES": f"o/n={upstream.path}"}
        tracker("crawl", "commits", **environ)
        texts.append(tracker("export", "ledger", "--format", "json", **environ).out)
    assert texts[0] == texts[1]
    assert json.loads(texts[0].splitlines()[0])["symbol"] == "torch.cuda.synchronize"


def test_an_export_into_a_file_says_how_much_and_leaves_standard_output_alone(
    tracker: Tracker, upstream: Repository, tmp_path: Path
) -> None:
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    outcome = tracker("export", "cells", "--format", "parquet", "-o", "cells.parquet")
    assert (outcome.code, outcome.out) == (0, "")
    assert re.fullmatch(r"\d+ rows written to cells.parquet\n", outcome.err)
    assert (tmp_path / "cells.parquet").read_bytes()[:4] == b"PAR1"


def test_an_export_of_what_is_not_there_is_an_error_and_no_empty_file(tracker: Tracker, tmp_path: Path) -> None:
    tracker("db", "upgrade")
    outcome = tracker("export", "ledger", "--repo", "o/n", "-o", "x.csv")
    assert (outcome.code, outcome.out) == (1, "")
    assert "o/n is not in the database" in outcome.err
    assert not (tmp_path / "x.csv").exists()


def test_an_audit_compares_the_ledger_with_the_tree(tracker: Tracker, upstream: Repository) -> None:
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    outcome = tracker("audit", "--repo", "o/n", "--sample", "3")
    assert (outcome.code, outcome.err) == (0, "")
    assert [line.split("\t")[2:] for line in outcome.lines[1:]] == [["1", "1", "5", "0"]] * 3


def test_a_spoilt_ledger_is_found_by_the_audit(tracker: Tracker, upstream: Repository, tmp_path: Path) -> None:
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    with sqlite3.connect(tmp_path / "var" / "tracker.db") as database:
        database.execute("UPDATE ledger_entry SET delta = 7 WHERE delta = -1")
    database.close()
    sha = upstream.tip()
    assert sha is not None
    outcome = tracker("audit", "--repo", "o/n", "--rev", sha)
    assert outcome.code == 1
    assert f"{sha[:10]} torch/waiting.py: the tree holds 1, the ledger says 9" in outcome.out
    assert tracker("alerts", "--check").code == 2


def test_an_audit_of_what_was_never_read_is_an_error(tracker: Tracker) -> None:
    outcome = tracker("audit", "--repo", "o/n")
    assert (outcome.code, outcome.out) == (1, "")
    assert "crawl the commits first" in outcome.err


def judged_by_other_rules(folder: Path, verdict: str) -> None:
    """Leave a database as an older version's rules would have left it."""
    with sqlite3.connect(folder / "var" / "tracker.db") as database:
        database.execute("UPDATE verdict SET ruleset = ?, verdict = ?", ("f" * 64, verdict))
    database.close()


def test_a_history_is_judged_anew_and_what_changed_is_told(
    tracker: Tracker, upstream: Repository, tmp_path: Path
) -> None:
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    exported = tracker("export", "verdicts", "--repo", "o/n").out
    judged_by_other_rules(tmp_path, "removal")
    assert "the stored verdicts of 3 commits come from another ruleset" in tracker("db", "check").out
    outcome = tracker("rejudge", "--repo", "o/n", "--workers", "1")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.lines[0] == (
        "3 commits judged anew, 0 stood by these rules already; 3 are judged differently than by the rules before, "
        "3 with another verdict"
    )
    assert outcome.lines[1:4] == [
        "verdict\tcommits before\tcommits after",
        "decoupling\t0\t1",
        "removal\t3\t0",
    ]
    assert "commits\tbefore\tafter" in outcome.lines
    assert {"1\tremoval\tcoupling", "1\tremoval\tnone", "1\tremoval\tdecoupling"} < set(outcome.lines)
    assert any(line.endswith("\tMake wait device-agnostic (#3)") for line in outcome.lines)
    assert tracker("export", "verdicts", "--repo", "o/n").out == exported
    assert "another ruleset" not in tracker("db", "check").out
    again = tracker("rejudge", "--repo", "o/n").lines
    assert again[0].startswith("0 commits judged anew, 3 stood by these rules already; 3 are judged differently")
    assert [line for line in again if "wait" in line] == [line for line in outcome.lines if "wait" in line]


def test_the_next_crawl_judges_anew_what_other_rules_judged(
    tracker: Tracker, upstream: Repository, tmp_path: Path
) -> None:
    tracker("crawl", "commits", TRACKER_REPOSITORIES=f"o/n={upstream.path}")
    judged_by_other_rules(tmp_path, "churn")
    outcome = tracker("crawl", "commits", "--repo", "o/n")
    assert "commits judged anew 3, judged differently 3" in outcome.out


def test_a_repository_that_is_not_watched_cannot_be_judged_anew(tracker: Tracker) -> None:
    outcome = tracker("rejudge", "--repo", "o/other")
    assert (outcome.code, outcome.err) == (
        1,
        "tracker: o/other is not under watch; add it with `tracker repos add o/other`\n",
    )
