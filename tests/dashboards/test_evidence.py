"""Why each site was judged so, on a commit's page and in its twin: lines with the site marked, rule, reason."""

import re

import httpx

from dashboards.views.evidence import FILES_OPEN, SHOWN, Evidence, accounts_as_rows, equivalent_of, evidence_of
from tests.builders import a_sha, a_site, an_account, an_exclusivity
from tests.dashboards.documents import page
from tests.stored import SLUG
from tracker.classify import Accounts, Line
from tracker.ruleset import Ruleset
from tracker.sites import Construct, Mechanism

FIRST, SECOND, THIRD = (f"/commits/{SLUG}/{a_sha(name)}" for name in ("first", "second", "third"))


def lines_of(count: int, path: str = "a.py") -> tuple[Line, ...]:
    return tuple(Line(path=path, number=number, text=f"{number}") for number in range(count))


def test_places_of_which_the_same_is_said_are_told_together(shipped_ruleset: Ruleset) -> None:
    accounts = Accounts(
        sites=(
            *(an_account(line=line) for line in lines_of(2)),
            an_account(line=lines_of(1)[0], reason="its file is gone", mechanism=Mechanism.RETIRED),
        )
    )
    (file,) = evidence_of(accounts, shipped_ruleset).files
    assert [(told.reason, len(told.changes)) for told in file.told] == [
        ("deleted where its surroundings stay", 2),
        ("its file is gone", 1),
    ]


def test_of_many_alike_places_all_but_the_first_are_folded_unless_it_is_one(shipped_ruleset: Ruleset) -> None:
    def folds(count: int) -> tuple[int, int]:
        accounts = Accounts(sites=tuple(an_account(line=line) for line in lines_of(count)))
        (told,) = evidence_of(accounts, shipped_ruleset).files[0].told
        return len(told.first), len(told.folded)

    assert [folds(count) for count in (1, 3, 4, 5, 40)] == [(1, 0), (3, 0), (4, 0), (3, 2), (3, 37)]


def test_further_files_are_folded(shipped_ruleset: Ruleset) -> None:
    sites = tuple(an_account(line=lines_of(1, f"{number:03}.py")[0]) for number in range(FILES_OPEN + 5))
    found = evidence_of(Accounts(sites=sites), shipped_ruleset)
    assert (len(found.open_files), len(found.folded_files)) == (FILES_OPEN, 5)


def test_a_page_shows_no_more_than_it_can_and_says_how_many_more_there_are(shipped_ruleset: Ruleset) -> None:
    accounts = Accounts(sites=tuple(an_account(line=line) for line in lines_of(SHOWN + 7)), left_out=5)
    found = evidence_of(accounts, shipped_ruleset)
    assert (sum(file.places for file in found.files), found.not_shown, found.left_out) == (SHOWN, 7, 5)
    assert evidence_of(Accounts(), shipped_ruleset) == Evidence(files=(), not_shown=0, left_out=0)


def test_lines_lose_the_indentation_they_share_and_the_site_stays_marked(shipped_ruleset: Ruleset) -> None:
    one = an_account(
        line=Line(path="a.py", number=3, text="        x.cuda()", span=(9, 14)),
        opposite=Line(path="b.py", number=4, text="    x.to(d)", span=None),
    )
    (change,) = evidence_of(Accounts(sites=(one,)), shipped_ruleset).files[0].told[0].changes
    assert change.gone is not None
    assert change.new is not None
    assert (change.gone.before, change.gone.marked, change.gone.after) == ("    x", ".cuda", "()")
    assert (change.new.before, change.new.marked, change.new.after) == ("x.to(d)", "", "")
    assert (change.gone.path, change.new.path) == (None, "b.py")
    assert (change.gone.of_parent, change.new.of_parent) == (True, False)


def test_a_new_site_stands_below_the_line_whose_place_it_took(shipped_ruleset: Ruleset) -> None:
    one = an_account(gone=False, line=lines_of(2)[1], opposite=lines_of(1)[0])
    (change,) = evidence_of(Accounts(sites=(one,)), shipped_ruleset).files[0].told[0].changes
    assert (change.gone and change.gone.number, change.new and change.new.number) == (0, 1)


def test_what_could_not_be_read_is_said_to_be_unknown(shipped_ruleset: Ruleset) -> None:
    one = an_account(line=Line(path="a.py", number=3, text=""))
    (change,) = evidence_of(Accounts(sites=(one,)), shipped_ruleset).files[0].told[0].changes
    assert change.gone is not None
    assert not change.gone.known


def test_the_equivalent_of_an_api_is_told_where_the_mapping_knows_one(shipped_ruleset: Ruleset) -> None:
    assert equivalent_of(a_site("torch.cuda.synchronize"), shipped_ruleset) == "torch.accelerator.synchronize"
    assert equivalent_of(a_site("torch.cuda.nvtx.mark"), shipped_ruleset) is None
    assert equivalent_of(a_site("cuda", construct=Construct.LITERAL), shipped_ruleset) == "device_type"
    assert equivalent_of(a_site("cuda", construct=Construct.BUILD), shipped_ruleset) is None


def test_an_equivalent_is_told_beside_what_took_the_place_unless_it_is_that_or_stands_for_a_literal(
    shipped_ruleset: Ruleset,
) -> None:
    api, literal = a_site("torch.cuda.synchronize"), a_site("cuda", construct=Construct.LITERAL)
    sites = (
        an_account(site=api),
        an_account(site=api, replaced_by="device.synchronize"),
        an_account(site=api, replaced_by="torch.accelerator.synchronize"),
        an_account(site=literal),
        an_account(site=literal, replaced_by="device"),
    )
    told = evidence_of(Accounts(sites=sites), shipped_ruleset).files[0].told
    same = "torch.accelerator.synchronize"
    assert [one.equivalent for one in told] == [same, same, None, "device_type", None]


def test_rows_of_the_twin_hold_the_lines_and_where_the_rule_is_told(shipped_ruleset: Ruleset) -> None:
    rows = accounts_as_rows(Accounts(sites=(an_account(),), exclusivities=(an_exclusivity(),)), shipped_ruleset)
    assert rows is not None
    assert rows["left_out"] == 0
    assert accounts_as_rows(None, shipped_ruleset) is None


def test_a_commit_page_shows_both_lines_the_rule_and_the_reason(client: httpx.Client) -> None:
    text = page(client, SECOND).text
    assert "Of D = 2, R = 0 and A = 0, D is more than half of their sum 2, so the verdict is decoupling." in text
    assert (
        "generalised torch.cuda.synchronize a neutral name stands in its place → torch.accelerator.synchronize" in text
    )
    assert "12 before the change − torch.cuda.synchronize ()" in text
    assert "12 after the change + torch.accelerator.synchronize ()" in text
    assert client.get(SECOND).text.count("<mark>torch.cuda.synchronize</mark>") == 2


def test_lines_lead_to_the_file_of_the_commit_that_holds_them(client: httpx.Client) -> None:
    addresses = page(client, SECOND).addresses
    at = "https://github.com/pytorch/pytorch/blob"
    assert f"{at}/{a_sha('first')}/torch/serialization.py#L12" in addresses
    assert f"{at}/{a_sha('second')}/torch/serialization.py#L12" in addresses


def test_hostile_lines_stay_text(client: httpx.Client) -> None:
    html = client.get(THIRD).text
    assert "&lt;script&gt;" in html
    assert "\u202e" not in html
    assert "&lt;U+202E&gt;" in html
    text = page(client, THIRD).text
    assert "<b>x</b> … cut" in text
    assert "7 more places alike" in text
    assert "3 more places of this commit are not kept" in text
    assert "a place of NVIDIA alone admits others now: another vendor is admitted beside it" in text


def test_where_it_was_not_recorded_the_page_and_the_twin_say_so(client: httpx.Client) -> None:
    assert "Not recorded: judged before accounts were kept; tracker rejudge records them." in page(client, FIRST).text
    commit = client.get(f"/api/v1{FIRST}").json()["commit"]
    assert commit["accounts"] is None
    assert commit["accounts_note"] == ("not recorded: judged before accounts were kept; `tracker rejudge` records them")


def test_the_twin_has_all_of_it(client: httpx.Client) -> None:
    commit = client.get(f"/api/v1{SECOND}").json()["commit"]
    assert commit["accounts_note"] is None
    assert commit["arithmetic"]["decoupled"] == 2
    assert commit["arithmetic"]["sentence"].endswith("so the verdict is decoupling.")
    first = commit["accounts"]["sites"][0]
    assert first["line"] == {
        "path": "torch/serialization.py",
        "number": 12,
        "text": "        torch.cuda.synchronize()",
        "span": [8, 30],
        "cut_before": False,
        "cut_after": False,
    }
    assert first["opposite"]["text"] == "        torch.accelerator.synchronize()"
    assert (first["mechanism"], first["reason"]) == ("generalised", "a neutral name stands in its place")
    assert first["replaced_by"] == first["equivalent"] == "torch.accelerator.synchronize"
    assert re.fullmatch(r"/method#rule-[a-z.-]+", first["rule_address"])
