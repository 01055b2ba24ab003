"""Sums of weeks become stock, flow, shares and density over weeks and releases; what is unknown stays unknown."""

from datetime import date, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tracker.measures import (
    Amount,
    CellSum,
    LineSum,
    Measures,
    Period,
    measure,
    release_periods,
    weekly_periods,
)

WEEKS = tuple(date(2020, 1, 6) + timedelta(weeks=number) for number in range(5))
CORE, TEST = ("core",), ("test",)


def sites(
    week: int,
    *,
    key: tuple[str, ...] = CORE,
    found: int = 0,
    added: int = 0,
    removed: int = 0,
    net_added: int = 0,
    net_removed: int = 0,
    is_nvidia: bool = False,
    is_headline: bool = True,
    is_neutral: bool = False,
) -> CellSum:
    return CellSum(
        week=WEEKS[week],
        key=key,
        is_neutral=is_neutral,
        is_headline=is_headline,
        is_nvidia=is_nvidia,
        found=found,
        added=added,
        removed=removed,
        net_added=net_added,
        net_removed=net_removed,
    )


HISTORY = [
    sites(0, found=100, added=10, removed=4, net_added=8, net_removed=4, is_nvidia=True),
    sites(0, found=20, is_headline=False),
    sites(1, added=6, net_added=6),
    sites(3, removed=12, net_removed=2, is_nvidia=True),
    sites(0, found=10, is_neutral=True),
    sites(3, added=30, removed=0, net_added=30, is_neutral=True),
]
LINES = [LineSum(week=WEEKS[0], key=CORE, change=8000), LineSum(week=WEEKS[3], key=CORE, change=2000)]


def weekly(
    sums: list[CellSum],
    lines: list[LineSum] | None = None,
    *,
    unread: tuple[int, ...] = (),
    uncounted: int | None = None,
) -> tuple[Measures, ...]:
    (found,) = measure(
        sums,
        lines or [],
        weekly_periods(WEEKS),
        WEEKS,
        unread={CORE: [WEEKS[number] for number in unread]},
        uncounted_since={CORE: WEEKS[uncounted]} if uncounted is not None else {},
    ).values()
    return found


def amount(*numbers: int | None) -> Amount:
    opening, added, removed, closing, net_added, net_removed = numbers
    return Amount(
        opening=opening,
        added=added,
        removed=removed,
        closing=closing,
        net_added=net_added,
        net_removed=net_removed,
    )


def test_a_week_has_stock_flow_shares_and_density() -> None:
    found = weekly(HISTORY, LINES)
    assert [one.sites for one in found] == [
        amount(100, 10, 4, 106, 8, 4),
        amount(106, 6, 0, 112, 6, 0),
        amount(112, 0, 0, 112, 0, 0),
        amount(112, 0, 12, 100, 0, 2),
        amount(100, 0, 0, 100, 0, 0),
    ]
    assert [one.adoption.closing for one in found] == [10, 10, 10, 40, 40]
    # 10 / (10 + 106), and 40 / (40 + 100): the 20 names are no sites here.
    assert [one.neutrality for one in found] == [10 / 116, 10 / 122, 10 / 122, 40 / 140, 40 / 140]
    assert [one.constructs for one in found] == [116, 122, 122, 140, 140]
    # 106 of 106, 106 of 112, and 94 of 100 are NVIDIA's.
    assert [one.nvidia_share for one in found] == [1.0, 106 / 112, 106 / 112, 0.94, 0.94]
    assert [one.lines for one in found] == [8000, 8000, 8000, 10000, 10000]
    assert [one.sites_per_1000_lines for one in found] == [13.25, 14.0, 14.0, 10.0, 10.0]
    assert {(one.weeks, one.unread) for one in found} == {(1, 0)}


def test_a_week_that_was_not_read_is_unknown_and_so_is_the_next_opening() -> None:
    found = weekly(HISTORY, LINES, unread=(1, 4))
    assert found[1].sites == amount(106, None, None, None, None, None)
    assert found[2].sites == amount(None, 0, 0, 112, 0, 0)
    assert (found[1].neutrality, found[1].nvidia_share, found[1].lines, found[1].unread) == (None, None, None, 1)
    assert found[4].sites == amount(100, None, None, None, None, None)


def test_lines_that_were_not_counted_are_unknown_and_not_zero() -> None:
    found = weekly(HISTORY, LINES, uncounted=2)
    assert [one.sites_per_1000_lines for one in found] == [13.25, 14.0, None, None, None]
    assert [one.lines for one in weekly(HISTORY)] == [0] * 5
    assert {one.sites_per_1000_lines for one in weekly(HISTORY)} == {None}


def test_shares_of_nothing_are_unknown() -> None:
    (first, *_) = weekly([sites(0, added=1, removed=1)])
    assert (first.neutrality, first.constructs, first.nvidia_share, first.sites.closing) == (None, 0, None, 0)


def test_a_release_ends_with_its_week_and_the_rest_came_since() -> None:
    releases = [(WEEKS[1], "v1.0"), (WEEKS[1], "v1.1"), (WEEKS[3], "v2.0"), (date(2019, 1, 7), "v0.1")]
    assert release_periods(WEEKS, releases) == (
        Period(name="v1.0, v1.1", first=WEEKS[0], last=WEEKS[1]),
        Period(name="v2.0", first=WEEKS[2], last=WEEKS[3]),
        Period(name="since v2.0", first=WEEKS[4], last=WEEKS[4]),
    )
    assert release_periods(WEEKS, []) == (Period(name="all", first=WEEKS[0], last=WEEKS[4]),)
    assert release_periods((), releases) == ()


def test_releases_add_weeks_up_and_a_gap_in_one_leaves_its_flow_unknown() -> None:
    periods = release_periods(WEEKS, [(WEEKS[1], "v1"), (WEEKS[3], "v2")])
    (found,) = measure(HISTORY, LINES, periods, WEEKS, unread={CORE: [WEEKS[2]]}, uncounted_since={}).values()
    assert [one.sites for one in found] == [
        amount(100, 16, 4, 112, 14, 4),
        amount(112, None, None, 100, None, None),
        amount(100, 0, 0, 100, 0, 0),
    ]
    assert [(one.weeks, one.unread) for one in found] == [(2, 0), (2, 1), (1, 0)]


def test_keys_have_numbers_of_their_own() -> None:
    found = measure(
        [sites(0, added=3), sites(1, key=TEST, added=5)],
        [LineSum(week=WEEKS[0], key=TEST, change=500), LineSum(week=WEEKS[0], key=("gone",), change=9)],
        weekly_periods(WEEKS),
        WEEKS,
        unread={TEST: [WEEKS[4]]},
        uncounted_since={},
    )
    assert list(found) == [CORE, TEST]
    assert [one.sites.closing for one in found[CORE]] == [3] * 5
    assert [one.sites.closing for one in found[TEST]] == [0, 5, 5, 5, None]
    assert found[TEST][1].sites_per_1000_lines == 10.0


@st.composite
def histories(draw: st.DrawFn) -> list[CellSum]:
    numbers = st.integers(0, 50)
    count = draw(st.integers(1, 12))
    found = []
    for _ in range(count):
        week = draw(st.integers(0, 4))
        found.append(
            sites(
                week,
                key=draw(st.sampled_from([CORE, TEST])),
                found=draw(numbers) if week == 0 else 0,
                added=draw(numbers),
                removed=draw(numbers),
                is_neutral=draw(st.booleans()),
                is_nvidia=draw(st.booleans()),
            )
        )
    return found


@given(histories(), st.sets(st.integers(0, 4)), st.lists(st.integers(0, 4), max_size=3))
def test_the_closing_of_a_period_is_the_opening_of_the_next_for_every_key(
    sums: list[CellSum], unread: set[int], releases: list[int]
) -> None:
    by_release = release_periods(WEEKS, [(WEEKS[week], f"v{week}") for week in sorted(releases)])
    gaps: dict[tuple[str, ...], list[date]] = {key: [WEEKS[week] for week in unread] for key in (CORE, TEST)}
    for periods in (weekly_periods(WEEKS), by_release):
        for found in measure(sums, [], periods, WEEKS, unread=gaps, uncounted_since={}).values():
            assert sum(one.weeks for one in found) == 5
            for one, following in pairwise(found):
                assert (one.sites.closing, one.adoption.closing) == (
                    following.sites.opening,
                    following.adoption.opening,
                )
            for one in found:
                for total in (one.sites, one.adoption):
                    if None not in (total.opening, total.added, total.removed, total.closing):
                        assert total.opening + total.added - total.removed == total.closing  # type: ignore[operator]
