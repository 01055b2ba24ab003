"""An account says of each neutral site which line it is about, what stands in its place, and why it is judged so."""

from tests.tracker.judging import change, judged, shipped_ruleset
from tracker.classify import Accounts, ExclusivityAccount, Line, ScannedChange, SiteAccount, judge, needs_quotes
from tracker.sites import Mechanism
from tracker.trailers import parse_trailers

CODE = "src/project/engine.py"
OTHER = "src/project/other.py"


def accounts(*changes: ScannedChange, at_most: int | None = None) -> Accounts:
    return judge(parse_trailers("", "example/project"), changes, shipped_ruleset(), accounts_at_most=at_most).accounts


def the_only(*changes: ScannedChange) -> SiteAccount:
    (found,) = accounts(*changes).sites
    return found


def test_a_generalised_site_is_told_with_its_line_the_line_that_took_its_place_and_what_stands_there() -> None:
    before = "def wait():\n    torch.cuda.synchronize()\n"
    after = "def wait():\n    torch.accelerator.synchronize()\n"
    found = the_only(change(CODE, before, after))
    assert found == SiteAccount(
        site=found.site,
        gone=True,
        line=Line(path=CODE, number=2, text="    torch.cuda.synchronize()", span=(4, 26)),
        opposite=Line(path=CODE, number=2, text="    torch.accelerator.synchronize()", span=(4, 33)),
        mechanism=Mechanism.GENERALISED,
        reason="a neutral name stands in its place",
        about=None,
        replaced_by="torch.accelerator.synchronize",
    )
    assert (found.site.symbol, found.why) == ("torch.cuda.synchronize", "a neutral name stands in its place")


def test_a_retired_site_names_the_definition_it_went_with() -> None:
    before = "def one():\n    pass\n\n\ndef wait():\n    torch.cuda.synchronize()\n"
    found = the_only(change(CODE, before, "def one():\n    pass\n"))
    assert (found.mechanism, found.reason, found.about) == (Mechanism.RETIRED, "gone with its definition", "wait")
    assert found.why == "gone with its definition: wait"
    assert found.opposite is None


def test_a_new_site_is_told_with_the_line_whose_place_its_line_took() -> None:
    found = the_only(
        change(CODE, "x = torch.cuda.init()\nx = ones(2)\n", "x = torch.cuda.init()\nx = ones(2).cuda()\n")
    )
    assert (found.gone, found.mechanism, found.line.number) == (False, Mechanism.INTRODUCED, 2)
    assert found.opposite == Line(path=CODE, number=2, text="x = ones(2)")


def test_a_new_site_on_a_line_of_its_own_has_nothing_on_the_other_side() -> None:
    found = the_only(change(CODE, "torch.cuda.init()\n", "torch.cuda.init()\ny = ones(2).cuda()\n"))
    assert found.opposite is None


def test_a_moved_site_is_told_once_with_the_line_it_was_paired_with() -> None:
    gone = change(CODE, "x = 1\ntorch.cuda.synchronize()\n", "x = 1\n")
    new = change(OTHER, "x = 1\n", "x = 1\ny = 2\ntorch.cuda.synchronize()\n")
    found = the_only(gone, new)
    assert (found.gone, found.mechanism, found.line.path, found.line.number) == (True, Mechanism.MOVED, CODE, 2)
    assert found.opposite == Line(path=OTHER, number=3, text="torch.cuda.synchronize()", span=(0, 22))


def test_an_exclusivity_that_is_lost_is_told_with_its_line_and_the_one_before() -> None:
    found = accounts(change(CODE, 'DEVICES = ["cpu", "cuda"]\n', 'DEVICES = ["cpu", "cuda", "xpu"]\n'))
    (one,) = found.exclusivities
    assert one == ExclusivityAccount(
        vendor="nvidia",
        lost=True,
        site=one.site,
        line=Line(path=CODE, number=1, text='DEVICES = ["cpu", "cuda", "xpu"]', span=one.line.span),
        opposite=Line(path=CODE, number=1, text='DEVICES = ["cpu", "cuda"]'),
        reason="another vendor is admitted beside it",
    )
    assert one.site.symbol == "xpu"
    assert [(site.mechanism, site.reason) for site in found.sites] == [
        (Mechanism.BROADENED, "admitted beside another vendor")
    ]


def test_an_exclusivity_that_is_gained_is_told_with_the_line_that_is_gone() -> None:
    found = accounts(change(CODE, 'ok = kind in ("cuda", "privateuse1")\n', 'ok = kind in ("cuda",)\n'))
    (one,) = found.exclusivities
    assert (one.lost, one.vendor, one.line.number) == (False, "nvidia", 1)
    assert one.reason == "vendors from outside the tree are no longer admitted beside it"
    assert one.opposite == Line(path=CODE, number=1, text='ok = kind in ("cuda",)')


def test_lines_of_a_whole_file_are_quoted_although_judging_needs_no_text_of_it() -> None:
    added, removed = change(CODE, None, "x = 1\ntorch.cuda.init()\n"), change(OTHER, "torch.cuda.reset()\n", None)
    found = accounts(added, removed)
    assert [(one.line.path, one.line.number, one.line.text) for one in found.sites] == [
        (CODE, 2, "torch.cuda.init()"),
        (OTHER, 1, "torch.cuda.reset()"),
    ]


def test_outside_neutral_code_and_of_neutral_constructs_there_is_nothing_to_tell() -> None:
    assert accounts(change("src/project/cuda/a.py", "torch.cuda.init()\n", "x = 1\n")) == Accounts()
    assert accounts(change(CODE, "x = 1\n", "torch.accelerator.synchronize()\n")) == Accounts()


def test_no_more_are_made_than_wanted_and_what_counts_goes_first() -> None:
    moved = [
        change(CODE, "torch.cuda.synchronize()\n" * 3, None),
        change(OTHER, None, "torch.cuda.synchronize()\n" * 3 + "torch.cuda.init()\n"),
    ]
    found = accounts(*moved, at_most=2)
    assert [one.mechanism for one in found.sites] == [Mechanism.MOVED, Mechanism.INTRODUCED]
    assert found.left_out == 2
    assert accounts(*moved, at_most=0) == Accounts(left_out=4)
    assert accounts(*moved, at_most=4).left_out == 0


def test_what_is_told_changes_nothing_of_what_is_judged() -> None:
    changes = [change(CODE, "x = 'cuda'\n" * 5, "x = device\n" * 5)]
    few = judge(parse_trailers("", "example/project"), changes, shipped_ruleset(), accounts_at_most=1)
    assert (few.tally, few.entries) == (judged(*changes).tally, judged(*changes).entries)


def test_lines_are_asked_for_where_sites_are_judged_without_text() -> None:
    first = change(CODE, "x = 1\n", "x = 'cuda'\n")
    added, removed = change(CODE, None, "x = 'cuda'\n"), change(CODE, "x = 'cuda'\n", None)
    into_a_vendors = change(CODE, "torch.cuda.init()\n", "torch.cuda.init()\n", to="src/project/cuda/engine.py")
    assert [needs_quotes(one) for one in (first, added, removed, into_a_vendors)] == [
        (False, True),
        (False, True),
        (True, False),
        (True, False),
    ]


def test_no_lines_are_asked_for_where_no_site_is_judged() -> None:
    vendors = change("src/project/cuda/a.py", None, "torch.cuda.init()\n")
    construct = change(CODE, None, "torch.accelerator.synchronize()\n")
    same = change(CODE, "torch.cuda.init()\n", "torch.cuda.init()\ny = 1\n")
    renamed = change(CODE, "torch.cuda.init()\n", "torch.cuda.init()\n", to=OTHER)
    assert [needs_quotes(one) for one in (vendors, construct, same, renamed)] == [(False, False)] * 4
