"""Two machines that crawl one repository at once leave what one of them would have left."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import Engine, func, select

from db.base import session_factory
from db.repositories import add_repository
from db.tables import PersonRow, ReviewRow
from tests.jobs.pull_crawler import SLUG, Crawler, described
from tests.pull_builders import A_TIME, a_person, a_pull, a_review
from tests.standin.github import StandinGitHub

PULLS = 60


@pytest.fixture
def machines(engine: Engine, standin: StandinGitHub) -> tuple[Crawler, Crawler]:
    """Two crawlers on one database; every pull request has an author and two reviewers, shared with others."""
    sessions = session_factory(engine)
    with sessions.begin() as session:
        add_repository(session, SLUG, now=A_TIME)
    people = [a_person(f"person-{number}", id=number) for number in range(1, 8)]
    for number in range(1, PULLS + 1):
        reviews = [a_review(f"PRR_{number}_{n}", author=people[(number * n) % 7]) for n in (3, 5)]
        standin.pulls.put(a_pull(number, author=people[number % 7], reviews=reviews))
    standin.too_heavy_from = 8
    standin.clock = lambda: A_TIME + timedelta(days=1)
    return Crawler(sessions, standin), Crawler(sessions, standin)


def test_both_end_well_and_everything_is_stored_once(machines: tuple[Crawler, Crawler], engine: Engine) -> None:
    with ThreadPoolExecutor(2) as pool:
        for counts in [future.result() for future in [pool.submit(machine.crawl) for machine in machines]]:
            # One that begins when the other has ended asks for nothing and counts nothing.
            assert counts.get("stored", PULLS) == PULLS
    one, _ = machines
    assert one.stored() == described(one.github.pulls.all())
    with session_factory(engine)() as session:
        assert session.scalar(select(func.count()).select_from(ReviewRow)) == 2 * PULLS
        assert session.scalar(select(func.count()).select_from(PersonRow)) == 7
