from hypothesis import given
from hypothesis import strategies as st

from tracker.trend import Move, Movers, biggest_movers


def test_the_biggest_movers_are_those_with_the_largest_net_and_the_sums_are_of_all() -> None:
    moves = [
        Move(key="a.py", added=5, removed=1),
        Move(key="b.py", added=0, removed=7),
        Move(key="c.py", added=9, removed=0),
        Move(key="d.py", added=1, removed=2),
    ]
    assert biggest_movers(moves, 1) == Movers(
        n=4,
        added=15,
        removed=10,
        net=5,
        rises=(Move(key="c.py", added=9, removed=0),),
        falls=(Move(key="b.py", added=0, removed=7),),
    )


def test_equal_movers_come_by_key() -> None:
    moves = [Move(key="b", added=1, removed=0), Move(key="a", added=1, removed=0)]
    assert [move.key for move in biggest_movers(moves, 2).rises] == ["a", "b"]


def test_what_stays_even_moved_but_neither_rose_nor_fell() -> None:
    assert biggest_movers([Move(key="a", added=3, removed=3), Move(key="b", added=0, removed=0)], 5) == Movers(
        n=1, added=3, removed=3, net=0, rises=(), falls=()
    )


def test_a_period_without_a_move_has_none() -> None:
    assert biggest_movers([], 5) == Movers(n=0, added=0, removed=0, net=0, rises=(), falls=())


@given(st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=20))
def test_all_rises_and_falls_together_are_the_net(moves: dict[str, tuple[int, int]]) -> None:
    found = biggest_movers((Move(key=key, added=added, removed=removed) for key, (added, removed) in moves.items()), 20)
    assert sum(move.net for move in (*found.rises, *found.falls)) == found.net
