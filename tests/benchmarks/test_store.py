"""How fast a history is stored and read again; `pytest tests/benchmarks -m slow -s` prints the figures.

The floors asserted are far below what an idle machine does: they catch work that grows with what is stored.
"""

import random
import time
import tracemalloc
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.base import open_database, session_factory
from db.cells import By, read_flow, read_stock, read_totals, rebuild_weeks
from db.commit_pages import CommitFilter, read_commits
from db.exports import export_rows
from db.identities import Identities
from db.ledger import read_balance
from tests.builders import A_DAY, a_judged_commit, a_judgement, a_place, a_site, an_entry, some_trailers
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit
from tracker.ledger import Entry
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict

pytestmark = pytest.mark.slow

COMMITS = 6_000
ENTRIES = 25
BATCH = 500

_random = random.Random(7)  # noqa: S311 - the same history every time
_SITES = [
    a_site(
        f"torch.cuda.f{n}",
        vendor=_random.choice(["nvidia", "amd", "intel"]),
        construct=_random.choice(list(Construct)[:5]),
    )
    for n in range(4000)
]
_PLACES = {
    f"torch/dir{n % 200}/file{n}.py": a_place(
        _random.choice(list(Territory)[:2]), area=list(Area)[n % 7], subsystem=f"part{n % 14}"
    )
    for n in range(6000)
}
_PATHS = list(_PLACES)


def _entry() -> Entry:
    path = _random.choice(_PATHS)
    return an_entry(
        path,
        site=_random.choice(_SITES),
        delta=_random.choice([-1, 1, 1, 2]),
        mechanism=_random.choice(list(Mechanism)[3:6]),
        place=_PLACES[path],
    )


def history(
    first: int, count: int, *, entries: int = ENTRIES, apart: timedelta = timedelta(hours=2)
) -> list[JudgedCommit]:
    """So many commits of a made-up history, each with so many entries; the same number makes much the same commit."""
    return [
        a_judged_commit(
            f"c{index}",
            message=f"Change number {index} (#{index})",
            at=A_DAY + index * apart,
            trailers=some_trailers(pull_request=index + 1),
            judgement=a_judgement(
                [_entry() for _ in range(entries)],
                verdict=_random.choice(list(Verdict)),
                area=_random.choice(list(Area)),
                vendors=("nvidia",) if index % 50 else ("groq",),
            ),
        )
        for index in range(first, first + count)
    ]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, int, float]]:
    """A database with a long history, its repository, and the rows stored a second."""
    engine = open_database(f"sqlite:///{tmp_path_factory.mktemp('store') / 'tracker.db'}")
    schema.upgrade(engine)
    sessions = session_factory(engine)
    with sessions.begin() as session:
        repository = a_repository(session)
    identities = Identities()
    seconds = 0.0
    for first in range(0, COMMITS, BATCH):
        batch = history(first, BATCH)
        began = time.perf_counter()
        with sessions.begin() as session:
            append(session, repository, batch, identities=identities)
        seconds += time.perf_counter() - began
    yield engine, repository, COMMITS * (ENTRIES + 2) / seconds
    engine.dispose()


def _seconds(sessions: sessionmaker[Session], read: Callable[[Session], object]) -> float:
    """The best of three."""
    times = []
    for _ in range(3):
        with sessions() as session:
            began = time.perf_counter()
            read(session)
            times.append(time.perf_counter() - began)
    return min(times)


def test_a_history_is_stored_with_its_cells_at_tens_of_thousands_of_rows_a_second(
    stored: tuple[Engine, int, float],
) -> None:
    print(f"\nstored {stored[2]:,.0f} rows/s, cells included")
    assert stored[2] > 8_000


@pytest.mark.parametrize(
    ("name", "most", "read"),
    [
        ("stock by vendor", 1.0, lambda session, _: read_stock(session, repository=SLUG)),
        ("stock by area", 1.0, lambda session, _: read_stock(session, repository=SLUG, by=By.AREA)),
        ("flow by mechanism", 1.0, lambda session, _: read_flow(session, repository=SLUG)),
        ("totals", 1.0, lambda session, _: read_totals(session, repository=SLUG)),
        ("newest commits", 0.2, lambda session, _: read_commits(session, CommitFilter(repository=SLUG))),
        ("newest of all", 0.2, lambda session, _: read_commits(session, CommitFilter())),
        ("rare vendor", 0.5, lambda session, _: read_commits(session, CommitFilter(repository=SLUG, vendor="groq"))),
        ("no such text", 1.0, lambda session, _: read_commits(session, CommitFilter(text="no such text"))),
        ("balance", 8.0, lambda session, repository: read_balance(session, repository, COMMITS)),
        ("all cells anew", 12.0, lambda session, repository: rebuild_weeks(session, repository, None)),
    ],
)
def test_a_long_history_is_read_in_a_moment(
    stored: tuple[Engine, int, float], name: str, most: float, read: Callable[[Session, int], object]
) -> None:
    engine, repository, _ = stored
    seconds = _seconds(session_factory(engine), lambda session: read(session, repository))
    print(f"\n{name}: {seconds * 1000:,.1f} ms")
    assert seconds < most


def test_an_export_takes_the_same_memory_however_long_it_is(stored: tuple[Engine, int, float], tmp_path: Path) -> None:
    engine, _, _ = stored
    peaks = []
    with session_factory(engine)() as session:
        for most in (20_000, COMMITS * ENTRIES):
            tracemalloc.start()
            taken = 0
            with (tmp_path / "ledger").open("w") as file:
                for row in export_rows(session, "ledger"):
                    file.write(repr(row))
                    taken += 1
                    if taken == most:
                        break
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    print(f"\nexport peaks at {peaks[0] / 1e6:.1f} MB and {peaks[1] / 1e6:.1f} MB")
    assert peaks[1] < 1.5 * peaks[0] + 2e6
