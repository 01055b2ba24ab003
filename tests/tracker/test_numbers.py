from tracker.numbers import unaccounted


def test_what_is_not_known_is_asked_for_in_its_order() -> None:
    assert list(unaccounted(6, {2, 3, 9})) == [1, 4, 5, 6]


def test_where_all_is_known_nothing_is_asked() -> None:
    assert list(unaccounted(2, {1, 2})) == []
    assert list(unaccounted(0, set())) == []
