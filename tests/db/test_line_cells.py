"""Lines of code by place and week, and what is not known of them."""

from datetime import date, timedelta

from alembic import command
from sqlalchemy import Engine, delete, select, update
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.cells import rebuild_weeks
from db.commits import rewind_to
from db.derived import derived_digest, rebuild_derived
from db.line_cells import read_standing_lines, read_uncounted_since
from db.rejudging import read_outdated, replace_judgements
from db.stale_weeks import read_stale_weeks
from db.tables import LineEntryRow, WeeklyLinesRow
from tests.builders import A_DAY, RULESET, a_judged_commit, a_place, a_sha, some_lines
from tests.stored import SLUG, a_repository, append, key_of, organisation_of
from tracker.classify import JudgedCommit
from tracker.sites import Area, Territory

JANUARY_6, JANUARY_13 = date(2020, 1, 6), date(2020, 1, 13)
WEEK = timedelta(weeks=1)
CORE = a_place()
TESTS = a_place(area=Area.TEST, subsystem="test")
VENDOR = a_place(Territory.VENDOR)
IN_CORE = (Territory.NEUTRAL, Area.CORE, "core")
IN_TESTS = (Territory.NEUTRAL, Area.TEST, "test")

HISTORY = [
    a_judged_commit("first", lines=(some_lines(100, baseline=True), some_lines(40, VENDOR, baseline=True))),
    a_judged_commit("second", lines=(some_lines(7), some_lines(20, TESTS)), at=A_DAY + timedelta(days=1)),
    a_judged_commit("third", lines=(some_lines(-3), some_lines(5, TESTS)), at=A_DAY + timedelta(days=2)),
    a_judged_commit("fourth", lines=(some_lines(-25, TESTS),), at=A_DAY + WEEK),
]


def weekly(session: Session) -> list[tuple[object, ...]]:
    """Week, territory, subsystem, found, added, removed."""
    columns = (WeeklyLinesRow.week, WeeklyLinesRow.territory, WeeklyLinesRow.subsystem)
    numbers = (WeeklyLinesRow.found, WeeklyLinesRow.added, WeeklyLinesRow.removed)
    return sorted(
        (tuple(row) for row in session.execute(select(*columns, *numbers))), key=lambda row: tuple(map(str, row))
    )


def replace(session: Session, repository: int, commits: list[JudgedCommit]) -> None:
    counts, _ = replace_judgements(
        session,
        repository,
        commits,
        first_position=0,
        author_key=key_of,
        organisation=organisation_of,
        now=A_DAY,
    )
    rebuild_weeks(session, repository, counts.weeks)


def test_a_week_tells_what_stood_there_from_what_came_and_went(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), HISTORY)
        assert weekly(session) == [
            (JANUARY_6, Territory.NEUTRAL, "core", 100, 7, 3),
            (JANUARY_6, Territory.NEUTRAL, "test", 0, 25, 0),
            (JANUARY_6, Territory.VENDOR, "core", 40, 0, 0),
            (JANUARY_13, Territory.NEUTRAL, "test", 0, 0, 25),
        ]


def test_what_stands_at_a_commit_is_all_that_was_posted_until_then(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, HISTORY)
        found = [read_standing_lines(session, repository, position) for position in range(4)]
        vendor = {(Territory.VENDOR, Area.CORE, "core"): 40}
        assert found == [
            {IN_CORE: 100} | vendor,
            {IN_CORE: 107, IN_TESTS: 20} | vendor,
            {IN_CORE: 104, IN_TESTS: 25} | vendor,
            {IN_CORE: 104} | vendor,
        ]


def test_lines_of_another_repository_are_not_counted(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session, "a/one"), HISTORY)
        other = a_repository(session, "b/other")
        append(session, other, [a_judged_commit("first", lines=(some_lines(2),))])
        assert read_standing_lines(session, other, 9) == {IN_CORE: 2}


def test_commits_that_a_rewritten_history_lacks_count_no_more_and_come_back_once(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, HISTORY)
        before = weekly(session)
        rewound = rewind_to(session, repository, 1)
        rebuild_weeks(session, repository, rewound.weeks)
        assert read_standing_lines(session, repository, 9)[IN_TESTS] == 20
        assert (JANUARY_6, Territory.NEUTRAL, "test", 0, 20, 0) in weekly(session)
        append(session, repository, HISTORY[2:])
        assert weekly(session) == before


def test_judging_anew_puts_other_lines_in_the_place_of_the_old_ones(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, HISTORY)
        anew = [a_judged_commit("first", lines=(some_lines(90, baseline=True),), ruleset="1" * 64)]
        replace(session, repository, anew)
        assert read_standing_lines(session, repository, 0) == {IN_CORE: 90}
        assert (JANUARY_6, Territory.NEUTRAL, "core", 90, 7, 3) in weekly(session)


def test_weekly_lines_that_are_lost_or_wrong_are_found_and_mended(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, HISTORY)
        digest = derived_digest(session, repository)
        assert read_stale_weeks(session, repository) == ()
        session.execute(delete(WeeklyLinesRow).where(WeeklyLinesRow.week == JANUARY_13))
        assert read_stale_weeks(session, repository) == (JANUARY_13,)
        first = WeeklyLinesRow.week == JANUARY_6
        session.execute(update(WeeklyLinesRow).where(first).values(added=WeeklyLinesRow.added + 1))
        assert read_stale_weeks(session, repository) == (JANUARY_6, JANUARY_13)
        assert not rebuild_derived(session, repository).as_before
        assert derived_digest(session, repository) == digest


def test_where_all_commits_were_counted_nothing_is_unknown(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first")])
        assert read_uncounted_since(session) == {}
        assert session.scalars(select(LineEntryRow.delta)).all() == []


def test_lines_of_a_database_that_was_made_before_are_unknown_until_they_are_judged_anew(
    engine: Engine, sessions: sessionmaker[Session]
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), HISTORY)
    with engine.begin() as connection:
        command.downgrade(schema.migration_config(connection), "0014")
    schema.upgrade(engine)
    with sessions.begin() as session:
        repository = a_repository(session)
        assert (weekly(session), read_uncounted_since(session)) == ([], {SLUG: JANUARY_6})
        outdated = read_outdated(session, repository, RULESET, incomplete=True)
        assert [one.sha for one in outdated] == [a_sha(name) for name in ("first", "second", "third", "fourth")]
        assert read_outdated(session, repository, RULESET) == ()
        replace(session, repository, HISTORY[:3])
        assert read_uncounted_since(session) == {SLUG: JANUARY_13}
        replace(session, repository, HISTORY)
        assert read_uncounted_since(session) == {}
        assert read_standing_lines(session, repository, 3)[IN_CORE] == 104
