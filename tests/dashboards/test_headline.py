from datetime import UTC, date, datetime

from dashboards.filters import SeriesQuery
from dashboards.headline import (
    Headline,
    compares_with_commits,
    further_sentences,
    headline,
    main_sentence,
    text_of,
)
from tracker.rollup import FlowSeries, StockSeries, weeks_between
from tracker.sites import Area, Construct, Territory, Verdict

END = datetime(2022, 2, 1, 12, tzinfo=UTC)
ALL = SeriesQuery(repository="pytorch/pytorch")
TITLES = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}


def some_facts(**changes: object) -> Headline:
    facts: dict[str, object] = {
        "repository": "pytorch/pytorch",
        "data_through": END,
        "sites": 1234,
        "sites_year_ago": 1341,
        "by_vendor": {"nvidia": 1100, "amd": 134},
        "neutral_constructs": 174,
        "neutral_constructs_year_ago": 115,
        "removed_in_year": 300,
        "added_in_year": 193,
        "decoupling_commits": 12,
        "coupling_commits": 1,
        "decoupling_undone": 3,
        "coupling_undone": 2,
        "window_weeks": 52,
        "window_from": date(2021, 2, 1),
        "sites_before": 1341,
        "neutral_constructs_before": 115,
        "came": 193,
        "let_in": 0,
        "went": 300,
        "staying": 0,
    }
    return Headline(**(facts | changes))  # type: ignore[arg-type]


def further(facts: Headline) -> list[str]:
    return [text_of(sentence) for sentence in further_sentences(facts, ALL, TITLES)]


def answer(facts: Headline, query: SeriesQuery | None = None) -> str:
    return text_of(main_sentence(facts, query if query is not None else ALL, TITLES))


def test_the_answer_says_how_many_places_and_what_became_of_them_in_a_year() -> None:
    assert answer(some_facts()) == (
        "Neutral code of pytorch/pytorch names vendors’ hardware in 1\N{NARROW NO-BREAK SPACE}234 places, "
        "8.0% fewer than a year before."
    )


def test_a_year_that_was_not_read_is_not_guessed() -> None:
    assert answer(some_facts(sites=1, sites_year_ago=None)) == (
        "Neutral code of pytorch/pytorch names vendors’ hardware in 1 place; what it was a year before was not read."
    )
    young = some_facts(
        neutral_constructs_year_ago=None, removed_in_year=None, added_in_year=None, window_weeks=5, came=9, went=1
    )
    assert further(young) == [
        "89% of them are NVIDIA’s; AMD follows.",
        "174 neutral constructs stand in the same code.",
        "In the 5 weeks that were read 9 sites came and 1 went; 12 commits decoupled and 1 coupled.",
    ]


def test_no_change_is_said_as_such() -> None:
    assert answer(some_facts(sites=7, sites_year_ago=7)).endswith("7 places, as many as a year before.")


def test_further_sentences_say_whose_what_instead_and_what_commits_did() -> None:
    assert further(some_facts(by_vendor={"nvidia": 1100, "amd": 100, "intel": 34})) == [
        "89% of them are NVIDIA’s; AMD and Intel follow.",
        "174 neutral constructs stand in the same code, 51% more.",
        "In the last year 193 sites came and 300 went; 12 commits decoupled and 1 coupled.",
    ]


def test_code_that_names_nobody_has_no_leader() -> None:
    assert further(some_facts(sites=0, by_vendor={}))[0] == "174 neutral constructs stand in the same code, 51% more."


def test_the_numbers_are_the_ends_of_the_series() -> None:
    weeks = weeks_between(datetime(2021, 1, 4, tzinfo=UTC).date(), datetime(2022, 1, 3, tzinfo=UTC).date())
    rising = tuple(range(len(weeks)))
    opening = (0, *rising[:-1])
    stock = StockSeries(
        weeks=weeks,
        opening={"nvidia": opening, "amd": (0,) * len(weeks)},
        closing={"nvidia": rising, "amd": (0,) * len(weeks)},
        data_through=END,
    )
    adoption = StockSeries(weeks=weeks, closing={}, data_through=END)
    flow = FlowSeries(weeks=weeks, added={"introduced": (1,) * len(weeks)}, removed={}, data_through=END)
    assert headline(ALL, END, (stock, adoption, flow), {Verdict.DECOUPLING: 2}) == Headline(
        repository="pytorch/pytorch",
        data_through=END,
        sites=52,
        sites_year_ago=0,
        by_vendor={"nvidia": 52},
        neutral_constructs=0,
        neutral_constructs_year_ago=0,
        removed_in_year=0,
        added_in_year=52,
        decoupling_commits=2,
        coupling_commits=0,
        decoupling_undone=None,
        coupling_undone=None,
        window_weeks=52,
        window_from=date(2021, 1, 11),
        sites_before=0,
        neutral_constructs_before=0,
        came=52,
        let_in=0,
        went=0,
        staying=0,
    )


def test_less_than_a_year_gives_no_numbers_of_a_year() -> None:
    weeks = weeks_between(datetime(2021, 12, 6, tzinfo=UTC).date(), datetime(2022, 1, 3, tzinfo=UTC).date())
    stock = StockSeries(
        weeks=weeks, opening={"nvidia": (1, 1, 2, 3, 4)}, closing={"nvidia": (1, 2, 3, 4, 5)}, data_through=END
    )
    flow = FlowSeries(weeks=weeks, added={"introduced": (0, 1, 1, 1, 1)})
    found = headline(ALL, END, (stock, stock, flow), {})
    assert (found.sites, found.sites_year_ago, found.removed_in_year, found.added_in_year) == (5, None, None, None)
    assert (found.window_weeks, found.window_from, found.sites_before, found.came, found.net) == (
        5,
        date(2021, 12, 6),
        1,
        4,
        4,
    )


def test_the_net_is_the_change_of_the_stock_and_what_stayed_and_changed_it_is_named() -> None:
    weeks = weeks_between(date(2021, 12, 27), date(2022, 1, 3))
    stock = StockSeries(weeks=weeks, opening={"nvidia": (10, 13)}, closing={"nvidia": (13, 9)}, data_through=END)
    flow = FlowSeries(
        weeks=weeks,
        added={"introduced": (4, 0), "broadened": (1, 0), "edited": (1, 0)},
        removed={"dropped": (0, 2), "broadened": (1, 0), "edited": (2, 2)},
        data_through=END,
    )
    found = headline(ALL, END, (stock, StockSeries(weeks=weeks), flow), {})
    assert (found.came, found.let_in, found.went, found.staying) == (4, 1, 3, -3)
    assert found.net == found.came + found.let_in - found.went + found.staying == -1
    assert further(found)[-1] == (
        "In the 2 weeks that were read 4 sites came, 1 was let in, 3 went and moved and edited ones made −3; "
        "0 commits decoupled and 0 coupled."
    )


def test_under_a_vendors_filter_nothing_is_said_of_constructs_that_are_no_vendors() -> None:
    query = SeriesQuery(repository="pytorch/pytorch", vendor="nvidia")
    weeks = weeks_between(date(2021, 12, 27), date(2022, 1, 3))
    series = StockSeries(weeks=weeks, opening={"nvidia": (0, 2)}, closing={"nvidia": (2, 2)}, data_through=END)
    found = headline(query, END, (series, series, FlowSeries(weeks=weeks)), {Verdict.DECOUPLING: 3})
    assert (found.neutral_constructs, found.neutrality, found.decoupling_commits) == (None, None, 3)
    assert answer(found, query).startswith("Neutral code of pytorch/pytorch names NVIDIA’s hardware in 2 places; ")
    assert [text_of(sentence) for sentence in further_sentences(found, query, TITLES)] == [
        "In the 2 weeks that were read 0 sites came and 0 went; 3 commits decoupled and 0 coupled."
    ]


def test_the_answer_names_what_it_is_restricted_to() -> None:
    facts = some_facts(sites=7, sites_year_ago=7)
    wanted = SeriesQuery(repository="o/n", area=Area.TEST, construct=Construct.GUARD, territory=Territory.VENDOR_TEST)
    assert answer(facts, wanted) == (
        "Vendor test code of pytorch/pytorch, in its area test, names vendors’ hardware in 7 places of the kind guard, "
        "as many as a year before."
    )
    neutral = SeriesQuery(repository="o/n", construct=Construct.NEUTRAL)
    assert answer(facts, neutral).startswith("Neutral code of pytorch/pytorch holds 7 neutral constructs, ")
    assert "sites" not in text_of(further_sentences(facts, neutral, TITLES)[-1])
    assert not compares_with_commits(wanted)
    assert not compares_with_commits(neutral)
    assert compares_with_commits(SeriesQuery(repository="o/n", vendor="nvidia", area=Area.TEST))
