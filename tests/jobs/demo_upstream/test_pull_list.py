"""Paging by value: what is updated between two pages moves behind the reader, and nothing is skipped."""

from dataclasses import replace
from datetime import timedelta

import pytest

from jobs.demo_upstream.pull_list import PullList, Stretch
from tests.pull_builders import A_TIME, a_pull, pulls

CREATED, UPDATED = "CREATED_AT", "UPDATED_AT"


def numbers(listed: PullList, field: str, size: int) -> list[int]:
    found: list[int] = []
    after: str | None = None
    while True:
        stretch = listed.page_after(field, size, after)
        found += [pull.number for pull in stretch.pulls]
        if not stretch.has_next:
            return found
        after = stretch.cursors[-1]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_pages_of_any_size_give_the_list_once(size: int) -> None:
    assert numbers(PullList(pulls(7)), CREATED, size) == [1, 2, 3, 4, 5, 6, 7]


def test_walking_back_gives_the_list_too_each_page_oldest_first() -> None:
    listed = PullList(pulls(5))
    last = listed.page_before(CREATED, 2, None)
    middle = listed.page_before(CREATED, 2, last.cursors[0])
    first = listed.page_before(CREATED, 2, middle.cursors[0])
    assert [[pull.number for pull in stretch.pulls] for stretch in (last, middle, first)] == [[4, 5], [2, 3], [1]]
    assert (last.has_previous, middle.has_previous, first.has_previous) == (True, True, False)


def test_what_is_updated_meanwhile_is_met_again_and_nothing_is_skipped() -> None:
    listed = PullList(pulls(6))
    first = listed.page_after(UPDATED, 3, None)
    listed.put(replace(a_pull(1), updated_at=A_TIME + timedelta(days=1)))
    rest = listed.page_after(UPDATED, 9, first.cursors[-1])
    assert [pull.number for pull in rest.pulls] == [4, 5, 6, 1]


def test_a_cursor_outlives_the_pull_request_it_was_made_of() -> None:
    listed = PullList(pulls(4))
    second = listed.page_after(UPDATED, 2, None).cursors[-1]
    listed.put(replace(a_pull(2), updated_at=A_TIME + timedelta(days=1)))
    assert [pull.number for pull in listed.page_after(UPDATED, 9, second).pulls] == [3, 4, 2]


def test_within_one_second_ids_decide() -> None:
    listed = PullList(replace(pull, updated_at=A_TIME) for pull in pulls(5))
    assert numbers(listed, UPDATED, 2) == [1, 2, 3, 4, 5]


def test_an_empty_list_has_one_empty_page() -> None:
    empty = Stretch(pulls=(), total=0, has_next=False, has_previous=False, cursors=())
    assert PullList().page_after(CREATED, 5, None) == PullList().page_before(CREATED, 5, None) == empty


@pytest.mark.parametrize("cursor", ["", "no cursor", "Zm9v", "Zm9vCmJhcgpiYXo="])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        PullList(pulls(2)).page_after(CREATED, 1, cursor)
