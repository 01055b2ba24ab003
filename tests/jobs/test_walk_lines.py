"""Lines of code come and go with commits, place by place, and add up to what stands in the tree."""

from collections import Counter
from pathlib import Path

import pytest

from jobs.walk import TreeFile, Walker
from tests.histories import write_history
from tests.jobs.test_walk import SLUG, walked
from tests.repositories import Executable, Object, Repository, Submodule, Symlink
from tracker.classify import JudgedCommit
from tracker.ledger import LineEntry
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.sites import Area, Territory
from tracker.sources.git_mirror import open_mirror

TORCH = (Territory.NEUTRAL, Area.CORE, "core")
TESTS = (Territory.NEUTRAL, Area.TEST, "test")

Place = tuple[Territory, Area, str]


@pytest.fixture(scope="module")
def ruleset() -> Ruleset:
    return load_ruleset(read_rules())


@pytest.fixture
def upstream(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "upstream.git")


def posted(judged: JudgedCommit) -> dict[Place, int]:
    return {(entry.territory, entry.area, entry.subsystem): entry.delta for entry in judged.lines}


def standing(upstream: Repository, ruleset: Ruleset) -> dict[Place, int]:
    """Lines by place, from a full scan of the tip."""
    found: Counter[Place] = Counter()
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        for file in Walker(mirror, SLUG, ruleset).read_tree("main"):
            if isinstance(file, TreeFile):
                place = file.scanned.place
                found[place.territory, place.area, place.subsystem] += file.lines
    return {place: lines for place, lines in found.items() if lines}


def test_a_commit_posts_the_change_of_lines_of_each_place(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/a.py": "x = 1\ny = 2\n", "torch/b.py": "z = 3", "test/test_a.py": "pass\n" * 4})
    upstream.commit({"torch/a.py": "x = 1\n", "torch/b.py": "z = 3\nu = 4\nv = 5\n", "test/test_a.py": None})
    assert [posted(judged) for judged in walked(upstream, ruleset)] == [{TORCH: 3, TESTS: 4}, {TORCH: 1, TESTS: -4}]


def test_a_changed_line_and_a_mode_and_a_moved_file_within_a_place_post_nothing(
    upstream: Repository, ruleset: Ruleset
) -> None:
    upstream.commit({"torch/a.py": "x = 1\ny = 2\n"})
    upstream.commit({"torch/a.py": "x = 2\ny = 2\n"})
    upstream.commit({"torch/a.py": Executable("x = 2\ny = 2\n")})
    upstream.commit({}, moves={"torch/a.py": "torch/b.py"})
    assert [posted(judged) for judged in walked(upstream, ruleset)[1:]] == [{}, {}, {}]


def test_a_file_that_moves_to_a_vendor_takes_its_lines_along(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"aten/src/ATen/x.cpp": "int x;\n" * 9})
    upstream.commit({}, moves={"aten/src/ATen/x.cpp": "aten/src/ATen/cuda/x.cpp"})
    assert [sorted(posted(judged).values()) for judged in walked(upstream, ruleset)] == [[9], [-9, 9]]
    places = {(place[0], delta) for place, delta in posted(walked(upstream, ruleset)[1]).items()}
    assert places == {(Territory.NEUTRAL, -9), (Territory.VENDOR, 9)}


def test_prose_images_links_and_what_cannot_be_read_have_no_lines(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit(
        {
            "README.md": "one\ntwo\n",
            "LICENSE": "one\n",
            "a.png": b"\x89PNG\0\n",
            "torch/zero.py": b"x = 1\n\0\n",
            "torch/link.py": Symlink("a.py"),
            "third": Submodule(),
            "torch/gone.py": Object("4" * 40),
            "torch/empty.py": "",
        }
    )
    assert walked(upstream, ruleset)[0].lines == ()
    assert standing(upstream, ruleset) == {}


def test_the_lines_posted_add_up_to_those_of_the_tree(upstream: Repository, ruleset: Ruleset) -> None:
    write_history(upstream, 40)
    total: Counter[Place] = Counter()
    for judged in walked(upstream, ruleset):
        total.update(posted(judged))
    assert {place: lines for place, lines in total.items() if lines} == standing(upstream, ruleset)
    assert sum(total.values()) > 0


def test_a_baseline_opens_with_the_lines_of_the_tree(upstream: Repository, ruleset: Ruleset) -> None:
    upstream.commit({"torch/a.py": "x = 1\ny = 2\n", "README.md": "one\n"})
    upstream.commit({"torch/b.py": "z = 3"})
    with open_mirror(str(upstream.path), folder=Path(), slug=SLUG) as mirror:
        opening = Walker(mirror, SLUG, ruleset).baseline("main")
    assert opening.lines == (
        LineEntry(territory=Territory.NEUTRAL, area=Area.CORE, subsystem="core", delta=3, baseline=True),
    )
