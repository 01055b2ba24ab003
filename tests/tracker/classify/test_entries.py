"""The ledger entries of a commit: exact, whatever happens to its files."""

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.tracker.judging import change, judged, scanned
from tracker.classify import ScannedChange, needs_text
from tracker.ledger import Entry
from tracker.sites import Mechanism, Site, Territory

CODE = "src/project/runtime.py"


def held(*changes: ScannedChange, before: bool) -> Counter[tuple[str, Site, Territory]]:
    total: Counter[tuple[str, Site, Territory]] = Counter()
    for one in changes:
        side = one.before if before else one.after
        if side:
            total.update((side.path, occurrence.site, side.territory_of(occurrence)) for occurrence in side.occurrences)
    return total


def brief(entries: tuple[Entry, ...]) -> list[tuple[str, str, int, str, tuple[int, ...]]]:
    return [(entry.path, entry.site.symbol, entry.delta, entry.mechanism.value, entry.lines) for entry in entries]


def test_one_entry_holds_all_sites_of_one_fate_with_their_lines() -> None:
    found = judged(change(CODE, None, "torch.cuda.init()\nx = 1\ntorch.cuda.init()\n"))
    assert brief(found.entries) == [(CODE, "torch.cuda.init", 2, "introduced", (1, 3))]


def test_lines_of_what_is_gone_are_the_parents() -> None:
    found = judged(change(CODE, "def a():\n    x = 1\n    torch.cuda.init()\n", "def a():\n    pass\n"))
    assert brief(found.entries) == [(CODE, "torch.cuda.init", -1, "dropped", (3,))]


def test_a_neutral_construct_is_counted_and_not_judged() -> None:
    found = judged(
        change(CODE, "def a():\n    torch.cuda.synchronize()\n", "def a():\n    torch.accelerator.synchronize()\n")
    )
    assert brief(found.entries) == [
        (CODE, "torch.cuda.synchronize", -1, "generalised", (2,)),
        (CODE, "torch.accelerator.synchronize", 1, "outside", (2,)),
    ]


def test_sites_outside_neutral_territory_are_counted_and_not_judged() -> None:
    found = judged(change("src/project/cuda/stream.py", "torch.cuda.init()\n", "torch.cuda.synchronize()\n"))
    assert {entry.mechanism for entry in found.entries} == {Mechanism.OUTSIDE}
    assert sorted(entry.delta for entry in found.entries) == [-1, 1]


def test_a_renamed_file_takes_its_sites_to_the_new_path() -> None:
    text = "torch.cuda.init()\n"
    found = judged(change(CODE, text, text, to="src/project/start.py"))
    assert brief(found.entries) == [
        (CODE, "torch.cuda.init", -1, "moved", (1,)),
        ("src/project/start.py", "torch.cuda.init", 1, "moved", (1,)),
    ]


def test_the_judgement_does_not_depend_on_whether_texts_were_kept_that_it_does_not_ask_for() -> None:
    changes = [
        change(CODE, None, "torch.cuda.init()\n"),
        change("src/project/old.py", "torch.cuda.synchronize()\n", None),
        change("src/project/cuda/a.py", "torch.cuda.init()\n", "x = 1\n"),
        change("src/project/same.py", "torch.cuda.init()\n", "torch.cuda.init()\ny = 1\n"),
    ]
    assert [needs_text(one) for one in changes] == [False, False, False, False]
    lean = [
        ScannedChange(
            before=replace(one.before, text=None, quotable=one.before.text) if one.before else None,
            after=replace(one.after, text=None, quotable=one.after.text) if one.after else None,
        )
        for one in changes
    ]
    assert judged(*lean) == judged(*changes)


def test_a_change_of_neutral_sites_needs_its_texts() -> None:
    assert needs_text(change(CODE, "x = 'cuda'\n", "x = device\n"))
    assert needs_text(change(CODE, "x = ['cuda']\n", "x = ['cuda', 'xpu']\n"))
    assert not needs_text(change(CODE, "x = 1\n", "x = 'cuda'\n"))


PATHS = [
    CODE,
    "src/project/start.py",
    "src/project/cuda/a.py",
    "tests/test_a.py",
    "native_functions.yaml",
    "third_party/b.py",
]
LINES = [
    "import torch",
    "def f(device):",
    "    torch.cuda.init()",
    "    x = x.to('cuda')",
    "    x = x.to(device)",
    "    x = x.to(torch.accelerator.current_accelerator())",
    "@onlyCUDA",
    "@skipIfRocm",
    "if torch.cuda.is_available() or torch.xpu.is_available():",
    "    y = ['cuda', 'xpu']",
    "class TestCUDA:",
    "class TestXPU(TestCase):",
    "    hw_classification = HardwareClassification.CUDA",
    "    hw_classification = HardwareClassification.GENERIC",
    "class Test(TestCase):",
    "    pass",
    "",
]
text = st.lists(st.sampled_from(LINES), max_size=8).map(lambda lines: "\n".join(lines) + "\n")


@st.composite
def commits(draw: st.DrawFn) -> list[ScannedChange]:
    """Changes of distinct files: added, deleted, edited, renamed, with or without their texts."""
    paths = draw(st.permutations(PATHS))
    found: list[ScannedChange] = []
    for number in range(draw(st.integers(0, 3))):
        path, to = paths[2 * number], paths[2 * number + 1]
        before = draw(st.none() | text)
        after = draw(text if before is None else st.none() | text)
        renamed = before is not None and after is not None and draw(st.booleans())
        one = change(path, before, after, to=to if renamed else None)
        if not draw(st.booleans()):
            one = ScannedChange(
                before=replace(one.before, text=None) if one.before else None,
                after=replace(one.after, text=None) if one.after else None,
            )
        found.append(one)
    return found


@given(commits())
def test_the_balance_before_and_the_entries_make_the_balance_after(changes: list[ScannedChange]) -> None:
    entries = judged(*changes).entries
    total = held(*changes, before=True)
    for entry in entries:
        total[entry.path, entry.site, entry.territory] += entry.delta
    assert {key: count for key, count in total.items() if count} == held(*changes, before=False)
    assert all(entry.delta and len(entry.lines) == abs(entry.delta) for entry in entries)
    keys = [(entry.path, entry.site, entry.territory, entry.mechanism, entry.delta > 0) for entry in entries]
    assert len(keys) == len(set(keys))


@given(commits())
def test_the_same_commit_gets_the_same_judgement(changes: list[ScannedChange]) -> None:
    assert judged(*changes) == judged(*changes)


def test_a_file_that_no_dialect_reads_has_no_sites() -> None:
    assert scanned("README.md", "cuda\n").occurrences == ()
