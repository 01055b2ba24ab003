"""What is left to read follows from the line and from what is stored of it."""

from collections.abc import Sequence

import pytest

from db.commits import CommitCursor
from db.stored_lines import StoredCommit
from jobs.crawl_plan import CrawlPlan, plan_again, plan_continuation, plan_opening

LINE: list[tuple[str, str | None]] = [("a", None), ("b", "a"), ("c", "b"), ("d", "c")]


def stored(names: str, first: int = 0) -> list[StoredCommit]:
    return [StoredCommit(sha=name, position=position) for position, name in enumerate(names, first)]


def cursor(name: str, position: int) -> CommitCursor:
    return CommitCursor(sha=name, position=position, head=name)


def plan(
    pairs: Sequence[tuple[str, str | None]],
    first_position: int,
    *,
    keep_until: int | None = None,
    baseline: tuple[str, int] | None = None,
) -> CrawlPlan:
    return CrawlPlan(
        keep_until=keep_until,
        baseline=baseline[0] if baseline else None,
        baseline_position=baseline[1] if baseline else -1,
        pairs=pairs,
        first_position=first_position,
    )


class TestOpening:
    def test_from_the_root_there_is_no_opening_stock(self) -> None:
        assert plan_opening(LINE, 0, shallow=False) == plan(LINE, 0)

    @pytest.mark.parametrize("start", [1, 2, 4])
    def test_from_a_later_commit_its_parent_is_the_opening(self, start: int) -> None:
        assert plan_opening(LINE, start, shallow=False) == plan(
            LINE[start:], start, baseline=(LINE[start - 1][0], start - 1)
        )

    def test_at_a_shallow_boundary_the_first_commit_is_the_opening(self) -> None:
        assert plan_opening(LINE, 0, shallow=True) == plan(LINE[1:], 1, baseline=("a", 0))
        assert plan_opening(LINE, 2, shallow=True) == plan(LINE[2:], 2, baseline=("b", 1))


class TestContinuation:
    def test_after_the_cursor(self) -> None:
        assert plan_continuation(LINE, cursor("b", 1), (), rewritten=True) == plan(LINE[2:], 2)

    def test_at_the_end_there_is_nothing(self) -> None:
        assert plan_continuation(LINE, cursor("d", 3), (), rewritten=True) == plan([], 4)

    def test_positions_go_on_from_the_stored_ones_in_a_clone_that_was_deepened(self) -> None:
        assert plan_continuation(LINE, cursor("c", 0), (), rewritten=True) == plan(LINE[3:], 1)

    def test_beside_the_line_it_goes_on_from_the_fork(self) -> None:
        assert plan_continuation(LINE, cursor("y", 3), stored("abxy"), rewritten=True) == plan(
            LINE[2:], 2, keep_until=1
        )
        assert plan_continuation(LINE, cursor("y", 3), stored("abxy"), rewritten=False) == plan(
            LINE[2:], 2, keep_until=1
        )

    def test_a_line_that_was_set_back_is_cut_and_one_that_is_only_shorter_is_not(self) -> None:
        assert plan_continuation(LINE, cursor("f", 5), stored("abcdef"), rewritten=True) == plan([], 4, keep_until=3)
        assert plan_continuation(LINE, cursor("f", 5), stored("abcdef"), rewritten=False) == plan([], 4)

    def test_nothing_in_common_is_no_continuation(self) -> None:
        assert plan_continuation(LINE, cursor("y", 1), stored("xy"), rewritten=True) is None


class TestAgain:
    def test_from_the_root_to_the_root(self) -> None:
        assert plan_again(LINE, stored("a")[0], shallow=False) == plan(LINE, 0, keep_until=-1)

    def test_from_an_opening_to_the_same_opening(self) -> None:
        assert plan_again(LINE, stored("b", 1)[0], shallow=False) == plan(LINE[2:], 2, keep_until=-1, baseline=("b", 1))

    def test_from_the_root_where_the_beginning_is_gone(self) -> None:
        assert plan_again(LINE, stored("x")[0], shallow=False) == plan(LINE, 0, keep_until=-1)
        assert plan_again(LINE, None, shallow=True) == plan(LINE[1:], 1, keep_until=-1, baseline=("a", 0))
