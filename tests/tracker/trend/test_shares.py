from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tracker.trend import Part, PeriodShares, Share, shares_by_period

Y2020, Y2021 = date(2020, 1, 1), date(2021, 1, 1)


def test_a_share_lies_between_none_and_all_of_the_unknown() -> None:
    parts = [
        Part(period=Y2020, organisation="intel", count=2),
        Part(period=Y2020, organisation="meta", count=3),
        Part(period=Y2020, organisation=None, count=5),
    ]
    (found,) = shares_by_period(parts)
    assert found == PeriodShares(
        period=Y2020,
        n=10,
        unknown=5,
        shares={"meta": Share(count=3, low=0.3, high=0.8), "intel": Share(count=2, low=0.2, high=0.7)},
    )
    assert (list(found.shares), found.unknown_share) == (["meta", "intel"], 0.5)


def test_periods_come_oldest_first_and_one_without_anything_is_absent() -> None:
    parts = [
        Part(period=Y2021, organisation="meta", count=1),
        Part(period=Y2020, organisation="meta", count=1),
        Part(period=Y2020, organisation="meta", count=1),
        Part(period=date(2019, 1, 1), organisation="meta", count=0),
    ]
    assert [(one.period, one.n) for one in shares_by_period(parts)] == [(Y2020, 2), (Y2021, 1)]


def test_an_organisation_with_nothing_is_absent() -> None:
    parts = [
        Part(period=Y2020, organisation="amd", count=0),
        Part(period=Y2020, organisation=None, count=1),
    ]
    assert shares_by_period(parts) == (PeriodShares(period=Y2020, n=1, unknown=1, shares={}),)


def test_nothing_has_no_shares() -> None:
    assert shares_by_period([]) == ()


@given(st.lists(st.tuples(st.sampled_from([None, "amd", "intel", "meta"]), st.integers(0, 30)), max_size=20))
def test_what_is_known_and_unknown_is_everything(counts: list[tuple[str | None, int]]) -> None:
    parts = [Part(period=Y2020, organisation=name, count=count) for name, count in counts]
    for found in shares_by_period(parts):
        assert found.unknown + sum(share.count for share in found.shares.values()) == found.n
        assert all(0 <= share.low <= share.high <= 1 for share in found.shares.values())
