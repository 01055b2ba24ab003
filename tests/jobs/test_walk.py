"""One commit after another becomes facts and entries, and the entries add up to what stands in the tree."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest

from jobs import walk
from jobs.walk import Walker
from tests.histories import COUPLED, NEUTRAL, write_history
from tests.repositories import Executable, Object, Repository, Submodule, Symlink, blob_id
from tracker.classify import JudgedCommit, ScannedFile, SkippedFile
from tracker.errors import RepositoryError
from tracker.ledger import Entry, balance, multiset
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.sites import Construct, Mechanism, Site, Verdict
from tracker.sources.git_mirror import open_mirror
from tracker.upstream import SkipReason

SLUG = "example/upstream"


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


def walked(repository: Repository, ruleset: Ruleset) -> list[JudgedCommit]:
    with open_mirror(str(repository.path), folder=Path(), slug=SLUG) as mirror:
        return list(Walker(mirror, SLUG, ruleset).walk(mirror.first_parent_line("main")))


def tree(repository: Repository, ruleset: Ruleset, revision: str = "main") -> dict[tuple[str, Site], int]:
    with open_mirror(str(repository.path), folder=Path(), slug=SLUG) as mirror:
        return tree_by(Walker(mirror, SLUG, ruleset), revision)


def tree_by(walker: Walker, revision: str) -> dict[tuple[str, Site], int]:
    return {
        (file.path, site): count
        for file in walker.scan_tree(revision)
        if isinstance(file, ScannedFile)
        for site, count in multiset(file.occurrences).items()
    }


def entries(commits: list[JudgedCommit]) -> list[Entry]:
    return [entry for judged in commits for entry in judged.judgement.entries]


def posted(judged: JudgedCommit) -> list[tuple[str, str, int, Mechanism]]:
    return [(entry.path, entry.site.symbol, entry.delta, entry.mechanism) for entry in judged.judgement.entries]


class TestEntries:
    def test_a_site_is_followed_from_its_introduction_to_its_generalisation(
        self, upstream: Repository, ruleset: Ruleset
    ) -> None:
        first = upstream.commit({"torch/wait.py": COUPLED}, "Wait (#1)\n")
        second = upstream.commit({"torch/wait.py": "# longer\n" + COUPLED})
        third = upstream.commit({"torch/wait.py": NEUTRAL}, "Wait for any accelerator (#2)\n")
        commits = walked(upstream, ruleset)
        assert [judged.commit.sha for judged in commits] == [first, second, third]
        assert [judged.trailers.pull_request for judged in commits] == [1, None, 2]
        assert [judged.judgement.verdict for judged in commits] == [
            Verdict.COUPLING,
            Verdict.NONE,
            Verdict.DECOUPLING,
        ]
        assert posted(commits[0]) == [("torch/wait.py", "torch.cuda.synchronize", 1, Mechanism.INTRODUCED)]
        assert posted(commits[1]) == []
        assert sorted(posted(commits[2])) == [
            ("torch/wait.py", "torch.accelerator.synchronize", 1, Mechanism.OUTSIDE),
            ("torch/wait.py", "torch.cuda.synchronize", -1, Mechanism.GENERALISED),
        ]
        # Of what is gone the line in the parent's file is told, of what is new the line in the commit's.
        assert {(entry.delta, entry.lines) for entry in commits[2].judgement.entries} == {(-1, (6,)), (1, (5,))}
        assert {judged.ruleset for judged in commits} == {ruleset.digest}

    def test_a_renamed_file_takes_its_sites_along(self, upstream: Repository, ruleset: Ruleset) -> None:
        upstream.commit({"torch/wait.py": COUPLED})
        upstream.commit({}, moves={"torch/wait.py": "torch/await.py"})
        assert sorted(posted(walked(upstream, ruleset)[1])) == [
            ("torch/await.py", "torch.cuda.synchronize", 1, Mechanism.MOVED),
            ("torch/wait.py", "torch.cuda.synchronize", -1, Mechanism.MOVED),
        ]

    def test_what_is_no_code_holds_no_sites(self, upstream: Repository, ruleset: Ruleset) -> None:
        upstream.commit({"README.md": "torch.cuda.synchronize()\n", "a.png": b"\x89PNG\0cuda"})
        (judged,) = walked(upstream, ruleset)
        assert (judged.judgement.entries, judged.skipped, judged.judgement.verdict) == ((), (), Verdict.NONE)

    def test_a_mode_change_and_an_empty_commit_post_nothing(self, upstream: Repository, ruleset: Ruleset) -> None:
        upstream.commit({"torch/wait.py": COUPLED})
        upstream.commit({"torch/wait.py": Executable(COUPLED)})
        upstream.commit({})
        assert [posted(judged) for judged in walked(upstream, ruleset)[1:]] == [[], []]

    def test_a_merge_posts_what_it_brings_to_the_line(self, upstream: Repository, ruleset: Ruleset) -> None:
        first = upstream.commit({"torch/a.py": "x = 1\n"})
        upstream.switch("side")
        side = upstream.commit({"torch/wait.py": COUPLED}, parents=[first])
        upstream.switch("main")
        upstream.commit({"torch/b.py": "x = 2\n"})
        upstream.merge(side, {"torch/wait.py": COUPLED})
        commits = walked(upstream, ruleset)
        assert [len(judged.judgement.entries) for judged in commits] == [0, 0, 1]
        assert commits[2].commit.parents == 2


class TestSkips:
    def test_each_unread_file_is_named_once_by_the_commit_that_brings_it(
        self, upstream: Repository, ruleset: Ruleset
    ) -> None:
        huge = b"x = 'cuda'\n" * (ruleset.max_blob_bytes // 11 + 1)
        upstream.commit(
            {
                "binary.py": b"torch.cuda\0",
                "gone.py": Object("4" * 40),
                "huge.py": huge,
                "link.py": Symlink("torch/wait.py"),
                "module": Submodule("3" * 40),
            }
        )
        upstream.commit(dict.fromkeys(("binary.py", "gone.py", "huge.py", "link.py", "module")))
        first, second = walked(upstream, ruleset)
        assert first.skipped == (
            SkippedFile(path="binary.py", blob=blob_id(b"torch.cuda\0"), reason=SkipReason.BINARY),
            SkippedFile(path="gone.py", blob="4" * 40, reason=SkipReason.MISSING_OBJECT),
            SkippedFile(path="huge.py", blob=blob_id(huge), reason=SkipReason.HUGE),
            SkippedFile(path="link.py", blob=blob_id("torch/wait.py"), reason=SkipReason.SYMLINK),
            SkippedFile(path="module", blob="3" * 40, reason=SkipReason.SUBMODULE),
        )
        assert (first.judgement.entries, second.judgement.entries, second.skipped) == ((), (), ())

    def test_sites_leave_with_a_file_that_becomes_unreadable_and_come_back_with_it(
        self, upstream: Repository, ruleset: Ruleset
    ) -> None:
        states: list[Symlink | bytes | Object | Submodule] = [
            Symlink("elsewhere"),
            b"torch.cuda\0",
            Object("4" * 40),
            Submodule("3" * 40),
        ]
        upstream.commit({"torch/wait.py": COUPLED})
        for state in states:
            upstream.commit({"torch/wait.py": state})
            upstream.commit({"torch/wait.py": COUPLED})
        commits = walked(upstream, ruleset)
        assert [sum(entry.delta for entry in judged.judgement.entries) for judged in commits] == [1] + [-1, 1] * 4

    def test_renames_that_could_not_be_looked_for_are_told(self, upstream: Repository, ruleset: Ruleset) -> None:
        gone = COUPLED + "# gone\n"
        upstream.commit({"torch/old.py": gone})
        upstream.commit({"torch/old.py": None, "torch/new.py": COUPLED})
        upstream.remove_object(blob_id(gone))
        first, second = walked(upstream, ruleset)
        assert [file.reason for file in first.skipped] == [SkipReason.MISSING_OBJECT]
        assert [file.reason for file in second.skipped] == [SkipReason.RENAMES_UNREAD]
        assert balance(entries([first, second])) == tree(upstream, ruleset)

    def test_bytes_that_are_no_text_in_any_encoding_are_read_all_the_same(
        self, upstream: Repository, ruleset: Ruleset
    ) -> None:
        upstream.commit({"torch/\udcff\udcfe.py": b"x = '\xff\xfe'\ntorch.cuda.synchronize()\n"}, b"\xff\xfe\n")
        (judged,) = walked(upstream, ruleset)
        assert posted(judged) == [("torch/\\xff\\xfe.py", "torch.cuda.synchronize", 1, Mechanism.INTRODUCED)]
        assert judged.commit.message == "\ufffd\ufffd\n"

    def test_a_byte_of_a_path_is_not_taken_for_the_text_that_writes_it(
        self, upstream: Repository, ruleset: Ruleset
    ) -> None:
        upstream.commit({"torch/\udcff.py": COUPLED, "torch/\\xff.py": COUPLED * 2})
        (judged,) = walked(upstream, ruleset)
        assert sorted(posted(judged)) == [
            ("torch/\\\\xff.py", "torch.cuda.synchronize", 2, Mechanism.INTRODUCED),
            ("torch/\\xff.py", "torch.cuda.synchronize", 1, Mechanism.INTRODUCED),
        ]

    def test_a_missing_tree_ends_the_walk_with_its_commit_named(self, upstream: Repository, ruleset: Ruleset) -> None:
        upstream.commit({"torch/a.py": "x = 1\n"})
        sha = upstream.commit({"torch/wait.py": COUPLED})
        upstream.remove_object(upstream.tree_of(sha))
        with pytest.raises(RepositoryError, match=sha):
            walked(upstream, ruleset)


class TestExactness:
    def test_entries_add_up_to_the_tree_at_every_commit(self, upstream: Repository, ruleset: Ruleset) -> None:
        write_history(upstream, 25)
        with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
            walker = Walker(mirror, SLUG, ruleset)
            commits = list(walker.walk(mirror.first_parent_line("main")))
            for number, judged in enumerate(commits, 1):
                assert balance(entries(commits[:number])) == tree_by(walker, judged.commit.sha)

    def test_accounts_add_up_to_the_tally_of_every_commit(self, upstream: Repository, ruleset: Ruleset) -> None:
        write_history(upstream, 25)
        for judged in walked(upstream, ruleset):
            accounts = judged.judgement.accounts
            told = Counter(one.mechanism for one in accounts.sites if one.gone or one.mechanism is Mechanism.INTRODUCED)
            told.update(Mechanism.BROADENED if one.lost else Mechanism.INTRODUCED for one in accounts.exclusivities)
            assert {mechanism.value: count for mechanism, count in told.items()} == {
                name: count for name, count in asdict(judged.judgement.tally).items() if count
            }

    def test_every_account_quotes_the_line_that_stands_in_the_file(
        self, upstream: Repository, ruleset: Ruleset
    ) -> None:
        write_history(upstream, 25)
        commits = walked(upstream, ruleset)
        quoted = [
            (judged.commit.parent if gone else judged.commit.sha, line)
            for judged in commits
            for one in judged.judgement.accounts.sites
            for gone, line in ((one.gone, one.line), (not one.gone, one.opposite))
            if line is not None
        ]
        assert len(quoted) > 50
        for sha, line in set(quoted):
            lines = upstream.git("show", f"{sha}:{line.path}").splitlines()
            assert lines[line.number - 1].rstrip() == line.text

    def test_how_history_is_cut_changes_nothing(
        self, upstream: Repository, ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_history(upstream, 20)
        whole = walked(upstream, ruleset)
        monkeypatch.setattr(walk, "_GROUP_CHANGES", 3)
        assert walked(upstream, ruleset) == whole
        with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
            line = mirror.first_parent_line("main")
            pieces = [
                list(Walker(mirror, SLUG, ruleset).walk(line[start : start + 7])) for start in range(0, len(line), 7)
            ]
        assert [judged for piece in pieces for judged in piece] == whole

    def test_a_baseline_holds_what_stands_in_the_tree(self, upstream: Repository, ruleset: Ruleset) -> None:
        write_history(upstream, 20)
        upstream.commit({"gone.py": Object("4" * 40)}, "Lose (#9)\n")
        with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
            opening = Walker(mirror, SLUG, ruleset).baseline("main")
        assert balance(opening.judgement.entries) == tree(upstream, ruleset)
        assert {entry.mechanism for entry in opening.judgement.entries} == {Mechanism.BASELINE}
        assert any(entry.site.construct is Construct.NEUTRAL for entry in opening.judgement.entries)
        assert all(len(entry.lines) == entry.delta for entry in opening.judgement.entries)
        assert (opening.judgement.verdict, opening.trailers.pull_request) == (Verdict.NONE, 9)
        assert [file.path for file in opening.skipped] == ["gone.py", "torch/link.py"]
