from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.overview import read_organisations, read_verdicts
from db.repositories import remove_repository
from db.verdict_sums import MECHANISMS, VerdictSum, read_verdict_sums
from tests.builders import A_DAY, a_judged_commit, a_judgement, a_site, an_entry
from tests.db.test_landings import reland, revert
from tests.db.test_overview import some_commits
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit, Tally
from tracker.sites import Area, Construct, Mechanism, Verdict


def by_verdict(sums: Iterable[VerdictSum]) -> Counter[Verdict]:
    found: Counter[Verdict] = Counter()
    for one in sums:
        found[one.verdict] += one.commits
    return found


def decoupling(name: str, *, sites: int, hours: int = 0, mail: str = "ada@meta.example.com") -> JudgedCommit:
    judgement = a_judgement(
        [an_entry(delta=-sites, mechanism=Mechanism.GENERALISED)],
        verdict=Verdict.DECOUPLING,
        tally=Tally(generalised=sites),
    )
    return a_judged_commit(name, at=A_DAY + timedelta(hours=hours), mail=mail, judgement=judgement)


def test_commits_that_touch_neutral_code_are_added_up_and_no_others(sessions: sessionmaker[Session]) -> None:
    commits = [decoupling("first", sites=2), decoupling("second", sites=3), a_judged_commit("third")]
    with sessions.begin() as session:
        append(session, a_repository(session), commits)
        assert read_verdict_sums(session) == (
            VerdictSum(
                repository=SLUG,
                organisation="meta",
                verdict=Verdict.DECOUPLING,
                counts=True,
                commits=2,
                removed=5,
                added=0,
                let_in=0,
                staying=0,
                names_net=0,
                mechanisms=dict.fromkeys(MECHANISMS, 0) | {Mechanism.GENERALISED: 5},
            ),
        )


def test_a_name_that_becomes_an_api_under_the_same_symbol_changes_the_stock_without_a_verdict(
    sessions: sessionmaker[Session],
) -> None:
    entries = [
        an_entry(site=a_site("cuda_x", construct=Construct.NAME), delta=-1, mechanism=Mechanism.EDITED),
        an_entry(site=a_site("cuda_x"), delta=1, mechanism=Mechanism.EDITED),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", entries), a_judged_commit("second")])
        (only,) = read_verdict_sums(session)
        assert (only.verdict, only.commits, only.staying, only.names_net) == (Verdict.NONE, 1, 0, -1)


def test_commits_can_be_those_of_one_vendor_and_of_one_area(sessions: sessionmaker[Session]) -> None:
    def coupling(name: str, vendors: tuple[str, ...], area: Area) -> JudgedCommit:
        judgement = a_judgement([an_entry()], verdict=Verdict.COUPLING, vendors=vendors, area=area)
        return a_judged_commit(name, judgement=judgement)

    commits = [
        coupling("first", ("nvidia", "amd"), Area.CORE),
        coupling("second", ("amd",), Area.TEST),
        coupling("third", ("nvidia",), Area.TEST),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), commits)

        def count(vendor: str | None, area: Area | None) -> int:
            return sum(one.commits for one in read_verdict_sums(session, vendor=vendor, area=area))

        assert (count(None, None), count("nvidia", None), count("amd", None), count("intel", None)) == (3, 2, 2, 0)
        assert (count(None, Area.TEST), count("nvidia", Area.TEST), count("amd", Area.CORE)) == (2, 1, 1)
        # No vendor's name is taken for another's that begins alike.
        assert count("nvi", None) == 0


def test_a_period_includes_its_begin_and_not_its_end(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(
            session, a_repository(session), [decoupling(f"c{hour}", sites=1 + hour, hours=hour) for hour in range(4)]
        )
        found = read_verdict_sums(session, since=A_DAY + timedelta(hours=1), until=A_DAY + timedelta(hours=3))
        assert [(one.commits, one.removed) for one in found] == [(2, 5)]


def test_repositories_no_longer_under_watch_are_not_among_the_sums(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [decoupling("first", sites=1)])
        append(session, a_repository(session, "a/removed"), [decoupling("first", sites=1)])
        remove_repository(session, "a/removed", A_DAY)
        assert [one.repository for one in read_verdict_sums(session)] == [SLUG]


def test_net_verdicts_count_a_change_once_and_only_where_it_stands(sessions: sessionmaker[Session]) -> None:
    def judged_anew(commit: JudgedCommit, verdict: Verdict) -> JudgedCommit:
        return replace(commit, judgement=a_judgement([an_entry(delta=-2)], verdict=verdict))

    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, some_commits())
        append(
            session,
            repository,
            [
                judged_anew(revert("r", of="second"), Verdict.COUPLING),
                judged_anew(reland("again", of="second"), Verdict.DECOUPLING),
                judged_anew(revert("r first", of="first"), Verdict.REMOVAL),
            ],
        )
    with sessions() as session:
        found = read_verdict_sums(session)
        gross, net = read_verdicts(session)[SLUG], by_verdict([one for one in found if one.counts])
        assert (gross[Verdict.DECOUPLING], gross[Verdict.COUPLING], gross[Verdict.REMOVAL]) == (2, 2, 1)
        assert by_verdict(found) == Counter({Verdict.DECOUPLING: 2, Verdict.COUPLING: 2, Verdict.REMOVAL: 1})
        assert net == Counter({Verdict.DECOUPLING: 1})
        assert {verdict for record in read_organisations(session) for verdict in record.verdicts} == {
            Verdict.DECOUPLING,
        }
