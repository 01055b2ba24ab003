"""Real repositories, the ugly ones too, are read as facts and counted skips."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from tests.repositories import Executable, Object, Repository, Submodule, Symlink, blob_id
from tracker.classify import SkippedFile
from tracker.errors import RepositoryError
from tracker.sources.git_mirror import Mirror, open_mirror
from tracker.upstream import FileChange, FileKind, FileVersion, SkipReason

LIMIT = 1 << 20


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


def opened(repository: Repository | Path) -> Mirror:
    path = repository if isinstance(repository, Path) else repository.path
    return open_mirror(str(path), folder=path.parent / "mirrors", slug="example/upstream")


def version(path: str, content: str | bytes, kind: FileKind = FileKind.REGULAR) -> FileVersion:
    return FileVersion(path=path, blob=blob_id(content), kind=kind)


def noise(number: int) -> bytes:
    """Two thousand bytes that do not compress."""
    return hashlib.shake_128(str(number).encode()).digest(2000)


def cut_short(repository: Repository, oid: str) -> None:
    """Corrupt an object behind its header, so that git notices only when it has begun to read it."""
    path = repository.object_path(oid)
    path.write_bytes(path.read_bytes()[:1000])


def changes_of(repository: Repository, sha: str) -> tuple[FileChange, ...]:
    with opened(repository) as mirror:
        line = dict(mirror.first_parent_line(sha))
        (read,) = mirror.read_changes([(sha, line[sha])])
        return read.changes


class TestTheLine:
    def test_it_is_first_parent_and_oldest_first(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"})
        upstream.switch("side")
        side = upstream.commit({"b.py": "b\n"}, parents=[first])
        upstream.switch("main")
        second = upstream.commit({"a.py": "two\n"})
        merge = upstream.merge(side, {"b.py": "b\n"})
        with opened(upstream) as mirror:
            assert mirror.first_parent_line("main") == [(first, None), (second, first), (merge, second)]

    def test_commits_come_with_message_people_and_parents(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"}, b"caf\xe9\n", headers=b"encoding latin-1\n")
        second = upstream.commit({}, "Nothing changes\n", author="Ann <ann@example.com>")
        with opened(upstream) as mirror:
            commits = list(mirror.read_commits([second, first]))
        assert [(commit.sha, commit.parent, commit.parents, commit.message) for commit in commits] == [
            (second, first, 1, "Nothing changes\n"),
            (first, None, 0, "café\n"),
        ]
        assert commits[0].author.name == "Ann"

    def test_a_missing_commit_is_an_error_that_names_it(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"})
        second = upstream.commit({"a.py": "two\n"})
        upstream.remove_object(first)
        with opened(upstream) as mirror:
            with pytest.raises(RepositoryError, match="not whole"):
                mirror.first_parent_line("main")
            with pytest.raises(RepositoryError, match=first):
                list(mirror.read_commits([second, first]))

    def test_a_replaced_commit_is_read_as_it_was(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"})
        second = upstream.commit({"a.py": "two\n"})
        other = upstream.commit({"a.py": "three\n"}, parents=[])
        upstream.set_branch("main", second)
        upstream.set_reference(f"refs/replace/{first}", other)
        with opened(upstream) as mirror:
            assert mirror.first_parent_line("main") == [(first, None), (second, first)]
            assert next(iter(mirror.tree(first))).blob == blob_id("one\n")


class TestRevisions:
    def test_branch_tag_and_sha(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"})
        second = upstream.commit({"a.py": "two\n"})
        upstream.set_reference("refs/tags/v1", first)
        with opened(upstream) as mirror:
            assert [mirror.resolve(name) for name in ("main", "v1", first[:10], "main~1")] == [
                second,
                first,
                first,
                first,
            ]

    @pytest.mark.parametrize("revision", ["no-such-branch", "0" * 40, "--all", "-h", "", " ", "main\n", "a\0b"])
    def test_what_names_no_commit_is_refused(self, upstream: Repository, revision: str) -> None:
        upstream.commit({"a.py": "one\n"})
        with opened(upstream) as mirror, pytest.raises(RepositoryError):
            mirror.resolve(revision)

    def test_a_blob_is_no_commit(self, upstream: Repository) -> None:
        upstream.commit({"a.py": "one\n"})
        with opened(upstream) as mirror, pytest.raises(RepositoryError):
            mirror.resolve("main:a.py")

    def test_the_default_branch_is_what_head_stands_for(self, tmp_path: Path) -> None:
        upstream = Repository(tmp_path / "upstream.git", branch="trunk")
        upstream.commit({"a.py": "one\n"})
        with opened(upstream) as mirror:
            assert mirror.default_branch() == "trunk"

    def test_a_detached_head_is_followed_itself(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"})
        upstream.commit({"a.py": "two\n"})
        upstream.set_head(first)
        with opened(upstream) as mirror:
            assert mirror.resolve(mirror.default_branch()) == first

    def test_an_empty_repository_has_no_default_branch(self, upstream: Repository) -> None:
        with opened(upstream) as mirror, pytest.raises(RepositoryError, match="no commits"):
            mirror.default_branch()

    def test_a_head_that_names_a_branch_that_is_gone(self, upstream: Repository) -> None:
        upstream.commit({"a.py": "one\n"})
        upstream.set_head("gone")
        with opened(upstream) as mirror, pytest.raises(RepositoryError, match="name a branch"):
            mirror.default_branch()


class TestChanges:
    def test_a_root_commit_adds_its_whole_tree(self, upstream: Repository) -> None:
        sha = upstream.commit({"a.py": "one\n", "b/c.py": "two\n"})
        assert changes_of(upstream, sha) == (
            FileChange(before=None, after=version("a.py", "one\n")),
            FileChange(before=None, after=version("b/c.py", "two\n")),
        )

    def test_a_merge_changes_what_its_first_parent_lacks(self, upstream: Repository) -> None:
        first = upstream.commit({"a.py": "one\n"})
        upstream.switch("side")
        side = upstream.commit({"b.py": "b\n"}, parents=[first])
        upstream.switch("main")
        upstream.commit({"a.py": "two\n"})
        merge = upstream.merge(side, {"b.py": "b\n"})
        assert changes_of(upstream, merge) == (FileChange(before=None, after=version("b.py", "b\n")),)

    def test_an_empty_commit_and_a_mode_change(self, upstream: Repository) -> None:
        upstream.commit({"a.py": "one\n"})
        empty = upstream.commit({})
        mode = upstream.commit({"a.py": Executable("one\n")})
        assert changes_of(upstream, empty) == ()
        assert changes_of(upstream, mode) == (
            FileChange(before=version("a.py", "one\n"), after=version("a.py", "one\n")),
        )

    def test_a_renamed_and_edited_file_is_one_change(self, upstream: Repository) -> None:
        text = "".join(f"line {number}\n" for number in range(50))
        upstream.commit({"old.py": text})
        sha = upstream.commit({"new.py": text + "more\n"}, moves={"old.py": "new.py"})
        (change,) = changes_of(upstream, sha)
        assert change == FileChange(before=version("old.py", text), after=version("new.py", text + "more\n"))
        assert change.renamed

    def test_file_to_symlink_and_submodule_and_back(self, upstream: Repository) -> None:
        upstream.commit({"a": "one\n", "b": "two\n"})
        there = upstream.commit({"a": Symlink("b"), "b": Submodule("3" * 40)})
        back = upstream.commit({"a": "one\n", "b": "two\n"})
        link = version("a", "b", FileKind.SYMLINK)
        module = FileVersion(path="b", blob="3" * 40, kind=FileKind.SUBMODULE)
        assert changes_of(upstream, there) == (
            FileChange(before=version("a", "one\n"), after=link),
            FileChange(before=version("b", "two\n"), after=module),
        )
        assert changes_of(upstream, back) == (
            FileChange(before=link, after=version("a", "one\n")),
            FileChange(before=module, after=version("b", "two\n")),
        )

    def test_a_path_that_is_not_utf8(self, upstream: Repository) -> None:
        sha = upstream.commit({"d/\udcff\n\t.py": "one\n"})
        assert changes_of(upstream, sha) == (FileChange(before=None, after=version("d/\\xff\n\t.py", "one\n")),)

    def test_many_commits_at_once_keep_their_order(self, upstream: Repository) -> None:
        shas = [upstream.commit({"a.py": f"{number}\n"} if number % 3 else {}) for number in range(150)]
        with opened(upstream) as mirror:
            reads = list(mirror.read_changes(mirror.first_parent_line("main")))
        assert [read.sha for read in reads] == shas
        assert [len(read.changes) for read in reads] == [int(number % 3 > 0) for number in range(150)]

    def test_renames_that_need_a_missing_blob_are_given_up_for_that_commit_only(self, upstream: Repository) -> None:
        text = "".join(f"line {number}\n" for number in range(50))
        gone, kept = text + "gone\n", text + "kept\n"
        upstream.commit({"old.py": gone, "other.py": kept})
        broken = upstream.commit({"old.py": None, "new.py": text})
        later = upstream.commit({"else.py": kept + "more\n"}, moves={"other.py": "else.py"})
        upstream.remove_object(blob_id(gone))
        with opened(upstream) as mirror:
            _, middle, last = mirror.read_changes(mirror.first_parent_line("main"))
        assert (middle.sha, last.sha) == (broken, later)
        assert middle.skipped == (SkippedFile(path="", blob=blob_id(gone), reason=SkipReason.RENAMES_UNREAD),)
        assert middle.changes == (
            FileChange(before=None, after=version("new.py", text)),
            FileChange(before=version("old.py", gone), after=None),
        )
        assert last.skipped == ()
        assert [change.renamed for change in last.changes] == [True]

    def test_a_missing_tree_is_an_error_and_no_wrong_number(self, upstream: Repository) -> None:
        upstream.commit({"a.py": "one\n"})
        sha = upstream.commit({"a.py": "two\n"})
        upstream.remove_object(upstream.tree_of(sha))
        with opened(upstream) as mirror:
            line = mirror.first_parent_line("main")
            with pytest.raises(RepositoryError, match=sha):
                list(mirror.read_changes(line))
            with pytest.raises(RepositoryError, match="not whole"):
                list(mirror.tree(sha))


class TestObjects:
    def test_contents_in_the_order_asked_for(self, upstream: Repository) -> None:
        contents = [f"{number}\n".encode() * number for number in range(400)]
        upstream.commit({f"{number}.py": content for number, content in enumerate(contents)})
        oids = [blob_id(content) for content in contents]
        with opened(upstream) as mirror:
            assert list(mirror.read_blobs(oids, LIMIT)) == contents
            assert mirror.read_blob(oids[7], LIMIT) == contents[7]

    def test_missing_huge_and_wrong_objects_are_answered_with_the_reason(self, upstream: Repository) -> None:
        sha = upstream.commit({"a.py": "one\n", "big.bin": b"x" * 3000, "gone.py": Object("4" * 40)})
        oids = [blob_id("one\n"), "4" * 40, blob_id(b"x" * 3000), sha, "no id", blob_id("one\n")]
        with opened(upstream) as mirror:
            assert list(mirror.read_blobs(oids, 2999)) == [
                b"one\n",
                SkipReason.MISSING_OBJECT,
                SkipReason.HUGE,
                SkipReason.MISSING_OBJECT,
                SkipReason.MISSING_OBJECT,
                b"one\n",
            ]

    def test_a_corrupt_object_does_not_end_the_reading(self, upstream: Repository) -> None:
        contents = [noise(number) for number in range(200)]
        upstream.commit({f"{number}.py": content for number, content in enumerate(contents)})
        oids = [blob_id(content) for content in contents]
        for number in (0, 50, 51, 199):
            cut_short(upstream, oids[number])
        with opened(upstream) as mirror:
            found = list(mirror.read_blobs(oids, LIMIT))
        corrupt = [number for number, content in enumerate(found) if content is SkipReason.CORRUPT_OBJECT]
        assert corrupt == [0, 50, 51, 199]
        assert [content for number, content in enumerate(found) if number not in corrupt] == [
            content for number, content in enumerate(contents) if number not in corrupt
        ]

    def test_a_corrupt_pack_gives_skips_and_no_hang(self, upstream: Repository) -> None:
        texts = [noise(number) for number in range(20)]
        upstream.commit({f"{number}.py": text for number, text in enumerate(texts)})
        upstream.git("repack", "-adq")
        (pack,) = (upstream.path / "objects/pack").glob("*.pack")
        content = bytearray(pack.read_bytes())
        middle = len(content) // 2
        content[middle : middle + 40] = bytes(40)
        pack.chmod(0o644)
        pack.write_bytes(content)
        with opened(upstream) as mirror:
            found = list(mirror.read_blobs([blob_id(text) for text in texts], LIMIT))
        assert {type(content) for content in found} == {bytes, SkipReason}

    def test_a_clone_of_which_nothing_can_be_read_is_an_error(self, upstream: Repository) -> None:
        oids = [upstream.write_object("blob", noise(number)) for number in range(120)]
        upstream.commit({})
        for oid in oids:
            cut_short(upstream, oid)
        with opened(upstream) as mirror, pytest.raises(RepositoryError, match="git fsck"):
            list(mirror.read_blobs(oids, LIMIT))

    def test_whoever_stops_reading_early_leaves_nothing_for_the_next(self, upstream: Repository) -> None:
        contents = [f"{number}\n".encode() for number in range(50)]
        upstream.commit({f"{number}.py": content for number, content in enumerate(contents)})
        oids = [blob_id(content) for content in contents]
        with opened(upstream) as mirror:
            assert next(iter(mirror.read_blobs(oids, LIMIT))) == contents[0]
            assert list(mirror.read_blobs(oids[30:], LIMIT)) == contents[30:]

    def test_a_tree_lists_every_kind_of_entry(self, upstream: Repository) -> None:
        sha = upstream.commit({"b/a.py": "one\n", "link": Symlink("b"), "module": Submodule("3" * 40)})
        with opened(upstream) as mirror:
            assert list(mirror.tree(sha)) == [
                version("b/a.py", "one\n"),
                version("link", "b", FileKind.SYMLINK),
                FileVersion(path="module", blob="3" * 40, kind=FileKind.SUBMODULE),
            ]


class TestClones:
    def test_a_shallow_clone_ends_at_its_boundary(self, upstream: Repository, tmp_path: Path) -> None:
        for number in range(5):
            upstream.commit({"a.py": f"{number}\n"})
        clone = tmp_path / "shallow"
        subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{upstream.path}", str(clone)], check=True)
        with opened(clone) as mirror:
            (first, parent), (second, _) = mirror.first_parent_line("main")
            assert (parent, mirror.is_shallow_boundary(first), mirror.is_shallow_boundary(second)) == (
                None,
                True,
                False,
            )
            (commit,) = mirror.read_commits([first])
            assert (commit.parent, commit.parents) == (None, 1)

    def test_a_work_tree_is_read_in_place_and_not_written(self, upstream: Repository, tmp_path: Path) -> None:
        sha = upstream.commit({"a.py": "one\n"})
        clone = tmp_path / "clone"
        subprocess.run(["git", "clone", "-q", str(upstream.path), str(clone)], check=True)
        before = {path: path.stat().st_mtime_ns for path in clone.rglob("*")}
        with opened(clone) as mirror:
            mirror.fetch()
            assert [read.sha for read in mirror.read_changes(mirror.first_parent_line("HEAD"))] == [sha]
        assert {path: path.stat().st_mtime_ns for path in clone.rglob("*")} == before

    def test_what_a_clone_configures_is_not_obeyed(self, upstream: Repository, tmp_path: Path) -> None:
        upstream.commit({"a.py": "one\n", ".gitattributes": "*.py diff=evil\n"})
        sha = upstream.commit({"a.py": "two\n"})
        trap = tmp_path / "trap"
        script = tmp_path / "evil"
        script.write_text(f"#!/bin/sh\ntouch {trap}\n")
        script.chmod(0o755)
        with (upstream.path / "config").open("a") as config:
            config.write(f'[core]\n\tfsmonitor = {script}\n[diff "evil"]\n\ttextconv = {script}\n')
            config.write(f"[diff]\n\texternal = {script}\n\trenames = false\n[core]\n\tsshCommand = {script}\n")
            config.write('[remote "origin"]\n\turl = ssh://example.invalid/x\n\tpromisor = true\n')
        upstream.commit({"gone.py": Object("4" * 40)})
        with opened(upstream) as mirror:
            assert len(list(mirror.read_changes(mirror.first_parent_line("main")))) == 3
            assert mirror.read_blob("4" * 40, LIMIT) is SkipReason.MISSING_OBJECT
            assert mirror.resolve("main~1") == sha
        assert not trap.exists()

    def test_git_variables_of_the_caller_do_not_lead_elsewhere(
        self, upstream: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sha = upstream.commit({"a.py": "one\n"})
        other = Repository(tmp_path / "other.git")
        other.commit({"b.py": "two\n"})
        for name, value in (("GIT_DIR", other.path), ("GIT_OBJECT_DIRECTORY", other.path / "objects")):
            monkeypatch.setenv(name, str(value))
        with opened(upstream) as mirror:
            assert mirror.first_parent_line("main") == [(sha, None)]

    def test_objects_borrowed_from_another_repository_are_found(self, upstream: Repository, tmp_path: Path) -> None:
        sha = upstream.commit({"a.py": "one\n"})
        clone = tmp_path / "borrower.git"
        subprocess.run(["git", "clone", "-q", "--bare", "--shared", str(upstream.path), str(clone)], check=True)
        with opened(clone) as mirror:
            assert mirror.first_parent_line("main") == [(sha, None)]

    @pytest.mark.parametrize("name", ["missing", "file", "plain"])
    def test_what_is_no_repository_is_refused(self, tmp_path: Path, name: str) -> None:
        # A repository around it is not the one that is meant.
        Repository(tmp_path / ".git").commit({"a.py": "one\n"})
        (tmp_path / "file").write_text("no folder")
        (tmp_path / "plain").mkdir()
        with pytest.raises(RepositoryError):
            opened(tmp_path / name)

    def test_a_folder_that_is_only_named_like_an_option_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(RepositoryError):
            open_mirror("--upload-pack=evil", folder=tmp_path, slug="example/upstream")

    def test_a_repository_with_longer_ids_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "sha256.git"
        subprocess.run(["git", "init", "-q", "--bare", "--object-format=sha256", str(path)], check=True)
        with pytest.raises(RepositoryError, match="sha256"):
            opened(path)

    def test_nothing_is_left_in_the_temporary_folder(
        self, upstream: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        upstream.commit({"a.py": "one\n"})
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        with opened(upstream) as mirror:
            mirror.read_blob(blob_id("one\n"), LIMIT)
            assert list(temporary.iterdir()) != []
        assert list(temporary.iterdir()) == []
