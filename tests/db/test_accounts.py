"""Why sites were judged so is kept with the judgement, goes with it, and is what was judged, sign by sign."""

from dataclasses import replace

from alembic import command
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session, sessionmaker

from db import schema
from db.commit_details import read_commit
from db.commits import rewind_to
from db.rejudging import read_outdated, replace_judgements
from db.tables import ReasonRow
from tests.builders import (
    A_DAY,
    RULESET,
    a_judged_commit,
    a_judgement,
    a_neutral_construct,
    a_sha,
    a_site,
    an_account,
    an_entry,
    an_exclusivity,
)
from tests.stored import SLUG, a_repository, append, key_of, organisation_of
from tracker.classify import Accounts, JudgedCommit, Line
from tracker.sites import Mechanism

PATH = "torch/serialization.py"


def told(name: str, accounts: Accounts, *, parent: str | None = None, ruleset: str = RULESET) -> JudgedCommit:
    """A commit with these accounts, and an entry for each site they are about."""
    sites = [*(one.site for one in accounts.sites), *(one.site for one in accounts.exclusivities)]
    entries = [an_entry(PATH, site=site, delta=-1, mechanism=Mechanism.GENERALISED) for site in sites]
    judgement = replace(a_judgement(entries), accounts=accounts)
    return a_judged_commit(name, parent=parent, judgement=judgement, ruleset=ruleset)


def accounts_of(session: Session, name: str) -> Accounts | None:
    detail = read_commit(session, SLUG, a_sha(name))
    assert detail is not None
    return detail.accounts


EVERYTHING = Accounts(
    sites=(
        an_account(
            line=Line(path=PATH, number=7, text="    x.cuda()", span=(5, 10)),
            opposite=Line(path=PATH, number=9, text="    x.to(device)", span=(6, 16), cut_after=True),
            mechanism=Mechanism.GENERALISED,
            reason="a neutral name stands in its place",
            replaced_by="to(device)",
        ),
        an_account(
            line=Line(path=PATH, number=70, text="é" * 240, span=(0, 240), cut_before=True, cut_after=True),
            mechanism=Mechanism.RETIRED,
            reason="gone with its definition",
            about="TestNet.test_cuda",
        ),
        an_account(
            line=Line(path=PATH, number=71, text=""),
            opposite=Line(path="torch/other.py", number=1, text="torch.cuda.init()"),
            mechanism=Mechanism.MOVED,
            reason="stands in another file",
            replaced_by="torch.cuda.init",
        ),
        an_account(gone=False, line=Line(path=PATH, number=3, text="torch.cuda.init()", cut_before=True)),
    ),
    exclusivities=(
        an_exclusivity(lost=True, line=Line(path=PATH, number=4, text='("cuda", "xpu")', span=(10, 13))),
        an_exclusivity(
            lost=False,
            site=a_neutral_construct("PrivateUse1"),
            line=Line(path=PATH, number=5, text="a || b"),
            opposite=Line(path=PATH, number=5, text="a"),
        ),
    ),
    left_out=12,
)


def test_what_was_judged_is_read_back(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [told("first", EVERYTHING)])
        assert accounts_of(session, "first") == EVERYTHING


def test_a_commit_without_judged_sites_has_accounts_of_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first")])
        assert accounts_of(session, "first") == Accounts()


def test_text_that_databases_refuse_is_kept_with_replacement_signs(sessions: sessionmaker[Session]) -> None:
    hostile = an_account(line=Line(path=PATH, number=1, text="a\0b\udcff"), about="c\0", replaced_by="d\0")
    with sessions.begin() as session:
        append(session, a_repository(session), [told("first", Accounts(sites=(hostile,)))])
        found = accounts_of(session, "first")
    assert found is not None
    assert [(one.line.text, one.about, one.replaced_by) for one in found.sites] == [("a�b�", "c�", "d�")]


def test_equal_reasons_share_a_row_also_between_repositories(sessions: sessionmaker[Session]) -> None:
    two = Accounts(sites=(an_account(reason="because"), an_account(reason="because")))
    with sessions.begin() as session:
        append(session, a_repository(session), [told("first", two)])
        append(session, a_repository(session, "second/other"), [told("second", two)])
        assert session.scalars(select(ReasonRow.words)).all() == ["because"]


def test_judged_anew_a_commit_has_the_new_accounts_only(sessions: sessionmaker[Session]) -> None:
    one = Accounts(sites=(an_account(reason="as it is now"),))
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [told("first", EVERYTHING), told("second", EVERYTHING, parent="first")])
        replace_judgements(
            session,
            repository,
            [told("first", one, ruleset="1" * 64)],
            first_position=0,
            author_key=key_of,
            organisation=organisation_of,
            now=A_DAY,
        )
        assert accounts_of(session, "first") == one
        assert accounts_of(session, "second") == EVERYTHING


def test_a_commit_that_is_taken_off_the_line_keeps_its_accounts_and_coming_back_gets_new_ones(
    sessions: sessionmaker[Session],
) -> None:
    one = Accounts(sites=(an_account(),))
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [told("first", one), told("second", EVERYTHING, parent="first")])
        rewind_to(session, repository, 0)
        assert accounts_of(session, "second") == EVERYTHING
        append(session, repository, [told("second", one, parent="first")])
        assert accounts_of(session, "second") == one


def test_an_upgrade_keeps_older_judgements_and_says_that_they_have_no_accounts(
    engine: Engine, sessions: sessionmaker[Session]
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [told("first", EVERYTHING), a_judged_commit("second", parent="first")])
    with engine.begin() as connection:
        command.downgrade(schema.migration_config(connection), "0003")
    schema.upgrade(engine)
    with sessions.begin() as session:
        repository = a_repository(session)
        assert (accounts_of(session, "first"), accounts_of(session, "second")) == (None, None)
        first = read_commit(session, SLUG, a_sha("first"))
        assert first is not None
        assert len(first.entries) == len(EVERYTHING.sites) + len(EVERYTHING.exclusivities)
        append(session, repository, [told("third", EVERYTHING, parent="second")])
        assert accounts_of(session, "third") == EVERYTHING


def test_those_without_accounts_are_outdated_where_that_is_asked(
    engine: Engine, sessions: sessionmaker[Session]
) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first"), a_judged_commit("second", parent="first")])
    with engine.begin() as connection:
        command.downgrade(schema.migration_config(connection), "0003")
    schema.upgrade(engine)
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("third", parent="second")])
        found = read_outdated(session, repository, RULESET, incomplete=True)
        assert [(one.sha, one.position) for one in found] == [(a_sha("first"), 0), (a_sha("second"), 1)]
        assert read_outdated(session, repository, RULESET) == ()
        others = read_outdated(session, repository, "1" * 64, incomplete=True)
        assert [one.position for one in others] == [0, 1, 2]


def test_sites_of_the_same_name_are_told_apart_by_their_lines(sessions: sessionmaker[Session]) -> None:
    site = a_site("torch.cuda.init")
    lines = [Line(path=PATH, number=number, text="torch.cuda.init()") for number in (3, 1, 2)]
    several = Accounts(sites=tuple(an_account(site=site, line=line) for line in lines))
    with sessions.begin() as session:
        append(session, a_repository(session), [told("first", several)])
        found = accounts_of(session, "first")
    assert found is not None
    assert [one.line.number for one in found.sites] == [3, 1, 2]
