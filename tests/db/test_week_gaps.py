"""Weeks that were not read, or in part, say why."""

from datetime import date, timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.coverage import note_begun, note_read, note_skipped
from db.week_gaps import WeekGap, read_lacking_weeks, read_week_gaps
from tests.builders import A_DAY, a_judged_commit, a_sha
from tests.stored import SLUG, a_repository, append
from tracker.classify import SkippedFile
from tracker.upstream import SkipReason

WEEK = timedelta(weeks=1)
JANUARY_6, JANUARY_13, JANUARY_20, JANUARY_27 = (date(2020, 1, day) for day in (6, 13, 20, 27))


def skipped(*reasons: SkipReason) -> tuple[SkippedFile, ...]:
    return tuple(
        SkippedFile(path=f"{number}.py", blob=a_sha(str(number)), reason=reason)
        for number, reason in enumerate(reasons)
    )


def test_a_line_has_gaps_before_inside_and_behind_it(sessions: sessionmaker[Session]) -> None:
    lacking = skipped(SkipReason.MISSING_OBJECT, SkipReason.CORRUPT_OBJECT, SkipReason.BINARY)
    with sessions.begin() as session:
        repository = a_repository(session)
        commits = [
            a_judged_commit("first"),
            a_judged_commit("second", at=A_DAY + WEEK, skipped=lacking),
            a_judged_commit("third", at=A_DAY + 2 * WEEK, skipped=skipped(SkipReason.BINARY)),
        ]
        append(session, repository, commits, first_position=40)
        note_skipped(session, repository, 0, 39, "it stands before the first commit that was asked for", A_DAY)
        note_read(session, repository, 40, 42, A_DAY)
        for _ in range(2):
            note_begun(session, repository, 43, 60, A_DAY)
        assert read_lacking_weeks(session) == {SLUG: {JANUARY_13: 2}}
        assert read_week_gaps(session) == {
            SLUG: (
                WeekGap(
                    first=None,
                    last=date(2019, 12, 30),
                    reason="not read: it stands before the first commit that was asked for",
                ),
                WeekGap(
                    first=JANUARY_13,
                    last=JANUARY_13,
                    reason="read in part: the clone lacks 2 of the files that changed",
                ),
                WeekGap(first=JANUARY_20, last=JANUARY_20, reason="read in part: until 2020-01-20"),
                WeekGap(first=JANUARY_20, last=None, reason="not read: begun 2 times and not ended"),
            )
        }


def test_a_line_that_was_read_whole_ends_with_a_week_in_part_alone(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", skipped=skipped(SkipReason.SYMLINK))])
        a_repository(session, "not/read")
        assert read_lacking_weeks(session) == {}
        assert read_week_gaps(session) == {
            SLUG: (WeekGap(first=JANUARY_6, last=JANUARY_6, reason="read in part: until 2020-01-06"),)
        }


def test_a_gap_is_told_within_the_weeks_asked_for() -> None:
    open_ended = WeekGap(first=JANUARY_13, last=None, reason="")
    assert open_ended.within(JANUARY_6, JANUARY_27) == (JANUARY_13, JANUARY_20, JANUARY_27)
    assert WeekGap(first=None, last=JANUARY_13, reason="").within(JANUARY_6, JANUARY_27) == (JANUARY_6, JANUARY_13)
    assert WeekGap(first=JANUARY_6, last=JANUARY_6, reason="").within(JANUARY_13, JANUARY_27) == ()
