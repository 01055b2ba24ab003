from datetime import date, timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.decouplers import Decoupling, read_decoupling
from tests.builders import A_DAY, a_judged_commit, a_judgement, an_entry
from tests.db.test_landings import revert
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit, Tally
from tracker.sites import Mechanism, Verdict

WEEK = timedelta(weeks=1)


def decoupling(
    name: str, weeks: int, mail: str, *, sites: int = 2, verdict: Verdict = Verdict.DECOUPLING
) -> JudgedCommit:
    judged = a_judgement(
        [an_entry(f"{name}.py", delta=-sites, mechanism=Mechanism.GENERALISED)],
        verdict=verdict,
        tally=Tally(generalised=sites, relocated=1, dropped=5),
    )
    return a_judged_commit(name, judgement=judged, at=A_DAY + weeks * WEEK, mail=mail)


def test_decoupling_is_by_week_and_organisation_and_the_unknown_is_told(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        commits = [
            decoupling("a", 0, "ada@meta.example.com"),
            decoupling("b", 0, "bob@meta.example.com", sites=4),
            decoupling("c", 0, "cy@example.org"),
            decoupling("d", 1, "dee@intel.example.com"),
            decoupling("e", 1, "dee@intel.example.com", verdict=Verdict.REMOVAL),
        ]
        append(session, a_repository(session), commits)
        assert read_decoupling(session, repository=SLUG) == (
            Decoupling(week=date(2020, 1, 6), organisation=None, commits=1, sites=3),
            Decoupling(week=date(2020, 1, 6), organisation="meta", commits=2, sites=8),
            Decoupling(week=date(2020, 1, 13), organisation="intel", commits=1, sites=3),
        )


def test_what_was_reverted_for_good_decoupled_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [decoupling("a", 0, "ada@meta.example.com"), revert("r", of="a")])
        assert read_decoupling(session, repository=SLUG) == ()


def test_a_repository_of_which_nothing_was_read_has_no_decoupling(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        assert read_decoupling(session, repository=SLUG) == ()
        assert read_decoupling(session, repository="other/one") == ()
