"""Whatever is appended, rewound, revived or lost in a crash, in any batches: the line alone decides what is stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.base import session_factory
from db.cells import rebuild_weeks
from db.commits import rewind_to
from db.exports import Export, Value, export_rows
from db.identities import Identities
from db.landings import rebuild_landings
from db.ledger import read_balance
from db.tables import LandingRow
from tests.builders import A_DAY, a_judged_commit, a_neutral_construct, a_place, a_sha, a_site, an_entry, some_trailers
from tests.databases import OpenEmpty
from tests.stored import a_repository, append
from tracker.classify import JudgedCommit
from tracker.ledger import Entry, balance
from tracker.rollup import week_of
from tracker.sites import Area, Mechanism, Territory
from tracker.trailers import CommitReference, LinkKind, LinkMethod

POOL = 7

places = {
    "a.py": a_place(),
    "b.cu": a_place(Territory.VENDOR),
    "test/ä.py": a_place(area=Area.TEST, subsystem="test"),
}


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    path = draw(st.sampled_from(sorted(places)))
    return an_entry(
        path,
        place=places[path],
        site=draw(
            st.sampled_from([a_site("is_cuda"), a_site("Is_cuda"), a_site("x", vendor="amd"), a_neutral_construct()])
        ),
        delta=draw(st.sampled_from([-2, -1, 1, 3])),
        mechanism=draw(st.sampled_from(Mechanism)),
    )


@st.composite
def commits(draw: st.DrawFn) -> list[JudgedCommit]:
    """A pool of commits, some of which revert or reland others of it."""
    pool = []
    for index in range(POOL):
        named = draw(st.lists(st.tuples(st.sampled_from(LinkKind), st.integers(0, POOL - 1)), max_size=2))
        references = tuple(
            CommitReference(
                kind,
                *draw(st.sampled_from([(LinkMethod.SHA, a_sha(f"c{target}")), (LinkMethod.PULL, str(target + 1))])),
            )
            for kind, target in named
        )
        pull = draw(st.none() | st.just(index + 1))
        pool.append(
            a_judged_commit(
                f"c{index}",
                draw(st.lists(entries(), max_size=4)),
                at=A_DAY + timedelta(days=draw(st.integers(-20, 20))),
                trailers=some_trailers(pull_request=pull, references=references),
            )
        )
    return pool


@dataclass(frozen=True)
class Append:
    """A batch of the pool's commits that are not on the line, by their place among those; lost where it crashes."""

    choices: tuple[int, ...]
    crashes: bool


@dataclass(frozen=True)
class Rewind:
    """To a share of the line's length."""

    share: float


steps = st.lists(
    st.one_of(
        st.builds(Append, st.lists(st.integers(0, POOL), min_size=1, max_size=3).map(tuple), st.booleans()),
        st.builds(Rewind, st.floats(0, 1)),
    ),
    max_size=8,
)


def play(
    sessions: sessionmaker[Session], repository: int, pool: Sequence[JudgedCommit], todo: Sequence[Append | Rewind]
) -> list[JudgedCommit]:
    """Do the steps on the database and return the line that must stand there in the end."""
    line: list[JudgedCommit] = []
    identities = Identities()
    for step in todo:
        session = sessions()
        after = line
        match step:
            case Append():
                free = [commit for commit in pool if commit not in line]
                batch = list(dict.fromkeys(choice % len(free) for choice in step.choices)) if free else []
                if batch:
                    after = line + [free[index] for index in batch]
                    append(session, repository, after[len(line) :], identities=identities)
            case Rewind():
                after = line[: round(step.share * len(line))]
                rebuild_weeks(session, repository, rewind_to(session, repository, len(after) - 1).weeks)
        if isinstance(step, Append) and step.crashes:
            session.rollback()
        else:
            session.commit()
            line = after
        session.close()
    return line


def expected_cells(line: Sequence[JudgedCommit]) -> dict[tuple[object, ...], tuple[int, int]]:
    added: Counter[tuple[object, ...]] = Counter()
    removed: Counter[tuple[object, ...]] = Counter()
    for commit in line:
        week: date = week_of(commit.commit.committed_at)
        for entry in commit.judgement.entries:
            place, site = entry.place, entry.site
            key = (
                week.isoformat(),
                entry.territory,
                place.area,
                place.subsystem,
                site.vendor,
                site.construct,
                entry.mechanism,
            )
            added[key] += max(entry.delta, 0)
            removed[key] += max(-entry.delta, 0)
    return {key: (added[key], removed[key]) for key in added}


def exported(sessions: sessionmaker[Session]) -> dict[Export, list[tuple[Value, ...]]]:
    with sessions() as session:
        return {what: list(export_rows(session, what)) for what in Export}


def landings(session: Session) -> set[tuple[int, int, str]]:
    rows = session.execute(select(LandingRow.commit_id, LandingRow.number, LandingRow.kind))
    return {(commit_id, number, kind) for commit_id, number, kind in rows}


@settings(max_examples=15)
@given(pool=commits(), todo=steps)
def test_any_history_of_crawls_leaves_exactly_what_the_line_says(
    open_empty: OpenEmpty, pool: list[JudgedCommit], todo: list[Append | Rewind]
) -> None:
    with open_empty() as engine:
        sessions = session_factory(engine)
        with sessions.begin() as session:
            repository = a_repository(session)
        line = play(sessions, repository, pool, todo)
        with sessions.begin() as session:
            for position in range(-1, len(line)):
                so_far = [entry for commit in line[: position + 1] for entry in commit.judgement.entries]
                assert read_balance(session, repository, position) == balance(so_far)
            derived = landings(session)
            rebuild_landings(session, repository)
            assert landings(session) == derived
        found = exported(sessions)
        assert {row[1:8]: row[8:] for row in found[Export.CELLS]} == expected_cells(line)
        with sessions.begin() as session:
            rebuild_weeks(session, repository, None)
        assert exported(sessions) == found
    with open_empty() as engine:
        sessions = session_factory(engine)
        with sessions.begin() as session:
            append(session, a_repository(session), line) if line else a_repository(session)
        assert exported(sessions) == found
