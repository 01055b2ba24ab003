from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.commit_pages import UNKNOWN, CommitFilter, CommitPage, CommitSummary, read_commits, read_latest_commits
from db.commits import rewind_to
from db.repositories import remove_repository
from tests.builders import A_DAY, RULESET, a_judged_commit, a_judgement, a_sha, a_site, an_entry, some_trailers
from tests.db.test_landings import reland, revert
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit, Tally
from tracker.ledger import Entry
from tracker.sites import Area, Construct, Mechanism, Verdict

OTHER = "huggingface/accelerate"


def found(session: Session, wanted: CommitFilter) -> list[str]:
    """Subjects, in order."""
    return [row.subject for row in read_commits(session, wanted).rows]


def commits(*names: str, start: datetime = A_DAY) -> list[JudgedCommit]:
    return [a_judged_commit(name, message=name, at=start + timedelta(hours=index)) for index, name in enumerate(names)]


def test_a_line_of_the_list_says_what_the_commit_does(sessions: sessionmaker[Session]) -> None:
    judgement = a_judgement(
        [an_entry(delta=-2, mechanism=Mechanism.GENERALISED)],
        verdict=Verdict.DECOUPLING,
        mechanism=Mechanism.GENERALISED,
        area=Area.DISTRIBUTED,
        vendors=("nvidia", "amd"),
        tally=Tally(generalised=2),
    )
    commit = a_judged_commit(
        "first",
        message="Use DeviceGuard (#7)",
        mail="ada@intel.example.com",
        trailers=some_trailers(pull_request=7),
        judgement=judgement,
    )
    with sessions.begin() as session:
        append(session, a_repository(session), [commit, a_judged_commit("second", at=A_DAY - timedelta(days=1))])
        page = read_commits(session, CommitFilter())
    assert page.next_key is None
    assert page.rows[0] == CommitSummary(
        repository=SLUG,
        sha=a_sha("first"),
        committed_at=A_DAY,
        position=0,
        subject="Use DeviceGuard (#7)",
        pull_number=7,
        is_revert=False,
        is_reland=False,
        reverted=False,
        undone_by=None,
        restored_by=None,
        counts=True,
        organisation="intel",
        author_domain="intel.example.com",
        verdict=Verdict.DECOUPLING,
        mechanism=Mechanism.GENERALISED,
        area=Area.DISTRIBUTED,
        vendors=("nvidia", "amd"),
        removed=2,
        added=0,
        let_in=0,
        net=-2,
        names_removed=0,
        names_added=0,
        names_net=0,
        tally=Tally(generalised=2),
        ruleset=RULESET,
    )
    second = page.rows[1]
    assert (second.organisation, second.mechanism, second.area, second.vendors) == (None, None, None, ())


def test_a_line_says_what_was_let_in_and_by_how_much_the_stock_changes(sessions: sessionmaker[Session]) -> None:
    xpu = a_site("torch.xpu.is_available", construct=Construct.PREDICATE, vendor="intel")
    name = a_site("is_xpu_ready", construct=Construct.NAME, vendor="intel")
    entries = [
        an_entry(site=xpu, delta=2, mechanism=Mechanism.BROADENED),
        an_entry(site=name, delta=-1, mechanism=Mechanism.GENERALISED),
    ]
    judgement = replace(a_judgement(entries, verdict=Verdict.DECOUPLING), removed=1, added=0)
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", judgement=judgement)])
        (line,) = read_commits(session, CommitFilter()).rows
    assert (line.removed, line.added, line.let_in, line.net) == (1, 0, 2, 1)
    assert (line.names_removed, line.names_added, line.names_net) == (1, 0, -1)


def test_commits_come_newest_first_by_date_then_by_position(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        batch = [*commits("a", "b", "c"), *commits("same as a", start=A_DAY)]
        append(session, a_repository(session), batch)
        assert found(session, CommitFilter()) == ["c", "b", "same as a", "a"]


def test_pages_follow_each_other_without_gap_or_repetition(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        # All of one second, in two repositories: only position and row tell them apart.
        for slug in (SLUG, OTHER):
            batch = [a_judged_commit(f"{slug} {index}", message=f"{slug} {index}") for index in range(4)]
            append(session, a_repository(session, slug), batch)
        whole = read_commits(session, CommitFilter())
        pages: list[CommitPage] = [read_commits(session, CommitFilter(), limit=3)]
        while (key := pages[-1].next_key) is not None:
            pages.append(read_commits(session, CommitFilter(), before_key=key, limit=3))
    assert [len(page.rows) for page in pages] == [3, 3, 2]
    assert tuple(row for page in pages for row in page.rows) == whole.rows


def test_a_page_that_holds_all_there_is_has_no_next_one(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits("a", "b"))
        assert read_commits(session, CommitFilter(), limit=2).next_key is None
        assert read_commits(session, CommitFilter(), limit=1).next_key is not None


def test_a_key_that_no_page_gave_is_refused(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        for key in ("", "nonsense", "2020-01-06T12:00:00Z~1", "2020-01-06T12:00:00Z~1~x", "9" * 500):
            with pytest.raises(ValueError, match="no key of a page of commits"):
                read_commits(session, CommitFilter(), before_key=key)


def test_a_list_is_of_one_repository_or_of_all(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits("a"))
        append(session, a_repository(session, OTHER), commits("b", start=A_DAY + timedelta(days=1)))
        assert found(session, CommitFilter()) == ["b", "a"]
        assert found(session, CommitFilter(repository=SLUG)) == ["a"]
        assert found(session, CommitFilter(repository="never/added")) == []


def test_a_repository_no_longer_watched_is_listed_only_by_its_name(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits("a"))
        append(session, a_repository(session, OTHER), commits("b"))
        remove_repository(session, OTHER, A_DAY)
        assert found(session, CommitFilter()) == ["a"]
        assert found(session, CommitFilter(repository=OTHER)) == ["b"]


def test_a_list_is_filtered_by_what_was_judged(sessions: sessionmaker[Session]) -> None:
    judgements = {
        "one": a_judgement(
            verdict=Verdict.DECOUPLING, mechanism=Mechanism.GENERALISED, area=Area.CORE, vendors=("nvidia", "amd")
        ),
        "two": a_judgement(
            verdict=Verdict.COUPLING, mechanism=Mechanism.INTRODUCED, area=Area.TEST, vendors=("intel",)
        ),
        "three": a_judgement(),
    }
    with sessions.begin() as session:
        batch = [a_judged_commit(name, message=name, judgement=judgement) for name, judgement in judgements.items()]
        append(session, a_repository(session), batch)
        assert found(session, CommitFilter(verdict=Verdict.DECOUPLING)) == ["one"]
        assert found(session, CommitFilter(mechanism=Mechanism.INTRODUCED)) == ["two"]
        assert found(session, CommitFilter(area=Area.CORE)) == ["one"]
        assert found(session, CommitFilter(vendor="amd")) == ["one"]
        assert found(session, CommitFilter(vendor="intel")) == ["two"]
        assert found(session, CommitFilter(vendor="nv")) == []
        assert found(session, CommitFilter(vendor="%")) == []
        assert found(session, CommitFilter(verdict=Verdict.DECOUPLING, vendor="intel")) == []


def test_a_list_is_filtered_by_organisation_the_unknown_included(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        batch = [
            a_judged_commit("one", message="one", mail="a@intel.example.com"),
            a_judged_commit("two", message="two", mail="b@nowhere.invalid"),
        ]
        append(session, a_repository(session), batch)
        assert found(session, CommitFilter(organisation="intel")) == ["one"]
        assert found(session, CommitFilter(organisation=UNKNOWN)) == ["two"]


def test_a_list_is_cut_to_a_period_whose_end_is_not_in_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits("a", "b", "c"))
        hour = timedelta(hours=1)
        assert found(session, CommitFilter(since=A_DAY + hour)) == ["c", "b"]
        assert found(session, CommitFilter(until=A_DAY + hour)) == ["a"]
        assert found(session, CommitFilter(since=A_DAY + hour, until=A_DAY + 2 * hour)) == ["b"]


def test_a_text_is_looked_for_in_subjects_in_any_case_and_as_it_is(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits("Drop CUDA 8", "100% neutral", "a_b", "axb"))
        assert found(session, CommitFilter(text="cuda")) == ["Drop CUDA 8"]
        assert found(session, CommitFilter(text=" 0% ")) == ["100% neutral"]
        assert found(session, CommitFilter(text="a_b")) == ["a_b"]
        assert found(session, CommitFilter(text="nothing like it")) == []
        assert len(found(session, CommitFilter(text="  "))) == 4


def test_a_text_of_digits_is_a_pull_request_as_well_and_a_hexadecimal_one_begins_a_sha(
    sessions: sessionmaker[Session],
) -> None:
    with sessions.begin() as session:
        batch = [
            a_judged_commit("one", message="one", trailers=some_trailers(pull_request=53902)),
            a_judged_commit("two", message="fix 53902"),
            a_judged_commit("three", message="three"),
        ]
        append(session, a_repository(session), batch)
        assert found(session, CommitFilter(text="53902")) == ["fix 53902", "one"]
        assert found(session, CommitFilter(text="#53902")) == ["one"]
        assert found(session, CommitFilter(pull=53902)) == ["one"]
        assert found(session, CommitFilter(text=a_sha("three")[:8].upper())) == ["three"]


def test_commits_off_the_line_are_not_listed(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, commits("a", "b"))
        rewind_to(session, repository, 0)
        assert found(session, CommitFilter()) == ["a"]


def test_a_commit_that_a_later_one_reverts_is_marked(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), revert("r", of="first")])
        reverted = {row.sha: row.reverted for row in read_commits(session, CommitFilter()).rows}
        assert reverted == {a_sha("first"): True, a_sha("r"): False}
        rewind_to(session, repository, 0)
        assert [row.reverted for row in read_commits(session, CommitFilter()).rows] == [False]


def test_a_commit_that_landed_again_says_so_and_counts_once(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, [a_judged_commit("first"), revert("r", of="first"), reland("again", of="first")])
        rows = {row.sha: row for row in read_commits(session, CommitFilter()).rows}
        first, again, r = rows[a_sha("first")], rows[a_sha("again")], rows[a_sha("r")]
        assert (first.reverted, first.restored_by, first.counts) == (False, a_sha("again"), True)
        assert (r.reverted, r.counts) == (False, False)
        assert (again.reverted, again.undone_by, again.counts) == (False, None, False)
        append(session, repository, [revert("r again", of="again")])
        page = read_commits(session, CommitFilter(text="first"))
        assert [(row.reverted, row.undone_by) for row in page.rows] == [(True, a_sha("r again"))]


def test_the_first_and_last_days_of_the_calendar_are_paged_over(sessions: sessionmaker[Session]) -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    with sessions.begin() as session:
        batch = [
            a_judged_commit(str(index), message=str(index), at=at) for index, at in enumerate((first, first, last))
        ]
        append(session, a_repository(session), batch)
        page = read_commits(session, CommitFilter(), limit=2)
        assert [row.subject for row in page.rows] == ["2", "1"]
        page = read_commits(session, CommitFilter(), before_key=page.next_key, limit=2)
        assert [row.subject for row in page.rows] == ["0"]


def test_what_stands_and_is_more_than_names_can_be_asked_for(sessions: sessionmaker[Session]) -> None:
    name = a_site("is_cuda_graphed", construct=Construct.NAME)

    def coupling(subject: str, *entries: Entry) -> JudgedCommit:
        judgement = a_judgement(entries, verdict=Verdict.COUPLING)
        return a_judged_commit(subject, message=subject, judgement=judgement)

    batch = [
        coupling("undone", an_entry()),
        coupling("names", an_entry(site=name, delta=2)),
        coupling("both", an_entry(site=name), an_entry()),
        coupling("exclusivity"),
        replace(revert("r", of="undone"), judgement=a_judgement([an_entry()], verdict=Verdict.COUPLING)),
    ]
    with sessions.begin() as session:
        append(session, a_repository(session), batch)
        assert set(found(session, CommitFilter(net=True))) == {"names", "both", "exclusivity"}
        assert set(found(session, CommitFilter(net=True, beyond_names=True))) == {"both", "exclusivity"}
        assert len(found(session, CommitFilter(beyond_names=True))) == 4
        (newest,) = read_latest_commits(session, [CommitFilter(net=True, beyond_names=True)], limit=1)
        assert [line.subject for line in newest] == ["exclusivity"]


def test_the_newest_of_several_lists_are_those_of_each_list(sessions: sessionmaker[Session]) -> None:
    def judged(name: str, verdict: Verdict, hour: int) -> JudgedCommit:
        judgement = a_judgement([an_entry()], verdict=verdict)
        return a_judged_commit(name, message=name, at=A_DAY + timedelta(hours=hour), judgement=judgement)

    verdicts = (Verdict.DECOUPLING, Verdict.COUPLING, Verdict.DECOUPLING, Verdict.DECOUPLING)
    lists = [CommitFilter(repository=SLUG, verdict=verdict) for verdict in Verdict]
    lists.append(CommitFilter(repository="octo/nothing"))
    with sessions.begin() as session:
        append(session, a_repository(session), [judged(f"c{hour}", one, hour) for hour, one in enumerate(verdicts)])
        newest = read_latest_commits(session, lists, limit=2)
        assert newest == tuple(read_commits(session, wanted, limit=2).rows for wanted in lists)
        assert [[line.subject for line in lines] for lines in newest if lines] == [["c3", "c2"], ["c1"]]
