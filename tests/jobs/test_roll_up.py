from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session, sessionmaker

from db.base import in_transaction
from db.commits import CommitCursor, append_commits
from db.exports import Value, export_rows
from db.repositories import add_repository
from jobs.roll_up import roll_up
from tests.builders import A_DAY, a_judged_commit, an_entry
from tracker.errors import RepositoryError

WEEK = timedelta(weeks=1)


def watch(sessions: sessionmaker[Session], weeks: int) -> None:
    """Watch o/n, which has one commit a week that adds one site more each time."""
    commits = [
        a_judged_commit(str(n), [an_entry(delta=n + 1)], parent=str(n - 1) if n else None, at=A_DAY + n * WEEK)
        for n in range(weeks)
    ]
    head = commits[-1].commit.sha
    with in_transaction(sessions) as session:
        repository = add_repository(session, "o/n", now=A_DAY)
        append_commits(
            session,
            repository.id,
            commits,
            first_position=0,
            author_key=lambda _mail: "0" * 64,
            organisation=lambda _domain: None,
            cursor=CommitCursor(sha=head, position=weeks - 1, head=head),
            now=A_DAY,
        )


def cells_of(sessions: sessionmaker[Session]) -> list[tuple[Value, ...]]:
    with in_transaction(sessions) as session:
        return list(export_rows(session, "cells"))


def spoil(sessions: sessionmaker[Session], statement: str) -> None:
    with in_transaction(sessions) as session:
        session.execute(text(statement))


def test_the_first_time_every_week_is_derived(sessions: sessionmaker[Session]) -> None:
    watch(sessions, 3)
    assert roll_up(sessions, "o/n", "r1", A_DAY) == {"weeks": "all", "cells": 3}
    assert [(cell[1], cell[-2]) for cell in cells_of(sessions)] == [
        ("2020-01-06", 1),
        ("2020-01-13", 2),
        ("2020-01-20", 3),
    ]


def test_where_nothing_changed_nothing_is_done(sessions: sessionmaker[Session]) -> None:
    watch(sessions, 3)
    roll_up(sessions, "o/n", "r1", A_DAY)
    assert roll_up(sessions, "o/n", "r1", A_DAY) == {"weeks": 0, "cells": 0}


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM weekly_cell WHERE week = '2020-01-13'",
        "UPDATE weekly_cell SET added = added + 1 WHERE week = '2020-01-13'",
        "UPDATE weekly_cell SET week = '2020-01-27' WHERE week = '2020-01-13'",
    ],
)
def test_weeks_that_differ_from_the_ledger_are_mended(sessions: sessionmaker[Session], statement: str) -> None:
    watch(sessions, 3)
    roll_up(sessions, "o/n", "r1", A_DAY)
    before = cells_of(sessions)
    spoil(sessions, statement)
    counts = roll_up(sessions, "o/n", "r1", A_DAY)
    assert counts["cells"] == 1
    assert cells_of(sessions) == before


def test_another_ruleset_derives_everything_anew(sessions: sessionmaker[Session]) -> None:
    watch(sessions, 3)
    roll_up(sessions, "o/n", "r1", A_DAY)
    assert roll_up(sessions, "o/n", "r2", A_DAY) == {"weeks": "all", "cells": 3}
    assert roll_up(sessions, "o/n", "r2", A_DAY) == {"weeks": 0, "cells": 0}


def test_a_repository_of_which_nothing_was_read_has_no_cells(sessions: sessionmaker[Session]) -> None:
    with in_transaction(sessions) as session:
        add_repository(session, "o/n", now=A_DAY)
    assert roll_up(sessions, "o/n", "r1", A_DAY) == {"weeks": "all", "cells": 0}
    assert cells_of(sessions) == []


def test_a_repository_that_is_not_watched_is_an_error(sessions: sessionmaker[Session]) -> None:
    with pytest.raises(RepositoryError, match="tracker repos add o/n"):
        roll_up(sessions, "o/n", "r1", A_DAY)
