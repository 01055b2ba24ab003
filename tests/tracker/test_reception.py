"""How pull requests are received: hours from opening to what became of them, quartiles, and what landed."""

from datetime import UTC, datetime

from tracker.reception import PullState, Received, Reception, Spread, hours_from, reception_of, spread_of

OPENED = datetime(2024, 5, 6, 12, tzinfo=UTC)


def test_hours_run_from_opening_to_landing() -> None:
    assert hours_from(OPENED, datetime(2024, 5, 8, 13, 30, tzinfo=UTC)) == 49.5


def test_hours_are_given_to_a_hundredth() -> None:
    assert hours_from(OPENED, datetime(2024, 5, 6, 12, 0, 59, tzinfo=UTC)) == 0.02


def test_a_landing_in_the_second_of_opening_took_no_time() -> None:
    assert hours_from(OPENED, OPENED) == 0.0


def test_what_has_not_landed_has_no_hours() -> None:
    assert hours_from(OPENED, None) is None


def test_a_commit_older_than_the_pull_request_that_names_it_gives_no_hours() -> None:
    assert hours_from(OPENED, datetime(2024, 5, 6, 11, tzinfo=UTC)) is None


def received(
    state: PullState, *, review: float | None = None, landing: float | None = None, rounds: int = 0
) -> Received:
    return Received(state=state, mechanism=None, hours_to_first_review=review, hours_to_landing=landing, rounds=rounds)


def test_quartiles_lie_between_neighbours() -> None:
    assert spread_of([4, 1, 2, 3]) == Spread(count=4, lower=1.75, median=2.5, upper=3.25)
    assert spread_of([10, 20, 40]) == Spread(count=3, lower=15.0, median=20, upper=30.0)
    assert spread_of([7]) == Spread(count=1, lower=7, median=7, upper=7)
    assert spread_of([]) is None


def test_a_reception_counts_each_pull_request_by_what_became_of_it_in_the_end() -> None:
    assert reception_of(
        [
            received(PullState.LANDED, review=2, landing=10, rounds=1),
            received(PullState.LANDED, review=4, landing=30, rounds=3),
            received(PullState.REVERTED, landing=20),
            received(PullState.CLOSED, review=6, rounds=2),
            received(PullState.STALE),
            received(PullState.OPEN),
        ]
    ) == Reception(
        opened=6,
        landed=2,
        reverted=1,
        closed=1,
        stale=1,
        open=1,
        first_review=Spread(count=3, lower=3.0, median=4, upper=5.0),
        landing=Spread(count=3, lower=15.0, median=20, upper=25.0),
        rounds=Spread(count=3, lower=1.5, median=2, upper=2.5),
    )


def test_the_share_that_landed_is_of_those_whose_fate_is_decided() -> None:
    states = (PullState.LANDED, PullState.REVERTED, PullState.CLOSED, PullState.CLOSED, PullState.OPEN, PullState.STALE)
    assert reception_of(map(received, states)).landed_share == 0.25
    assert reception_of([received(PullState.OPEN)]).landed_share is None
    assert reception_of([]).landed_share is None
