from collections import Counter
from dataclasses import replace
from datetime import timedelta

from sqlalchemy.orm import Session, sessionmaker

from db.cells import read_stock
from db.commits import rewind_to
from db.dead_letters import append_dead_letter
from db.overview import (
    Coverage,
    NeutralSums,
    OrganisationRecord,
    read_coverage,
    read_neutral_sums,
    read_organisations,
    read_verdicts,
)
from db.repositories import remove_repository
from tests.builders import (
    A_DAY,
    a_judged_commit,
    a_judgement,
    a_neutral_construct,
    a_place,
    a_sha,
    a_site,
    an_entry,
)
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit, SkippedFile
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict
from tracker.upstream import SkipReason

WEEK = timedelta(weeks=1)
META, UNKNOWN = "ada@meta.example.com", "ada@example.org"
BINARY = SkippedFile(path="x.bin", blob=a_sha("x"), reason=SkipReason.BINARY)


def some_commits() -> list[JudgedCommit]:
    gone = an_entry(delta=-2, mechanism=Mechanism.GENERALISED)
    return [
        a_judged_commit("first", mail=UNKNOWN, judgement=a_judgement([an_entry(delta=3)], verdict=Verdict.COUPLING)),
        a_judged_commit(
            "second", at=A_DAY + WEEK, mail=META, judgement=a_judgement([gone], verdict=Verdict.DECOUPLING)
        ),
        a_judged_commit("third", at=A_DAY + 2 * WEEK, mail=META, skipped=(BINARY,)),
    ]


def test_coverage_says_what_was_read_and_what_was_not(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        a_repository(session, "second/unread")
        append(session, repository, some_commits())
        append_dead_letter(session, repository, "pulls-backfill", "9", "502", A_DAY)
    with sessions() as session:
        assert read_coverage(session) == (
            Coverage(
                repository=SLUG,
                commits=3,
                first_at=A_DAY,
                last_at=A_DAY + 2 * WEEK,
                rewritten_commits=0,
                skipped_files={SkipReason.BINARY: 1},
                dead_letters={"pulls-backfill": 1},
            ),
            Coverage(
                repository="second/unread",
                commits=0,
                first_at=None,
                last_at=None,
                rewritten_commits=0,
                skipped_files={},
                dead_letters={},
            ),
        )


def test_commits_off_the_line_are_counted_apart(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, some_commits())
        rewind_to(session, repository, 0)
        (coverage,) = read_coverage(session)
        assert (coverage.commits, coverage.last_at, coverage.rewritten_commits) == (1, A_DAY, 2)
        assert coverage.skipped_files == {}
        assert read_verdicts(session)[SLUG][Verdict.DECOUPLING] == 0
        assert [row.organisation for row in read_organisations(session)] == [None]


def test_verdicts_are_counted_with_their_zeros(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), some_commits())
        a_repository(session, "second/unread")
        nothing = dict.fromkeys(Verdict, 0)
        assert read_verdicts(session) == {
            SLUG: nothing | {Verdict.COUPLING: 1, Verdict.DECOUPLING: 1, Verdict.NONE: 1},
            "second/unread": nothing,
        }


def test_a_period_includes_its_begin_and_not_its_end(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), some_commits())
        (only,) = read_organisations(session, since=A_DAY + WEEK, until=A_DAY + 2 * WEEK)
        assert (only.organisation, only.commits) == ("meta", 1)


def test_organisations_come_with_what_they_removed_and_the_unknown_last(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), some_commits())
        expected = (
            OrganisationRecord(
                organisation="meta",
                commits=2,
                verdicts={Verdict.DECOUPLING: 1},
                removed=2,
                added=0,
            ),
            OrganisationRecord(organisation=None, commits=1, verdicts={Verdict.COUPLING: 1}, removed=0, added=3),
        )
        assert read_organisations(session) == expected
        assert read_organisations(session, repository=SLUG) == expected
        assert read_organisations(session, repository="second/unread") == ()


def test_sites_in_less_sites_out_with_those_let_in_are_the_change_of_the_stock(
    sessions: sessionmaker[Session],
) -> None:
    xpu = a_site("torch.xpu.is_available", construct=Construct.PREDICATE, vendor="intel")
    name = a_site("is_cuda_graphed", construct=Construct.NAME)
    broadened = [
        an_entry("a.py", delta=-1, mechanism=Mechanism.BROADENED),
        an_entry("a.py", site=xpu, delta=2, mechanism=Mechanism.BROADENED),
        an_entry("b.py", site=name, delta=1, mechanism=Mechanism.EDITED),
        an_entry("b.py", delta=-1, mechanism=Mechanism.EDITED),
        an_entry("b.py", site=name, delta=-3, mechanism=Mechanism.DROPPED),
    ]
    # As the verdict counts: what broadening lets in is neither added nor removed.
    judged = replace(a_judgement(broadened, verdict=Verdict.DECOUPLING), removed=4, added=0)
    commits = [
        a_judged_commit("first", [an_entry("a.py", delta=6), an_entry("b.py", site=name, delta=4)], mail=UNKNOWN),
        a_judged_commit("second", at=A_DAY + WEEK, mail=META, judgement=judged),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), commits)
        meta, unknown = read_organisations(session)
        assert (meta.removed, meta.added, meta.let_in, meta.staying) == (4, 0, 2, 0)
        assert (meta.net, meta.names_net) == (-2, -2)
        assert (unknown.net, unknown.names_net) == (10, 4)
        whole = read_stock(session, repository=SLUG)
        hard = read_stock(session, repository=SLUG, names=False)
    assert sum(values[-1] for values in whole.closing.values()) == meta.net + unknown.net == 8
    assert sum(values[-1] for values in hard.closing.values()) == 8 - (meta.names_net + unknown.names_net) == 6


def test_present_sites_are_hard_sites_of_neutral_code_and_neutral_constructs(sessions: sessionmaker[Session]) -> None:
    entries = [
        an_entry("a.py", delta=3),
        an_entry("b.py", site=a_site("hip", vendor="amd"), place=a_place(area=Area.TEST)),
        an_entry("c.py", site=a_site("cudagraph_x", construct=Construct.NAME), delta=9),
        an_entry("d.py", site=a_neutral_construct(), delta=2, mechanism=Mechanism.OUTSIDE),
        an_entry("e.cu", place=a_place(Territory.VENDOR), mechanism=Mechanism.OUTSIDE),
        an_entry("f.py", mechanism=Mechanism.BASELINE),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", entries)])
        append(session, a_repository(session, "second/none"), [a_judged_commit("second")])
        a_repository(session, "third/unread")
        assert read_neutral_sums(session) == {
            SLUG: NeutralSums(
                standing=Counter({(Area.CORE, "nvidia"): 4, (Area.TEST, "amd"): 1, (Area.CORE, ""): 2}),
                came=Counter({Mechanism.INTRODUCED: 4}),
            ),
            "second/none": NeutralSums(),
        }


def test_a_removed_repository_is_not_counted(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), some_commits())
        remove_repository(session, SLUG, A_DAY)
        assert (read_coverage(session), read_verdicts(session), read_organisations(session)) == ((), {}, ())
