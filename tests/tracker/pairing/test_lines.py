"""Hunks between texts: what changed, and how long that takes to say."""

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tracker.pairing.lines import Hunk, hunks_between, places, split_lines


def hunks(before: str, after: str) -> tuple[Hunk, ...]:
    return hunks_between(split_lines(before.encode()), split_lines(after.encode()))


def test_a_trailing_line_end_makes_no_further_line() -> None:
    assert (split_lines(b"a\nb\n"), split_lines(b"a\nb"), split_lines(b"")) == ([b"a", b"b"], [b"a", b"b"], [])


def test_equal_texts_have_no_hunk() -> None:
    assert hunks("a\nb\n", "a\nb\n") == ()


def test_a_replaced_line_is_one_hunk() -> None:
    assert hunks("a\nb\nc\n", "a\nx\nc\n") == (Hunk(1, 2, 1, 2),)


def test_an_added_line_has_an_empty_range_before() -> None:
    assert hunks("a\nc\n", "a\nb\nc\n") == (Hunk(1, 1, 1, 2),)


def test_indentation_and_spacing_are_no_change() -> None:
    assert hunks("if x:\n    a =  1\n    b\n", "a = 1\nb\n") == (Hunk(0, 1, 0, 0),)


def test_a_unique_line_anchors_what_stands_around_it() -> None:
    before = "}\n}\nunique\n}\n}\n"
    after = "}\nnew\nunique\n}\n"
    assert hunks(before, after) == (Hunk(1, 2, 1, 2), Hunk(4, 5, 4, 4))


def test_an_entry_that_is_gone_goes_from_its_first_line_to_its_last() -> None:
    entry = "    Entry('{}',\n          skips=(\n              skip('x', active_if=R),\n          )),\n"
    before = "table = [\n" + entry.format("a") + entry.format("b") + entry.format("c") + "]\n"
    after = "table = [\n" + entry.format("a") + entry.format("c") + "]\n"
    assert hunks(before, after) == (Hunk(5, 9, 5, 5),)
    assert hunks(after, before) == (Hunk(5, 5, 5, 9),)


def test_a_function_that_is_gone_takes_its_own_brace_and_the_empty_line_behind_it() -> None:
    before = "void a() {\n  x();\n}\n\nvoid b() {\n  x();\n}\n\nvoid c() {\n  x();\n}\n"
    after = "void a() {\n  x();\n}\n\nvoid c() {\n  x();\n}\n"
    assert hunks(before, after) == (Hunk(4, 8, 4, 4),)


def test_a_block_is_not_moved_up_to_another_change() -> None:
    assert hunks("a\nq\nx\ny\nx\nz\n", "b\nq\nx\nz\n") == (Hunk(0, 1, 0, 1), Hunk(3, 5, 3, 3))


def test_hunks_a_few_lines_apart_are_one_place() -> None:
    assert places((Hunk(0, 1, 0, 1), Hunk(3, 4, 3, 3), Hunk(9, 9, 8, 9))) == (Hunk(0, 4, 0, 3), Hunk(9, 9, 8, 9))


def test_two_texts_without_a_common_line_are_one_hunk_however_long() -> None:
    before = [b"old %d" % number for number in range(50_000)]
    after = [b"new %d" % number for number in range(50_000)]
    started = time.process_time()
    assert hunks_between(before, after) == (Hunk(0, 50_000, 0, 50_000),)
    assert time.process_time() - started < 5


def test_a_hundred_thousand_equal_lines_shuffled_take_seconds_at_most() -> None:
    before = [b"x"] * 100_000
    started = time.process_time()
    hunks_between([b"start", *before], [*before[:90_000], b"end"])
    assert time.process_time() - started < 5


lines = st.lists(st.sampled_from([b"a", b"b", b"  c", b"}", b"", b"unique"]), max_size=30)


@given(lines, lines)
def test_unchanged_lines_are_the_same_on_both_sides(before: list[bytes], after: list[bytes]) -> None:
    found = hunks_between(before, after)
    old, new = before.copy(), after.copy()
    for hunk in reversed(found):
        del old[hunk.before_start : hunk.before_end]
        del new[hunk.after_start : hunk.after_end]
    assert [line.split() for line in old] == [line.split() for line in new]
    assert all(first.before_end <= second.before_start for first, second in pairwise(found))
