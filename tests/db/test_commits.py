from datetime import date, timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from db.cells import rebuild_weeks
from db.commits import AppendCounts, CommitCursor, append_commits, read_commit_cursor
from db.identities import Identities
from db.ledger import read_balance, read_standing
from db.tables import (
    CommitRow,
    LedgerEntryRow,
    PathRow,
    SiteRow,
    WeeklyCellRow,
)
from tests.builders import (
    A_DAY,
    a_judged_commit,
    a_place,
    a_sha,
    a_site,
    an_entry,
    some_trailers,
)
from tests.stored import a_repository, append, key_of, organisation_of
from tracker.classify import SkippedFile
from tracker.errors import CursorMoved
from tracker.sites import Area, Mechanism, Territory
from tracker.trailers import CommitReference, LinkKind, LinkMethod
from tracker.upstream import SkipReason

WEEK = timedelta(weeks=1)


def test_nothing_is_known_of_a_repository_before_its_first_crawl(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        assert read_commit_cursor(session, a_repository(session)) is None


def test_an_append_says_what_it_stored(sessions: sessionmaker[Session]) -> None:
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.SHA, a_sha("first"))
    batch = [
        a_judged_commit("first", [an_entry(), an_entry("b.py")], trailers=some_trailers(pull_request=7)),
        a_judged_commit(
            "second",
            [an_entry(delta=-1)],
            parent="first",
            at=A_DAY + WEEK,
            trailers=some_trailers(is_revert=True, references=(reference,)),
            skipped=(SkippedFile(path="x.bin", blob=a_sha("blob"), reason=SkipReason.BINARY),),
        ),
    ]
    with sessions.begin() as session:
        counts = append(session, a_repository(session), batch)
    assert counts == AppendCounts(
        commits=2,
        revived=0,
        entries=3,
        links=1,
        links_resolved=1,
        landings=2,
        skipped_files=1,
        weeks=(date(2020, 1, 6), date(2020, 1, 13)),
    )


def test_a_commit_is_stored_with_its_position_and_without_its_authors_address(sessions: sessionmaker[Session]) -> None:
    trailers = some_trailers(pull_request=7, differential="D123", source_id=a_sha("source"))
    commit = a_judged_commit("first", message="Fix it (#7)\n\nbody", mail="ada@amd.example.com", trailers=trailers)
    with sessions.begin() as session:
        append(session, a_repository(session), [commit])
    with sessions() as session:
        row = session.scalars(select(CommitRow)).one()
        assert (row.sha, row.parent_sha, row.position) == (a_sha("first"), None, 0)
        assert (row.committed_at, row.week, row.subject) == (A_DAY, date(2020, 1, 6), "Fix it (#7)")
        assert (row.author_key, row.author_domain, row.organisation) == (
            key_of("ada@amd.example.com"),
            "amd.example.com",
            "amd",
        )
        assert (row.pull_number, row.differential, row.source_id) == (7, "D123", a_sha("source"))


def test_an_author_without_an_address_has_no_domain(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit(mail="devfair044.maas")])
        row = session.scalars(select(CommitRow)).one()
        assert (row.author_domain, row.organisation) == ("", None)


def test_what_no_column_can_hold_is_left_out_and_the_commit_is_kept(sessions: sessionmaker[Session]) -> None:
    trailers = some_trailers(pull_request=99999999999, differential="D" + "1" * 50, source_id="a" * 60)
    commit = a_judged_commit(message="Title (#99999999999)", trailers=trailers)
    with sessions.begin() as session:
        append(session, a_repository(session), [commit])
        row = session.scalars(select(CommitRow)).one()
        assert (row.pull_number, row.differential, row.source_id) == (None, None, None)
        assert row.subject == "Title (#99999999999)"


def test_text_that_databases_refuse_is_stored_with_replacement_characters(sessions: sessionmaker[Session]) -> None:
    entry = an_entry("a\0b.py", site=a_site("cuda\ud800"), delta=-1, replaced_by="x\0")
    commit = a_judged_commit("first", [entry], message="A\0B \udcffé \N{SNOWMAN} \U0001f600")
    with sessions.begin() as session:
        append(session, a_repository(session), [commit])
    with sessions() as session:
        assert session.scalars(select(CommitRow.subject)).one() == "A�B �é ☃ \U0001f600"
        assert session.scalars(select(PathRow.path)).one() == "a�b.py"
        assert session.scalars(select(SiteRow.symbol)).one() == "cuda�"
        assert session.scalars(select(LedgerEntryRow.replaced_by)).one() == "x�"


def test_paths_and_symbols_that_differ_only_in_refused_text_share_a_row(sessions: sessionmaker[Session]) -> None:
    entries = [an_entry("a\0", site=a_site("cuda\0")), an_entry("a�", site=a_site("cuda�"))]
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", entries)])
        assert read_balance(session, repository, 0) == {("a�", a_site("cuda�")): 2}


def test_paths_symbols_and_subjects_may_be_of_any_length(sessions: sessionmaker[Session]) -> None:
    symbols = "".join(a_sha(str(index)) for index in range(300))  # 12,000 signs that do not compress
    entry = an_entry("d/" + symbols, site=a_site("cuda_" + symbols))
    reference = CommitReference(LinkKind.REVERTS, LinkMethod.TITLE, symbols)
    commit = a_judged_commit("first", [entry], message=symbols, trailers=some_trailers(references=(reference,)))
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [commit])
        assert read_balance(session, repository, 0) == {("d/" + symbols, a_site("cuda_" + symbols)): 1}


def test_the_same_append_again_does_nothing(sessions: sessionmaker[Session]) -> None:
    batch = [a_judged_commit("first", [an_entry()]), a_judged_commit("second", [an_entry("b.py")], parent="first")]
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, batch)
    with sessions.begin() as session:
        assert append(session, repository, batch, first_position=0) == AppendCounts()
        assert session.scalar(select(func.count(CommitRow.id))) == 2
        assert session.scalar(select(func.count(LedgerEntryRow.id))) == 2


def test_a_batch_that_does_not_go_on_at_the_cursor_is_refused(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), a_judged_commit("second", parent="first")])
    with sessions.begin() as session, pytest.raises(CursorMoved, match=r"begin at position 1, .* ends at 1"):
        append(session, repository, [a_judged_commit("other", parent="first")], first_position=1)
    with sessions.begin() as session, pytest.raises(CursorMoved, match=r"begin at position 5, .* ends at 1"):
        append(session, repository, [a_judged_commit("later", parent="lost")], first_position=5)


def test_a_batch_that_is_stored_only_in_part_is_refused(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")])
    batch = [a_judged_commit("first"), a_judged_commit("second", parent="first")]
    with sessions.begin() as session, pytest.raises(CursorMoved):
        append(session, repository, batch, first_position=0)


def test_a_crawl_may_begin_in_the_middle_of_the_line(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", parent="unread")], first_position=5000)
        cursor = read_commit_cursor(session, repository)
    assert cursor == CommitCursor(sha=a_sha("first"), position=5000, head=a_sha("first"))


def test_the_cursor_remembers_the_head_it_is_heading_for(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")], head=a_sha("head"))
        cursor = read_commit_cursor(session, repository)
    assert cursor == CommitCursor(sha=a_sha("first"), position=0, head=a_sha("head"))


def test_a_batch_without_commits_only_moves_the_head(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first")], head=a_sha("head"))
        arrived = CommitCursor(sha=a_sha("first"), position=0, head=a_sha("first"))
        counts = append_commits(
            session,
            repository,
            [],
            first_position=1,
            author_key=key_of,
            organisation=organisation_of,
            cursor=arrived,
            now=A_DAY,
        )
        assert counts == AppendCounts()
        assert read_commit_cursor(session, repository) == arrived


def test_a_cursor_that_would_stand_elsewhere_than_the_batchs_end_is_refused(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        for wrong in (
            CommitCursor(sha=a_sha("x"), position=0, head=""),
            CommitCursor(sha=a_sha("c"), position=1, head=""),
        ):
            with pytest.raises(ValueError, match="does not stand at the last commit"):
                append_commits(
                    session,
                    repository,
                    [a_judged_commit("c")],
                    first_position=0,
                    author_key=key_of,
                    organisation=organisation_of,
                    cursor=wrong,
                    now=A_DAY,
                )


def test_a_batch_that_is_rolled_back_leaves_nothing_and_the_cursor_where_it_was(
    sessions: sessionmaker[Session],
) -> None:
    identities = Identities()
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry()])], identities=identities)
    second = a_judged_commit("second", [an_entry("b.py", site=a_site("new"))], parent="first")
    with sessions() as session:
        append(session, repository, [second], identities=identities)
        session.rollback()
    with sessions.begin() as session:
        assert read_commit_cursor(session, repository) == CommitCursor(
            sha=a_sha("first"), position=0, head=a_sha("first")
        )
        assert session.scalars(select(PathRow.path)).all() == ["torch/serialization.py"]
        # Other rows may take the ids that were rolled back: the caller's memory must not hold them.
        third = a_judged_commit("third", [an_entry("c.py", site=a_site("third"))], parent="first")
        append(session, repository, [third], identities=identities)
    with sessions.begin() as session:
        append(session, repository, [a_judged_commit("fourth", second.judgement.entries)], identities=identities)
        assert read_balance(session, repository, 2) == {
            ("torch/serialization.py", a_site()): 1,
            ("c.py", a_site("third")): 1,
            ("b.py", a_site("new")): 1,
        }


def test_ids_learned_in_one_batch_serve_the_next(sessions: sessionmaker[Session]) -> None:
    identities = Identities()
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry()])], identities=identities)
        assert identities == Identities()  # not committed yet
    assert identities.sites.keys() == {a_site()}
    assert identities.paths[repository].keys() == {"torch/serialization.py"}
    with sessions.begin() as session:
        append(session, repository, [a_judged_commit("second", [an_entry(delta=-1)])], identities=identities)
        assert read_balance(session, repository, 1) == {}


def test_two_repositories_share_sites_and_keep_their_paths_apart(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        one, other = a_repository(session), a_repository(session, "huggingface/accelerate")
        append(session, one, [a_judged_commit("first", [an_entry()])])
        append(session, other, [a_judged_commit("first", [an_entry(delta=2)])])
        assert session.scalar(select(func.count(SiteRow.id))) == 1
        assert session.scalar(select(func.count(PathRow.id))) == 2
        assert read_balance(session, one, 0) == {("torch/serialization.py", a_site()): 1}
        assert read_balance(session, other, 0) == {("torch/serialization.py", a_site()): 2}


def test_a_path_that_a_new_ruleset_places_elsewhere_is_placed_again(sessions: sessionmaker[Session]) -> None:
    elsewhere = an_entry(delta=-1, place=a_place(Territory.VENDOR, area=Area.BUILD, subsystem="cmake"))
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry(delta=3)])])
        later = a_judged_commit("second", [elsewhere], at=A_DAY + 4 * WEEK, ruleset="1" * 64)
        counts = append(session, repository, [later])
        row = session.scalars(select(PathRow)).one()
        assert (row.territory, row.area, row.subsystem, row.ruleset) == (
            Territory.VENDOR,
            Area.BUILD,
            "cmake",
            "1" * 64,
        )
        assert counts.weeks == (date(2020, 1, 6), date(2020, 2, 3))  # the old week's cells change too


def test_lines_that_one_ruleset_places_apart_do_not_move_their_file(sessions: sessionmaker[Session]) -> None:
    carried = [an_entry(delta=-1, mechanism=Mechanism.RELOCATED), an_entry(region=Territory.VENDOR_TEST)]
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first", [an_entry(region=Territory.INTERFACE)])])
        append(session, repository, [a_judged_commit("second", [an_entry(delta=2)])])
        append(session, repository, [a_judged_commit("third", carried, ruleset="1" * 64)])
        path = session.scalars(select(PathRow)).one()
        assert (path.territory, path.ruleset) == (Territory.NEUTRAL, "0" * 64)
        assert read_standing(session, repository, 2) == {
            ("torch/serialization.py", a_site(), Territory.INTERFACE): 1,
            ("torch/serialization.py", a_site(), Territory.NEUTRAL): 1,
            ("torch/serialization.py", a_site(), Territory.VENDOR_TEST): 1,
        }
        assert read_balance(session, repository, 2) == {("torch/serialization.py", a_site()): 3}
        rebuild_weeks(session, repository, None)
        cells = session.execute(select(WeeklyCellRow.territory, WeeklyCellRow.added, WeeklyCellRow.removed)).all()
        assert sorted(tuple(cell) for cell in cells) == [
            (Territory.INTERFACE, 1, 0),
            (Territory.NEUTRAL, 0, 1),
            (Territory.NEUTRAL, 2, 0),
            (Territory.VENDOR_TEST, 1, 0),
        ]
