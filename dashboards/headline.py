"""The answer at a glance: a few sentences computed from the series, and never more than the series say. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dashboards import wording
from dashboards.series import in_last_year, last, total, year_before
from tracker.rollup import FlowSeries, StockSeries
from tracker.sites import Verdict


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a sentence."""

    text: str
    strong: bool = False


Sentence = tuple[Fragment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The numbers the sentences are made of; None where nothing was read or not for long enough."""

    repository: str
    data_through: datetime
    """End of what is counted: the last commit read, or the end of the period asked for."""
    sites: int
    sites_year_ago: int | None
    by_vendor: Mapping[str, int]
    """Vendors with at least one site, most first."""
    neutral_constructs: int
    neutral_constructs_year_ago: int | None
    removed_in_year: int | None
    """Sites that left neutral code in the 52 weeks up to the last commit read."""
    added_in_year: int | None
    decoupling_commits: int
    """In the same year."""
    coupling_commits: int


def headline(
    repository: str,
    end: datetime,
    series: tuple[StockSeries, StockSeries, FlowSeries],
    verdicts: Mapping[Verdict, int],
) -> Headline:
    """Return the numbers of a repository of which something was read.

    Args:
        end: of what is counted, the last commit's committer date at the latest.
        series: of neutral code: sites by vendor, neutral constructs, and the flow of sites by mechanism.
        verdicts: numbers of commits in the 52 weeks before.
    """
    stock, adoption, flow = series
    sites, neutral = total(stock.closing), total(adoption.closing)
    has_year = len(stock.weeks) > 52
    return Headline(
        repository=repository,
        data_through=end,
        sites=last(sites) or 0,
        sites_year_ago=(year_before(sites) or 0) if has_year else None,
        by_vendor={key: stock.closing[key][-1] for key in stock.keys if stock.closing[key][-1] > 0},
        neutral_constructs=last(neutral) or 0,
        neutral_constructs_year_ago=(year_before(neutral) or 0) if has_year else None,
        removed_in_year=in_last_year(flow.removed) if has_year else None,
        added_in_year=in_last_year(flow.added) if has_year else None,
        decoupling_commits=verdicts.get(Verdict.DECOUPLING, 0),
        coupling_commits=verdicts.get(Verdict.COUPLING, 0),
    )


def main_sentence(facts: Headline) -> Sentence:
    """Say how tied the repository is, and how that changed in a year."""
    start = (
        Fragment(f"Neutral code of {facts.repository} names vendors’ hardware in "),
        Fragment(wording.plural(facts.sites, "place"), strong=True),
    )
    if facts.sites_year_ago is None:
        return (*start, Fragment("; what it was a year before was not read."))
    if facts.sites == facts.sites_year_ago:
        return (*start, Fragment(", "), Fragment("as many as a year before", strong=True), Fragment("."))
    change = Fragment(f"{wording.change(facts.sites_year_ago, facts.sites)} than a year before", strong=True)
    return (*start, Fragment(", "), change, Fragment("."))


def further_sentences(facts: Headline, titles: Mapping[str, str]) -> tuple[Sentence, ...]:
    """Say whose hardware it is, how far neutral constructs came, and what commits did in the last year."""
    sentences: list[Sentence] = []
    if facts.by_vendor:
        leader, count = next(iter(facts.by_vendor.items()))
        share = wording.percent(count / facts.sites)
        others = [titles.get(name, name) for name in list(facts.by_vendor)[1:4]]
        rest = f"; {_listed(others)} follow{'s' if len(others) == 1 else ''}." if others else "."
        sentences.append((Fragment(f"{share} of them are {titles.get(leader, leader)}’s{rest}"),))
    sentences.append(_adoption(facts))
    if facts.removed_in_year is not None and facts.added_in_year is not None:
        sentences.append(
            (
                Fragment("In the last year "),
                Fragment(wording.plural(facts.added_in_year, "site")),
                Fragment(" came and "),
                Fragment(wording.number(facts.removed_in_year)),
                Fragment(" went; "),
                Fragment(wording.plural(facts.decoupling_commits, "commit") + " decoupled", strong=True),
                Fragment(f" and {wording.number(facts.coupling_commits)} coupled."),
            )
        )
    return tuple(sentences)


def _adoption(facts: Headline) -> Sentence:
    text = f"{wording.plural(facts.neutral_constructs, 'neutral construct')} stand in the same code"
    if facts.neutral_constructs_year_ago is None:
        return (Fragment(f"{text}."),)
    if facts.neutral_constructs == facts.neutral_constructs_year_ago:
        return (Fragment(f"{text}, as many as a year before."),)
    return (Fragment(f"{text}, {wording.change(facts.neutral_constructs_year_ago, facts.neutral_constructs)}."),)


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def text_of(sentence: Sentence) -> str:
    """Return a sentence as plain text."""
    return "".join(fragment.text for fragment in sentence)
