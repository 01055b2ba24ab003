"""Whatever bytes stand in a tree: the entries add up to a full scan at every commit, and what is unread is counted."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from jobs.walk import Walker
from tests.histories import COUPLED
from tests.repositories import Repository
from tracker.classify import JudgedCommit, ScannedFile, SkippedFile
from tracker.errors import RepositoryError
from tracker.ledger import balance, multiset
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.sites import Mechanism, Site
from tracker.sources import git_trees
from tracker.sources.git_mirror import open_mirror
from tracker.upstream import SkipReason

SLUG = "example/upstream"
ONE, TWO = COUPLED, COUPLED + "\nprint(torch.cuda.is_available())\n"
GONE = "4" * 40
"""An object that the clone lacks."""

Entry = tuple[bytes, bytes, str]
"""Mode, name and object id of a tree's entry, as they are written."""


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


def raw_tree(repository: Repository, *entries: Entry) -> str:
    """Write a tree with its entries in the order given, right or wrong."""
    content = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    return repository.write_object("tree", content)


def commit_of(repository: Repository, tree: str) -> str:
    """Commit whatever object as a tree on top of the branch."""
    parent = repository.tip()
    line = f"parent {parent}\n" if parent else ""
    person = "Ada <ada@example.com> 1577836800 +0000"
    body = f"tree {tree}\n{line}author {person}\ncommitter {person}\n\nChange a tree\n"
    sha = repository.write_object("commit", body.encode())
    repository.set_branch(repository.branch, sha)
    return sha


def scanned(walker: Walker, sha: str) -> tuple[dict[tuple[str, Site], int], list[SkippedFile]]:
    """What a full scan finds in a commit's tree, and what it does not read."""
    sites: dict[tuple[str, Site], int] = {}
    skipped = []
    for file in walker.scan_tree(sha):
        if isinstance(file, ScannedFile):
            for site, count in multiset(file.occurrences).items():
                sites[file.path, site] = sites.get((file.path, site), 0) + count
        else:
            skipped.append(file)
    return sites, skipped


def walked(repository: Repository, ruleset: Ruleset) -> list[JudgedCommit]:
    """Walk the line, and prove at every commit that the entries so far are what a full scan finds."""
    with open_mirror(str(repository.path), folder=Path(), slug=SLUG) as mirror:
        walker = Walker(mirror, SLUG, ruleset)
        commits = list(walker.walk(mirror.first_parent_line("main")))
        for number, judged in enumerate(commits, 1):
            entries = [entry for each in commits[:number] for entry in each.judgement.entries]
            assert balance(entries) == scanned(walker, judged.commit.sha)[0]
    return commits


def reasons(commits: Sequence[JudgedCommit]) -> list[list[SkipReason]]:
    return [[file.reason for file in judged.skipped] for judged in commits]


class Written:
    """The pieces that the cases are made of, in one repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.one = repository.write_object("blob", ONE.encode())
        self.two = repository.write_object("blob", TWO.encode())
        self.inside = self.tree((b"100644", b"b.py", self.one))
        self.other = self.tree((b"100644", b"b.py", self.two))

    def tree(self, *entries: Entry) -> str:
        return raw_tree(self.repository, *entries)


FILE, FOLDER, LINK, MODULE = b"100644", b"40000", b"120000", b"160000"


def sound(w: Written) -> str:
    return w.tree((FILE, b"a.py", w.one))


HISTORIES: dict[str, Callable[[Written], list[str]]] = {
    "a name twice": lambda w: [sound(w), w.tree((FILE, b"a.py", w.one), (FILE, b"a.py", w.two)), sound(w)],
    "a name three times, of which one changes": lambda w: [
        w.tree((FILE, b"a.py", w.one), (FILE, b"a.py", w.one), (FILE, b"a.py", w.two)),
        w.tree((FILE, b"a.py", w.one), (FILE, b"a.py", w.two), (FILE, b"a.py", w.two)),
    ],
    "a folder twice": lambda w: [
        w.tree((FOLDER, b"a", w.inside), (FOLDER, b"a", w.other)),
        w.tree((FOLDER, b"a", w.other), (FOLDER, b"a", w.other)),
        w.tree((FOLDER, b"a", w.inside)),
    ],
    "out of order": lambda w: [
        w.tree((FILE, b"z.py", w.one), (FILE, b"a.py", w.two), (FILE, b"m.py", w.one)),
        w.tree((FILE, b"m.py", w.two), (FILE, b"z.py", w.one), (FILE, b"a.py", w.one)),
        sound(w),
    ],
    "a file and a folder of one name": lambda w: [
        w.tree((FILE, b"a.py", w.one), (FOLDER, b"a.py", w.inside)),
        w.tree((FOLDER, b"a.py", w.other), (FILE, b"a.py", w.two)),
        sound(w),
    ],
    "odd modes of files": lambda w: [
        w.tree((mode, b"a.py", w.one), (FILE, b"q.py", w.two))
        for mode in (b"100664", b"100600", b"100000", b"00100644", b"100755", b"100644", b"7777777777100644")
    ],
    "modes of nothing that git knows": lambda w: [
        w.tree((mode, b"a.py", w.one), (FILE, b"q.py", w.two)) for mode in (b"0", b"140000", b"177777", b"10064", FILE)
    ],
    "one folder by two modes": lambda w: [
        w.tree((b"40000", b"a", w.inside)),
        w.tree((b"040000", b"a", w.inside)),
        sound(w),
    ],
    "links and submodules": lambda w: [
        w.tree((LINK, b"a.py", w.one), (MODULE, b"b.py", GONE)),
        w.tree((MODULE, b"a.py", GONE), (LINK, b"b.py", w.one)),
        w.tree((FILE, b"a.py", w.one), (FILE, b"b.py", w.two)),
    ],
    "a slash in a file's name beside a folder": lambda w: [
        w.tree((FOLDER, b"a", w.inside)),
        w.tree((FILE, b"a/b.py", w.two), (FOLDER, b"a", w.inside)),
        w.tree((FILE, b"a/b.py", w.one)),
        w.tree((FOLDER, b"a", w.other)),
    ],
    "a slash in a folder's name": lambda w: [
        w.tree((FOLDER, b"a/b", w.inside)),
        w.tree((FOLDER, b"a", w.inside)),
        w.tree((FOLDER, b"a", w.tree((FOLDER, b"b", w.inside)))),
    ],
    "names that lead out": lambda w: [
        w.tree((FOLDER, b".", w.inside), (FOLDER, b"..", w.inside), (FOLDER, b".git", w.inside)),
        w.tree((FILE, b".", w.one), (FILE, b"..", w.one), (FILE, b".git", w.two)),
        w.tree((FILE, b"../../x.py", w.one), (FILE, b"/abs.py", w.one)),
        sound(w),
    ],
    "huge and odd names": lambda w: [
        w.tree((FILE, b"x" * 5000 + b".py", w.one), (FILE, b"\xff\n\t\x1b.py", w.two), (FILE, b"\xc3\xa9.py", w.one)),
        w.tree((FOLDER, b"y" * 5000, w.inside)),
    ],
    "a file that is a folder's object": lambda w: [w.tree((FILE, b"a.py", w.inside)), sound(w)],
    "a file that the clone lacks": lambda w: [w.tree((FILE, b"a.py", GONE), (FILE, b"b.py", w.one)), sound(w)],
    "an empty tree": lambda w: [w.tree(), sound(w), w.tree()],
    "a folder that is a file's object": lambda w: [
        sound(w),
        w.tree((FOLDER, b"a.py", w.one), (FILE, b"b.py", w.two)),
        sound(w),
    ],
    "a root that is a file's object": lambda w: [sound(w), w.one, sound(w)],
}
"""Trees, one commit each, by what is odd about them."""


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_entries_add_up_to_the_tree_whatever_is_odd_about_it(
    upstream: Repository, ruleset: Ruleset, history: Callable[[Written], list[str]]
) -> None:
    shas = [commit_of(upstream, tree) for tree in history(Written(upstream))]
    assert [judged.commit.sha for judged in walked(upstream, ruleset)] == shas


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"100644 a.py\0" + b"1" * 19, id="cut off in an id"),
        pytest.param(b"100644 a.py", id="cut off in a name"),
        pytest.param(b"100644 \0" + b"1" * 20, id="an empty name"),
        pytest.param(b" a.py\0" + b"1" * 20, id="no mode"),
        pytest.param(b"100648 a.py\0" + b"1" * 20, id="a mode that is no number"),
        pytest.param(b"torch.cuda\n", id="no tree at all"),
    ],
)
def test_a_folder_that_cannot_be_read_counts_as_empty_and_is_told_once(
    upstream: Repository, ruleset: Ruleset, content: bytes
) -> None:
    written = Written(upstream)
    broken = upstream.write_object("tree", content)
    beside = (FILE, b"beside.py", written.one)
    for tree in (
        written.tree(beside, (FOLDER, b"d", written.inside)),
        written.tree(beside, (FOLDER, b"d", broken)),
        written.tree((FILE, b"beside.py", written.two), (FOLDER, b"d", broken)),
        written.tree(beside, (FOLDER, b"d", written.inside)),
    ):
        commit_of(upstream, tree)
    commits = walked(upstream, ruleset)
    assert [sum(entry.delta for entry in judged.judgement.entries) for judged in commits] == [2, -1, 1, 0]
    told = SkippedFile(path="d", blob=broken, reason=SkipReason.MALFORMED_TREE)
    assert [[file for file in judged.skipped if file.path] for judged in commits] == [[], [told], [], []]
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        assert scanned(Walker(mirror, SLUG, ruleset), commits[2].commit.sha)[1] == [told]


def test_a_tree_that_git_compares_wrongly_is_read_without_a_look_for_renames_and_says_so(
    upstream: Repository, ruleset: Ruleset
) -> None:
    for tree in HISTORIES["a slash in a folder's name"](Written(upstream)):
        commit_of(upstream, tree)
    assert reasons(walked(upstream, ruleset)) == [[], [SkipReason.RENAMES_UNREAD], []]


def test_a_sound_history_is_left_to_git(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/a.py": ONE, "torch/d/b.py": TWO})
    upstream.commit({}, moves={"torch/d/b.py": "torch/e/c.py"})
    first, second = walked(upstream, ruleset)
    assert reasons([first, second]) == [[], []]
    assert {entry.mechanism for entry in second.judgement.entries} == {Mechanism.MOVED}


@pytest.mark.parametrize("nested", [False, True])
def test_a_tree_that_the_clone_lacks_is_an_error_for_walk_and_scan_alike(
    upstream: Repository, ruleset: Ruleset, nested: bool
) -> None:
    written = Written(upstream)
    commit_of(upstream, sound(written))
    sha = commit_of(upstream, written.tree((FOLDER, b"d", GONE)) if nested else GONE)
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        walker = Walker(mirror, SLUG, ruleset)
        with pytest.raises(RepositoryError, match=f"{sha}.*{GONE}"):
            list(walker.walk(mirror.first_parent_line("main")))
        with pytest.raises(RepositoryError, match=f"{sha}.*{GONE}"):
            list(walker.scan_tree(sha))


def test_trees_that_name_each_other_over_and_over_are_refused(
    upstream: Repository, ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_trees, "MOST_FOLDERS", 500)
    written = Written(upstream)
    tree = written.inside
    for _ in range(12):
        tree = written.tree(*[(FOLDER, b"%d" % number, tree) for number in range(10)])
    sha = commit_of(upstream, tree)
    with pytest.raises(RepositoryError, match=f"{sha} unfolds"):
        walked(upstream, ruleset)


@pytest.mark.parametrize("seed", range(2))
def test_entries_add_up_over_random_malformed_trees(upstream: Repository, ruleset: Ruleset, seed: int) -> None:
    write_random_trees(upstream, random.Random(seed), commits=60)  # noqa: S311 - trees, not secrets
    walked(upstream, ruleset)


def write_random_trees(repository: Repository, choice: random.Random, *, commits: int) -> None:
    """Write commits whose trees are put together at random from a few names, modes and objects."""
    written = Written(repository)
    broken = repository.write_object("tree", b"100644 \0" + b"1" * 20)
    objects = [written.one, written.two, written.inside, written.other, broken]
    names = [b"a", b"b", b"a.py", b"b.py", b"a/b", b"a/b.py", b"a/a", b"..", b".git", b"a0", b"a-", b"\xff.py"]
    modes = [FILE, FILE, FILE, FOLDER, FOLDER, FOLDER, b"040000", b"100755", LINK, MODULE, b"0"]
    for _ in range(commits):
        entries = []
        for _ in range(choice.randrange(6)):
            mode = choice.choice(modes)
            oid = choice.choice(objects[2:] if mode in (FOLDER, b"040000") and choice.random() < 0.9 else objects)
            entries.append((mode, choice.choice(names), oid))
        tree = written.tree(*entries)
        objects.append(tree)
        commit_of(repository, tree)
