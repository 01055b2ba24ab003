"""The ledger's arithmetic."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tracker.ledger import Entry, LineEntry, LineSums, balance, difference, multiset
from tracker.sites import Area, Construct, Mechanism, Occurrence, Place, Site, Territory

CUDA = Site(Construct.LITERAL, "nvidia", "cuda", "nvidia.cuda")
NCCL = Site(Construct.LITERAL, "nvidia", "nccl", "nvidia.nccl")
XPU = Site(Construct.LITERAL, "intel", "xpu", "intel.xpu")
NEUTRAL_CORE = Place(Territory.NEUTRAL, Area.CORE, "core")

counts = st.dictionaries(st.sampled_from([CUDA, NCCL, XPU]), st.integers(1, 5))


def an_entry(path: str, site: Site, delta: int) -> Entry:
    return Entry(
        path=path,
        place=NEUTRAL_CORE,
        site=site,
        delta=delta,
        mechanism=Mechanism.INTRODUCED if delta > 0 else Mechanism.DROPPED,
        lines=tuple(range(1, abs(delta) + 1)),
    )


def test_a_multiset_counts_equal_sites_wherever_they_stand() -> None:
    occurrences = [Occurrence(3, 40, 44, CUDA), Occurrence(9, 90, 94, CUDA), Occurrence(9, 99, 103, NCCL)]
    assert multiset(occurrences) == Counter({CUDA: 2, NCCL: 1})


def test_a_moved_line_posts_nothing() -> None:
    before = multiset([Occurrence(3, 40, 44, CUDA)])
    after = multiset([Occurrence(70, 900, 904, CUDA)])
    assert difference(before, after) == {}


def test_a_site_that_goes_and_one_that_comes_are_two_changes() -> None:
    assert difference({CUDA: 2, NCCL: 1}, {CUDA: 1, XPU: 3, NCCL: 1}) == {CUDA: -1, XPU: 3}


def test_a_new_file_adds_all_its_sites_and_a_deleted_one_takes_them() -> None:
    assert difference({}, {CUDA: 2}) == {CUDA: 2}
    assert difference({CUDA: 2}, {}) == {CUDA: -2}


def test_the_same_symbol_by_another_construct_is_another_site() -> None:
    as_name = Site(Construct.NAME, "nvidia", "cuda", "nvidia.cuda")
    assert difference({CUDA: 1}, {as_name: 1}) == {CUDA: -1, as_name: 1}


def test_a_balance_is_kept_by_path_and_leaves_zeros_out() -> None:
    entries = [
        an_entry("a.py", CUDA, 3),
        an_entry("b.py", CUDA, 1),
        an_entry("a.py", CUDA, -1),
        an_entry("b.py", CUDA, -1),
    ]
    assert balance(entries) == {("a.py", CUDA): 2}


@given(counts, counts)
def test_opening_plus_difference_equals_closing(before: dict[Site, int], after: dict[Site, int]) -> None:
    closing = Counter(before)
    closing.update(difference(before, after))
    assert {site: count for site, count in closing.items() if count} == after


@given(counts, counts)
def test_the_way_back_is_the_way_there_with_its_signs_turned(before: dict[Site, int], after: dict[Site, int]) -> None:
    there, back = difference(before, after), difference(after, before)
    assert {site: -delta for site, delta in there.items()} == back


def lines_of(place: Place, delta: int, *, baseline: bool = False) -> LineEntry:
    return LineEntry(
        territory=place.territory, area=place.area, subsystem=place.subsystem, delta=delta, baseline=baseline
    )


def test_lines_are_added_up_by_place_and_a_place_that_keeps_its_number_posts_nothing() -> None:
    vendor = Place(Territory.VENDOR, Area.CORE, "cuda", ("nvidia",))
    tests = Place(Territory.NEUTRAL, Area.TEST, "test")
    sums = LineSums()
    for place, lines in ((NEUTRAL_CORE, 12), (vendor, -7), (NEUTRAL_CORE, -2), (tests, 5), (tests, -5)):
        sums.add(place, lines)
    assert sums.entries() == (lines_of(NEUTRAL_CORE, 10), lines_of(vendor, -7))
    assert sums.entries(baseline=True)[0] == lines_of(NEUTRAL_CORE, 10, baseline=True)


def test_nothing_added_posts_nothing() -> None:
    assert LineSums().entries() == ()
