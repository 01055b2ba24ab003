from datetime import date

from dashboards.filters import SeriesQuery
from dashboards.tiles import Tile, tiles_of
from tests.dashboards.test_headline import some_facts
from tracker.sites import Area, Construct

ALL = SeriesQuery(repository="pytorch/pytorch")
SITES = "repository=pytorch%2Fpytorch"
COMMITS = "/commits?repository=pytorch%2Fpytorch&verdict=decoupling&net=yes&since=2021-02-01"


def test_the_change_of_the_stock_and_the_net_beside_it_are_one_number_with_its_parts() -> None:
    facts = some_facts(sites=861, sites_before=709, came=177, let_in=1, went=18, staying=-8)
    assert tiles_of(facts, ALL) == (
        Tile(title="sites in neutral code", value="861", note="+152 in 52 weeks", address=f"/sites?{SITES}"),
        Tile(
            title="neutral constructs", value="174", note="+59 in 52 weeks", address=f"/sites?{SITES}&construct=neutral"
        ),
        Tile(title="neutrality", value="16.8%", note="neutral constructs among them and the sites"),
        Tile(title="net of a year", value="+152", note="+177 in, +1 let in, −18 out, −8 moved or edited"),
        Tile(title="decoupling commits", value="12", note="in 52 weeks, against 1 coupling", address=COMMITS),
    )


def test_a_short_history_says_how_many_weeks_its_numbers_cover() -> None:
    facts = some_facts(sites=9, sites_before=0, window_weeks=5, window_from=date(2022, 1, 3), came=9, went=0)
    notes = {tile.title: (tile.value, tile.note) for tile in tiles_of(facts, ALL)}
    assert notes["sites in neutral code"] == ("9", "+9 in the 5 weeks that were read")
    assert notes["net of 5 weeks"] == ("+9", "+9 in, 0 out")
    assert notes["decoupling commits"] == ("12", "in the 5 weeks that were read, against 1 coupling")
    assert not any("52" in note or "year" in title for title, (_, note) in notes.items())
    asked = SeriesQuery(repository="pytorch/pytorch", since=date(2022, 1, 3))
    assert tiles_of(facts, asked)[0].note == "+9 in the 5 weeks asked for"


def test_a_number_leads_to_what_it_counts_restricted_as_it_is() -> None:
    query = SeriesQuery(repository="o/n", vendor="amd", area=Area.TEST, names=True)
    stock, *_ = tiles_of(some_facts(), query)
    assert stock.address == "/sites?repository=o%2Fn&vendor=amd&area=test&names=yes"
    # What stood at the end of an earlier period is not listed.
    before = SeriesQuery(repository="o/n", until=date(2021, 7, 1))
    stock, *_, commits = tiles_of(some_facts(), before)
    assert stock.address is None
    assert commits.address == ("/commits?repository=o%2Fn&verdict=decoupling&net=yes&since=2021-02-01&until=2021-06-30")


def test_tiles_that_mean_nothing_under_a_filter_are_left_out() -> None:
    facts = some_facts(
        neutral_constructs=None, neutral_constructs_before=None, decoupling_commits=None, coupling_commits=None
    )
    guards = SeriesQuery(repository="pytorch/pytorch", construct=Construct.GUARD)
    assert [tile.title for tile in tiles_of(facts, guards)] == ["sites in neutral code", "net of a year"]
    neutral = SeriesQuery(repository="pytorch/pytorch", construct=Construct.NEUTRAL)
    assert tiles_of(facts, neutral)[0].title == "neutral constructs in neutral code"
