"""The crawl of pull requests stays within its budget of GitHub's points and requests."""

from pathlib import Path

import pytest

from tests.benchmarks.crawl_cost import OTHERS, PULLS, measure


@pytest.mark.slow
def test_a_thousand_pull_requests_cost_at_most_45_points_and_an_idle_increment_nothing(tmp_path: Path) -> None:
    backfill, increment, idle = measure(tmp_path)
    assert (PULLS, backfill.points <= 45, backfill.rest) == (1_000, True, 1)
    assert increment.points <= 5
    assert increment.requests <= 6
    assert (idle.requests, idle.rest, idle.points) == (1, 0, 0)
    assert all(backfill.rest + backfill.points < rest + points for _, rest, points in OTHERS if rest > 10)
