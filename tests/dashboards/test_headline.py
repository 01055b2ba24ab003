from datetime import UTC, datetime

from dashboards.headline import Headline, further_sentences, headline, main_sentence, text_of
from tracker.rollup import FlowSeries, StockSeries, weeks_between
from tracker.sites import Verdict

END = datetime(2022, 2, 1, 12, tzinfo=UTC)
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
    }
    return Headline(**(facts | changes))  # type: ignore[arg-type]


def further(facts: Headline) -> list[str]:
    return [text_of(sentence) for sentence in further_sentences(facts, TITLES)]


def test_the_answer_says_how_many_places_and_what_became_of_them_in_a_year() -> None:
    assert text_of(main_sentence(some_facts())) == (
        "Neutral code of pytorch/pytorch names vendors’ hardware in 1\N{NARROW NO-BREAK SPACE}234 places, "
        "8.0% fewer than a year before."
    )


def test_a_year_that_was_not_read_is_not_guessed() -> None:
    assert text_of(main_sentence(some_facts(sites=1, sites_year_ago=None))) == (
        "Neutral code of pytorch/pytorch names vendors’ hardware in 1 place; what it was a year before was not read."
    )
    young = some_facts(neutral_constructs_year_ago=None, removed_in_year=None, added_in_year=None)
    assert further(young) == [
        "89% of them are NVIDIA’s; AMD follows.",
        "174 neutral constructs stand in the same code.",
    ]


def test_no_change_is_said_as_such() -> None:
    assert text_of(main_sentence(some_facts(sites=7, sites_year_ago=7))).endswith("7 places, as many as a year before.")


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
    stock = StockSeries(weeks=weeks, closing={"nvidia": rising, "amd": (0,) * len(weeks)}, data_through=END)
    adoption = StockSeries(weeks=weeks, closing={}, data_through=END)
    flow = FlowSeries(weeks=weeks, added={"introduced": (1,) * len(weeks)}, removed={}, data_through=END)
    assert headline("o/n", END, (stock, adoption, flow), {Verdict.DECOUPLING: 2}) == Headline(
        repository="o/n",
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
    )


def test_less_than_a_year_gives_no_numbers_of_a_year() -> None:
    weeks = weeks_between(datetime(2021, 12, 6, tzinfo=UTC).date(), datetime(2022, 1, 3, tzinfo=UTC).date())
    stock = StockSeries(weeks=weeks, closing={"nvidia": (1, 2, 3, 4, 5)}, data_through=END)
    found = headline("o/n", END, (stock, stock, FlowSeries(weeks=weeks)), {})
    assert (found.sites, found.sites_year_ago, found.removed_in_year, found.added_in_year) == (5, None, None, None)
