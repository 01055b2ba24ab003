from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from db.ledger import StoredEntry, read_balance, read_entries
from db.tables import CommitRow
from tests.builders import a_judged_commit, a_neutral_construct, a_place, a_site, an_entry
from tests.stored import a_repository, append
from tracker.sites import Area, Mechanism, Territory


def test_the_balance_is_that_after_the_commit_at_a_position(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        batch = [
            a_judged_commit("first", [an_entry("a.py", delta=3), an_entry("b.py", delta=1)]),
            a_judged_commit("second", [an_entry("a.py", delta=-2)]),
            a_judged_commit("third", [an_entry("b.py", delta=-1), an_entry("c.py", site=a_neutral_construct())]),
        ]
        append(session, repository, batch)
        balances = [read_balance(session, repository, position) for position in (-1, 0, 1, 2, 99)]
    assert balances == [
        {},
        {("a.py", a_site()): 3, ("b.py", a_site()): 1},
        {("a.py", a_site()): 1, ("b.py", a_site()): 1},
        {("a.py", a_site()): 1, ("c.py", a_neutral_construct()): 1},
        {("a.py", a_site()): 1, ("c.py", a_neutral_construct()): 1},
    ]


def test_entries_of_one_commit_that_cancel_out_leave_no_balance(sessions: sessionmaker[Session]) -> None:
    moved = [
        an_entry("a.py", delta=-1, mechanism=Mechanism.GENERALISED),
        an_entry("a.py", delta=1, mechanism=Mechanism.MOVED),
    ]
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", moved)])
        assert read_balance(session, repository, 0) == {}


def test_a_negative_balance_is_shown_and_not_hidden(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry("a.py", delta=-1)])])
        assert read_balance(session, repository, 0) == {("a.py", a_site()): -1}


def test_sites_of_one_symbol_that_differ_in_kind_vendor_or_rule_are_counted_apart(
    sessions: sessionmaker[Session],
) -> None:
    sites = [a_site("cuda"), a_site("cuda", vendor="amd"), a_site("cuda", rule="other")]
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry("a.py", site=site) for site in sites])])
        assert read_balance(session, repository, 0) == {("a.py", site): 1 for site in sites}


def test_the_entries_of_a_commit_come_by_path_and_line_with_everything_known_of_them(
    sessions: sessionmaker[Session],
) -> None:
    place = a_place(Territory.INTERFACE, area=Area.DISTRIBUTED, subsystem="c10d")
    entries = [
        an_entry("b.py", delta=2, lines=(3, 40)),
        an_entry("a.py", delta=1, lines=(100,), place=place),
        an_entry(
            "a.py",
            site=a_site("nccl"),
            delta=-1,
            mechanism=Mechanism.GENERALISED,
            lines=(20,),
            place=place,
            replaced_by="torch.accelerator",
        ),
        an_entry("c.py", delta=1, lines=()),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", entries)])
        found = read_entries(session, session.scalars(select(CommitRow.id)).one())
    assert [(entry.path, entry.lines) for entry in found] == [
        ("a.py", (20,)),
        ("a.py", (100,)),
        ("b.py", (3, 40)),
        ("c.py", ()),
    ]
    assert found[0] == StoredEntry(
        path="a.py",
        territory=Territory.INTERFACE,
        area=Area.DISTRIBUTED,
        subsystem="c10d",
        site=a_site("nccl"),
        delta=-1,
        mechanism=Mechanism.GENERALISED,
        lines=(20,),
        replaced_by="torch.accelerator",
    )
