from datetime import timedelta

import pytest
from sqlalchemy.orm import Session, sessionmaker

from db.cells import read_stock
from db.commits import rewind_to
from db.standing_sites import (
    Head,
    SiteFilter,
    SitePage,
    StandingSite,
    read_head,
    read_standing_sites,
    read_standing_total,
)
from tests.builders import A_DAY, a_judged_commit, a_neutral_construct, a_place, a_sha, a_site, an_entry
from tests.stored import SLUG, a_repository, append
from tracker.classify import JudgedCommit
from tracker.sites import Area, Construct, Mechanism, Territory

HIP = a_site("is_hip", construct=Construct.PREDICATE, vendor="amd")
NAME = a_site("cudagraph_pool", construct=Construct.NAME)
ALL = SiteFilter(repository=SLUG)


def commits() -> list[JudgedCommit]:
    vendors_own = a_place(Territory.VENDOR)
    first = [
        an_entry("b.py", delta=3, mechanism=Mechanism.BASELINE),
        an_entry("a.py", site=HIP, delta=2),
        an_entry("a.py", delta=1),
        an_entry("c.py", site=NAME, place=a_place(area=Area.TEST)),
        an_entry("d.py", site=a_neutral_construct(), mechanism=Mechanism.OUTSIDE),
        an_entry("v.py", place=vendors_own, mechanism=Mechanism.OUTSIDE),
        an_entry("gone.py", delta=4),
    ]
    second = [
        an_entry("gone.py", delta=-4, mechanism=Mechanism.RETIRED),
        an_entry("b.py", delta=-1, mechanism=Mechanism.GENERALISED),
        an_entry("a.py", delta=-1, mechanism=Mechanism.OUTSIDE, region=Territory.NEUTRAL),
        an_entry("a.py", delta=1, mechanism=Mechanism.OUTSIDE, region=Territory.VENDOR_TEST),
    ]
    return [a_judged_commit("first", first), a_judged_commit("second", second, at=A_DAY + timedelta(days=1))]


def standing(session: Session, wanted: SiteFilter) -> list[tuple[str, str, int]]:
    return [(row.path, row.symbol, row.count) for row in read_standing_sites(session, wanted).rows]


def test_what_stands_is_the_sum_of_the_entries_of_each_path(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits())
        page = read_standing_sites(session, ALL)
        assert page.next_key is None
        assert [(row.path, row.symbol, row.count) for row in page.rows] == [
            ("a.py", "is_hip", 2),
            ("b.py", "torch.cuda.synchronize", 2),
        ]
        assert page.rows[0] == StandingSite(
            path="a.py",
            area=Area.CORE,
            subsystem="core",
            territory=Territory.NEUTRAL,
            construct=Construct.PREDICATE,
            vendor="amd",
            symbol="is_hip",
            rule="nvidia-api",
            count=2,
        )
        assert read_head(session, SLUG) == Head(sha=a_sha("second"), committed_at=A_DAY + timedelta(days=1))


def test_the_list_is_restricted_as_the_stock_is_and_adds_up_to_it(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        append(session, a_repository(session), commits())
        assert standing(session, SiteFilter(repository=SLUG, vendor="nvidia")) == [
            ("b.py", "torch.cuda.synchronize", 2)
        ]
        assert standing(session, SiteFilter(repository=SLUG, area=Area.TEST)) == []
        assert standing(session, SiteFilter(repository=SLUG, names=True, area=Area.TEST)) == [
            ("c.py", "cudagraph_pool", 1)
        ]
        assert standing(session, SiteFilter(repository=SLUG, construct=Construct.NAME)) == [
            ("c.py", "cudagraph_pool", 1)
        ]
        assert standing(session, SiteFilter(repository=SLUG, construct=Construct.NEUTRAL)) == [
            ("d.py", "torch.accelerator.synchronize", 1)
        ]
        assert standing(session, SiteFilter(repository=SLUG, territory=Territory.VENDOR_TEST)) == [
            ("a.py", "torch.cuda.synchronize", 1)
        ]
        assert standing(session, SiteFilter(repository="octo/nothing")) == []
        for names in (False, True):
            wanted = SiteFilter(repository=SLUG, names=names)
            stock = read_stock(session, repository=SLUG, names=names)
            total = sum(values[-1] for values in stock.closing.values())
            assert read_standing_total(session, wanted) == total == sum(row[2] for row in standing(session, wanted))
        assert read_standing_total(session, SiteFilter(repository=SLUG, vendor="amd", area=Area.CORE)) == 2
        assert read_standing_total(session, SiteFilter(repository=SLUG, vendor="groq")) == 0


def test_a_part_of_the_path_is_looked_for_in_any_case_and_taken_as_it_is(sessions: sessionmaker[Session]) -> None:
    paths = ("torch/Nested_a.py", "torch/nestedXa.py", "test/100%.py")
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", [an_entry(path) for path in paths])])
        found = {
            text: [path for path, _, _ in standing(session, SiteFilter(repository=SLUG, text=text))]
            for text in ("nested_", "NESTED", "0%", "absent")
        }
    assert found == {
        "nested_": ["torch/Nested_a.py"],
        "NESTED": sorted(paths[:2]),
        "0%": ["test/100%.py"],
        "absent": [],
    }


def test_pages_follow_each_other_without_gap_or_repetition_also_within_a_path(sessions: sessionmaker[Session]) -> None:
    entries = [an_entry(f"{path}.py", site=a_site(f"torch.cuda.f{index}")) for path in "ba" for index in range(4)]
    # Two sites of the same symbol: what they are tells them apart.
    entries.append(an_entry("b.py", site=a_site("torch.cuda.f1", construct=Construct.PREDICATE)))
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", entries)])
        whole = read_standing_sites(session, ALL).rows
        found: list[StandingSite] = []
        key = None
        for _ in range(len(whole)):
            page = read_standing_sites(session, ALL, after_key=key, limit=2)
            found.extend(page.rows)
            key = page.next_key
            if key is None:
                break
        assert len(whole) == 9
        assert tuple(found) == whole


def test_many_paths_without_a_site_that_fits_do_not_end_the_list(sessions: sessionmaker[Session]) -> None:
    entries = [an_entry(f"a{number:03}.py") for number in range(420)]
    entries.append(an_entry("z.py", site=HIP))
    with sessions.begin() as session:
        append(session, a_repository(session), [a_judged_commit("first", entries)])
        assert standing(session, SiteFilter(repository=SLUG, vendor="amd")) == [("z.py", "is_hip", 1)]


def test_what_commits_off_the_line_did_is_not_counted(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        repository = a_repository(session)
        append(session, repository, commits())
        rewind_to(session, repository, 0)
        assert ("gone.py", "torch.cuda.synchronize", 4) in standing(session, ALL)
        assert read_head(session, SLUG) == Head(sha=a_sha("first"), committed_at=A_DAY)


def test_nothing_read_has_no_head_and_no_site(sessions: sessionmaker[Session]) -> None:
    with sessions.begin() as session:
        a_repository(session)
        assert read_head(session, SLUG) is None
        assert read_standing_sites(session, ALL) == SitePage(rows=(), next_key=None)
        assert read_standing_total(session, ALL) == 0


@pytest.mark.parametrize(
    "key",
    ['["a", "b"]', '["a", "b", -1]', '["\\u0000", "b", 1]', '["\\ud800", "b", 1]', "[1, 2, 3]", "{}", "nonsense", ""],
)
def test_a_key_that_no_page_gave_is_refused(sessions: sessionmaker[Session], key: str) -> None:
    with sessions.begin() as session:
        a_repository(session)
    with sessions() as session, pytest.raises(ValueError, match="no key of a page of sites"):
        read_standing_sites(session, ALL, after_key=key)
