"""Weekly flows by organisation: what commits did, and what of it stands, each change counted once."""

from datetime import date, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, sessionmaker

from db.affiliations import Attributed, attribute_commits
from db.cells import rebuild_weeks
from db.commits import rewind_to
from db.derived import derived_digest, rebuild_derived
from db.exports import Export, export_rows
from db.stale_weeks import read_stale_weeks
from db.tables import CommitRow, WeeklyFlowRow
from tests.builders import A_DAY, a_judged_commit, a_neutral_construct, a_sha, an_entry, some_trailers
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit
from tracker.sites import Mechanism
from tracker.trailers import CommitReference, LinkKind, LinkMethod

WEEK = timedelta(weeks=1)
WEEKS = [date(2020, 1, 6) + number * WEEK for number in range(5)]
META, INTEL, NOBODY = "ada@meta.example.com", "bo@intel.example.com", "cy@example.org"


def change(
    name: str,
    week: int,
    delta: int,
    *,
    mail: str = META,
    kind: LinkKind | None = None,
    of: str = "",
    adopts: int = 0,
) -> JudgedCommit:
    entries = [an_entry("a.py", delta=delta)]
    if adopts:
        entries.append(an_entry("a.py", site=a_neutral_construct(), delta=adopts, mechanism=Mechanism.OUTSIDE))
    references = (CommitReference(kind, LinkMethod.SHA, a_sha(of)),) if kind is not None else ()
    return a_judged_commit(
        name, entries, at=A_DAY + week * WEEK, mail=mail, trailers=some_trailers(references=references)
    )


def flows(session: Session, construct: str = "api") -> list[tuple[date, str, int, int, int, int]]:
    """Week, organisation, added, removed, and both net of reverts."""
    query = select(
        WeeklyFlowRow.week,
        WeeklyFlowRow.organisation,
        WeeklyFlowRow.mechanism,
        WeeklyFlowRow.added,
        WeeklyFlowRow.removed,
        WeeklyFlowRow.net_added,
        WeeklyFlowRow.net_removed,
    ).where(WeeklyFlowRow.construct == construct)
    sums: dict[tuple[date, str], list[int]] = {}
    for week, organisation, _, *numbers in session.execute(query):
        found = sums.setdefault((week, organisation), [0, 0, 0, 0])
        for place, number in enumerate(numbers):
            found[place] += number
    return [(*key, *(int(number) for number in sums[key])) for key in sorted(sums)]  # type: ignore[misc]


def test_flows_are_by_organisation_and_the_unknown_is_a_value_of_its_own(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        commits = [
            change("a", 0, 5),
            change("b", 0, -2),
            change("c", 0, -3, mail=INTEL),
            change("d", 0, 4, mail=NOBODY),
            change("e", 1, 1),
        ]
        append(session, a_repository(session), commits)
        assert flows(session) == [
            (WEEKS[0], "", 4, 0, 4, 0),
            (WEEKS[0], "intel", 0, 3, 0, 3),
            (WEEKS[0], "meta", 5, 2, 5, 2),
            (WEEKS[1], "meta", 1, 0, 1, 0),
        ]


def test_a_change_and_its_revert_count_in_gross_flow_twice_and_in_net_flow_not_at_all(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [change("a", 0, -7, adopts=3)])
        assert flows(session) == [(WEEKS[0], "meta", 0, 7, 0, 7)]
        append(session, repository, [change("b", 2, 7, kind=LinkKind.REVERTS, of="a", adopts=-3, mail=INTEL)])
        assert flows(session) == [(WEEKS[0], "meta", 0, 7, 0, 0), (WEEKS[2], "intel", 7, 0, 0, 0)]
        assert flows(session, "neutral") == [(WEEKS[0], "meta", 3, 0, 0, 0), (WEEKS[2], "intel", 0, 3, 0, 0)]


def test_a_change_that_landed_again_counts_once_where_it_first_came(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [change("a", 0, -7), change("b", 1, 7, kind=LinkKind.REVERTS, of="a")])
        append(session, repository, [change("c", 3, -7, kind=LinkKind.RELANDS, of="a")])
        assert flows(session) == [
            (WEEKS[0], "meta", 0, 7, 0, 7),
            (WEEKS[1], "meta", 7, 0, 0, 0),
            (WEEKS[3], "meta", 0, 7, 0, 0),
        ]


def test_a_revert_that_is_reverted_restores_what_it_undid(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for commit in (
            change("a", 0, -7),
            change("b", 1, 7, kind=LinkKind.REVERTS, of="a"),
            change("c", 2, -7, kind=LinkKind.REVERTS, of="b"),
        ):
            append(session, repository, [commit])
        assert [(week, net) for week, _, _, _, _, net in flows(session)] == [
            (WEEKS[0], 7),
            (WEEKS[1], 0),
            (WEEKS[2], 0),
        ]


def test_a_revert_that_a_rewritten_history_lacks_undoes_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [change("a", 0, -7), change("b", 2, 7, kind=LinkKind.REVERTS, of="a")])
        rewound = rewind_to(session, repository, 0)
        rebuild_weeks(session, repository, rewound.weeks)
        assert flows(session) == [(WEEKS[0], "meta", 0, 7, 0, 7)]


def test_what_commits_are_attributed_to_later_moves_their_flows(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [change("a", 0, 2), change("b", 0, 3, mail=NOBODY)])
        row_id = session.scalars(select(CommitRow.id).where(CommitRow.sha == a_sha("b"))).one()
        attribute_commits(session, [Attributed(row_id, "", "", None, A_DAY, "intel", "mail")])
        assert flows(session) == [(WEEKS[0], "intel", 3, 0, 3, 0), (WEEKS[0], "meta", 2, 0, 2, 0)]


def test_flows_derived_anew_are_the_same_and_wrong_ones_are_found(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        names = [(f"{number}", number % 5, (-1) ** number * (number + 1)) for number in range(12)]
        commits = [change(name, week, delta, mail=(META, NOBODY)[week % 2]) for name, week, delta in names]
        commits.append(change("r", 4, 1, kind=LinkKind.REVERTS, of="0"))
        for commit in commits:
            append(session, repository, [commit])
        digest = derived_digest(session, repository)
        assert read_stale_weeks(session, repository) == ()
        first, second = WeeklyFlowRow.week == WEEKS[0], WeeklyFlowRow.week == WEEKS[1]
        session.execute(update(WeeklyFlowRow).where(first).values(net_added=WeeklyFlowRow.net_added + 1))
        session.execute(update(WeeklyFlowRow).where(second).values(organisation="intel"))
        session.execute(delete(WeeklyFlowRow).where(WeeklyFlowRow.week == WEEKS[3]))
        assert read_stale_weeks(session, repository) == (WEEKS[0], WEEKS[1], WEEKS[3])
        assert not rebuild_derived(session, repository).as_before
        assert derived_digest(session, repository) == digest


def test_flows_of_another_repository_are_not_touched(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session, "a/one"), [change("a", 0, 2)])
        other = a_repository(session, "b/other")
        append(session, other, [change("a", 0, 3)])
        rebuild_weeks(session, other, None)
        assert flows(session) == [(WEEKS[0], "meta", 5, 0, 5, 0)]


def test_flows_are_exported(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [change("a", 0, 2, mail=NOBODY)])
        assert list(export_rows(session, Export.FLOWS)) == [
            (
                *(SLUG, "2020-01-06", "neutral", "core", "core", "nvidia", "api", "introduced", ""),
                *(2, 0, 2, 0),
            )
        ]
